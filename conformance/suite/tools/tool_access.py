"""Tool calls of callers who may not make them."""

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.runner.context import Context
from conformance.suite.callers.forged_credentials import made_up
from conformance.suite.tools.channel import Caller
from conformance.target.target import Credential

NAMED = {"expired": "an expired credential", "revoked": "a revoked credential"}
"""The credentials of the profile that are not valid any more, and what their calls are for."""


@dataclass(frozen=True)
class Intruder:
    """A caller without a valid credential; `purpose` describes its calls."""

    purpose: str
    caller: Caller


def without_valid_credential(session: Context, primary: Credential) -> list[Intruder]:
    """No, a made-up, an expired and a revoked credential, by every scheme that they have."""
    return [Intruder("no credential", Caller(None, None)), *_invalid(session, primary)]


def _invalid(session: Context, primary: Credential) -> Iterator[Intruder]:
    for scheme in primary.schemes:
        yield Intruder("a made-up credential", Caller(made_up(session, scheme), scheme))
    for name, purpose in NAMED.items():
        credential = session.target.credentials.get(name)
        for scheme in credential.schemes if credential is not None else ():
            yield Intruder(purpose, Caller(credential, scheme))


def one_of_each(intruders: list[Intruder]) -> list[Intruder]:
    """The last of the intruders with each purpose."""
    return list({intruder.purpose: intruder for intruder in intruders}.values())
