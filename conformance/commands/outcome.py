"""How a command ends: its exit code, or the usage error that kept it from doing anything."""

CONFORMANT, NON_CONFORMANT, INTERRUPTED, CHECKER_ERROR, USAGE_ERROR = range(5)

EXPLAINED = """\
exit codes:
  0  conformant; or inconclusive, without --require-complete
  1  non-conformant; or inconclusive, with --require-complete
  2  interrupted; what was found until then is in the report
  3  the checker itself is at fault
  4  usage: an option, the target profile, or nothing answers at the base URL
"""


class UsageError(Exception):
    """A command cannot do what it was asked to; str() says why and what would be right."""
