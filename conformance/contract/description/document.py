"""An OpenAPI document as operations: references followed, inherited parameters and servers in place, paths below the version segment."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urlsplit

from conformance.contract.description.source import Json, Source

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
MOST_HOPS = 50
NOWHERE: Json = {}
"""What a reference to nothing leads to."""

_VERSION_SEGMENT = re.compile(r".*/v1(?=/)")
_LITERAL = frozenset({"example", "examples", "default", "const", "enum"})
"""Keywords below which a `$ref` is data."""
_NAMING = frozenset(
    {
        "properties",
        "patternProperties",
        "responses",
        "schemas",
        "parameters",
        "$defs",
        "dependentSchemas",
    }
)
"""Keywords whose keys are names, so that `default` is none of the above."""


@dataclass(frozen=True)
class Node:
    """A value of the document and the line, from 1, that it is told on."""

    value: Any
    line: int | None = None

    @property
    def table(self) -> Json:
        """The value where it is a mapping, otherwise an empty one."""
        return self.value if isinstance(self.value, dict) else {}


@dataclass(frozen=True)
class Described:
    """One operation as it is described; `path` is relative to the base address, its parameters are written {}."""

    method: str
    path: str
    names: tuple[str, ...]
    """The names of the path's parameters, in their order."""
    node: Node
    parameters: Mapping[tuple[str, str], Node]
    """By location and name."""
    versioned: bool
    """Whether the address that comes with it has the version segment, or none is given."""

    @property
    def id(self) -> object:
        """Its operationId, whatever that is."""
        return self.node.table.get("operationId")


