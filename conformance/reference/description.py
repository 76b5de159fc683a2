"""The OpenAPI description that the service publishes without authentication ("Versioning")."""

from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from conformance.reference import catalogue
from conformance.reference.errors import MethodNotAllowed
from conformance.reference.responses import Response, transmit

DESCRIPTION_PATH: Final = "/openapi.json"
"""The path of the description, relative to the base address."""


class DescriptionEndpoint:
    """Serves the contract file; `servers` is the address at which the request arrived."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        request = Request(scope, receive)
        if request.method not in ("GET", "HEAD"):
            raise MethodNotAllowed(request.method, "GET, HEAD")
        url = request.url
        body = orjson.dumps(
            description(f"{url.scheme}://{url.netloc}{url.path.removesuffix(DESCRIPTION_PATH)}")
        )
        await transmit(Response(200, body, {}), send, bodiless=request.method == "HEAD")


def description(base_url: str) -> dict[str, Any]:
    """The contract file as it is served at a base address."""
    document: dict[str, Any] = orjson.loads(orjson.dumps(catalogue.document()))
    document["servers"] = [{"url": base_url}]
    return document
