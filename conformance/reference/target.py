"""The target profile of an instance for a conformance run, as nested tables and as TOML."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from conformance.reference import catalogue, fixtures
from conformance.reference.app import PREFIX
from conformance.reference.description import DESCRIPTION_PATH
from conformance.reference.identities import SECRET_PREFIXES, THROTTLED_RATE, secret
from conformance.reference.request_body import MAXIMUM_BODY_BYTES
from conformance.reference.schemes import API_KEY, digest
from conformance.reference.store import Store
from conformance.reference.tool_interface import TOOLS_PATH

Table = dict[str, Any]

REQUESTS_PER_SECOND: Final = 10_000
"""Far more than one process can serve, so that a run is never slowed down."""

COMMENTS: Final = {
    "credentials.primary": "Holds every permission; its role may approve reviews.",
    "credentials.expired": "Was valid, has expired.",
    "credentials.revoked": "Was valid, has been revoked.",
    "credentials.outsider": "Holds every permission; its grant shares nothing with primary's.",
    "credentials.no-review-role": "Holds reviews:approve; its role may not approve.",
    "credentials.colleague": "Another account with primary's grant and permissions.",
    "credentials.throttled": "May be driven into its rate limit without harm to the others.",
    "fixtures": "Each of the approvable reviews can be approved once.",
    "fixtures.foreign": "Exist; outside primary's companies.",
    "fixtures.ungranted": "Exist; in a company of primary's, outside its projects.",
    "limits.rate-limit": "Of the credential `throttled`.",
    "tools": "The same operations over the Model Context Protocol.",
    "description": "The OpenAPI document.",
    "consent": "This is a sandbox: everything in it may be spent.",
}


def profile(store: Store, seed: int, base_url: str) -> Table:
    """The profile of the instance that serves `store` at `base_url`."""
    return {
        "base-url": base_url,
        "credentials": {
            "primary": _credential(seed, "primary"),
            "expired": _credential(seed, "expired"),
            "revoked": _credential(seed, "revoked"),
            "lacking": {
                permission: _credential(seed, f"lacking/{permission}")
                for permission in catalogue.permissions()
            },
            "outsider": _credential(seed, "outsider"),
            "no-review-role": _credential(seed, "no-review-role"),
            "colleague": _credential(seed, "colleague"),
            "throttled": _credential(seed, "throttled"),
        },
        "fixtures": _fixtures(store, primary_account(store, seed)),
        "limits": {
            "max-body-bytes": MAXIMUM_BODY_BYTES,
            "rate-limit": {"requests": THROTTLED_RATE.requests, "seconds": THROTTLED_RATE.seconds},
            "requests-per-second": REQUESTS_PER_SECOND,
        },
        "tools": {"url": base_url.removesuffix(PREFIX) + TOOLS_PATH},
        "description": {"url": base_url + DESCRIPTION_PATH},
        "consent": {
            "approve-reviews": True,
            "exhaust-rate-limit": True,
            "oversized-bodies": True,
            "fuzz-writes": True,
        },
    }


def toml(table: Mapping[str, object]) -> str:
    """A profile as TOML text, with a comment above each table."""
    title = (
        "# Target profile of a running reference implementation. "
        "Its credentials open a sandbox and nothing else."
    )
    return "\n".join([title, *_table(table, ())]) + "\n"


def _credential(seed: int, name: str) -> Table:
    """Both secrets of a credential."""
    return {scheme: secret(seed, name, scheme) for scheme in SECRET_PREFIXES}


def _fixtures(store: Store, account: str) -> Table:
    return {
        "approvable-reviews": fixtures.approvable_reviews(store, account),
        "unapprovable-reviews": fixtures.unapprovable_reviews(store, account),
        "foreign": fixtures.foreign(store, account),
        "ungranted": fixtures.ungranted(store, account),
    }


def primary_account(store: Store, seed: int) -> str:
    """The id of the account behind the primary credential."""
    primary = digest(secret(seed, "primary", API_KEY))
    (credential,) = store.rows(
        "SELECT account_id FROM credentials WHERE digest = :digest", {"digest": primary}
    )
    return str(credential["account_id"])


def _table(table: Mapping[str, object], path: tuple[str, ...]) -> Iterator[str]:
    """The lines of a table: header, keys, nested tables."""
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    if path and (plain or _comment(path)):
        yield from ("", *_comment(path), f"[{_dotted(path)}]")
    for key, value in plain.items():
        yield f"{_quoted(key)} = {_value(value)}"
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _table(value, (*path, key))


def _comment(path: tuple[str, ...]) -> list[str]:
    """The comment above the header of a table, if there is one."""
    if path[:2] == ("credentials", "lacking") and len(path) == 3:
        return [f"# As primary, without {path[2]}."]
    comment = COMMENTS.get(".".join(path))
    return [f"# {comment}"] if comment else []


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(_quoted(key) for key in path)


def _quoted(key: str) -> str:
    """A bare TOML key if possible, and a quoted one otherwise."""
    return key if key.replace("-", "").isalnum() else _value(key)


def _value(value: object) -> str:
    """A TOML value; strings, numbers and booleans are spelled as in JSON."""
    if isinstance(value, list):
        return "".join(["[", *(f"\n  {_value(each)}," for each in value), "\n]"])
    return orjson.dumps(value).decode()
