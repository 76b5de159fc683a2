"""The steps of CONTRIBUTING.md, followed in a copy of the project for a made-up requirement."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STATED = """
  - id: read/display-name
    level: must
    class: read
    section: Resources and their fields
    operations: [account_get]
    statement: The display name of an account is not empty.
"""
CHECK = '''

@requirement("read/display-name")
def test_the_display_name_is_not_empty(live: Live) -> None:
    """An account has a display name."""
    response = live.callers.send(Call("account_get"), purpose="the account")
    expect.served(response)
    empty = defect(Kind.VALUE, "the display name is empty", expected="a name")
    expect.that(bool(response.data["displayName"]), empty, response)
'''
MUTANT = """
[[mutant]]
id = "empty-display-name"
about = "The display name of the account is empty."
breaks = ["read/display-name"]
edits = [{module = "resources", old = 'account["display_name"],', new = '"",'}]
"""
VARIANT = """
[[variant]]
id = "long-display-name"
about = "The display name of the account is long."
reading = "The specification does not limit the length of a display name."
edits = [{module = "resources", old = 'account["display_name"],', new = '"n" * 1000,'}]
"""
STEPS = {
    "spec/requirements.yaml": STATED,
    "conformance/suite/test_read.py": CHECK,
    "conformance/assurance/selftest/mutants.toml": MUTANT,
    "conformance/assurance/selftest/variants.toml": VARIANT,
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the made-up requirement."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("conformance", "spec", "tests/support", "tests/population"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name, addition in STEPS.items():
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(addition)
    return folder


def _python(checkout: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_selftest_kills_the_mutant_and_passes_the_variant(checkout: Path) -> None:
    """No further file has to change."""
    subjects = ("empty-display-name", "long-display-name")

    done = _python(checkout, "-m", "conformance", "selftest", "-j", "1", "--only", *subjects)

    assert (done.returncode, done.stderr) == (0, "")
    assert "empty-display-name  read/display-name" in done.stdout


def test_the_generated_documents_have_the_requirement(checkout: Path) -> None:
    """One command writes them."""
    done = _python(checkout, "tests/support/generate.py")

    assert (done.returncode, done.stderr) == (0, "")
    coverage = (checkout / "spec" / "COVERAGE.md").read_text(encoding="utf-8")
    assert "`read::the_display_name_is_not_empty` | `empty-display-name` |" in coverage
