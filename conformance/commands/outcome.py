"""How a command ends: its exit code, or the usage error that kept it from doing anything."""

CONFORMANT, NON_CONFORMANT, INTERRUPTED, CHECKER_ERROR, USAGE_ERROR = range(5)

VERDICTS = (
    "conformant; or inconclusive, without --require-complete",
    "non-conformant; or inconclusive, with --require-complete",
)


def explained(ends: tuple[str, ...]) -> str:
    """The exit codes of a command, where its first ones, from 0 on, mean this."""
    common = ("interrupted; what was found until then is kept", "the checker itself is at fault")
    usage = ("usage: an option or a file is wrong, or nothing answers at an address",)
    codes = [*enumerate(ends), *enumerate((*common, *usage), INTERRUPTED)]
    return "exit codes:\n" + "".join(f"  {code}  {told}\n" for code, told in codes)


class UsageError(Exception):
    """A command cannot do what it was asked to; str() says why and what would be right."""
