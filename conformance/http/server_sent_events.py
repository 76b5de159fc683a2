"""Server-sent events, as tool interfaces respond with them.

It needs the standard library alone: a written test file has the source of these functions, so that
it reads responses as a replay does.
"""

import json
from collections.abc import Iterator

EVENT_STREAM = "text/event-stream"
MOST_EVENTS = 10_000
"""Events of one response that are read: a stream may be one of blank lines, or of pings."""


def is_event_stream(media_type: str | None) -> bool:
    """Whether a `Content-Type` says that a body is a stream of events."""
    return (media_type or "").split(";")[0].strip().lower() == EVENT_STREAM


def data_of_events(text: str) -> Iterator[str]:
    """The data of each event that has some."""
    events = text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n", MOST_EVENTS)
    for event in events[:MOST_EVENTS]:
        lines = [line[5:] for line in event.split("\n") if line.startswith("data:")]
        if lines:
            yield "\n".join(line.removeprefix(" ") for line in lines)


def json_text(media_type: str | None, text: str) -> str:
    """The JSON of a body; that of a stream of events is the data of the one that responds."""
    for data in data_of_events(text) if is_event_stream(media_type) else ():
        try:
            message = json.loads(data)
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict) and not message.keys().isdisjoint(("result", "error")):
            return data
    return text
