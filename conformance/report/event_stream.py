"""The events of a run as JSON lines, each written as it happens (spec/events.schema.json)."""

import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

import orjson

from conformance.contract.verdict import Conclusion
from conformance.http import secrecy
from conformance.report.document_types import Report
from conformance.storage import fresh_file, regular_file

VERDICT = "verdict"
"""The last event of every stream."""

STANDARD_OUTPUT = Path("-")


class EventStream:
    """Writes events to a new file, or to a stream; OSError where the file cannot be written."""

    def __init__(self, path: Path, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._file = None if stream is not None else fresh_file.created(path)
        self._has_ended = False

    def write(self, event: str, values: Mapping[str, Any]) -> None:
        """Write one event, without secrets; nothing follows the verdict."""
        if self._has_ended:
            return
        self._has_ended = event == VERDICT
        line = _line(event, values)
        if self._file is not None:
            self._file.write(line.encode())
        elif self._stream is not None:
            self._stream.write(line)
            self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _line(event: str, values: Mapping[str, Any]) -> str:
    """In ASCII: standard output may be a terminal, and a target writes what moves its cursor."""
    text = secrecy.redacted(orjson.dumps({"event": event, **values}).decode())
    return (text if text.isascii() else json.dumps(json.loads(text))) + "\n"


def verdict(report: Report | None) -> dict[str, Any]:
    """The values of the last event; without a report nothing is known."""
    if report is None:
        return {"verdict": Conclusion.INCONCLUSIVE.value, "interrupted": True}
    found = {
        "verdict": report["verdict"],
        "interrupted": report["interrupted"],
        "duration": report["duration"],
        "requests": report["exchanges"]["count"],
        "counts": report["counts"],
    }
    needed = report.get("needed-budget")
    return found | ({"needed-budget": needed} if needed else {})


def end(path: Path, report: Report | None) -> None:
    """End the stream of a run that was ended from outside, if it has no last event."""
    written = regular_file.read(path) if path.exists() else b""
    whole = written[: written.rfind(b"\n") + 1]
    last = whole[whole[:-1].rfind(b"\n") + 1 :]
    if last and orjson.loads(last)["event"] == VERDICT:
        return
    with fresh_file.appending(path) as file:
        os.ftruncate(file.fileno(), len(whole))
        file.seek(0, io.SEEK_END)
        file.write(_line(VERDICT, verdict(report)).encode())
