"""How callers show who they are, by the account of a description, and which permission an operation needs."""

import json
import re
from collections.abc import Iterator
from typing import Any

from conformance.contract.description.difference import Effect
from conformance.contract.description.document import Described, Document, Node

KNOWN = {"API key": "an API key alone", "bearer token": "a bearer token alone"}
_PERMISSION = re.compile(
    r"\b(?:account|projects|videos|reviews|comments|activity):(?:read|approve)\b"
)
_SPEAKING = re.compile(r"scope|permission", re.IGNORECASE)

Told = tuple[Effect, str, str, str]
"""Whom it concerns, what is different, what is specified, what is described."""


def differences(document: Document, operation: Described, permission: str) -> Iterator[Told]:
    """What is said otherwise of the credentials and of the permission of one operation ("Authentication")."""
    holder = operation.node if "security" in operation.node.table else Node(document.root)
    stated = holder.table.get("security")
    alternatives = (
        [each for each in stated if isinstance(each, dict)] if isinstance(stated, list) else []
    )
    if not alternatives or {} in alternatives:
        yield (
            Effect.CLIENTS,
            "lets callers in without a credential",
            "an API key or a bearer token",
            "none",
        )
    if not alternatives:
        return
    schemes = _schemes(document)
    accepted = {schemes.get(name) for each in alternatives if len(each) == 1 for name in each}
    for scheme, told in KNOWN.items():
        if scheme not in accepted:
            yield (
                Effect.CALLERS,
                f"does not accept {told}",
                "an API key or a bearer token",
                _spoken(alternatives),
            )
    yield from _permission(operation, alternatives, permission, _silence(document))


def _schemes(document: Document) -> dict[str, str]:
    """The name of each security scheme, with what it is to the contract."""
    components = document.child(Node(document.root), "components")
    holder = components and document.child(components, "securitySchemes")
    return (
        {str(name): _kind(node.table) for name, node in document.children(holder)} if holder else {}
    )


def _kind(scheme: dict[str, Any]) -> str:
    kind = scheme.get("type")
    if (
        kind == "apiKey"
        and scheme.get("in") == "header"
        and str(scheme.get("name")).lower() == "x-api-key"
    ):
        return "API key"
    # The flows of OAuth and OpenID Connect end in a bearer token.
    bearer = kind == "http" and str(scheme.get("scheme")).lower() == "bearer"
    return "bearer token" if bearer or kind in ("oauth2", "openIdConnect") else "another"


def _spoken(alternatives: list[dict[str, Any]]) -> str:
    return " or ".join(" and ".join(each) or "none" for each in alternatives)


def _silence(document: Document) -> Effect:
    """What it is to name no permission: nothing, unless most operations name theirs as a scope, so that this one seems to need none."""
    named = [
        bool(_permissions(operation.node.table.get("security")))
        for operation in document.operations()
    ]
    return Effect.CLIENTS if sum(named) > len(named) / 2 else Effect.OPEN


def _permission(
    operation: Described, alternatives: list[dict[str, Any]], permission: str, silence: Effect
) -> Iterator[Told]:
    """Compare the permission, wherever it is written: as a scope, in an extension, or in the text."""
    scopes = [
        [str(scope) for scope in scopes]
        for each in alternatives
        for scopes in each.values()
        if isinstance(scopes, list) and scopes
    ]
    extensions = {
        name: _permissions(value)
        for name, value in operation.node.table.items()
        if name.startswith("x-")
    }
    extended = [found for name, found in extensions.items() if found and _SPEAKING.search(name)]
    known = [
        each
        for found in scopes or extended
        if (each := [name for name in found if _PERMISSION.fullmatch(name)])
    ]
    others = next((each for each in known if set(each) != {permission}), None)
    if others is not None:
        yield Effect.CALLERS, "needs another permission", permission, ", ".join(others)
    if known:
        return
    text = [operation.node.table.get(name) for name in ("summary", "description")]
    if permission not in _permissions([*text, *extensions.values(), *scopes]):
        yield (
            silence,
            "does not say which permission it needs",
            permission,
            ", ".join(each for found in scopes for each in found),
        )


def _permissions(value: object) -> list[str]:
    return _PERMISSION.findall(json.dumps(value, ensure_ascii=False, default=str))
