"""Runs with tokens that expire and that a command prints: verdict, files and replay."""

import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import live_server
import pytest
from process import conformance, conformance_here

from conformance.http.replay import Recording
from conformance.http.spellings import spellings
from conformance.reference import Reference
from conformance.runner import examination, pytest_run
from conformance.target import snapshot

LIVES = 60
"""Requests after which a token expires."""
TOKEN = "s3cret-token-"
ISSUE = f"""
import pathlib, sys
issued = pathlib.Path(sys.argv[1])
number = len(issued.read_text()) if issued.exists() else 0
issued.open("a").write("x")
print(f"{TOKEN}{{number:06}}")
"""


@dataclass
class Expiring:
    """The reference behind tokens that expire after some requests."""

    application: Any
    real: bytes
    issued: Path
    used: dict[bytes, int] = field(default_factory=dict)
    expired: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Put the real token in the place of a valid one."""
        if scope["type"] == "http":
            scope = {**scope, "headers": [self._header(*pair) for pair in scope["headers"]]}
        await self.application(scope, receive, send)

    def _header(self, name: bytes, value: bytes) -> tuple[bytes, bytes]:
        token = value.removeprefix(b"Bearer ")
        if name != b"authorization" or not self._is_issued(token):
            return name, value
        with self.lock:
            self.used[token] = self.used.get(token, 0) + 1
            if self.used[token] <= LIVES:
                return name, b"Bearer " + self.real
            self.expired += 1
            return name, value

    def _is_issued(self, token: bytes) -> bool:
        number = token.removeprefix(TOKEN.encode())
        return len(number) == 6 and number.isdigit() and int(number) < self.count

    @property
    def count(self) -> int:
        """How many tokens the command has printed."""
        return len(self.issued.read_text()) if self.issued.exists() else 0


@pytest.fixture
def expiring(tmp_path: Path) -> Iterator[tuple[Expiring, Path]]:
    """A served reference whose primary has a token that expires, and the profile of it."""
    reference = Reference()
    known = reference.profile("http://reference.invalid/v1")["credentials"]
    issued = tmp_path / "issued"
    front = Expiring(reference.app, known["primary"]["bearer"].encode(), issued)
    reference.app = front  # type: ignore[assignment]
    with live_server.instance(reference) as profile:
        command = json.dumps([sys.executable, "-c", ISSUE, str(issued)])
        text = (
            f'base-url = "{profile["base-url"]}"\n'
            "limits.connections = 4\n"
            "[credentials.primary]\n"
            f"bearer = {{ command = {command}, lifetime = 3600 }}\n"
            "[product]\n"
            'name = "Expiring"\n'
        )
        (tmp_path / "target.toml").write_text(text)
        yield front, tmp_path


def test_a_run_outlives_its_tokens(expiring: tuple[Expiring, Path]) -> None:
    """Expired tokens cause no failure, no token is in any file, and the recording replays."""
    front, folder = expiring
    # Which of several requests at once meets the end of a token is not recorded, so that the
    # replay of a run with more connections may need another token.
    profile = folder / "target.toml"
    profile.write_text(profile.read_text().replace("connections = 4", "connections = 1"))
    target = ("--target", "target.toml", "--report-dir", "report")
    classes = ("--class", "read")
    done = conformance_here(folder, "run", "--trust", *target, *classes)
    report = json.loads((folder / "report" / "report.json").read_bytes())

    assert done.returncode == 0, done.stdout + done.stderr
    failed = [entry["id"] for entry in report["requirements"] if entry["verdict"] == "fail"]
    assert (failed, front.expired > 0, front.count > 2) == ([], True, True)
    assert report["target"]["product"] == {"name": "Expiring"}

    written = [path for path in (folder / "report").rglob("*") if path.is_file()]
    content = b"".join(path.read_bytes() for path in written)
    tokens = [f"{TOKEN}{number:06}" for number in range(front.count)]
    sought = {spelling for token in tokens for spelling in spellings(token)}
    assert [spelling for spelling in sought if spelling in content] == []
    assert not any(token in done.stdout + done.stderr for token in tokens)

    again, unused = replayed(folder)
    assert (again["requirements"], unused) == (report["requirements"], [])


def replayed(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """The report of a replay, and the recorded exchanges that it did not use."""
    lines = (folder / "report" / "exchanges.jsonl").read_bytes().splitlines()
    recording = Recording({line["id"]: line for line in map(json.loads, lines)})
    target = snapshot.target(json.loads((folder / "report" / "target.json").read_bytes()))
    subject = examination.Subject(target, recording, ())
    options = pytest_run.options(folder / "again", "standard", 1, ["read"])
    pytest_run.execute(options, [examination.Substitute(lambda: subject)])
    return json.loads((folder / "again" / "report.json").read_bytes()), recording.unused


def test_workers_have_tokens_of_their_own(expiring: tuple[Expiring, Path]) -> None:
    """The report is searched for all of them, and more workers than connections are an error."""
    _, folder = expiring
    options = ("run", "--trust", "--target", "target.toml", "--class", "tools")
    done = conformance(folder, *options, "-n", "2")
    assert done.returncode == 5, done.stdout + done.stderr  # the profile names no tools

    rejected = conformance_here(folder, *options, "-n", "5")
    assert rejected.returncode == 4
    assert "limits.connections of the profile allows 4: use -n 4 or less" in rejected.stderr
