"""`fleet.toml`: what it may say, and how a mistake in it is reported."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from conformance.contract import files
from conformance.fleet import fleet_file
from conformance.fleet.fleet_file import FleetError
from conformance.fleet.targets import Fleet

EXAMPLE = Path(__file__).parents[2] / "examples" / "fleet.toml"
PROFILE = 'base-url = "https://eu.example.com/v1"\n'
TARGET = '[[target]]\nname = "eu"\n'


def _load(folder: Path, text: str, **environ: str) -> Fleet:
    file = folder / "fleet.toml"
    file.write_text(text, encoding="utf-8")
    return fleet_file.load(file, environ)


def test_the_example_is_a_fleet() -> None:
    """It needs no profile and no variable."""
    fleet = fleet_file.load(EXAMPLE, {})

    assert [(each.name, each.profile, each.spends) for each in fleet.targets] == [
        ("sandbox-eu", None, False),
        ("sandbox-us", None, False),
    ]
    assert [each.settings.seed for each in fleet.targets] == [1, 2]


def test_defaults_hold_for_every_target_that_says_nothing_else(tmp_path: Path) -> None:
    """Labels add up; everything else of a target wins."""
    (tmp_path / "eu.toml").write_text(PROFILE)
    fleet = _load(
        tmp_path,
        'name = "nightly"\n[defaults]\ndepth = "quick"\nlabels = ["all"]\nneeds = ["eu"]\n'
        f'{TARGET}profile = "eu.toml"\nlabels = ["eu"]\nmax-time = 60\n'
        '[target.schedule]\npriority = 3\nexclusive = "db"\n'
        '[[target]]\nname = "us"\nreference = true\ndepth = "deep"\nneeds = ["us", "gpu"]\n',
    )

    eu, us = fleet.targets
    assert fleet.name == "nightly"
    assert (eu.labels, eu.needs, eu.settings.depth) == (("all", "eu"), ("eu",), "quick")
    assert (eu.settings.max_time, eu.schedule.priority, eu.exclusive) == (60, 3, "db")
    assert (us.labels, us.needs, us.settings.depth) == (("all",), ("gpu", "us"), "deep")
    assert us.exclusive == "us"
    assert eu.profile is not None
    assert eu.profile.folder == str(tmp_path)


def test_an_inline_profile_keeps_the_names_of_its_variables(tmp_path: Path) -> None:
    """The text for the run has no secret; the environment of the run has that of its variables."""
    fleet = _load(
        tmp_path,
        f'{TARGET}environment = ["EXTRA", "UNSET"]\n[target.profile]\n{PROFILE}'
        '[target.profile.credentials.primary]\napi-key = "${EU_KEY}"\n'
        "[target.profile.consent]\napprove-reviews = true\n",
        EU_KEY="hunter2secret",
    )

    (target,) = fleet.targets
    environ = {"EU_KEY": "hunter2secret", "OTHER": "x", "EXTRA": "y"}
    assert target.profile is not None
    assert "${EU_KEY}" in target.profile.text
    assert "hunter2secret" not in target.profile.text
    assert target.spends
    assert target.environment(environ) == {"EU_KEY": "hunter2secret", "EXTRA": "y"}


def test_what_an_inline_profile_demands_has_its_place_in_the_fleet(tmp_path: Path) -> None:
    """With the further variables of its run, which its commands get; without a command, none."""
    text = (
        f'{TARGET}environment = ["EXTRA"]\n[target.profile]\n{PROFILE}'
        '[target.profile.credentials.primary]\nbearer.command = ["./token", "${EU_KEY}"]\n'
    )
    (target,) = _load(tmp_path, text, EU_KEY="hunter2secret").targets
    assert target.demands is not None
    (command,) = target.demands.commands
    assert command.key == "target[0].profile.credentials.primary.bearer.command"
    assert command.line == text.count("\n")
    assert [each.words for each in target.demands.variables] == [("EU_KEY",), ("EXTRA",)]

    without = f'{TARGET}environment = ["EXTRA"]\n[target.profile]\n{PROFILE}'
    (other,) = _load(tmp_path, without).targets
    assert other.demands is not None
    assert other.demands.is_empty


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "fleet.toml: target is missing: write a table [[target]] for each target"),
        (f"{TARGET}refrence = true\n", "fleet.toml:3: target[0].refrence is an unknown key: did"),
        (TARGET, "fleet.toml:1: target[0] names no target: write profile, or reference = true"),
        (
            f'{TARGET}reference = true\nprofile = "eu.toml"\n',
            "fleet.toml:1: target[0] names two targets",
        ),
        (
            f"{TARGET}reference = true\n{TARGET}reference = true\n",
            "fleet.toml:5: target[1].name repeats target[0]",
        ),
        ("[[target]]\nreference = true\n", "fleet.toml:1: target[0] has no name"),
        ("[[target]]\nname = [1]\n", "target[0].name is an array: write a name"),
        ('[[target]]\nname = "--trust"\n', "target[0].name is not a name: write a name"),
        (f'{TARGET}labels = ["-j"]\n', "target[0].labels[0] is not a name: write a name"),
        (f'{TARGET}labels = [".."]\n', "target[0].labels[0] is not a name: write a name"),
        (f"{TARGET}reference = true\nretries = 11\n", "target[0].retries is not between 0 and 10"),
        (f"{TARGET}reference = true\nseed = {2**63}\n", "target[0].seed is not between 0 and 9223"),
        (
            f'[defaults]\ndepth = "full"\n{TARGET}reference = true\n',
            "fleet.toml:2: defaults.depth is not a depth: write one of smoke, quick, standard,"
            " deep",
        ),
        (f'{TARGET}reference = true\nneeds = "eu"\n', "target[0].needs must be an array, not a st"),
        (f'{TARGET}profile = "no.toml"\n', "no.toml: cannot be read: No such file"),
        (
            f'{TARGET}profile = "bad.toml"\n',
            "bad.toml:1: base-ulr is an unknown key: did you mean base-url?",
        ),
        (
            f"{TARGET}[target.profile]\n{PROFILE}[target.profile.limits]\nconnections = 0\n",
            "fleet.toml:6: target[0].profile.limits.connections is not above zero",
        ),
        (
            f'{TARGET}[target.profile]\n{PROFILE}credentials.primary.bearer = "${{NOT_SET}}"\n',
            "names the environment variable 'NOT_SET', which is not set",
        ),
        (f'{TARGET}reference = true\nknown-failures = "no"\n', "known-failures is invalid: "),
        ("target = 1\n", "target is missing"),
        ("target = [1]\n", "target[0] must be a table, not an integer"),
        ("name =\n", "fleet.toml:1: invalid TOML"),
    ],
)
def test_a_mistake_is_reported_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """File, line, key, and what would be right."""
    (tmp_path / "eu.toml").write_text(PROFILE)
    (tmp_path / "bad.toml").write_text('base-ulr = "https://eu.example.com/v1"\n')

    with pytest.raises(FleetError) as problem:
        _load(tmp_path, text)

    assert message in str(problem.value)


def test_variables_may_be_set_where_the_workers_are(tmp_path: Path) -> None:
    """With an engine, a variable that is not set here is no mistake."""
    file = tmp_path / "fleet.toml"
    file.write_text(f'{TARGET}[target.profile]\n{PROFILE}credentials.primary.bearer = "${{THERE}}"')

    (target,) = fleet_file.load(file, None).targets

    assert target.profile is not None
    assert target.profile.variables == {"THERE"}
    assert target.environment({}) == {}


def test_known_failures_travel_with_the_run(tmp_path: Path) -> None:
    """The text of the file is part of the settings."""
    known = '[[known]]\nrequirement = "read/success"\nreason = "tracked"\n'
    (tmp_path / "known.toml").write_text(known)

    (target,) = _load(tmp_path, f'{TARGET}reference = true\nknown-failures = "known.toml"').targets

    assert target.settings.known_failures == known


def test_shards_are_disjoint_and_complete(tmp_path: Path) -> None:
    """Every target is in one of them, and their sizes differ by one at most."""
    entries = "".join(f'[[target]]\nname = "t{n}"\nreference = true\n' for n in range(7))
    fleet = _load(tmp_path, entries)

    shards = [fleet.selected((), (number, 3)) for number in (1, 2, 3)]

    assert sorted(each.name for shard in shards for each in shard) == [f"t{n}" for n in range(7)]
    assert sorted(map(len, shards)) == [2, 2, 3]
    assert [each.name for each in fleet.selected(["t3", "t5"], (1, 1))] == ["t3", "t5"]
    assert fleet.selected(["unknown"], (1, 1)) == ()


def test_the_published_schema_accepts_the_example(tmp_path: Path) -> None:
    """It is what the reader is made of, and rejects a target without a name."""
    schema = json.loads(files.text("fleet.schema.json"))
    assert schema == json.loads(json.dumps(fleet_file.schema()))
    validator = jsonschema_rs.validator_for(schema)
    inline = {"name": "eu", "profile": {"base-url": "https://eu.example.com/v1"}}
    assert validator.is_valid({"target": [inline, {"name": "us", "reference": True}]})
    assert not validator.is_valid({"target": [{"reference": True}]})
    assert not validator.is_valid({"target": []})
