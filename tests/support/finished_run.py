"""Quick runs on the bundled reference, which all tests share: in its process, and over loopback."""

import json
import subprocess
from pathlib import Path

import pytest
from live_server import by_command
from process import conformance, conformance_here
from shared_folder import shared

ENDED = "ended.json"


def finished(factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Its directory and its process."""
    folder = shared(factory, "finished", _make)
    ended = json.loads((folder / ENDED).read_bytes())
    return folder / "work", subprocess.CompletedProcess((), *ended)


def over_loopback(factory: pytest.TempPathFactory) -> Path:
    """The directory of a run on a served reference, which is sent eight requests at once."""
    return shared(factory, "over-loopback", _make_over_loopback)


def _make_over_loopback(folder: Path) -> None:
    with by_command(folder):
        profile = folder / "target.toml"
        text = profile.read_text()
        profile.write_text(text.replace("[limits]\n", "[limits]\nconnections = 8\n"))
        ended = conformance_here(folder, "run", "--target", profile, "--depth", "standard")
    assert ended.returncode == 0, ended.stdout + ended.stderr


def _make(folder: Path) -> None:
    directory = folder / "work"
    directory.mkdir()
    ended = conformance(directory, "run", "--depth", "standard")
    (folder / ENDED).write_text(json.dumps([ended.returncode, ended.stdout, ended.stderr]))
