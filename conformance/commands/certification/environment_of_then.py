"""A throw-away environment with the packages of a run, in which its certificate is verified.

Only this package is installed by name. What else environment.txt lists is a constraint: a
certificate cannot have a package installed that the suite of then does not need.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance.assurance.certificate import environment
from conformance.assurance.certificate.bundle import Bundle
from conformance.commands.outcome import UsageError
from conformance.commands.signals import interrupting
from conformance.target.command import CommandError, ended

LISTED = "environment.txt"
SETTINGS = "uv.toml"
"""Where uv finds this, it seeks no settings in the folders above, such as an index of packages.

Anybody may write into a folder for temporary files.
"""
QUIET = ("--quiet", "--disable-pip-version-check")
"""The last line of pip says why it failed, and not that there is a newer one."""
WITHOUT_BUILDING = ("--only-binary", ":all:")
"""A package is built by a program of its own, which nobody has asked to run."""
REMEDY = "where no index has this version of the suite, name a folder with its wheel: --find-links"


def commands(found: Bundle, folder: Path, wheels: Path | None = None) -> list[list[str]]:
    """What makes the environment in a folder, with uv where it is installed, or else with pip.

    `wheels` is a folder with packages that the index lacks.
    """
    python, packages = environment.read(found.evidence[LISTED])
    wanted = [f"{environment.PACKAGE}=={packages[environment.PACKAGE]}", "-c", LISTED]
    if wheels is not None:
        wanted += ["--find-links", str(wheels.absolute())]
    interpreter = str(folder / "bin" / "python")
    uv = shutil.which("uv")
    if uv is None:
        return [
            [sys.executable, "-m", "venv", str(folder)],
            [interpreter, "-m", "pip", "install", *QUIET, *WITHOUT_BUILDING, *wanted],
        ]
    return [
        [uv, "venv", "--python", python, str(folder)],
        [uv, "pip", "install", "--python", interpreter, *WITHOUT_BUILDING, *wanted],
    ]


def verify(found: Bundle, words: Iterable[str], wheels: Path | None = None) -> int:
    """The exit code of `conformance verify` with these arguments, by the suite of then.

    Raises UsageError where the environment cannot be made.
    """
    with interrupting(), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / LISTED).write_bytes(found.evidence[LISTED])
        (folder / SETTINGS).touch()
        for command in commands(found, folder / "then", wheels):
            code, said = _ended(command, folder)
            if code:
                last = said.strip().splitlines()[-1:]
                failed = f"{' '.join(command[:3])} failed: {' '.join(last)}"
                raise UsageError(failed if wheels else f"{failed}; {REMEDY}")
        python = str(folder / "then" / "bin" / "python")
        return subprocess.run(
            [python, "-m", "conformance", "verify", *words], check=False
        ).returncode


def _ended(command: Sequence[str], folder: Path) -> tuple[int, str]:
    try:
        return ended(command, folder)
    except CommandError as problem:
        raise UsageError(f"{command[0]} {problem}") from None
