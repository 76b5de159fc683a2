"""How a call is made."""

from dataclasses import dataclass

from conformance.target.target import Credential

ONCE_MORE = ", once more"


@dataclass(frozen=True)
class Sending:
    """The caller of a call, the scheme (None: the client's choice), and the purpose.

    `headers` replace those of the same name; `left_out` are names of headers that are not sent.
    With a `url` the call goes there instead of to the path of its operation. A `patient` call
    observes the request rate and is repeated after transient errors. `in_contract` is false for
    requests outside the contract: no rule applies to the response. `judge_arguments` is false where
    more than the arguments may be wrong with the request. `stream` sends the body in chunks,
    without a length. A `fresh` request is the first one on its connection.
    """

    credential: Credential | None
    scheme: str | None = None
    purpose: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    left_out: frozenset[str] = frozenset()
    patient: bool = True
    in_contract: bool = True
    judge_arguments: bool = True
    stream: bool = False
    method: str | None = None
    url: str | None = None
    fresh: bool = False


def repeated(purpose: str) -> str:
    """The purpose of a request that repeats another one: said once, however often it is sent."""
    return purpose.removesuffix(ONCE_MORE) + ONCE_MORE
