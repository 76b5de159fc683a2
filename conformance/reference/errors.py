"""Every refusal of the service as an exception that carries its status, its code and its title ("Errors").

    Fault
    ├── InvalidRequest     400      ├── MethodNotAllowed   405
    ├── Unauthenticated    401      ├── Conflict           409
    ├── Forbidden          403      ├── BodyTooLarge       413
    ├── NotFound           404      ├── InvalidArguments   422
    ├── RateLimited        429      ├── Failure            500
    └── Unavailable        503

502 has no exception: nothing stands upstream of this implementation.
"""

from collections.abc import Mapping
from typing import ClassVar


class ApiError(Exception):
    """A refusal; `message` is meant for the caller, `headers` go out with the answer."""

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = dict(headers or {})


class InvalidRequest(ApiError):
    """The request cannot be understood: malformed JSON, or a cursor that was never issued for this list."""

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
    """The credential lacks the permission, or the role may not approve."""

    status = 403
    code = "forbidden"
    title = "Access denied"


class NotFound(ApiError):
    """The resource is absent, or outside the caller's grant: the two cannot be told apart."""

    status = 404
    code = "not_found"
    title = "Not found"


class MethodNotAllowed(ApiError):
    """The path exists, but not with this method."""

    status = 405
    code = "method_not_allowed"
    title = "Method not allowed"

    def __init__(self, method: str, allowed: str) -> None:
        super().__init__(f"{method} is not offered here.", {"Allow": allowed})


class Conflict(ApiError):
    """The review's version, its state or the idempotency key conflicts with the request."""

    status = 409
    code = "conflict"
    title = "Conflict"


class BodyTooLarge(ApiError):
    """The request body is larger than the service reads."""

    status = 413
    code = "body_too_large"
    title = "Request body too large"


class InvalidArguments(ApiError):
    """An argument is missing, of another type, or out of its bounds."""

    status = 422
    code = "invalid_arguments"
    title = "Invalid arguments"


class RateLimited(ApiError):
    """The credential has spent its requests; `seconds` says how long to wait."""

    status = 429
    code = "rate_limited"
    title = "Rate limit exceeded"

    def __init__(self, seconds: int) -> None:
        super().__init__("Too many requests for this credential.", {"Retry-After": str(seconds)})


class InternalError(ApiError):
    """The service itself failed; the cause goes to the log and never to the caller."""

    status = 500
    code = "internal_error"
    title = "Internal error"

    def __init__(self) -> None:
        super().__init__("The request could not be completed.")


class Unavailable(ApiError):
    """The store is busy for longer than a request waits."""

    status = 503
    code = "unavailable"
    title = "Service unavailable"

    def __init__(self) -> None:
        super().__init__("The service is temporarily unavailable.")
