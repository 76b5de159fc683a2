"""The description as a page at `/docs`, without a script and without another host."""

from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined
from starlette.types import ASGIApp, Receive, Scope, Send

from conformance.reference import catalogue

Description = dict[str, Any]

PATH = "/docs"
POLICY = b"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


class Documented:
    """An application with a page of its description."""

    def __init__(self, app: ASGIApp, description: Description) -> None:
        self._app = app
        self._page = page(description).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["path"].rstrip("/") != PATH or scope["method"] not in {"GET", "HEAD"}:
            await self._app(scope, receive, send)
            return
        headers = [
            (b"content-type", b"text/html; charset=utf-8"),
            (b"content-length", str(len(self._page)).encode()),
            (b"content-security-policy", POLICY),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        body = b"" if scope["method"] == "HEAD" else self._page
        await send({"type": "http.response.body", "body": body})


def page(description: Description) -> str:
    """The page of a description."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    text = resources.files("conformance.commands.sandbox").joinpath("docs.html.jinja")
    template = environment.from_string(text.read_text(encoding="utf-8"))
    schemas = description["components"]["schemas"].items()
    return template.render(
        info=description["info"],
        base_url=description["servers"][0]["url"],
        operations=[_operation(each, description) for each in catalogue.operations()],
        schemas={name: _rows(each, description) for name, each in schemas},
    )


def _operation(operation: catalogue.Operation, description: Description) -> dict[str, Any]:
    """What the page shows of an operation."""
    item = description["paths"][operation.path]
    described = item[operation.method.lower()]
    stated = [*item.get("parameters", []), *described.get("parameters", [])]
    parameters = [_resolved(each, description) for each in stated]
    body = _resolved(described.get("requestBody", {}), description).get("content", {})
    schema = body["application/json"]["schema"] if body else {}
    responses = described["responses"].items()
    return {
        "id": operation.id,
        "method": operation.method,
        "path": operation.path,
        "permission": operation.permission,
        "summary": described.get("summary", ""),
        "parameters": [
            (each["name"], each["in"], _type(each["schema"]), each.get("description", ""))
            for each in parameters
        ],
        "body": _rows(schema, description),
        "responses": {
            status: _resolved(each, description).get("description", "")
            for status, each in responses
        },
    }


def _rows(schema: dict[str, Any], description: Description) -> list[tuple[str, str, bool]]:
    """The properties of an object: name, type, and whether it is required."""
    resolved = _resolved(schema, description)
    required = resolved.get("required", ())
    properties = resolved.get("properties", {}).items()
    return [(name, _type(each), name in required) for name, each in properties]


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "items" in schema:
        return f"array of {_type(schema['items'])}"
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if "oneOf" in schema or "anyOf" in schema:
        return " or ".join(map(_type, schema.get("oneOf") or schema["anyOf"]))
    stated = schema.get("type", "any")
    text = " or ".join(stated) if isinstance(stated, list) else str(stated)
    bounds = [str(schema[name]) for name in ("minimum", "maximum") if name in schema]
    shown = f"{text} {' to '.join(bounds)}" if len(bounds) == 2 else text
    return f"{shown}, default {schema['default']}" if "default" in schema else shown


def _resolved(node: dict[str, Any], description: Description) -> dict[str, Any]:
    """The target of a reference into the description, or the node itself."""
    target: Any = node
    if "$ref" in node:
        target = description
        for key in node["$ref"].removeprefix("#/").split("/"):
            target = target[key]
    resolved: dict[str, Any] = target
    return resolved
