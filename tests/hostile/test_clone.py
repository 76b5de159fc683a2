"""Programs that lie in the folder in which a command is performed: none of them runs."""

import subprocess
import sys
from pathlib import Path

import pytest
from process import surroundings

CONFORMANCE = str(Path(sys.executable).with_name("conformance"))
"""The installed command: `python -m conformance` imports from its folder, as it is asked to."""

MODULES = (
    *("contextlib", "encodings", "execnet", "json", "multiprocessing", "os", "pytest", "re"),
    *("conftest", "hooks", "hypothesis", "httpx", "orjson", "sitecustomize", "typing", "yaml"),
)
SPEC = Path(__file__).parents[2] / "spec" / "openapi.yaml"
RUN = ("run", "--reference", "--depth", "quick", "--max-requests", "60")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with modules that have the names of others, and with settings of many tools."""
    program = f"open({str(tmp_path / 'ran')!r}, 'a').write(__file__ + chr(10))\n"
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(program + "raise SystemExit(77)\n")
    for package in ("conformance", "tests"):
        (tmp_path / package).mkdir()
        for name in ("__init__", "__main__", "conftest"):
            (tmp_path / package / f"{name}.py").write_text(program)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p hooks\npythonpath = .\n")
    (tmp_path / "schemathesis.toml").write_text('hooks = "hooks.py"\n')
    (tmp_path / "description.yaml").write_bytes(SPEC.read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        RUN,
        (*RUN, "-n", "2"),
        ("doctor", "--reference"),
        ("diff", "description.yaml"),
        ("selftest", "--only", "account-created", "-j", "2"),
    ],
    ids=lambda words: f"{words[0]} {words[-2]}",
)
def test_no_program_of_the_folder_runs(words: tuple[str, ...], clone: Path) -> None:
    """Neither in the process of the command, nor in one that it has started.

    A variable that names plugins of a tool is meant for other runs of that tool.
    """
    done = subprocess.run(
        [CONFORMANCE, *words],
        cwd=clone,
        env=surroundings(SCHEMATHESIS_HOOKS="hooks"),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    ran = clone / "ran"
    assert not ran.exists(), ran.read_text()
    assert "Traceback" not in done.stderr
    assert done.returncode != 3, done.stderr


def test_a_run_of_a_fleet_imports_nothing_of_the_folder_of_its_profile(clone: Path) -> None:
    """It begins there, since commands of the profile are named from there."""
    (clone / "target.toml").write_text('base-url = "http://127.0.0.1:9/v1"\n')
    (clone / "fleet.toml").write_text(
        '[[target]]\nname = "one"\nretries = 0\nprofile = "target.toml"\n'
    )
    subprocess.run(
        [CONFORMANCE, "fleet", "run", "fleet.toml", "-j", "1"],
        cwd=clone,
        env=surroundings(),
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert (clone / "fleet.db").exists()
    assert not (clone / "ran").exists()
