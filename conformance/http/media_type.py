"""The media type of a response."""

from conformance.http.exchange import Response


def is_json(response: Response) -> bool:
    """Whether the Content-Type is application/json, in any case and with any parameters."""
    value = response.header("content-type")
    return value is not None and bare(value) == "application/json"


def bare(value: str) -> str:
    """A Content-Type without its parameters, in lower case."""
    return value.split(";")[0].strip().lower()
