"""Edits of files that are not of this package: they are Python, so somebody reads them first."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence

from conformance.assurance.selftest.population import Mutant, Subject
from conformance.commands import question
from conformance.commands.outcome import UsageError
from conformance.contract.quantity import quantity
from conformance.report.console import output

REASON = (
    "that takes user namespaces, which this system, or the container around it, withholds"
    if sys.platform == "linux"
    else "that takes namespaces of Linux"
)
REMEDY = (
    "use a virtual machine, or a container that allows `unshare --user`; or read the edits, and"
    " accept that by --trust"
)


def confirm(subjects: Sequence[Subject], arguments: argparse.Namespace) -> None:
    """Show what would run, and ask; UsageError where nobody agrees."""
    if arguments.trust or not subjects:
        return
    if not question.can_be_asked():
        first = subjects[0]
        what = "changes the reference by Python that would run here"
        remedy = "read its edits, and add --trust; or use a terminal, where you are asked"
        raise UsageError(f"--also: {first.file}: {first.id} {what}: {remedy}")
    lines = (line for subject in subjects for line in shown(subject))
    if not question.is_affirmed(lines, f"Run {quantity(len(subjects), 'such program')} confined?"):
        raise UsageError("not agreed, so nothing was run")


def shown(subject: Subject) -> Iterator[str]:
    """What the edits of a mutant or variant take away from the reference, and what they add."""
    kind = "mutant" if isinstance(subject, Mutant) else "variant"
    yield f"{subject.file}: the {kind} {subject.id} edits the reference, and runs as Python:"
    for edit in subject.edits:
        yield f"  {edit.module}.py"
        yield from (f"  - {line}" for line in edit.old.splitlines())
        yield from (f"  + {line}" for line in edit.new.splitlines())


def barriers(arguments: argparse.Namespace) -> Callable[[Sequence[str]], None]:
    """What to do where this system cannot keep those edits from something."""

    def accept(missing: Sequence[str]) -> None:
        if not missing:
            return
        names = ", ".join(missing)
        if not arguments.trust:
            raise UsageError(
                f"nothing here keeps the edits of other files from {names}: {REASON}; {REMEDY}"
            )
        note = f"note: nothing keeps the edits of other files from {names}"
        output.lines([note], sys.stderr)

    return accept
