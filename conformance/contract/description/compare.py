"""A description against the contract: versions, server URLs and operations."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from threading import RLock

from conformance.contract import openapi
from conformance.contract.description import described, operation, validity
from conformance.contract.description.described import Described
from conformance.contract.description.difference import Aspect, Difference, Effect, merged
from conformance.contract.description.document import Document
from conformance.contract.description.loader import read, resolve
from conformance.contract.description.node import Node, lines
from conformance.contract.description.pair import Pair
from conformance.contract.description.source import SourceError, parsed
from conformance.contract.description.values import ValueComparison
from conformance.contract.references import NOWHERE

OPENAPI = "3.1.1"
VERSION = "1.0.0"

_ONCE = RLock()
"""Held while a document is read and compared: checks side by side would each do the same work."""


def description(text: str, address: str = NOWHERE) -> Document:
    """The description in a text. Raises SourceError, or UnbundledError if it is not complete.

    It may refer to itself by its `address`.
    """
    with _ONCE:
        outcome = _outcome(text, address)
    if isinstance(outcome, SourceError):
        raise type(outcome)(outcome.message, outcome.line)
    return outcome


@lru_cache(maxsize=2)
def _outcome(text: str, address: str) -> Document | SourceError:
    """The description, or what is wrong with it: each check asks, and one of them does the work."""
    try:
        return _description(text, address)
    except SourceError as problem:
        # Not the one that was raised: it would keep all that had been read until then.
        return type(problem)(problem.message, problem.line)


def _description(text: str, address: str) -> Document:
    source = read(text)
    if not str(source.document.get("openapi", "")).startswith("3."):
        line = source.line(source.document, "openapi")
        raise SourceError("is not an OpenAPI 3 document: `openapi` is not 3.x", line)
    resolve(source, address)
    return Document(source)


def examine(text: str, address: str = NOWHERE) -> tuple[Difference, ...]:
    """All differences between a description and the contract, worst first. Raises SourceError.

    Values of responses are compared from the view of a reader, arguments from that of a sender:
    where the one may not be wider, the other may not be narrower. Open points break nothing.
    """
    with _ONCE:
        return _differences(text, address)


@lru_cache(maxsize=4)
def _differences(text: str, address: str) -> tuple[Difference, ...]:
    document = description(text, address)
    return merged([*validity.flaws_of(text, address), *differences(document)])


def differences(document: Document) -> tuple[Difference, ...]:
    """The same, without a check that the document is valid OpenAPI."""
    found = list(described.operations(document))
    matched = pairs(document)
    return merged(
        [
            *_versions(document),
            *_addresses(document, found),
            *_operations(matched, found),
            *_additions(matched, found),
        ]
    )


def pairs(document: Document) -> dict[str, Pair]:
    """The operations with the method and path of the contract, by their identifier there."""
    ours, comparison = _contract(), ValueComparison()
    found = {(each.method, each.path): each for each in described.operations(document)}
    matched = {}
    for stated in described.operations(ours):
        theirs = found.get((stated.method, stated.path))
        if theirs is not None:
            matched[str(stated.id)] = Pair(ours, document, stated, theirs, comparison)
    return matched


@cache
def _contract() -> Document:
    return Document(parsed(dict(openapi.load().document)))


def _versions(document: Document) -> Iterator[Difference]:
    root = Node(document.root)
    stated = document.raw_child(root, "openapi")
    text = str(document.root.get("openapi"))
    if text != OPENAPI:
        is_patch = text.startswith("3.1.")
        message = f"is a different {'patch ' if is_patch else ''}version of OpenAPI"
        aspect = Aspect.PATCH if is_patch else Aspect.VERSION
        effect = Effect.HARMLESS if is_patch else Effect.CLIENTS
        yield Difference(aspect, effect, "openapi", message, OPENAPI, text, lines=lines(stated))
    info = document.child(root, "info")
    version = info and document.child(info, "version")
    if version is None or version.value != VERSION:
        yield Difference(
            Aspect.API_VERSION,
            Effect.CLIENTS,
            "info.version",
            "is a different version of the API",
            VERSION,
            repr(version.value) if version else "nothing",
            lines=lines(version or info),
        )


def _addresses(document: Document, found: Sequence[Described]) -> Iterator[Difference]:
    if all(each.versioned for each in found):
        return
    line = lines(document.raw_child(Node(document.root), "servers"))
    is_other = any(each.other_version for each in found)
    message = "a server URL does not end with the version segment v1"
    if is_other:
        message = "a server URL has the segment of another version than v1"
    effect = Effect.CLIENTS if is_other else Effect.OPEN
    yield Difference(Aspect.OPERATIONS, effect, "servers", message, lines=line)


def _operations(matched: dict[str, Pair], found: Sequence[Described]) -> Iterator[Difference]:
    for stated in described.operations(_contract()):
        pair = matched.get(str(stated.id))
        if pair is None:
            yield _missing(stated, found)
        else:
            yield from operation.differences(pair)


def _missing(stated: Described, found: Sequence[Described]) -> Difference:
    """The difference of an operation that has no counterpart at its method and path."""
    moved = next((each for each in found if each.id == stated.id), None)
    return Difference(
        Aspect.OPERATIONS,
        Effect.CLIENTS,
        str(stated.id),
        "is not described" if moved is None else "has another method or path",
        stated.route,
        "" if moved is None else moved.route,
        operations=(str(stated.id),),
        lines=() if moved is None else lines(moved.node),
    )


def _additions(matched: dict[str, Pair], found: Sequence[Described]) -> Iterator[Difference]:
    known = {id(pair.found.node.value) for pair in matched.values()}
    for each in found:
        if id(each.node.value) not in known:
            message, line = "is an additional operation", lines(each.node)
            yield Difference(Aspect.OPERATIONS, Effect.HARMLESS, each.route, message, lines=line)
