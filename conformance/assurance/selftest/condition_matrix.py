"""The matrix of conditions: how widely a run on the reference exercises each requirement."""

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from conformance import reference, rules
from conformance.assurance.selftest import checks
from conformance.contract import requirements
from conformance.report.conditions import DIMENSIONS, NOT_APPLICABLE, Conditions, conditions
from conformance.runner import examination

HEADER = """\
# The conditions under which each requirement is checked

Generated from the evidence of a run on the reference with seed 1 at standard depth, by
`python tests/support/generate_conditions.py`. A cell has the number of values of a dimension that
the requests of the requirement have, of all that the dimension has. What several checks need is
read once and counts for each of them. Rules apply to every exchange of a run. Requirements of
documents, such as the description and the list of tools, need no operation and have no row.

"""
SHOWN = 4
"""Unexercised pairs that are named; the rest are counted."""

Pair = tuple[str, str]
Evidence = Mapping[str, Sequence[Conditions]]
"""The conditions of the requests of each requirement."""


@dataclass(frozen=True)
class Gap:
    """The pairs of values of two dimensions that no request has, and the reason."""

    dimensions: Pair
    missing: tuple[Pair, ...]
    reason: str | None


def text(evidence: Evidence, reasons: Mapping[frozenset[str], str]) -> str:
    """The whole document."""
    return HEADER + "".join(f"{line}\n" for line in _lines(evidence, reasons))


def reasons(document: str) -> dict[frozenset[str], str]:
    """The reasons for gaps, by their two dimensions, from a TOML text. Raises ValueError."""
    found = {}
    for entry in tomllib.loads(document)["gap"]:
        dimensions = frozenset(entry["dimensions"])
        if len(dimensions) != 2 or not dimensions <= DIMENSIONS.keys():
            raise ValueError(f"two dimensions are expected: {entry['dimensions']}")
        found[dimensions] = entry["reason"]
    return found


def measure(depth: str = "standard") -> Evidence:
    """The evidence of a run on the reference."""
    session = examination.opened(examination.in_process(reference), 1, depth)
    found: dict[str, list[Conditions]] = defaultdict(list)
    every: dict[str, Conditions] = {}
    for check, outcome in checks.outcomes(session, checks.collected()):
        own = {each.id: conditions(each) for each in outcome.context.all_exchanges()}
        found[check.requirement] += filter(None, own.values())
        every |= own
    session.close()
    for ids in rules.REQUIREMENTS.values():
        for id in ids:
            found[id] = [each for each in every.values() if each]
    return found


def gaps(evidence: Evidence, reasons: Mapping[frozenset[str], str]) -> Iterator[Gap]:
    """The pairs of dimensions with pairs of values that no request has."""
    every = [each for of_one in evidence.values() for each in of_one]
    for one, other in combinations(DIMENSIONS, 2):
        seen = {(each[one], each[other]) for each in every}
        missing = tuple(
            (value, beside)
            for value in DIMENSIONS[one]
            for beside in DIMENSIONS[other]
            if (value, beside) not in seen
        )
        if missing:
            yield Gap((one, other), missing, reasons.get(frozenset((one, other))))


def _lines(evidence: Evidence, reasons: Mapping[frozenset[str], str]) -> Iterator[str]:
    yield "## Dimensions"
    yield ""
    for name, values in DIMENSIONS.items():
        yield f"- **{name}**: {', '.join(values)}"
    yield ""
    yield "## Requirements"
    yield ""
    yield f"| requirement | requests | {' | '.join(DIMENSIONS)} |"
    yield "|---|--:|" + "---|" * len(DIMENSIONS)
    # Rules on requests of clients apply to no run.
    of_rules = frozenset().union(*rules.REQUIREMENTS.values()) & requirements.load().keys()
    yield _row(f"the {len(of_rules)} of rules", evidence[min(of_rules)])
    for id, entry in requirements.load().items():
        if entry.is_checked and id not in of_rules and evidence.get(id):
            yield _row(f"`{id}`", evidence[id])
    yield ""
    yield "## Pairs of conditions that nothing exercises"
    yield ""
    yield "| dimensions | pairs | for example | reason |"
    yield "|---|--:|---|---|"
    for gap in gaps(evidence, reasons):
        shown = ", ".join(" with ".join(pair) for pair in gap.missing[:SHOWN])
        names = " and ".join(gap.dimensions)
        yield f"| {names} | {len(gap.missing)} | {shown} | {gap.reason or 'unexplained'} |"


def _row(name: str, found: Sequence[Conditions]) -> str:
    cells = (_reached(found, dimension) for dimension in DIMENSIONS)
    return f"| {name} | {len(found)} | {' | '.join(cells)} |"


def _reached(found: Sequence[Conditions], name: str) -> str:
    counts = Counter(each[name] for each in found)
    reached = sum(value in counts for value in DIMENSIONS[name])
    if not reached or set(counts) == {NOT_APPLICABLE}:
        return ""
    return f"{reached}/{len(DIMENSIONS[name])}"
