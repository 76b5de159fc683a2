"""What was found out about a target."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Discovered:
    """What a target shows of itself to one caller.

    `schemes` are the variables whose values the target accepts, by scheme. `parameters` are the
    names of query parameters by operation and role. The reviews are candidates for fixtures.
    `rate` is how many requests per second the target allows; None where it rejected none.
    `requests` is the number of requests that it took. `is_complete`: no budget has ended it.
    """

    base_url: str
    schemes: dict[str, str]
    description: str | None = None
    tools: str | None = None
    tool_count: int = 0
    parameters: dict[tuple[str, str], str] | None = None
    approvable: tuple[str, ...] = ()
    unapprovable: tuple[str, ...] = ()
    companies: tuple[str, ...] = ()
    projects: int = 0
    rate: float | None = None
    requests: int = 0
    is_complete: bool = True
