"""What a rule says of one exchange."""

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Judgement(NamedTuple):  # a run makes tens of thousands
    """A requirement was exercised by an exchange; `problem` says how it was broken, None that it was kept.

    `unsure` is set where the two JSON Schema validators disagree: the checker's fault, never the target's.
    """

    requirement: str
    problem: str | None = None
    expected: str = ""
    unsure: bool = False


Judgements = Iterator[Judgement]


def hold(requirement: str, kept: bool, problem: Callable[[], str], expected: str) -> Judgement:  # noqa: FBT001  (it is what is judged)
    """The judgement of a plain condition; the problem is only put into words where there is one, since it may quote a whole body."""
    return Judgement(requirement, None if kept else problem(), expected)


def shown(value: object, limit: int = 120) -> str:
    """A value of the target, short enough for one line."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"{type(value).__name__} nested too deeply to be shown"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
