"""The transport of the commands that send requests outside of a run."""

from conformance.commands.outcome import UsageError
from conformance.http.network import Network
from conformance.http.surroundings import UnusableEnvironment


def network() -> Network:
    """Connections over a network. Raises UsageError where the environment does not allow any."""
    try:
        return Network()
    except UnusableEnvironment as problem:
        raise UsageError(str(problem)) from None
