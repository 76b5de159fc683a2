"""Values that tell two schemas apart, each with the name of its kind."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_LARGEST = 9007199254740991


@dataclass(frozen=True)
class Probe:
    """One value, what it is an example of, and its JSON type."""

    value: Any
    kind: str
    type: str
    extreme: bool = False
    """Whether a request with it may be refused for being implausible."""


def _uuids() -> Iterable[Probe]:
    for version in range(1, 9):
        yield Probe(
            f"6f1c2b1e-4a9d-{version}c53-9a5e-0d6c1f7b8a21", f"UUIDs of version {version}", "string"
        )
    for variant in "8ab":
        yield Probe(
            f"6f1c2b1e-4a9d-4c53-{variant}a5e-0d6c1f7b8a21", f"UUIDs of variant {variant}", "string"
        )
    yield Probe("6F1C2B1E-4A9D-4C53-9A5E-0D6C1F7B8A21", "UUIDs in upper case", "string")
    yield Probe("00000000-0000-0000-0000-000000000000", "the UUID of all zeros", "string")
    yield Probe("ffffffff-ffff-ffff-ffff-ffffffffffff", "the UUID of all f", "string")


PROBES = (
    Probe(None, "null", "null"),
    Probe(value=True, kind="booleans", type="boolean"),
    Probe(value=False, kind="booleans", type="boolean"),
    Probe(1.5, "fractions", "number"),
    Probe(-_LARGEST - 1, f"numbers below -{_LARGEST}", "integer", extreme=True),
    Probe(-7, "negative numbers", "integer", extreme=True),
    Probe(0, "0", "integer", extreme=True),
    Probe(1, "1", "integer"),
    *(Probe(number, str(number), "integer") for number in (2, 7, 25, 50, 99, 100)),
    Probe(101, "numbers above 100", "integer", extreme=True),
    Probe(2645320000, "numbers above 2147483647", "integer", extreme=True),
    Probe(_LARGEST, str(_LARGEST), "integer", extreme=True),
    Probe(_LARGEST + 1, f"numbers above {_LARGEST}", "integer", extreme=True),
    Probe("", "empty text", "string"),
    Probe("x", "short text", "string"),
    Probe("Harbour Lights, season 2", "text", "string"),
    Probe("länge " * 400, "long text", "string"),
    Probe("internal", "internal", "string"),
    Probe("external", "external", "string"),
    Probe("approved", "approved", "string"),
    Probe("2025-03-04T09:12:45.000Z", "moments as RFC 3339 writes them", "string"),
    *_uuids(),
    Probe([], "arrays", "array"),
    Probe({}, "objects", "object"),
)
"""Of UUIDs only those that the specification allows: `format: uuid` alone speaks of none of its other rules."""


_TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def named(value: object) -> Probe:
    """A probe of a value that a schema names itself."""
    return Probe(value, str(value), _TYPES.get(type(value), "null"))


_GROUPS = {"integer": "integers", "text": "text", "UUID": "UUIDs"}
_MOST_KINDS = 3


def kinds(probes: Iterable[Probe]) -> str:
    """What a set of probes stands for: whole groups by their name, and of the others each kind once."""
    found = list(probes)
    named = []
    for group in dict.fromkeys(map(_group, found)):
        members = [probe for probe in found if _group(probe) == group]
        told = list(dict.fromkeys(probe.kind for probe in members))
        whole = len(members) == sum(_group(probe) == group for probe in PROBES)
        if group in _GROUPS and (whole or len(told) > _MOST_KINDS):
            told = [_GROUPS[group] if whole else f"some {_GROUPS[group]}"]
        named += told
    return ", ".join(named)


def _group(probe: Probe) -> str:
    if probe.type != "string":
        return probe.type
    return "UUID" if "UUID" in probe.kind else "text"
