"""The parameters of an operation in the contract and in a description."""

from collections.abc import Iterator

from conformance.contract.description.difference import Aspect, Difference, Effect
from conformance.contract.description.document import Document
from conformance.contract.description.node import Node, anything
from conformance.contract.description.pair import Pair
from conformance.contract.description.place import Direction, Place
from conformance.contract.description.schema import View

IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization", "x-api-key"})
"""The first three are not parameters in OpenAPI; the last one is a credential."""

_OPEN_NAME = "is not described under this name, which the specification leaves open"


def differences(pair: Pair) -> Iterator[Difference]:
    """The differences of all parameters."""
    described = dict(pair.found.parameters)
    for (location, name), ours in pair.stated.parameters.items():
        theirs = described.pop((location, _name_in_path(pair, location, name)), None)
        if theirs is None:
            yield _omission(pair, location, name, ours)
        else:
            yield from _parameter(pair, name, ours, theirs)
    for (location, name), theirs in described.items():
        if not _is_ignored(location, name):
            yield _addition(pair, f"{location} parameter {name}", theirs)


def _name_in_path(pair: Pair, location: str, name: str) -> str:
    """The name in the description: in a path, only the position counts."""
    if location != "path":
        return name
    return pair.found.names[pair.stated.names.index(name)]


def _omission(pair: Pair, location: str, name: str, ours: Node) -> Difference:
    effect, message = Effect.CALLERS, "is not described"
    if location == "path":
        effect, message = Effect.HARMLESS, "is not described as a path parameter"
    elif "name" in ours.table.get("x-open", {}).get("aspects", ()):
        effect, message = Effect.OPEN, _OPEN_NAME
    return pair.at(Difference(Aspect.PARAMETERS, effect, name, message))


def _is_ignored(location: str, name: str) -> bool:
    is_ignored_header = location == "header" and name.lower() in IGNORED_HEADERS
    return location == "path" or is_ignored_header


def _addition(pair: Pair, where: str, theirs: Node) -> Difference:
    effect, message = Effect.HARMLESS, "is an additional parameter"
    if theirs.table.get("required") is True:
        effect, message = Effect.CALLERS, "is required"
    return pair.at(Difference(Aspect.PARAMETERS, effect, where, message), theirs)


def _parameter(pair: Pair, name: str, ours: Node, theirs: Node) -> Iterator[Difference]:
    described = theirs.table
    if described.get("name") != name:
        said = name, str(described.get("name"))
        message = "has a different name in the path"
        difference = Difference(Aspect.PARAMETERS, Effect.HARMLESS, name, message, *said)
        yield pair.at(difference, theirs)
    if described.get("required") is True and not ours.table.get("required"):
        said = "optional", "required"
        difference = Difference(Aspect.PARAMETERS, Effect.CALLERS, name, "is required", *said)
        yield pair.at(difference, theirs)
    schema = _schema(pair.theirs, theirs)
    wanted = View.of(pair.ours, _schema(pair.ours, ours))
    view = View.of(pair.theirs, schema or anything(theirs))
    place = Place(name, Direction.PARAMETER, Aspect.PARAMETERS, pair.id)
    yield from pair.values.differences(wanted, view, place)
    yield from _default(pair, name, ours, schema)


def _schema(document: Document, parameter: Node) -> Node | None:
    """The schema of a parameter, or that of its media type."""
    content = document.child(parameter, "content")
    children = document.children(content) if content else iter(())
    media = next((node for _, node in children), None)
    return document.raw_child(media or parameter, "schema")


def _default(pair: Pair, name: str, ours: Node, schema: Node | None) -> Iterator[Difference]:
    stated = ours.table.get("schema")
    wanted = stated.get("default") if isinstance(stated, dict) else None
    view = View.of(pair.theirs, schema)
    tables = [node.table for choice in view.spelled_out for node in choice]
    found = next((table["default"] for table in tables if "default" in table), None)
    if wanted is None or found in (wanted, str(wanted)):
        return
    if found is None:
        said = str(wanted), "none"
        each = Difference(Aspect.COMPLETE, Effect.HARMLESS, name, "has no default", *said)
    else:
        said, message = (str(wanted), repr(found)), "has a different default"
        each = Difference(Aspect.PARAMETERS, Effect.CLIENTS, name, message, *said)
    yield pair.at(each, schema)
