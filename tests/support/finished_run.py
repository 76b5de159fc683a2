"""A quick run on the bundled reference, which all tests share."""

import json
import subprocess
from pathlib import Path

import pytest
from process import conformance
from shared_folder import shared

ENDED = "ended.json"


def finished(factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Its directory and its process."""
    folder = shared(factory, "finished", _make)
    ended = json.loads((folder / ENDED).read_bytes())
    return folder / "work", subprocess.CompletedProcess((), *ended)


def _make(folder: Path) -> None:
    directory = folder / "work"
    directory.mkdir()
    ended = conformance(directory, "run", "--depth", "quick")
    (folder / ENDED).write_text(json.dumps([ended.returncode, ended.stdout, ended.stderr]))
