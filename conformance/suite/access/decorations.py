"""Decorations: what a request may have that the contract gives no meaning to (Endpoints).

A gateway and a service, or two parsers, may read such a request differently.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from conformance.contract.openapi import Operation
from conformance.http.exchange import Call
from conformance.http.outgoing import HEADERS, fill
from conformance.report import conditions

Header = tuple[str, str]

UNKNOWN = (conditions.UNKNOWN, "1")
LANGUAGE = ("accept-language", "de-CH, de;q=0.9")
OPERATORS = ("[ne]", "[$ne]")
"""What a parser of queries may read in the name of a parameter: all but the value."""


@dataclass(frozen=True)
class Decorated:
    """A request with a decoration, and what the decoration is.

    `is_neutral` tells that each way to read it is the request without the decoration, `translates`
    that texts may differ all the same.
    """

    label: str
    call: Call
    headers: tuple[Header, ...] = ()
    url: str | None = None
    is_neutral: bool = True
    translates: bool = False


def decorated(
    plain: Call, operation: Operation, others: Mapping[str, str], base_url: str
) -> Iterator[Decorated]:
    """A request with each decoration; `others` are further values, by the names of parameters."""
    yield Decorated("an unknown parameter", _asking(plain, UNKNOWN))
    yield Decorated("a language", plain, headers=(LANGUAGE,), translates=True)
    yield Decorated("its headers in another order", plain, headers=HEADERS[::-1])
    if plain.query:
        yield Decorated("each parameter twice", replace(plain, query=plain.query * 2))
    yield from in_path(plain, operation, others, base_url)
    for name, value in plain.query:
        if name in others:
            yield from _ambiguous(plain, (name, value), others[name])


def in_path(
    plain: Call, operation: Operation, others: Mapping[str, str], base_url: str
) -> Iterator[Decorated]:
    """A request whose path two readers may read differently."""
    for name, id in plain.path.items():
        path = fill(operation.path, {**plain.path, name: "\0"})
        encoded = path.replace("%00", f"%{ord(id[0]):02X}{id[1:]}")
        query = f"?{urlencode(plain.query)}" if plain.query else ""
        url = f"{base_url}{encoded}{query}"
        yield Decorated(f"a percent-encoded character of {name}", plain, url=url)
        if name in others:
            yield Decorated(f"another {name} in the query", _asking(plain, (name, others[name])))


def _ambiguous(plain: Call, stated: tuple[str, str], other: str) -> Iterator[Decorated]:
    """A parameter with two values, in both orders and under two names, and with an operator."""
    name, _ = stated
    rest = plain.asking(**{name: None})
    pairs: dict[str, tuple[tuple[str, str], ...]] = {
        f"two values of {name}": (stated, (name, other)),
        f"two values of {name}, the other one first": ((name, other), stated),
        f"{name}[] beside {name}": (stated, (f"{name}[]", other)),
    }
    pairs |= {f"{name}{each}": ((f"{name}{each}", stated[1]),) for each in OPERATORS}
    for label, pair in pairs.items():
        yield Decorated(label, _asking(rest, *pair), is_neutral=False)


def _asking(call: Call, *pairs: tuple[str, str]) -> Call:
    return replace(call, query=(*call.query, *pairs))
