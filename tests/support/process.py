"""The command line as real processes, and in this one."""

import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from conformance.__main__ import main

COMMAND = (sys.executable, "-m", "conformance")


def conformance(
    directory: Path, *arguments: object, **environment: str
) -> subprocess.CompletedProcess[str]:
    """One process of the command in a directory, without a terminal."""
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=directory,
        env=surroundings(**environment),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def conformance_here(
    directory: Path, *arguments: object, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The same in this process, for tests of what a command does: it has imported the suite."""
    words = list(map(str, arguments))
    output, problems = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with (
        chdir(directory),
        patch.dict(os.environ, surroundings(COLUMNS="80", **environment), clear=True),
        redirect_stdout(output),
        redirect_stderr(problems),
    ):
        try:
            code = main(words)
        except SystemExit as end:  # argparse ends the process
            code = int(end.code or 0)
    return subprocess.CompletedProcess(words, code, _written(output), _written(problems))


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def surroundings(**environment: str) -> dict[str, str]:
    """The environment of a command, without variables that colour its output.

    It is no worker of the pytest that runs this test.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in {"NO_COLOR", "FORCE_COLOR", "TERM"} and not name.startswith("PYTEST_XDIST")
    }
    return {**inherited, "PYTHONUTF8": "1", "TERM": "xterm", **environment}


def report(directory: Path, reports: str = "reports/latest") -> Any:
    """The report of a run in a directory."""
    document: dict[str, Any] = json.loads(
        (directory / reports / "report.json").read_text(encoding="utf-8")
    )
    return document


def verdicts(document: dict[str, Any]) -> dict[str, tuple[str, dict[str, str]]]:
    """The verdict of each requirement, and the verdicts of its operations."""
    return {
        entry["id"]: (entry["verdict"], entry["operations"]) for entry in document["requirements"]
    }
