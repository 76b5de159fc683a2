"""The credentials that a description accepts, and the permission that an operation requires."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.contract import openapi
from conformance.contract.description.described import Described, operations
from conformance.contract.description.difference import Aspect, Difference, Effect
from conformance.contract.description.document import Document
from conformance.contract.description.node import Node
from conformance.contract.description.source import Json

SCHEMES = {"API key": "an API key alone", "bearer token": "a bearer token alone"}
EITHER = "an API key or a bearer token"

_PERMISSION = re.compile(rf"\b(?:{'|'.join(openapi.load().permissions)})\b")
_ABOUT_PERMISSIONS = re.compile(r"scope|permission", re.IGNORECASE)

Alternatives = Sequence[dict[str, Any]]
"""The security requirements, one of which a request has to fulfil."""


def differences(document: Document, operation: Described, permission: str) -> Iterator[Difference]:
    """The differences of one operation, without its name and lines ("Authentication")."""
    alternatives = _alternatives(document, operation)
    if not alternatives or {} in alternatives:
        message = "accepts requests without a credential"
        yield _difference(Effect.CLIENTS, message, EITHER, "none")
    if not alternatives:
        return
    accepted = _accepted(document, alternatives)
    for scheme, words in SCHEMES.items():
        if scheme not in accepted:
            message = f"does not accept {words}"
            yield _difference(Effect.CALLERS, message, EITHER, _names(alternatives))
    yield from _permission(document, operation, alternatives, permission)


def _difference(effect: Effect, message: str, specified: str, described: str) -> Difference:
    return Difference(Aspect.SECURITY, effect, "security", message, specified, described)


# --- schemes --------------------------------------------------------------------------------------


def _alternatives(document: Document, operation: Described) -> Alternatives:
    own = operation.node
    holder = own if "security" in own.table else Node(document.root)
    stated = holder.table.get("security")
    return [each for each in stated if isinstance(each, dict)] if isinstance(stated, list) else []


def _accepted(document: Document, alternatives: Alternatives) -> set[str | None]:
    """The schemes that suffice on their own."""
    components = document.child(Node(document.root), "components")
    holder = components and document.child(components, "securitySchemes")
    children = document.children(holder) if holder else ()
    schemes = {str(name): _scheme(node.table) for name, node in children}
    return {schemes.get(name) for each in alternatives if len(each) == 1 for name in each}


def _scheme(table: Json) -> str:
    """The scheme of the contract that a security scheme corresponds to, or "another"."""
    kind = table.get("type")
    is_our_header = str(table.get("name")).lower() == "x-api-key"
    if kind == "apiKey" and table.get("in") == "header" and is_our_header:
        return "API key"
    is_bearer = kind == "http" and str(table.get("scheme")).lower() == "bearer"
    # The flows of OAuth and OpenID Connect end in a bearer token.
    return "bearer token" if is_bearer or kind in ("oauth2", "openIdConnect") else "another"


def _names(alternatives: Alternatives) -> str:
    return " or ".join(" and ".join(each) or "none" for each in alternatives)


# --- permissions ----------------------------------------------------------------------------------


def _permission(
    document: Document, operation: Described, alternatives: Alternatives, permission: str
) -> Iterator[Difference]:
    """Compare the permission, which may be a scope, an extension, or part of the text."""
    table = operation.node.table
    scopes = _scopes(alternatives)
    extensions = {name: _permissions(table[name]) for name in table if name.startswith("x-")}
    extended = [
        found for name, found in extensions.items() if found and _ABOUT_PERMISSIONS.search(name)
    ]
    lists = [list(filter(_PERMISSION.fullmatch, found)) for found in scopes or extended]
    known = [found for found in lists if found]
    other = next((found for found in known if set(found) != {permission}), None)
    if other is not None:
        message = "requires another permission"
        yield _difference(Effect.CALLERS, message, permission, ", ".join(other))
    if known:
        return
    texts = [table.get("summary"), table.get("description"), *extensions.values(), *scopes]
    if permission not in _permissions(texts):
        described = ", ".join(each for found in scopes for each in found)
        message = "does not name the required permission"
        yield _difference(_effect_of_silence(document), message, permission, described)


def _scopes(alternatives: Alternatives) -> list[list[str]]:
    lists = [scopes for each in alternatives for scopes in each.values()]
    return [list(map(str, scopes)) for scopes in lists if isinstance(scopes, list) and scopes]


def _effect_of_silence(document: Document) -> Effect:
    """The effect of an unnamed permission.

    Where most operations name theirs as a scope, the others seem to require none.
    """
    stated = [each.node.table.get("security") for each in operations(document)]
    named = [bool(_permissions(security)) for security in stated]
    return Effect.CLIENTS if sum(named) > len(named) / 2 else Effect.OPEN


def _permissions(value: object) -> list[str]:
    return _PERMISSION.findall(json.dumps(value, ensure_ascii=False, default=str))
