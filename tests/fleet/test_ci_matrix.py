"""`conformance fleet matrix`: the jobs of CI systems."""

import json
import shlex
from pathlib import Path

import pytest
import yaml

from conformance.__main__ import main
from conformance.commands.command_line import parser
from conformance.contract.exit_codes import CONFORMANT, USAGE_ERROR
from conformance.fleet import ci_matrix
from conformance.fleet.ci_matrix import Job, MatrixError
from conformance.runner.shard import Shard

FLEET = """
[defaults]
depth = "quick"
classes = ["read"]
[[target]]
name = "eu"
profile = "eu profile.toml"
[[target]]
name = "sandbox"
reference = true
seed = 2
max-requests = 100
"""


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """A fleet of a profile with a variable that is not set here, and of the reference."""
    (tmp_path / "eu profile.toml").write_text(
        'base-url = "https://eu.example.com/v1"\n[credentials.primary]\napi-key = "${EU_KEY}"\n'
    )
    path = tmp_path / "fleet.toml"
    path.write_text(FLEET)
    return path


def test_github_gets_one_line_of_json(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A job for each target, with a command that is understood."""
    assert main(["fleet", "matrix", str(fleet), "--format", "github"]) == CONFORMANT

    shown = capsys.readouterr().out
    assert shown.count("\n") == 1
    include = json.loads(shown)["include"]
    assert [each["target"] for each in include] == ["eu", "sandbox"]
    options = parser().parse_args(shlex.split(include[0]["command"])[1:])
    assert (options.action, options.file, options.only) == ("run", fleet, ["eu"])


def test_gitlab_gets_a_job_for_each_shard(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the settings of each target; no secret is needed for it."""
    arguments = ["fleet", "matrix", str(fleet), "--format", "gitlab", "--shards", "2"]
    assert main(arguments) == CONFORMANT

    jobs = yaml.safe_load(capsys.readouterr().out)["conformance"]["parallel"]["matrix"]
    assert [(each["TARGET"], each["SHARD"]) for each in jobs] == [
        ("eu", "1/2"),
        ("eu", "2/2"),
        ("sandbox", "1/2"),
        ("sandbox", "2/2"),
    ]
    eu, sandbox = (
        parser().parse_args(shlex.split(jobs[number]["COMMAND"])[1:]) for number in (1, 2)
    )
    assert (eu.target, eu.shard) == (fleet.parent / "eu profile.toml", Shard(2, 2))
    assert (eu.depth, eu.classes, str(eu.report_dir)) == ("quick", ["read"], "shards/eu/2")
    assert (sandbox.reference, sandbox.seed, sandbox.max_requests) == (True, 2, 100)


@pytest.mark.parametrize("shards", [(), ("--shards", "2")], ids=["whole", "divided"])
def test_the_jobs_trust_what_the_matrix_trusts(
    shards: tuple[str, ...], fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A job has no terminal; without the option it asks for it."""
    arguments = ["fleet", "matrix", str(fleet), "--format", "github", *shards]
    for further, trusts in (([], False), (["--trust"], True)):
        assert main([*arguments, *further]) == CONFORMANT
        jobs = json.loads(capsys.readouterr().out)["include"]
        chosen = [parser().parse_args(shlex.split(job["command"])[1:]) for job in jobs]
        assert {options.trust for options in chosen} == {trusts}


def test_a_matrix_that_cannot_be_is_a_usage_error(
    fleet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of an inline profile, of a wrong file, and of more jobs than the system takes."""
    inline = fleet.with_name("inline.toml")
    inline.write_text('[[target]]\nname = "x"\n[target.profile]\nbase-url = "http://x.test/v1"\n')

    arguments = ["--format", "github", "--shards", "2"]
    assert main(["fleet", "matrix", str(inline), *arguments]) == USAGE_ERROR
    assert "x: its profile is within the fleet" in capsys.readouterr().err
    assert main(["fleet", "matrix", str(fleet.parent / "none"), *arguments]) == USAGE_ERROR
    capsys.readouterr()
    arguments = ["--format", "github", "--shards", "1000000000"]
    assert main(["fleet", "matrix", str(fleet), *arguments]) == USAGE_ERROR
    told = capsys.readouterr().err
    assert "2000000000 jobs, and a matrix of github has at most 256" in told
    assert len(told.splitlines()) == 1
    with pytest.raises(MatrixError, match="201 jobs, and a matrix of gitlab has at most 200"):
        ci_matrix.rendered([Job("x", "", "true")] * 201, "gitlab")
