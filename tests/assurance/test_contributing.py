"""The steps of CONTRIBUTING.md, followed in a copy of the project for a made-up requirement."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^   ```\w+\n(.*?)^   ```$", GUIDE, re.MULTILINE | re.DOTALL)
FILES = (
    "spec/requirements.yaml",
    "conformance/suite/test_read.py",
    "conformance/assurance/selftest/mutants.toml",
    "conformance/assurance/selftest/variants.toml",
)
"""The file that each example of the guide is added to."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the made-up requirement."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("conformance", "spec", "tests/clients", "tests/support", "tests/population"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name, example in zip(FILES, EXAMPLES, strict=True):
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write("\n\n" + re.sub("^   ", "", example, flags=re.MULTILINE))
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
