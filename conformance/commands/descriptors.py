"""The open files that every command needs: with fewer, one fails wherever it happens to be."""

import errno
import sys

from conformance.commands.outcome import UsageError

if sys.platform != "win32":
    import resource

FEWEST = 32
"""Descriptors of a run, with every connection and pipe that it may wait for."""

TOO_FEW = frozenset({errno.EMFILE, errno.ENFILE})
REMEDY = "allow more open files (ulimit -n)"


def secure() -> None:
    """Raise the limit of this process to the fewest. Raises UsageError where that is forbidden."""
    if sys.platform != "win32":
        allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 <= most < FEWEST:  # a negative one is none
            raise UsageError(f"this process may open {most} files, and needs {FEWEST}: {REMEDY}")
        if 0 <= allowed < FEWEST:
            resource.setrlimit(resource.RLIMIT_NOFILE, (FEWEST, most))
