"""The stream of events: how it is written, and how one that was cut off ends."""

import io
from pathlib import Path

import orjson

from conformance.contract import published
from conformance.http import secrecy
from conformance.report import event_stream
from conformance.report.event_stream import EventStream


def test_events_are_written_at_once_and_without_secrets(tmp_path: Path) -> None:
    """A file and a stream get the same lines; nothing follows the verdict."""
    stream, path = io.StringIO(), tmp_path / "events"
    with secrecy.guarded():
        secrecy.protect({'a"long-secret': "$TOKEN"})
        for events in (EventStream(path), EventStream(path, stream)):
            events.write("failure", {"message": 'it echoes a"long-secret'})
            events.write(event_stream.VERDICT, {})
            events.write("progress", {})
            events.close()

    assert stream.getvalue().encode() == path.read_bytes()
    assert list(map(orjson.loads, path.read_bytes().splitlines())) == [
        {"event": "failure", "message": "it echoes $TOKEN"},
        {"event": "verdict"},
    ]


def test_events_have_no_character_that_moves_a_cursor(tmp_path: Path) -> None:
    """Standard output may be a terminal: what a target writes is escaped, and stays the same."""
    moving, path = "\x9b2J \u202e \u2066 é", tmp_path / "events"
    events = EventStream(path)
    events.write("failure", {"message": moving})
    events.close()

    (line,) = path.read_bytes().splitlines()
    assert line.isascii()
    assert orjson.loads(line)["message"] == moving


def test_a_stream_that_was_cut_off_gets_its_last_event(tmp_path: Path) -> None:
    """Instead of the beginning of a line; one that has ended stays as it is."""
    path = tmp_path / "events"
    path.write_bytes(b'{"event":"progress"}\n{"event":"fail')
    event_stream.end(path, None)
    event_stream.end(path, None)
    first, last = path.read_bytes().splitlines()

    assert first == b'{"event":"progress"}'
    assert published.read(last, published.EVENT)["interrupted"] is True


def test_a_run_that_was_stopped_before_its_first_event_has_one(tmp_path: Path) -> None:
    """Whoever reads the file learns that the run has ended."""
    path = tmp_path / "events"
    event_stream.end(path, None)

    (line,) = path.read_bytes().splitlines()
    assert published.read(line, published.EVENT)["event"] == "verdict"
