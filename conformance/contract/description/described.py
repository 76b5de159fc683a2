"""The operations of a description, with inherited parameters and servers in place."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from conformance.contract.description.document import Document
from conformance.contract.description.node import Node

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")

LONGEST_PATH = 2_000
"""Characters of a path or a server URL: no longer one is compared with the contract."""
LONGEST_DEFAULT = 200
"""Characters of the default of a variable in a server URL."""

_VERSION_SEGMENT = "/v1/"
_ANY_VERSION = re.compile(r"/v\d+(?=/|$)")
_NAME = re.compile(r"\{([^}]*)\}")


@dataclass(frozen=True)
class Described:
    """One operation as described; `path` is relative to the base address, with `{}` for names."""

    method: str
    path: str
    names: tuple[str, ...]
    """The names of the path parameters, in the order of the path."""
    node: Node
    parameters: Mapping[tuple[str, str], Node]
    """By location and name."""
    versioned: bool
    """Whether its server URL has the version segment, or no server is given."""
    other_version: bool
    """Whether its server URL has the segment of another version instead."""

    @property
    def id(self) -> object:
        """The operationId, of any type."""
        return self.node.table.get("operationId")

    @property
    def route(self) -> str:
        """Method and path with the names of the parameters: "GET /projects/{projectId}"."""
        names = iter(self.names)
        path = re.sub(r"\{\}", lambda _: f"{{{next(names, '')}}}", self.path)
        return f"{self.method} {path}"


def operations(document: Document) -> Iterator[Described]:
    """Every operation, in the order of the document."""
    paths = document.child(Node(document.root), "paths")
    for path, item in document.children(paths) if paths else ():
        if len(str(path)) > LONGEST_PATH:
            continue
        for method in METHODS:
            node = document.child(item, method)
            if node is not None:
                address = _address(document, item, node)
                parameters = {**_parameters(document, item), **_parameters(document, node)}
                yield _described(method.upper(), str(path), address, node, parameters)


def template(path: str) -> str:
    """A path without the names of its parameters."""
    return _NAME.sub("{}", path)


def _described(
    method: str,
    path: str,
    address: str | None,
    node: Node,
    parameters: Mapping[tuple[str, str], Node],
) -> Described:
    whole = f"{(address or '').rstrip('/')}{path}"
    _, version, rest = whole.rpartition(_VERSION_SEGMENT)
    has_version = bool(version)
    relative = f"/{rest}" if has_version else path
    return Described(
        method=method,
        path=template(relative),
        names=tuple(_NAME.findall(relative)),
        node=node,
        parameters=parameters,
        versioned=address is None or has_version,
        other_version=not has_version and _ANY_VERSION.search(address or "") is not None,
    )


def _address(document: Document, item: Node, node: Node) -> str | None:
    """The path of the nearest server URL; None if no server is given."""
    holders = (node, item, Node(document.root))
    found = (_server(document, holder) for holder in holders)
    return next((path for path in found if path is not None), None)


def _server(document: Document, holder: Node) -> str | None:
    """The path of the first server, with the defaults of its variables."""
    servers = document.child(holder, "servers")
    first = servers and document.child(servers, 0)
    url = first.table.get("url") if first else None
    if not isinstance(url, str) or first is None:
        return None
    stated = first.table.get("variables")
    variables = stated if isinstance(stated, dict) else {}
    # Not one after the other: a default may have the names of others in it, and double each time.
    url = _NAME.sub(lambda name: _default(variables, name), url[:LONGEST_PATH])
    try:
        return urlsplit(url).path
    except ValueError:
        return None


def _default(variables: Mapping[str, object], name: re.Match[str]) -> str:
    """What a variable stands for; a name without a variable stays."""
    if name[1] not in variables:
        return name[0]
    variable = variables[name[1]]
    default = variable.get("default", "") if isinstance(variable, dict) else ""
    return str(default)[:LONGEST_DEFAULT]


def _parameters(document: Document, holder: Node) -> dict[tuple[str, str], Node]:
    listed = document.child(holder, "parameters")
    if listed is None or not isinstance(listed.value, list):
        return {}
    nodes = [node for _, node in document.children(listed)]
    return {(str(node.table.get("in")), str(node.table.get("name"))): node for node in nodes}
