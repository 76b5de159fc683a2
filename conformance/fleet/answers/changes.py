"""What changed from one run of a target to another: what broke, what was mended."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace

from conformance.contract.verdict import Verdict
from conformance.fleet.memory.reading import Stated, VerdictOf
from conformance.report.share import Share

GOOD = (Verdict.PASS, Verdict.NOT_APPLICABLE)
COUNTED = ("must", "should")
Pair = tuple[str, str]
"""A requirement and an operation; "" where it is checked as a whole."""


@dataclass(frozen=True)
class Change:
    """Another verdict on a requirement and operation, with the reason where it fails now."""

    requirement: str
    operation: str
    before: str
    now: str
    level: str
    message: str | None
    share: str | None = None
    """How often it failed of late, where it takes turns."""

    @property
    def pair(self) -> Pair:
        """The requirement and the operation."""
        return self.requirement, self.operation

    @property
    def name(self) -> str:
        """The requirement, with its operation in brackets."""
        return f"{self.requirement}[{self.operation}]" if self.operation else self.requirement

    def document(self) -> dict[str, str | None]:
        """As JSON properties."""
        return asdict(self)


@dataclass(frozen=True)
class Changes:
    """The changes between two runs; `lost` passed and could not be checked again.

    What takes turns is in `flapping`, and neither broke nor was mended.
    """

    broke: tuple[Change, ...] = ()
    mended: tuple[Change, ...] = ()
    lost: tuple[Change, ...] = ()
    flapping: tuple[Change, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.broke or self.mended or self.lost or self.flapping)

    def without_turns(self, turns: Mapping[Pair, Share]) -> "Changes":
        """The same changes, with those of what takes turns by themselves."""

        def steady(found: tuple[Change, ...]) -> tuple[Change, ...]:
            return tuple(each for each in found if each.pair not in turns)

        flapping = (
            replace(each, share=str(turns[each.pair]))
            for each in (*self.broke, *self.mended)
            if each.pair in turns
        )
        return Changes(steady(self.broke), steady(self.mended), self.lost, tuple(flapping))

    def document(self) -> dict[str, list[dict[str, str | None]]]:
        """As JSON properties."""
        return {
            each.name: [change.document() for change in getattr(self, each.name)]
            for each in fields(self)
        }


def by_pair(verdicts: Iterable[VerdictOf]) -> dict[Pair, VerdictOf]:
    """The verdicts of a run by requirement and operation."""
    return {(each.requirement, each.operation): each for each in verdicts}


def finest(found: Mapping[Pair, VerdictOf]) -> set[Pair]:
    """What has a verdict of its own: operations, and requirements that have none.

    A requirement that fails as a whole, and on no operation, is one as well.
    """
    divided = {id for id, operation in found if operation}
    failed = {id for (id, operation), each in found.items() if operation and _fails(each)}
    return {
        (id, operation)
        for (id, operation), each in found.items()
        if operation or id not in divided or (_fails(each) and id not in failed)
    }


def _fails(each: VerdictOf) -> bool:
    return each.verdict == Verdict.FAIL


def between(
    before: Iterable[VerdictOf], now: Iterable[VerdictOf], stated: Mapping[str, Stated]
) -> Changes:
    """What changed from one run to another; observations count as nothing."""
    earlier, later = by_pair(before), by_pair(now)
    found: dict[str, list[Change]] = {"broke": [], "mended": [], "lost": []}
    for pair in sorted(finest(earlier) | finest(later)):
        level = stated[pair[0]].level if pair[0] in stated else ""
        then, latest = _verdict(earlier, pair), _verdict(later, pair)
        message = latest.message if latest and _fails(latest) else None
        change = Change(
            *pair,
            before=then.verdict if then else "unknown",
            now=latest.verdict if latest else "absent",
            level=level,
            message=message,
        )
        kind = _kind(change)
        if kind and level in COUNTED:
            found[kind].append(change)
    return Changes(**{name: tuple(changes) for name, changes in found.items()})


def _verdict(found: Mapping[Pair, VerdictOf], pair: Pair) -> VerdictOf | None:
    """The verdict on an operation, or else on the whole of its requirement."""
    return found.get(pair) or found.get((pair[0], ""))


def _kind(change: Change) -> str | None:
    if change.before == change.now:
        return None
    if change.now == Verdict.FAIL:
        return "broke"
    if change.before == Verdict.FAIL and change.now in GOOD:
        return "mended"
    is_lost = change.before == Verdict.PASS and change.now == Verdict.INCONCLUSIVE
    return "lost" if is_lost else None
