"""What profiles demand, allowed by the user: by an option, from memory, or by an answer."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from conformance.commands import question
from conformance.commands.outcome import UsageError
from conformance.report.text import short_with_length
from conformance.target import trust
from conformance.target.demands import Demands
from conformance.target.profile import demands_of
from conformance.target.profile_file import ProfileError
from conformance.target.trust import Allow

LONGEST_SHOWN = 500
"""Characters of a line of the question: a longer one would take the others off the screen."""


def profile(path: Path, arguments: argparse.Namespace) -> Allow:
    """What `load` may let this file do, which the options name or not. Raises UsageError.

    A file with problems demands nothing: `load` reports them.
    """
    if arguments.trust:
        return trust.anything
    known = trust.found if arguments.target is None else trust.named
    try:
        stated = demands_of(path, arguments.base_url)
    except ProfileError:
        return known
    return demanded([stated], known)


def demanded(stated: Sequence[Demands], known: Allow = trust.named) -> Allow:
    """What these profiles may do. Raises UsageError where nobody allows it."""
    new = [each for each in stated if not known(each)]
    if not new:
        return known
    if not question.can_be_asked():
        raise UsageError("\n".join(str(each) for one in new for each in one.problems()))
    lines = (
        line for each in new for line in (f"{each.file} has not been used here:", *_shown(each))
    )
    if not question.is_affirmed(lines, "Allow this from now on?"):
        raise UsageError("not allowed, so nothing was run or sent")
    # Where nothing can be remembered, the answer holds for this command.
    remembered = [trust.remember(each) for each in new]
    return known if all(remembered) else trust.anything


def _shown(demands: Demands) -> list[str]:
    return [f"  {short_with_length(line, LONGEST_SHOWN)}" for line in demands.described()]
