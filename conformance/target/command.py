"""A command of a profile: it runs without a shell where the run began, and ends with the run."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

from conformance.contract import import_path

GUARD = str(Path(__file__).with_name("command_guard.py"))

MOST_OUTPUT = 1024 * 1024
"""Bytes that a command may print: a secret, or an id."""


class CommandError(Exception):
    """A command printed nothing of use; str() has the reason, without arguments or output."""


def printed(argv: Sequence[str], seconds: float) -> bytes:
    """What a command prints to standard output; after so many seconds it is killed.

    So are it and its children once this process has ended, even by SIGKILL. Raises CommandError,
    also where its exit code is not 0.
    """
    stated = _performed(argv, seconds, import_path.unprotected(os.environ))
    if stated["code"] != 0:
        raise CommandError(f"failed with exit code {stated['code']}")
    return _output(stated)


def ended(argv: Sequence[str], folder: Path) -> tuple[int, str]:
    """The exit code of a command of this package in a folder, and all that it says.

    It may take any time, and ends with this process as well; what it leaves behind is in the
    folder. Raises CommandError.
    """
    environ = {**os.environ, "TMPDIR": str(folder)}
    stated = _performed(argv, inf, environ, "both", folder)
    return stated["code"], _output(stated).decode(errors="replace")


def _performed(
    argv: Sequence[str],
    seconds: float,
    environ: Mapping[str, str],
    streams: str = "output",
    folder: Path | None = None,
) -> dict[str, Any]:
    words = [sys.executable, "-I", "-S", GUARD, str(seconds), str(MOST_OUTPUT), streams, *argv]
    try:
        guard = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environ,
            start_new_session=True,
        )
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or type(problem).__name__
        raise CommandError(f"cannot be started: {reason}") from None
    with guard:
        assert guard.stdin is not None
        assert guard.stdout is not None
        try:
            line = guard.stdout.readline()
        finally:
            guard.stdin.close()  # where the wait was interrupted, the command is killed
    stated: dict[str, Any] = json.loads(line or b'{"problem": "was killed"}')
    if "problem" in stated:
        raise CommandError(stated["problem"])
    return stated


def _output(stated: Mapping[str, Any]) -> bytes:
    output: str = stated["output"]
    return output.encode("latin-1")
