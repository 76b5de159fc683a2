"""The tables and keys of a target profile: what each accepts, and what would be right."""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from conformance.contract import api, openapi, requirements
from conformance.contract.identifiers import is_uuid
from conformance.target import duration, json_schema
from conformance.target.profile_file import LISTS
from conformance.target.target import Consent, base_url_flaw, secret_flaw, url_flaw
from conformance.target.toml_schema import Array, Either, Leaf, Named, Schema

API = api.load()
_LARGEST = 9007199254740991  # beyond it a float is no longer exact
_LONGEST_LAG = 600  # seconds


def _uuid_flaw(value: str) -> str | None:
    return None if is_uuid(value) else "is not a UUID of the specified pattern"


def _number_flaw(value: float) -> str | None:
    if not value > 0:  # NaN as well
        return "is not above zero"
    return None if value <= _LARGEST else "is too large"


def _lag_flaw(value: float) -> str | None:
    if not value >= 0:  # NaN as well
        return "is below zero"
    return None if value <= _LONGEST_LAG else "is too long"


def _name_flaw(value: object) -> str | None:
    return "is not a parameter name" if value in ("", True) else None


def _text_flaw(value: str) -> str | None:
    if not value.strip():
        return "is empty"
    return None if value.isprintable() else "has a control character"


def _argument_flaw(value: str) -> str | None:
    return "contains a null character" if "\0" in value else None


def _host_flaw(value: str) -> str | None:
    if not re.fullmatch(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?", value):
        return "is not a host name"
    return None


def _header_flaw(name: str) -> str | None:
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):  # RFC 9110, 5.6.2
        return "is not the name of a header"
    lower = name.lower()
    is_own = lower in OWN_HEADERS or lower.startswith("mcp-")
    return "is a header that the checks send themselves" if is_own else None


def _required_flaw(value: str) -> str | None:
    known = value in requirements.CLASSES or value in requirements.load()
    return None if known else "is neither a conformance class nor a requirement"


_HTTP = {"pattern": json_schema.or_reference("https?://")}
BASE_URL = Leaf(
    (str,),
    "write http:// or https://, the host and the path up to the version segment",
    base_url_flaw,
    _HTTP,
)
_URL = Leaf((str,), "write an absolute http:// or https:// URL", url_flaw, _HTTP)
_SECRET = Leaf(
    (str,), 'write the secret, or "${NAME}" for an environment variable that holds it', secret_flaw
)
_ID = Leaf(
    (str,),
    "write the id of a record in quotes",
    _uuid_flaw,
    {"pattern": json_schema.or_reference("[0-9a-fA-F-]{36}$")},
)
_PATH = Leaf((str,), "write the path of a file with one id a line", _text_flaw)
_COUNT = Leaf((int,), "write an integer ≥ 1", _number_flaw, {"minimum": 1})
_NUMBER = Leaf((int, float), "write a number above zero", _number_flaw, {"exclusiveMinimum": 0})
_LAG = Leaf(
    (int, float),
    f"write the seconds, from 0 to {_LONGEST_LAG}",
    _lag_flaw,
    {"minimum": 0, "maximum": _LONGEST_LAG},
)
_NAME = Leaf(
    (str, bool),
    "write the parameter's name in quotes, or false where the list has none",
    _name_flaw,
)
ARGUMENT = Leaf(
    (str,), "write the command and its arguments as an array of strings", _argument_flaw
)
_FLAG = Leaf((bool,), "write true or false")
REQUIRED = Leaf(
    (str,),
    "write a conformance class or the id of a requirement",
    _required_flaw,
    {"enum": [*requirements.CLASSES, *requirements.load()]},
)
_DURATION = Leaf(
    (str,),
    'write a duration such as "300ms" or "1.5s"',
    duration.flaw,
    {"pattern": json_schema.or_reference(f"{duration.DURATION.pattern}$")},
)
READS = tuple(each.id for each in openapi.load().operations.values() if not each.writes)
_TEXT = Leaf((str,), "write a line of text in quotes", _text_flaw)
TOKEN_EXAMPLE = 'write { command = ["./token", "--staging"], lifetime = 300 }'
_TOKEN: dict[str, Schema] = {"command": Array(ARGUMENT), "lifetime": _NUMBER}
_CREDENTIAL: Schema = dict.fromkeys(API.schemes, Either(_SECRET, _TOKEN))
OWN_HEADERS = frozenset(
    {"accept", "accept-encoding", "accept-language", "authorization", "connection"}
    | {"content-encoding", "content-length", "content-type", "expect", "host", "te", "traceparent"}
    | {"tracestate", "transfer-encoding", "upgrade", "x-api-key"}
)
"""Headers that a check may send, or leave out on purpose."""
_FILE = Leaf((str,), "write the path of a PEM file, from the folder of the profile", _text_flaw)
_HEADER_NAME = Leaf((str,), "write the name of a header that the gateway asks for", _header_flaw)
RATE_LIMIT: dict[str, Schema] = {"requests": _COUNT, "seconds": _NUMBER}
PROFILE: Mapping[str, Schema] = {
    "base-url": BASE_URL,
    "credentials": {
        **dict.fromkeys(
            (
                "primary",
                "expired",
                "revoked",
                "outsider",
                "no-review-role",
                "colleague",
                "throttled",
            ),
            _CREDENTIAL,
        ),
        "lacking": dict.fromkeys(API.permissions, _CREDENTIAL),
    },
    "fixtures": {
        **dict.fromkeys(LISTS, Either(Array(_ID), {"file": _PATH})),
        "foreign": dict.fromkeys(("company", "project", "video", "review"), _ID),
        "ungranted": dict.fromkeys(("project", "video", "review"), _ID),
        "provision": {"approvable-review": Array(ARGUMENT)},
        "reset": Array(ARGUMENT),
    },
    "limits": {
        "max-body-bytes": _COUNT,
        "rate-limit": RATE_LIMIT,
        "requests-per-second": _NUMBER,
        "connections": _COUNT,
        "max-time": _NUMBER,
        "max-requests": _COUNT,
        "max-response-bytes": _COUNT,
        "lag": _LAG,
    },
    "connection": {
        "client-certificate": _FILE,
        "client-key": _FILE,
        "ca": _FILE,
        "headers": Named(_HEADER_NAME, Either(_SECRET, _TOKEN)),
        "host": Leaf((str,), "write the name of the host, and its port if any", _host_flaw),
        "http2": _FLAG,
        "socket": Leaf((str,), "write the path of a Unix socket", _text_flaw),
        "connect-timeout": _NUMBER,
        "response-timeout": _NUMBER,
    },
    "parameters": {
        operation: {role: _NAME for listed, role in API.open_names if listed == operation}
        for operation, _ in API.open_names
    },
    "gate": {
        "require": Array(REQUIRED),
        "p95": Either(_DURATION, dict.fromkeys(READS, _DURATION)),
    },
    "product": dict.fromkeys(("vendor", "name", "version"), _TEXT),
    "tools": {"url": _URL},
    "description": {"url": _URL},
    "consent": {flag.name.replace("_", "-"): _FLAG for flag in fields(Consent)},
}


def schema() -> dict[str, Any]:
    """The JSON Schema of a profile, for editors; made of what reads it."""
    return json_schema.document(PROFILE, "target", "A target profile")
