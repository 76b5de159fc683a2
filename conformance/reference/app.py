"""The HTTP interface of the service: routes, arguments of requests, error responses.

The routes come from the contract file. Endpoints await the request body only, and keep nothing that
belongs to an event loop, so that several event loops may use one application.
"""

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NoReturn

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from conformance.reference import arguments, catalogue, request_body
from conformance.reference.arguments import Arguments
from conformance.reference.catalogue import Operation
from conformance.reference.description import DESCRIPTION_PATH, DescriptionEndpoint
from conformance.reference.errors import (
    ApiError,
    InternalError,
    InvalidArguments,
    InvalidRequest,
    MethodNotAllowed,
    NotFound,
)
from conformance.reference.responses import Response, ResponseBuilder, transmit
from conformance.reference.schemes import presented_credentials
from conformance.reference.service import Service
from conformance.reference.tool_interface import TOOLS_PATH, ToolInterface

PREFIX: Final = "/v1"
METHODS_WITH_BODY: Final = frozenset({"POST"})

log = logging.getLogger(__name__)


class App:
    """The ASGI application; every response is JSON, also after an internal error."""

    def __init__(
        self, service: Service, responses: ResponseBuilder, description: DescriptionEndpoint
    ) -> None:
        self._responses = responses
        self._router = Router(
            _routes(service, responses, description), redirect_slashes=False, default=_unknown_path
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._router(scope, receive, send)
            return
        try:
            await self._router(scope, receive, send)
        except ClientDisconnect:
            log.info("a client disconnected before its request was complete")
        except Exception as error:  # noqa: BLE001 - every exception gets a response
            await transmit(self._response(error), send, bodiless=scope["method"] == "HEAD")

    def _response(self, error: Exception) -> Response:
        """The response to a request that raised this exception."""
        if isinstance(error, ApiError):
            return self._responses.error(error)
        log.error("a request failed", exc_info=error)
        return self._responses.error(InternalError())


class Endpoint:
    """The operations of one path, by method."""

    def __init__(
        self, operations: Sequence[Operation], service: Service, responses: ResponseBuilder
    ) -> None:
        self._operations = {operation.method: operation for operation in operations}
        self._service = service
        self._responses = responses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Perform the operation of the method; HEAD is GET without the response body."""
        request = Request(scope, receive)
        operation = self._operation(request.method)
        caller = self._service.admit(presented_credentials(request.headers))
        self._service.permit(caller, operation)
        data = self._service.perform(operation, caller, await _arguments(request))
        await transmit(self._responses.success(data), send, bodiless=request.method == "HEAD")

    def _operation(self, method: str) -> Operation:
        """Return the operation of a method, or raise MethodNotAllowed with the allowed methods."""
        operation = self._operations.get("GET" if method == "HEAD" else method)
        if operation is None:
            raise MethodNotAllowed(method, self._allowed())
        return operation

    def _allowed(self) -> str:
        """The value of the Allow header for this path."""
        head = ["HEAD"] if "GET" in self._operations else []
        return ", ".join([*self._operations, *head])


def _routes(
    service: Service, responses: ResponseBuilder, description: DescriptionEndpoint
) -> list[Route]:
    """A route for each path of the contract file, one for the description, and one for tools."""
    paths = defaultdict(list)
    for operation in catalogue.operations():
        paths[operation.path].append(operation)
    routes = [
        Route(PREFIX + path, Endpoint(operations, service, responses))
        for path, operations in paths.items()
    ]
    return [
        *routes,
        Route(PREFIX + DESCRIPTION_PATH, description),
        Route(TOOLS_PATH, ToolInterface(service, responses)),
    ]


async def _unknown_path(_scope: Scope, _receive: Receive, _send: Send) -> NoReturn:
    """The fallback of the router."""
    raise NotFound("There is nothing at this path.")


async def _arguments(request: Request) -> Arguments:
    """The path parameters, and the body or the query; a path parameter overrides the others."""
    given = await _body(request) if request.method in METHODS_WITH_BODY else _query(request)
    return {**given, **request.path_params}


def _query(request: Request) -> Arguments:
    """The query parameters; a repeated one becomes an array, which no operation accepts."""
    texts = defaultdict(list)
    for name, text in request.query_params.multi_items():
        texts[name].append(arguments.from_text(text))
    return {name: given[0] if len(given) == 1 else given for name, given in texts.items()}


async def _body(request: Request) -> Arguments:
    """The properties of the JSON object in the body."""
    request_body.check_declared_length(request.headers.get("content-length"))
    content = await request_body.read(request.receive)
    try:
        body = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"The request body is not JSON: {error}.") from error
    if not isinstance(body, dict):
        raise InvalidArguments("The request body must be a JSON object.")
    return body