class Document:
    """A description that can be walked; nothing in it is trusted to have the type that it ought to have."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root = source.document
        self.validators: dict[object, Any] = {}
        """Of the schemas that were looked at already."""
        self.compared: dict[object, tuple[Any, ...]] = {}
        """What came of comparing them."""
        self._paths: dict[tuple[str, ...], Sequence[tuple[str, ...]]] = {}
        for node in self._nodes():
            _respell(node.table, modern=not str(self.root.get("openapi", "")).startswith("3.0"))

    def child(self, node: Node, key: str | int) -> Node | None:
        """The value at a key or an index, a reference there followed; None where there is none."""
        raw = self.raw_child(node, key)
        return raw and self.resolved(raw)

    def raw_child(self, node: Node, key: str | int) -> Node | None:
        """The value at a key or an index as it stands."""
        container = node.value
        held = (isinstance(container, dict) and key in container) or (
            isinstance(container, list) and isinstance(key, int) and key < len(container)
        )
        return Node(container[key], self.source.line(container, key) or node.line) if held else None

    def children(self, node: Node) -> Iterator[tuple[str | int, Node]]:
        """Every value in a mapping or a list, references followed."""
        for key in (
            node.value
            if isinstance(node.value, dict)
            else range(len(node.value))
            if isinstance(node.value, list)
            else ()
        ):
            found = self.child(node, key)
            assert found is not None
            yield key, found

    def resolved(self, node: Node) -> Node:
        """What a node refers to, or the node itself; NOWHERE, on the line of the reference, where it refers to nothing."""
        found: Node | None = node
        for _ in range(MOST_HOPS):
            if found is None or "$ref" not in found.table:
                break
            # What is wrong is told where it is defined; a reference may be one of many.
            found = self.target(found.table["$ref"])
        return Node(NOWHERE, node.line) if found is None or "$ref" in found.table else found

    def target(self, reference: object) -> Node | None:
        """The node that a local reference points to: a JSON pointer or an anchor."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        fragment = unquote(reference[1:])
        if fragment and not fragment.startswith("/"):
            return self._anchor(fragment)
        node: Node | None = Node(self.root)
        for part in fragment.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            node = node and self.raw_child(
                node, int(key) if key.isdecimal() and isinstance(node.value, list) else key
            )
        return node

    def definitions(self, schemas: Iterable[object]) -> Json:
        """The parts of the document that schemas refer to, directly or not, each in its place."""
        if self._anchored:
            return self._anchored
        found: dict[str, Any] = {}
        for path in self._reached(schemas):
            part = self.target("/".join(["#", *path]))
            if part is not None:
                *holders, name = path
                table = found
                for holder in holders:
                    table = table.setdefault(holder, {})
                table[name] = part.value
        return found

    def _reached(self, schemas: Iterable[object]) -> set[tuple[str, ...]]:
        """Where the references of these schemas lead, and the references of what is there."""
        reached: set[tuple[str, ...]] = set()
        waiting = [path for schema in schemas for path in _paths(schema)]
        while waiting:
            path = waiting.pop()
            if path not in reached:
                reached.add(path)
                waiting += self._paths_from(path)
        return reached

    def _paths_from(self, path: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
        if path not in self._paths:
            part = self.target("/".join(["#", *path]))
            self._paths[path] = _paths(part.value) if part is not None else ()
        return self._paths[path]

    @cached_property
    def _anchored(self) -> Json:
        """Everything that is referred to, where a node has an anchor: references to it do not say where it is."""
        anchored = [node.value for node in self._nodes() if "$anchor" in node.table]
        if not anchored:
            return {}
        references = (str(node.table["$ref"]) for node in self.references())
        names = {reference.split("/")[1] for reference in references if reference.startswith("#/")}
        sections = {name: value for name, value in self.root.items() if name in names}
        # Validators look for anchors below this keyword only.
        return sections | {"$defs": {str(number): value for number, value in enumerate(anchored)}}

    def _anchor(self, name: str) -> Node | None:
        return next((node for node in self._nodes() if node.table.get("$anchor") == name), None)

    def references(self) -> Iterator[Node]:
        """Every mapping that refers somewhere."""
        return (node for node in self._nodes() if isinstance(node.table.get("$ref"), str))

    def _nodes(self) -> Iterator[Node]:
        """Every mapping and list of the document, data left out."""
        waiting: list[tuple[str | int, Node]] = [("", Node(self.root))]
        seen: set[int] = set()
        while waiting:
            name, node = waiting.pop()
            if id(node.value) in seen:
                continue
            seen.add(id(node.value))
            yield node
            for key in node.value if isinstance(node.value, dict) else range(len(node.value)):
                child = self.raw_child(node, key)
                if (
                    child is not None
                    and isinstance(child.value, dict | list)
                    and (key not in _LITERAL or name in _NAMING)
                ):
                    waiting.append((key, child))

    # --- operations --------------------------------------------------------------------------------------------------

    def operations(self) -> Iterator[Described]:
        """Every operation, in the order of the document."""
        paths = self.child(Node(self.root), "paths")
        for path, item in self.children(paths) if paths else ():
            for method in METHODS:
                node = self.child(item, method)
                if node is not None:
                    yield self._operation(method.upper(), str(path), item, node)

    def _operation(self, method: str, path: str, item: Node, node: Node) -> Described:
        address = self._server(node) or self._server(item) or self._server(Node(self.root))
        whole = f"{(address or '').rstrip('/')}{path}"
        below = _VERSION_SEGMENT.sub("", whole) if _VERSION_SEGMENT.match(whole) else path
        return Described(
            method=method,
            path=template(below),
            names=tuple(re.findall(r"\{([^}]*)\}", below)),
            node=node,
            parameters={**self._parameters(item), **self._parameters(node)},
            versioned=address is None or _VERSION_SEGMENT.match(whole) is not None,
        )

    def _server(self, node: Node) -> str | None:
        """The path of the first server, its variables replaced by their defaults; None where no server is given."""
        servers = self.child(node, "servers")
        first = servers and self.child(servers, 0)
        url = first.table.get("url") if first else None
        if not isinstance(url, str) or first is None:
            return None
        variables = first.table.get("variables")
        for name, variable in (variables if isinstance(variables, dict) else {}).items():
            url = url.replace(
                f"{{{name}}}",
                str(variable.get("default", "")) if isinstance(variable, dict) else "",
            )
        try:
            return urlsplit(url).path
        except ValueError:
            return None

    def _parameters(self, holder: Node) -> dict[tuple[str, str], Node]:
        listed = self.child(holder, "parameters")
        nodes = (
            [node for _, node in self.children(listed)]
            if listed and isinstance(listed.value, list)
            else []
        )
        return {(str(node.table.get("in")), str(node.table.get("name"))): node for node in nodes}


def _paths(schema: object) -> Sequence[tuple[str, ...]]:
    """Where the references in a schema lead: to one component, or to a whole other section of the document."""
    found = []
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
            reference = value.get("$ref")
            if isinstance(reference, str) and reference.startswith("#/"):
                found.append(_path(reference))
        elif isinstance(value, list):
            waiting += value
    return tuple(dict.fromkeys(found))


def _path(reference: str) -> tuple[str, ...]:
    section, *names = reference.split("/")[1:]
    is_component = section == "components" and len(names) > 1
    return (section, *names[:2]) if is_component else (section,)


def anything(node: Node) -> Node:
    """The schema that allows everything, on the line of a node."""
    return Node(value=True, line=node.line)


def lines(node: Node | None) -> tuple[int, ...]:
    """The line of a node, where there is one and it is known."""
    return (node.line,) if node is not None and node.line is not None else ()


def template(path: str) -> str:
    """A path with the names of its parameters left out."""
    return re.sub(r"\{[^}]*\}", "{}", path)


def _respell(table: Json, *, modern: bool) -> None:
    """Spell a schema as JSON Schema does: what 3.0 has in its own words, and without an identity that would move its references."""
    if isinstance(table.get("$id"), str):
        del table["$id"]
    if modern:
        return
    if table.get("nullable") is True and isinstance(table.get("type"), str):
        table["type"] = [table["type"], "null"]
        if isinstance(table.get("enum"), list) and None not in table["enum"]:
            table["enum"] = [*table["enum"], None]
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(table.get(exclusive), bool):
            excluded = table.pop(exclusive)
            if excluded and bound in table:
                table[exclusive] = table.pop(bound)
