"""Errors of requests, and the bodies of their responses."""

from second_implementation import shapes
from second_implementation.choices import Choices
from second_implementation.world import Record

SOON = {"Retry-After": "0"}


class RequestError(Exception):
    """The request gets an error response with this status."""

    def __init__(
        self, status: int, message: str = "", headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or {}


def body(choices: Choices, status: int, message: str) -> Record:
    """An error body; plain errors have no optional properties."""
    plain = choices.forms.plain_errors
    required = {
        "code": "" if plain else f"E{status}",
        "requestId": shapes.request_id(choices),
    }
    if plain:
        return required
    return {**required, "message": message, "title": "", "details": [], "status": status}
