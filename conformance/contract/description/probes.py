"""Example values that distinguish two schemas, each with the name of its kind."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_LARGEST = 9007199254740991
_MOST_KINDS = 3
_GROUPS = {"integer": "integers", "string": "strings", "UUID": "UUIDs"}
"""The groups of probes that can be named as a whole."""
_TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


@dataclass(frozen=True)
class Probe:
    """One value, its kind in the plural, and its JSON type."""

    value: Any
    kind: str
    type: str
    extreme: bool = False
    """Whether a target may reject a request with it as implausible."""

    @property
    def group(self) -> str:
        """The JSON type, or UUID."""
        is_uuid = self.type == "string" and "UUID" in self.kind
        return "UUID" if is_uuid else self.type


def named(value: object) -> Probe:
    """A probe of a value that a schema names itself."""
    return Probe(value, str(value), _TYPES.get(type(value), "null"))


def kinds(probes: Iterable[Probe]) -> str:
    """The kinds of a set of probes in words; a whole group has one name."""
    found = list(probes)
    groups = dict.fromkeys(probe.group for probe in found)
    return ", ".join(name for group in groups for name in _names(group, found))


def _names(group: str, probes: Sequence[Probe]) -> list[str]:
    in_group = [probe for probe in probes if probe.group == group]
    names = list(dict.fromkeys(probe.kind for probe in in_group))
    if group not in _GROUPS:
        return names
    if len(in_group) == sum(probe.group == group for probe in PROBES):
        return [_GROUPS[group]]
    return [f"some {_GROUPS[group]}"] if len(names) > _MOST_KINDS else names


def _integers() -> Iterator[Probe]:
    yield Probe(-_LARGEST - 1, f"numbers below -{_LARGEST}", "integer", extreme=True)
    yield Probe(-7, "negative numbers", "integer", extreme=True)
    yield Probe(0, "0", "integer", extreme=True)
    for number in (1, 2, 7, 25, 50, 99, 100):
        yield Probe(number, str(number), "integer")
    yield Probe(101, "numbers above 100", "integer", extreme=True)
    yield Probe(2645320000, "numbers above 2147483647", "integer", extreme=True)
    yield Probe(_LARGEST, str(_LARGEST), "integer", extreme=True)
    yield Probe(_LARGEST + 1, f"numbers above {_LARGEST}", "integer", extreme=True)


def _strings() -> Iterator[Probe]:
    yield Probe("", "the empty string", "string")
    yield Probe("x", "short strings", "string")
    yield Probe("Harbour Lights, season 2", "strings", "string")
    yield Probe("länge " * 400, "long strings", "string")
    for word in ("internal", "external", "approved"):
        yield Probe(word, word, "string")
    yield Probe("2025-03-04T09:12:45.000Z", "RFC 3339 timestamps", "string")


def _uuids() -> Iterator[Probe]:
    """UUIDs of the specification alone: `format: uuid` states none of its other rules."""
    for version in range(1, 9):
        value = f"6f1c2b1e-4a9d-{version}c53-9a5e-0d6c1f7b8a21"
        yield Probe(value, f"UUIDs of version {version}", "string")
    for variant in "8ab":
        value = f"6f1c2b1e-4a9d-4c53-{variant}a5e-0d6c1f7b8a21"
        yield Probe(value, f"UUIDs of variant {variant}", "string")
    yield Probe("6F1C2B1E-4A9D-4C53-9A5E-0D6C1F7B8A21", "UUIDs in upper case", "string")
    yield Probe("00000000-0000-0000-0000-000000000000", "the UUID of all zeros", "string")
    yield Probe("ffffffff-ffff-ffff-ffff-ffffffffffff", "the UUID of all f", "string")


PROBES = (
    Probe(None, "null", "null"),
    Probe(value=True, kind="booleans", type="boolean"),
    Probe(value=False, kind="booleans", type="boolean"),
    Probe(1.5, "fractions", "number"),
    *_integers(),
    *_strings(),
    *_uuids(),
    Probe([], "arrays", "array"),
    Probe({}, "objects", "object"),
)
