"""What CI systems read: the steps of the action and of the templates are run as they stand."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from process import surroundings

from conformance.contract import exit_codes

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
GITHUB = yaml.safe_load((ROOT / "examples/ci/github.yml").read_text())["jobs"]["conformance"]
GITLAB = yaml.safe_load((ROOT / "examples/ci/gitlab.yml").read_text())["conformance"]
INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")
PROGRAM = f"""\
#!/bin/sh
[ "$1" != run ] || set -- "$@" --class read
exec {sys.executable} -m conformance "$@"
"""
"""The command of this environment; its runs check one class, since any report will do."""

LOCKED = re.compile(r"^([a-z0-9.-]+)==(\S+) [^\n]*\n    --hash=sha256:", re.MULTILINE)


def shell(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A script as a CI system runs it, with this environment's `conformance` first."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    (programs / "conformance").write_text(PROGRAM)
    (programs / "conformance").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=surroundings(PATH=path, **variables),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def step(name: str, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """A step of the action with these inputs; the others have their defaults."""
    values = {key.replace("-", "_"): entry["default"] for key, entry in ACTION["inputs"].items()}
    values |= inputs
    (chosen,) = (each for each in ACTION["runs"]["steps"] if each["name"] == name)
    variables = {
        key: INPUT.sub(lambda match: values[match[1].replace("-", "_")], value)
        for key, value in chosen["env"].items()
    }
    return shell(chosen["run"], folder, **variables)


def profile(folder: Path, served: Path) -> dict[str, str]:
    """Write a profile of the served reference; the variables that it needs."""
    stated = tomllib.loads(served.read_text())
    address = f'base-url = "{stated["base-url"]}"'
    text = f'{address}\n[credentials.primary]\napi-key = "${{LOCALIZATION_KEY}}"\n'
    (folder / "target.toml").write_text(f'{text}[gate]\nrequire = ["base/version-segment"]\n')
    return {"LOCALIZATION_KEY": stated["credentials"]["primary"]["api-key"]}


def test_the_action_checks_its_files_first(tmp_path: Path) -> None:
    """A secret in the profile ends the job before the first request."""
    (tmp_path / "target.toml").write_text(
        'base-url = "http://127.0.0.1:9/v1"\n[credentials.primary]\napi-key = "secret-0123"\n'
    )
    (tmp_path / "known.toml").write_text("")

    done = step("Check the files", tmp_path, known_failures="known.toml")

    assert (done.returncode, "holds the secret itself" in done.stderr) == (1, True)
    assert step("Check the files", tmp_path, target="").returncode == 0


def test_the_action_runs_with_all_of_its_inputs(
    served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values with blanks and shell characters stay values."""
    for name, value in profile(tmp_path, served).items():
        monkeypatch.setenv(name, value)
    (tmp_path / "known.toml").write_text("")
    hostile = "here; touch pwned $(touch pwned)"

    done = step(
        "Run",
        tmp_path,
        known_failures="known.toml",
        depth="quick",
        report_dir=hostile,
        require="base/version-segment",
    )

    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / hostile / "report.json").read_bytes())
    assert (report["suite"]["depth"], report["gate"]["required"]) == (
        "quick",
        ["base/version-segment"],
    )
    assert not (tmp_path / "pwned").exists()


def test_the_action_trusts_a_profile_where_it_is_told_to(tmp_path: Path) -> None:
    """Otherwise a command of the profile ends the job."""
    (tmp_path / "target.toml").write_text(
        'base-url = "http://127.0.0.1:9/v1"\n[credentials.primary]\n'
        'bearer = { command = ["touch", "ran"] }\n'
    )
    rejected = step("Run", tmp_path)
    assert (rejected.returncode, "add --trust" in rejected.stderr) == (4, True)
    assert not (tmp_path / "ran").exists()

    step("Run", tmp_path, trust="true")
    assert (tmp_path / "ran").exists()


def test_the_action_fails_where_nothing_can_be_checked(tmp_path: Path) -> None:
    """Its exit code is that of the run."""
    done = step("Run", tmp_path, target="", base_url="http://127.0.0.1:9/v1")

    assert (done.returncode, "nothing responds" in done.stderr) == (exit_codes.USAGE_ERROR, True)


