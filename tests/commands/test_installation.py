"""What documents say about installing: the commands of README.md are run as they are written."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from process import surroundings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TWO_COMMANDS = README.partition("## Two commands")[2].partition("\n## ")[0]
CHECK, TEST = re.findall(r"^\$ (.*)$", TWO_COMMANDS, re.MULTILINE)

PROJECT = "localization-api-conformance"
LEFT_OUT = shutil.ignore_patterns(
    *(".git", ".venv", ".tox", ".*cache", "__pycache__", "node_modules", "mutants"),
    *("*.egg-info", ".coverage*", ".hypothesis", ".schemathesis", "build", "dist"),
)
INSTALLERS = re.compile(r"\b(?:pip|pipx|uv|uvx)\b")
FROM_INDEX = re.compile(rf"\b{PROJECT}\b(?!(?:\[\w+\])? @ )(?!\S*[/.](?:whl|zip|tar\.gz))")
DOCUMENTS = ("*.md", "*.yml", "Containerfile", "docs/*.md", "examples/**/*.*", ".github/**/*.yml")


def pasted(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command in a fresh shell, with the Python that the one of these tests was made from.

    Pip compiles nothing: most of the modules that it installs are never imported here.
    """
    path = f"{Path(sys.base_prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=surroundings(PATH=path, PIP_COMPILE="0"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.fixture(name="checkout", scope="module")
def _checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout") / "checkout"
    shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
    return folder


def test_the_two_commands_work_as_written(checkout: Path) -> None:
    """The first one to its end; the second one to where the tests would begin."""
    checked = pasted(CHECK, checkout)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "CONFORMANT: every requirement that was checked passed" in checked.stdout

    collected = pasted(f"{TEST} --collect-only --quiet", checkout)
    assert collected.returncode == 0, collected.stdout + collected.stderr
    assert re.search(r"^\d+ tests collected", collected.stdout, re.MULTILINE)


def test_both_commands_install_into_an_environment_of_their_own() -> None:
    """Where the system manages Python, as on Debian, pip installs nowhere else."""
    made = "python3 -m venv .venv && . .venv/bin/activate && pip install "
    assert (CHECK.startswith(made), TEST.startswith(made)) == (True, True)


def test_each_command_says_how_long_it_takes() -> None:
    """In the sentence above it."""
    for command in (CHECK, TEST):
        above = TWO_COMMANDS.partition(f"$ {command}")[0].rpartition("\n\n```console")[0]
        assert re.search(r"minutes?\b|hours?\b", above.rpartition("\n\n")[2])


def test_continuous_integration_runs_the_command_of_the_readme() -> None:
    """`.ci/run` performs its tests in the same way."""
    tests = TEST.rpartition(" && ")[2]
    assert tests in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_no_document_installs_a_name_that_no_index_has() -> None:
    """They install a checkout, or an address at a commit."""
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for pattern in DOCUMENTS
        for path in ROOT.glob(pattern)
        if path.is_file()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if (INSTALLERS.search(line) or "CONFORMANCE:" in line) and FROM_INDEX.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        (f"pip install {PROJECT}", True),
        (f"python -m pip install '{PROJECT}[fleet]'", True),
        (f"uvx {PROJECT}", True),
        (f"pip install --no-deps {PROJECT}==VERSION", True),
        (f"pip install '{PROJECT}[fleet] @ https://host.example/archive/COMMIT.tar.gz'", False),
        (f"pip install {PROJECT}-1.0-py3-none-any.whl", False),
        ("pip install .", False),
    ],
)
def test_a_name_from_an_index_is_recognised(line: str, is_found: bool) -> None:
    """With extras and versions; addresses, wheels and folders are none."""
    assert bool(INSTALLERS.search(line) and FROM_INDEX.search(line)) is is_found
