"""A whole description against the contract: its version, and its operations."""

from collections.abc import Iterator
from functools import cache, lru_cache

from conformance.contract import openapi
from conformance.contract.description import validity
from conformance.contract.description.difference import Aspect, Difference, Effect, gathered
from conformance.contract.description.document import Described, Document, Node, lines
from conformance.contract.description.operation import Pair
from conformance.contract.description.source import SourceError, UnbundledError, parsed, read


@lru_cache(maxsize=2)
def description(text: str) -> Document:
    """The description that a text holds. Raises SourceError where it is none, UnbundledError where it is only a part of one."""
    source = read(text)
    if not str(source.document.get("openapi", "")).startswith("3."):
        raise SourceError(
            "is no OpenAPI 3 document: `openapi` does not say 3.x",
            source.line(source.document, "openapi"),
        )
    document = Document(source)
    for node in document.references():
        reference = node.table["$ref"]
        if not reference.startswith("#"):
            line = document.source.line(node.value, "$ref")
            raise UnbundledError(
                f"refers to another document ({reference!r}), which is not read: bundle them into one",
                line,
            )
    return document


def pairs(theirs: Document) -> dict[str, Pair]:
    """The operations that a description has at the places where the contract has them, by their identifier in the contract."""
    ours = _contract()
    found = {(each.method, each.path): each for each in theirs.operations()}
    stated = {(each.method, each.path): each for each in ours.operations()}
    return {
        str(each.id): Pair(ours, theirs, each, found[place])
        for place, each in stated.items()
        if place in found
    }


@lru_cache(maxsize=4)
def examine(text: str) -> tuple[Difference, ...]:
    """Everything that a description says otherwise than the contract, the worst first. Raises SourceError.

    An answer's value is compared as whoever reads it sees it, an argument as whoever sends it: what one may be wider in, the other
    may be narrower in. Where the contract leaves something open, nothing breaks.
    """
    theirs = description(text)
    return gathered([*validity.flaws(read(text)), *differences(theirs)])


def differences(theirs: Document) -> tuple[Difference, ...]:
    """The same without an opinion on whether the document is valid OpenAPI."""
    return gathered(_everything(_contract(), theirs))


@cache
def _contract() -> Document:
    return Document(parsed(dict(openapi.load().document)))


def _everything(ours: Document, theirs: Document) -> Iterator[Difference]:
    yield from _versions(theirs)
    described = list(theirs.operations())
    yield from _addresses(theirs, described)
    matched = pairs(theirs)
    for stated in ours.operations():
        pair = matched.get(str(stated.id))
        yield from pair.differences() if pair else [_missing(stated, described)]
    known = {id(pair.found.node.value) for pair in matched.values()}
    for extra in described:
        if id(extra.node.value) in known:
            continue
        where = _spoken(extra)
        yield Difference(
            Aspect.OPERATIONS,
            Effect.HARMLESS,
            where,
            "is a further operation",
            lines=lines(extra.node),
        )


def _versions(theirs: Document) -> Iterator[Difference]:
    root = Node(theirs.root)
    stated = str(theirs.root.get("openapi"))
    if not stated.startswith("3.1."):
        line = lines(theirs.raw_child(root, "openapi"))
        yield Difference(
            Aspect.VERSION,
            Effect.CLIENTS,
            "openapi",
            "is another version of OpenAPI",
            "3.1.1",
            stated,
            lines=line,
        )
    info = theirs.child(root, "info")
    version = info and theirs.child(info, "version")
    if version is None or version.value != "1.0.0":
        told = repr(version.value) if version else "nothing"
        line = lines(version or info)
        yield Difference(
            Aspect.API_VERSION,
            Effect.CLIENTS,
            "info.version",
            "is another version of the API",
            "1.0.0",
            told,
            lines=line,
        )


def _addresses(theirs: Document, described: list[Described]) -> Iterator[Difference]:
    astray = [each for each in described if not each.versioned]
    if astray:
        line = lines(theirs.raw_child(Node(theirs.root), "servers"))
        message = "the address of a server does not end with the version segment v1"
        yield Difference(Aspect.OPERATIONS, Effect.OPEN, "servers", message, lines=line)


def _missing(stated: Described, described: list[Described]) -> Difference:
    moved = next((each for each in described if each.id == stated.id), None)
    where, specified = str(stated.id), _spoken(stated)
    if moved is None:
        return Difference(
            Aspect.OPERATIONS, Effect.CLIENTS, where, "is not described", specified, "", (where,)
        )
    told = _spoken(moved)
    return Difference(
        Aspect.OPERATIONS,
        Effect.CLIENTS,
        where,
        "is at another place",
        specified,
        told,
        (where,),
        lines(moved.node),
    )


def _spoken(operation: Described) -> str:
    names = iter(operation.names)
    return f"{operation.method} " + "".join(
        "{" + next(names, "") + "}" if part == "{}" else part for part in _parts(operation.path)
    )


def _parts(path: str) -> list[str]:
    return [piece for part in path.split("{}") for piece in (part, "{}")][:-1]
