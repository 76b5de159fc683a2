"""The error responses of the service as exceptions with status, code and title ("Errors").

    ApiError
    ├── InvalidRequest     400      ├── MethodNotAllowed   405
    ├── Unauthenticated    401      ├── Conflict           409
    ├── Forbidden          403      ├── BodyTooLarge       413
    ├── NotFound           404      ├── InvalidArguments   422
    ├── RateLimited        429      ├── InternalError      500
    └── Unavailable        503

There is no exception for 502, since this implementation calls no upstream service.
"""

from collections.abc import Mapping
from typing import ClassVar


class ApiError(Exception):
    """An error response; `message` and `headers` are part of the response."""

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = dict(headers or {})


class InvalidRequest(ApiError):
    """The body is not JSON."""

    status = 400
    code = "invalid_request"
    title = "Invalid request"


class Unauthenticated(ApiError):
    """The credential is missing, unknown, expired or revoked."""

    status = 401
    code = "unauthenticated"
    title = "Authentication required"

    def __init__(self, message: str) -> None:
        super().__init__(message, {"WWW-Authenticate": 'Bearer realm="localization"'})


class Forbidden(ApiError):
    """The credential lacks the permission, or the role may not approve reviews."""

    status = 403
    code = "forbidden"
    title = "Access denied"


class NotFound(ApiError):
    """The resource or cursor is absent or outside the grant; the response is the same for both."""

    status = 404
    code = "not_found"
    title = "Not found"


class MethodNotAllowed(ApiError):
    """The path has no operation with this method."""

    status = 405
    code = "method_not_allowed"
    title = "Method not allowed"

    def __init__(self, method: str, allowed: str) -> None:
        super().__init__(f"{method} is not offered here.", {"Allow": allowed})


class Conflict(ApiError):
    """The revision, the state of the review or the idempotency key conflicts with the request."""

    status = 409
    code = "conflict"
    title = "Conflict"


class BodyTooLarge(ApiError):
    """The request body exceeds the maximum size."""

    status = 413
    code = "body_too_large"
    title = "Request body too large"


class InvalidArguments(ApiError):
    """An argument is missing, has another type, or is out of bounds."""

    status = 422
    code = "invalid_arguments"
    title = "Invalid arguments"


class RateLimited(ApiError):
    """The credential exceeds its rate limit; `seconds` is the value of Retry-After."""

    status = 429
    code = "rate_limited"
    title = "Rate limit exceeded"

    def __init__(self, seconds: int) -> None:
        super().__init__("Too many requests for this credential.", {"Retry-After": str(seconds)})


class InternalError(ApiError):
    """An unexpected exception; its cause is logged and not part of the response."""

    status = 500
    code = "internal_error"
    title = "Internal error"

    def __init__(self) -> None:
        super().__init__("The request could not be completed.")


class Unavailable(ApiError):
    """The database stayed locked for longer than a request waits."""

    status = 503
    code = "unavailable"
    title = "Service unavailable"

    def __init__(self) -> None:
        super().__init__("The service is temporarily unavailable.")
