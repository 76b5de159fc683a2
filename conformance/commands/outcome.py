"""How a command ends: its exit code, or the usage error that stopped it before it began."""

from conformance.contract.exit_codes import INTERRUPTED

VERDICTS = (
    "conformant; or inconclusive, without --require-complete",
    "non-conformant; or inconclusive, with --require-complete",
)

FLEET_VERDICTS = (
    "every target conforms, nothing broke or flipped, or a version may be deployed",
    "a target violates the contract, something broke or flipped, or a version may not be deployed",
)

DIAGNOSED = ("nothing is wrong", "something is wrong with the profile")
DISCOVERED = ("a profile was written",)

MEASURED = (
    "every claim of [gate] p95 holds, or none is stated",
    "an operation is slower than claimed",
)

RENDERED = ("done, whatever the verdict of the run is",)

INCOMPLETE_RUN = "incomplete: something that is required could not be checked"

UNREAD = "incomplete: the target could not be read within the requests and the time of a command"

NOT_AT_THIS_RATE = "incomplete: the target put requests off, or a claim could not be measured"

INTERRUPTIONS = {
    VERDICTS: ("interrupted; the results so far are in the report", INCOMPLETE_RUN),
    FLEET_VERDICTS: ("interrupted; the same command goes on", INCOMPLETE_RUN),
    MEASURED: ("interrupted", NOT_AT_THIS_RATE),
    DISCOVERED: ("interrupted", UNREAD),
    DIAGNOSED: ("interrupted", UNREAD),
    RENDERED: ("the run was interrupted; the report has the results until then",),
}
"""What 2 means, and 5 where a command has it, for commands with these first exit codes."""


STOPPED_EARLY = "stopped before the first request: nothing was checked"
STOPPED_LATE = "stopped where it heeded nothing: the report has what was found until then"


def explained(ends: tuple[str, ...]) -> str:
    """The exit codes of a command as help text; `ends` describes the first ones, from 0 on."""
    interrupted, *gate = INTERRUPTIONS.get(ends, ("interrupted",))
    usage = "usage error: an option or a file is wrong, or nothing responds at an address"
    further = (interrupted, "internal error", usage, *gate)
    codes = [*enumerate(ends), *enumerate(further, INTERRUPTED)]
    return "exit codes:\n" + "".join(f"  {code}  {meaning}\n" for code, meaning in codes)


class UsageError(Exception):
    """A command cannot run as requested; str() has the reason and the remedy."""


class Stopped(KeyboardInterrupt):
    """The run was stopped, by Ctrl-C or by SIGTERM; it still writes its report.

    Python ends the process by a signal, regardless of its exit code, once a plain KeyboardInterrupt
    has passed through code run by `exec`, as modules and generated functions are. A subclass avoids
    that.
    """