def test_the_action_installs_itself() -> None:
    """The step installs the commit that the workflow pins, and no input is part of a script."""
    (install,) = (each for each in ACTION["runs"]["steps"] if each["name"] == "Install")

    assert install["env"] == {"ACTION_PATH": "${{ github.action_path }}"}
    assert 'install --quiet "$ACTION_PATH"' in install["run"]
    assert not any("${{" in each["run"] for each in ACTION["runs"]["steps"])


def test_the_gitlab_job_runs(served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its artefacts are there, and findings point at the profile."""
    variables = profile(tmp_path, served)
    variables |= {**GITLAB["variables"], "GITLAB_CI": "true", "DEPTH": "quick"}

    done = shell("\n".join(GITLAB["script"]), tmp_path, **variables)

    assert done.returncode == 0, done.stdout + done.stderr
    for path in GITLAB["artifacts"]["reports"].values():
        assert (tmp_path / path).is_file()


def test_the_container_file_copies_what_is_there() -> None:
    """What the wheel is built from, and its command as the entry point."""
    lines = (ROOT / "Containerfile").read_text().splitlines()
    copied = [name for line in lines if line.startswith("COPY") for name in line.split()[1:-1]]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())

    assert all((ROOT / name).exists() for name in copied)
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(copied) >= {*included["packages"], *included["force-include"], "pyproject.toml"}
    assert set(copied) >= {project["project"]["readme"], *project["project"]["license-files"]}
    entry = json.loads(next(line for line in lines if "ENTRYPOINT" in line).partition(" ")[2])
    assert set(entry) <= project["project"]["scripts"].keys()


def test_the_lock_file_has_every_dependency() -> None:
    """A version that pyproject.toml allows, with hashes, for the package and its extra `fleet`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["fleet"]]
    locked = dict(LOCKED.findall((ROOT / "requirements.lock").read_text()))

    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)])


def test_the_hook_of_pre_commit_is_a_command(tmp_path: Path) -> None:
    """It takes the files that its pattern matches."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (tmp_path / "known-failures.toml").write_text("[[known]]\n")

    done = shell(f"{hook['entry']} known-failures.toml", tmp_path)

    assert (done.returncode, "has no requirement" in done.stderr) == (1, True)
    for path in ("target.toml", "staging/target-eu.toml", "known-failures.toml"):
        assert re.search(hook["files"], path)
    assert not re.search(hook["files"], "pyproject.toml")


def test_a_release_is_published_without_a_token() -> None:
    """By trusted publishing, with attestations; nothing else may write."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    jobs = workflow["jobs"]

    assert workflow["permissions"] == {"contents": "read"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["build"]["permissions"]["attestations"] == "write"
    assert "secrets." not in json.dumps(jobs)


def test_the_tag_of_a_release_is_the_version(tmp_path: Path) -> None:
    """The step fails for any other tag."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    (check,) = (each for each in workflow["jobs"]["build"]["steps"] if "env" in each)
    (tmp_path / "conformance").mkdir()
    (tmp_path / "conformance" / "__init__.py").write_text('__version__ = "1.2.3"\n')

    assert shell(check["run"], tmp_path, TAG="v1.2.3").returncode == 0
    assert shell(check["run"], tmp_path, TAG="v1.2.4").returncode == 1


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_the_templates_need_no_secret_in_a_file(name: str) -> None:
    """They name the variable of the profile."""
    text = (ROOT / "examples/ci" / name).read_text()
    parsed: Any = yaml.safe_load(text)

    assert "LOCALIZATION_API_KEY" in text
    assert isinstance(parsed, dict)


@pytest.mark.parametrize(
    ("number", "output"), [("7", "report=baseline/report.json\n"), ("", "")], ids=["one", "none"]
)
def test_the_baseline_of_a_pull_request_is_the_last_report(
    number: str, output: str, tmp_path: Path
) -> None:
    """A repository without a successful run has none, and the job goes on."""
    (step,) = (each for each in GITHUB["steps"] if each.get("id") == "baseline")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "gh"
    program.write_text(f'#!/bin/sh\necho "$@" >> calls\n[ "$2" = download ] || echo {number}\n')
    program.chmod(0o755)
    file = tmp_path / "output"
    file.touch()
    done = shell(step["run"], tmp_path, BRANCH="main", GITHUB_OUTPUT=str(file))
    assert (done.returncode, file.read_text()) == (0, output)
    calls = (tmp_path / "calls").read_text()
    assert ("run download 7 --name conformance-report --dir baseline" in calls) is bool(number)
