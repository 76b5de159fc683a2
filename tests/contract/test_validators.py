"""Validators of foreign schemas: they fetch nothing, neither from a host nor from a file."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from conformance.contract import validators


class Counting(BaseHTTPRequestHandler):
    """Serves a schema that accepts everything, and remembers who asked for it."""

    paths: list[str]

    def do_GET(self) -> None:
        """Remember the path."""
        self.paths.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: Any) -> None:
        """Keep the output of the tests clean."""


@pytest.fixture
def host() -> Iterator[tuple[str, list[str]]]:
    """The URL of a server, and the paths that were requested from it."""
    paths: list[str] = []
    handler = type("Handler", (Counting,), {"paths": paths})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("keyword", ["$ref", "$schema"])
def test_no_host_is_asked(keyword: str, host: tuple[str, list[str]]) -> None:
    """Whichever keyword names it."""
    address, paths = host
    schema = {"type": "object", keyword: f"{address}/schema"}

    for validator in (validators.fast, validators.modern):
        with suppress(ValueError):
            validator(schema).is_valid({})
    assert validators.accepts(schema, {}) is True

    assert paths == []


def test_no_file_is_read(tmp_path: Path) -> None:
    """A schema in a file would be valid."""
    (tmp_path / "schema").write_text("{}")
    schema = {"$ref": (tmp_path / "schema").as_uri()}

    for validator in (validators.fast, validators.modern):
        with pytest.raises(ValueError, match="outside of the document"):
            validator(schema)
    assert validators.accepts(schema, {}) is True


def test_references_within_a_schema_are_followed() -> None:
    """Also to definitions of another dialect."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"name": {"type": "string"}},
        "properties": {"a": {"$ref": "#/definitions/name"}},
    }

    assert [validators.fast(schema).is_valid({"a": value}) for value in ("x", 1)] == [True, False]
    assert [validators.accepts(schema, {"a": value}) for value in ("x", 1)] == [True, False]


def test_a_schema_that_refers_to_itself_accepts() -> None:
    """There is nothing to blame a target for."""
    assert validators.accepts({"$ref": "#"}, {}) is True
