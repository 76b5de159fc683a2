"""The transport of the commands that send requests outside of a run."""

from conformance.commands.outcome import UsageError
from conformance.http.network import Network
from conformance.http.surroundings import UnusableEnvironment
from conformance.target.target import Target


def network(target: Target | None = None) -> Network:
    """Connections to a target, or to any address.

    Raises UsageError where the environment does not allow any.
    """
    try:
        return Network() if target is None else Network(target.gateway)
    except UnusableEnvironment as problem:
        raise UsageError(str(problem)) from None
