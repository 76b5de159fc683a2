"""A command on a pseudo-terminal, where somebody answers its question."""

import os
import pty
import subprocess
from pathlib import Path

from process import COMMAND, surroundings

QUESTION = b"[y/N] "


def answered(
    directory: Path, *arguments: object, answer: str, before: str = "", **environment: str
) -> tuple[int, str]:
    """The exit code of a command that asks once, and all that it has shown on its terminal.

    `before` is typed before the command begins.
    """
    ours, theirs = pty.openpty()
    os.write(ours, before.encode())
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=directory,
        env=surroundings(**environment),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=lambda: os.login_tty(theirs),  # noqa: PLW1509 - a call of the system
    )
    os.close(theirs)
    shown = _until(ours, QUESTION)
    if shown.endswith(QUESTION):
        os.write(ours, f"{answer}\n".encode())
        shown += _until(ours, None)
    os.close(ours)
    return process.wait(60), shown.decode()


def _until(terminal: int, end: bytes | None) -> bytes:
    """What is shown until this text, or until the process has closed its terminal."""
    shown = b""
    while end is None or not shown.endswith(end):
        try:
            part = os.read(terminal, 4096)
        except OSError:  # Linux: nobody has it open any more
            return shown
        if not part:
            return shown
        shown += part
    return shown
