"""One deployment: its address, credentials, fixtures and limits, and what a run may do to it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import urlsplit

from conformance.contract import api
from conformance.target.connection import Connection, Gateway
from conformance.target.near_misses import near_misses
from conformance.target.token import Token

LONGEST_SECRET = 65_536
"""Characters of a secret: tokens have a few thousand, and every text is searched for them."""

_HEADER_VALUE = re.compile(r"[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?")  # RFC 9110, 5.5

_STANDING = {
    "primary": "served",
    "expired": "dead",
    "revoked": "dead",
    "outsider": "served elsewhere",
}
"""Callers of different standing have different secrets.

All others have one standing: a key may lack several permissions, and the role as well.
"""

_UNCONTRADICTED = frozenset({"throttled", "colleague"})
"""Callers whose secret may be that of another one."""

K = TypeVar("K")
V = TypeVar("V")


def frozen(mapping: Mapping[K, V]) -> Mapping[K, V]:
    """A read-only copy of a mapping."""
    return MappingProxyType(dict(mapping))


@dataclass(frozen=True)
class Credential:
    """One caller, with the secret of each scheme that it has ("Authentication").

    A secret is a text, or a Token where a command prints it; its repr shows no secret.
    """

    name: str
    api_key: str | Token | None = field(default=None, repr=False)
    bearer: str | Token | None = field(default=None, repr=False)
    api_key_variable: str | None = None  # NAME where the profile says "${NAME}"
    bearer_variable: str | None = None
    resembled: Mapping[str, tuple[bool, ...]] | None = field(default=None, hash=False)
    """In place of a secret that is not known: which of its near misses there are, by scheme."""

    @property
    def schemes(self) -> tuple[str, ...]:
        """The schemes that it has a secret for, "api-key" before "bearer"."""
        return tuple(scheme for scheme in api.load().schemes if self._secrets[scheme] is not None)

    def near_misses(self, scheme: str) -> tuple[str | None, ...]:
        """Secrets that resemble that of a scheme, with None for those that there are not."""
        secret = self.secret(scheme)
        if self.resembled is None:
            return near_misses(secret)
        pattern = self.resembled[scheme]
        return tuple(
            f"{secret}{place}" if is_there else None for place, is_there in enumerate(pattern)
        )

    def secret(self, scheme: str) -> str:
        """The current secret of one scheme; KeyError where it has none."""
        secret = self._secrets[scheme]
        if secret is None:
            raise KeyError(scheme)
        return secret.value() if isinstance(secret, Token) else secret

    def token(self, scheme: str | None) -> Token | None:
        """What renews the secret of a scheme; None where the secret stays as it is."""
        secret = self._secrets.get(scheme) if scheme else None
        return secret if isinstance(secret, Token) else None

    @property
    def secrets(self) -> frozenset[str]:
        """Every secret that this caller has or had in this run."""
        known: frozenset[str] = frozenset()
        for secret in self._secrets.values():
            if isinstance(secret, Token):
                known |= secret.secrets
            elif secret is not None:
                known |= {secret}
        return known

    def variable(self, scheme: str) -> str:
        """The shell variable that stands for the secret, such as "$PRIMARY_API_KEY"."""
        stated = {"api-key": self.api_key_variable, "bearer": self.bearer_variable}[scheme]
        return f"${stated or _variable(self.name, scheme)}"

    def is_literal(self, scheme: str) -> bool:
        """Whether the profile holds the secret itself, and no variable or command for it."""
        stated = {"api-key": self.api_key_variable, "bearer": self.bearer_variable}[scheme]
        return isinstance(self._secrets[scheme], str) and stated is None

    def shares_secret(self, other: "Credential") -> bool:
        """Whether another credential has the same secret for one of the schemes."""
        return any(
            self.secret(scheme) == other.secret(scheme)
            for scheme in self.schemes
            if scheme in other.schemes
        )

    @property
    def _secrets(self) -> Mapping[str, str | Token | None]:
        return {"api-key": self.api_key, "bearer": self.bearer}


@dataclass(frozen=True)
class ParameterName:
    """The name of the query parameter with a role; None where the list has no such parameter.

    `declared`: the profile states it.
    """

    name: str | None
    declared: bool = False


@dataclass(frozen=True)
class Fixtures:
    """Ids of records in a known state.

    `provision` makes one more approvable review: a command (argv, empty: none), or a function that
    returns its id, or None. `reset` makes the approvable ones so again (argv, empty: none).
    """

    approvable_reviews: tuple[str, ...] = ()
    unapprovable_reviews: tuple[str, ...] = ()
    # By kind: "company" (foreign alone), "project", "video", "review".
    foreign: Mapping[str, str] = field(default_factory=dict, hash=False)
    ungranted: Mapping[str, str] = field(default_factory=dict, hash=False)
    provision: tuple[str, ...] | Callable[[], str | None] = ()
    reset: tuple[str, ...] = ()

    def credible(self) -> "Fixtures":
        """The same fixtures without foreign or ungranted reviews that are listed as readable."""
        readable = {id.lower() for id in (*self.approvable_reviews, *self.unapprovable_reviews)}
        foreign, ungranted = (
            frozen(
                {
                    kind: id
                    for kind, id in group.items()
                    if kind != "review" or id.lower() not in readable
                }
            )
            for group in (self.foreign, self.ungranted)
        )
        return replace(self, foreign=foreign, ungranted=ungranted)


@dataclass(frozen=True)
class RateLimit:
    """The number of requests that are allowed in a number of seconds ("Limits")."""

    requests: int
    seconds: float


USUAL_LAG = 5.0
"""Seconds that reads may lag, where the profile does not say."""


@dataclass(frozen=True)
class Limits:
    """The numbers that the specification leaves open ("Limits"); None: not in the profile."""

    max_body_bytes: int | None = None
    rate_limit: RateLimit | None = None
    requests_per_second: float | None = None
    connections: int | None = None  # requests that may be under way at once
    max_time: float | None = None  # seconds of a run
    max_requests: int | None = None
    max_response_bytes: int | None = None
    lag: float = USUAL_LAG  # seconds that reads may lag behind a write, or behind each other


@dataclass(frozen=True)
class Product:
    """The product that is checked, for reports and certificates; None: not in the profile."""

    vendor: str | None = None
    name: str | None = None
    version: str | None = None

    @property
    def stated(self) -> Mapping[str, str]:
        """The entries of the profile."""
        entries = {"vendor": self.vendor, "name": self.name, "version": self.version}
        return {key: value for key, value in entries.items() if value is not None}


@dataclass(frozen=True)
class Consent:
    """What a run may do to the target: nothing by default."""

    approve_reviews: bool = False
    exhaust_rate_limit: bool = False
    oversized_bodies: bool = False
    fuzz_writes: bool = False


@dataclass(frozen=True)
class Target:
    """One deployment.

    `base_url` has no trailing slash. `credentials` have keys such as "primary" and
    "lacking.reviews:approve". `source` is the file name of the profile, and `stated` are the tables
    and keys that stand in it, as TOML writes them.
    """

    base_url: str
    credentials: Mapping[str, Credential] = field(default_factory=dict, hash=False)
    fixtures: Fixtures = field(default_factory=Fixtures)
    limits: Limits = field(default_factory=Limits)
    parameters: Mapping[tuple[str, str], ParameterName] = field(
        default_factory=lambda: {
            role: ParameterName(name or None) for role, name in api.load().open_names.items()
        },
        hash=False,
    )
    tools_url: str | None = None
    description_url: str | None = None
    consent: Consent = field(default_factory=Consent)
    required: tuple[str, ...] = ()  # classes and requirements of the gate; (): the default
    # By operation, in seconds: `conformance load` measures them, and no run depends on them.
    p95: Mapping[str, float] = field(default_factory=dict, hash=False)
    source: str | None = None
    stated: frozenset[str] = field(default=frozenset(), compare=False)
    product: Product = field(default_factory=Product)
    connection: Connection = field(default_factory=Connection)

    @property
    def gateway(self) -> Gateway:
        """How its addresses are reached."""
        return Gateway(self.connection, self.base_url, self.tools_url)

    def lacking(self, permission: str) -> Credential | None:
        """The credential that lacks just this permission, if the profile has one."""
        return self.credentials.get(f"lacking.{permission}")

    @property
    def variables(self) -> Mapping[str, str]:
        """The shell variable that stands for each secret, as it is now."""
        own = {
            credential.secret(scheme): credential.variable(scheme)
            for credential in self.credentials.values()
            for scheme in credential.schemes
        }
        return {each.value: each.variable for each in self.connection.headers} | own

    @property
    def secrets(self) -> frozenset[str]:
        """Every secret that any credential or further header has or had in this run."""
        own = (each.secrets for each in self.credentials.values())
        further = (each.secrets for each in self.connection.headers)
        return frozenset().union(*own, *further)

    def credible(self) -> "Target":
        """The same target without credentials and fixtures that contradict others."""
        contradicted = {
            name
            for name, credential in self.credentials.items()
            if name != "primary" and self._is_contradicted(credential)
        }
        consistent = {
            name: credential
            for name, credential in self.credentials.items()
            if name not in contradicted
        }
        return replace(self, credentials=frozen(consistent), fixtures=self.fixtures.credible())

    def _is_contradicted(self, credential: Credential) -> bool:
        others = [
            other
            for other in self.credentials.values()
            if _STANDING.get(other.name) != _STANDING.get(credential.name)
        ]
        return any(
            other.shares_secret(credential)
            for other in others
            if not _UNCONTRADICTED & {other.name, credential.name}
        )


@cache
def _variable(name: str, scheme: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", f"{name}_{scheme}".upper())


def secret_flaw(secret: str) -> str | None:
    """Why a text cannot be a secret, or None; never repeats the text."""
    if not secret:
        return "is empty"
    if len(secret) > LONGEST_SECRET:
        return f"has more than {LONGEST_SECRET:,} characters: no header carries it"
    if secret.startswith("${") and secret.endswith("}"):
        return "looks like a reference, but does not name an environment variable"
    return (
        None
        if _HEADER_VALUE.fullmatch(secret)
        else "contains a character, or a space at an end, that no header can carry"
    )


def base_url_flaw(url: str) -> str | None:
    """Why this is not a base URL, or None; never repeats the URL, which may hold a password."""
    return url_flaw(url) or ("has a query" if "?" in url else None)


def url_flaw(url: str) -> str | None:
    """Why this is not an absolute http(s) URL, or None; never repeats the URL."""
    if re.search(r"[\x00-\x20\x7f\\]", url):  # urlsplit would drop some of these silently
        return "contains a space, a backslash or a control character"
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return "is not a URL: its host or port is malformed"
    flaws = {
        "is not an http or https URL": parts.scheme not in ("http", "https") or not host,
        "contains a user name or a password": "@" in parts.netloc,
        "has a fragment": "#" in url,
    }
    return next((flaw for flaw, found in flaws.items() if found), None)
