"""The memory of this process holds secrets, and stays there when it crashes."""

import sys

if sys.platform != "win32":
    import resource


def forbid() -> None:
    """Let the system write no core file of this process, nor of those that it starts."""
    if sys.platform != "win32":
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, most))
