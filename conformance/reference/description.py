"""The OpenAPI description that the service publishes without authentication ("Versioning").

The contract file leaves open what the specification does. The service has decided, and says so: a
request that fits its description is rejected only for what it refers to.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from conformance.reference import catalogue
from conformance.reference.arguments import LONGEST_KEY
from conformance.reference.errors import MethodNotAllowed
from conformance.reference.responses import Response, transmit

DESCRIPTION_PATH: Final = "/openapi.json"
"""The path of the description, relative to the base address."""

APPROVAL_PATH: Final = "/reviews/{reviewId}/approve"

OPEN: Final = "x-open"
"""The mark of an element about which the specification leaves something open."""


class DescriptionEndpoint:
    """Serves the description; `servers` is the address at which the request arrived."""

    def __init__(self, examples: Mapping[str, Any]) -> None:
        self._examples = examples

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        request = Request(scope, receive)
        if request.method not in ("GET", "HEAD"):
            raise MethodNotAllowed(request.method, "GET, HEAD")
        url = request.url
        base_url = f"{url.scheme}://{url.netloc}{url.path.removesuffix(DESCRIPTION_PATH)}"
        body = orjson.dumps(description(base_url, self._examples))
        await transmit(Response(200, body, {}), send, bodiless=request.method == "HEAD")


def description(base_url: str, examples: Mapping[str, Any]) -> dict[str, Any]:
    """The contract file as it is served at a base address, with what this service has decided.

    `examples` has values that exist, by the names of parameters and of properties of the body.
    """
    document: dict[str, Any] = orjson.loads(orjson.dumps(catalogue.document()))
    _decide(document["components"]["schemas"]["ApprovalRequest"])
    _set_examples(document, examples)
    document["servers"] = [{"url": base_url}]
    return document


def _decide(approval: dict[str, Any]) -> None:
    """State which properties of the approval this service requires, and which keys it takes."""
    del approval[OPEN]
    approval["required"] = [*approval["properties"]]
    key = approval["properties"]["idempotencyKey"]
    del key[OPEN]
    key |= {"minLength": 1, "maxLength": LONGEST_KEY}


def _set_examples(document: dict[str, Any], examples: Mapping[str, Any]) -> None:
    """Replace the examples of requests by those that exist.

    There is none for a cursor: it is issued to one caller, with a page.
    """
    for parameter in _parameters(document):
        if parameter["x-role"] == "cursor":
            del parameter["example"]
        elif parameter["name"] in examples:
            parameter["example"] = examples[parameter["name"]]
    content = document["paths"][APPROVAL_PATH]["post"]["requestBody"]["content"]
    guarded = content["application/json"]["examples"]["guarded"]
    guarded["summary"] = "Approve the current revision"
    guarded["value"]["expectedSubjectRevision"] = examples["expectedSubjectRevision"]


def _parameters(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The shared parameters and those of the operations."""
    yield from document["components"]["parameters"].values()
    for item in document["paths"].values():
        for operation in item.values():
            yield from (each for each in operation.get("parameters", ()) if "$ref" not in each)
