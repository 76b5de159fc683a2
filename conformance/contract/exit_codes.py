"""The exit codes of every command."""

CONFORMANT, NON_CONFORMANT, INTERRUPTED, CHECKER_ERROR, USAGE_ERROR = range(5)
