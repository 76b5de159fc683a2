"""The media type of a response."""

from conformance.http.exchange import Response


def is_json(response: Response) -> bool:
    """Whether the Content-Type is application/json, in any case and with any parameters."""
    value = response.header("content-type")
    return value is not None and value.split(";")[0].strip().lower() == "application/json"
