"""`conformance selftest`: what it runs, what it prints, and its exit codes."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from subjects import FILES

from conformance.__main__ import main
from conformance.assurance.selftest import checks, matrix, population, trial
from conformance.assurance.selftest.altered import Edit
from conformance.assurance.selftest.checks import Performed
from conformance.assurance.selftest.population import Mutant, Variant
from conformance.assurance.selftest.reach import Reach
from conformance.assurance.selftest.trial import Outcome

PREFIX = Edit("app", '"/v1"', '"/v2"')
VARIANT = Variant("v", "about", "reading", (PREFIX,), frozenset({"limits/rate"}))
MUTANT_TEXT = """
[[mutant]]
id = "one"
about = "What is wrong."
breaks = ["error/code"]
edits = [{module = "app", old = '"/v1"', new = '"/v2"'}]
"""


def _selftest(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "conformance", "selftest", *arguments]
    return subprocess.run(line, check=False, capture_output=True, text=True, timeout=120)


def test_an_unknown_id_is_a_usage_error() -> None:
    """No check runs."""
    done = _selftest("--only", "nobody")

    assert (done.returncode, done.stdout) == (4, "")
    assert "unknown mutant or variant 'nobody'" in done.stderr


def test_the_list_has_every_mutant_and_variant() -> None:
    """There is one line for each."""
    done = _selftest("--list")

    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        subject.id for subject in population.shipped()
    ]


def test_every_seed_has_a_subject() -> None:
    """The subjects begin again."""
    runs = population.seeded([VARIANT], 3)

    assert [(run.id, run.seed, run.edits) for run in runs] == [
        ("reference, seed 1", 1, ()),
        ("v, seed 2", 2, VARIANT.edits),
        ("reference, seed 3", 3, ()),
    ]


def test_every_subject_has_a_seed() -> None:
    """The seeds begin again."""
    runs = population.seeded([VARIANT, replace(VARIANT, id="w")], 2)

    assert [(run.id, run.seed) for run in runs] == [
        ("reference, seed 1", 1),
        ("v, seed 2", 2),
        ("w, seed 1", 1),
    ]


@pytest.fixture
def known_reach(reach: Reach, monkeypatch: pytest.MonkeyPatch) -> None:
    """The original reference is not measured again; that takes longer than most mutants."""

    def measured(seed: int, depth: str) -> Reach:
        assert (seed, depth) == (population.SEED, population.DEPTH)
        return reach

    monkeypatch.setattr(matrix, "measured", measured)


@pytest.mark.usefixtures("known_reach")
def test_another_seed_has_the_same_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    """On a mutant, too."""
    code, lines = _output(capsys, "--seeds", "3", "--only", "description-is-absent", "short-pages")

    assert code == 0
    assert lines == [
        "  reference, seed 1              -",
        "  description-is-absent, seed 2  description/published",
        "  short-pages, seed 3            -",
        "",
        "1 of 1 mutants turn exactly their requirements red",
        "2 of 2 variants stay green",
    ]


def test_one_mutant_can_be_selected() -> None:
    """Requirements without a mutant are not reported then."""
    done = _selftest("--only", "description-is-absent", "-j", "1")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "  description-is-absent  description/published"


def _output(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    code = main(["selftest", "-j", "1", *arguments])
    shown = capsys.readouterr()
    assert shown.err == ""
    return code, shown.out.splitlines()


@pytest.mark.usefixtures("known_reach")
def test_a_requirement_without_a_mutant_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output names the requirement."""
    few = tuple(
        mutant
        for mutant in population.shipped()
        if isinstance(mutant, Mutant) and mutant.breaks == {"description/complete"}
    )
    monkeypatch.setattr(population, "shipped", lambda: few)

    code, lines = _output(capsys)

    assert (code, len(few)) == (1, 1)
    assert "! no mutant violates read/names" in lines
    assert lines[-1] == "1 of 1 mutants turn exactly their requirements red"


def test_mutants_of_another_file_are_run_too(capsys: pytest.CaptureFixture[str]) -> None:
    """`--only` also selects from that file."""
    options = ("--trust", "--also", *map(str, FILES), "--only", "description-is-a-page")
    code = main(["selftest", "-j", "1", *options])
    lines = capsys.readouterr().out.splitlines()  # a system without a sandbox has a note beside it

    assert code == 0
    assert lines[0] == "  description-is-a-page  description/published"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MUTANT_TEXT * 2, "one: duplicate id"),
        (MUTANT_TEXT[:-4], "more.toml: "),
        (None, "No such file"),
    ],
)
def test_an_invalid_file_is_a_usage_error(text: str | None, message: str, tmp_path: Path) -> None:
    """No check runs."""
    file = tmp_path / "more.toml"
    if text is not None:
        file.write_text(text, encoding="utf-8")

    done = _selftest("--also", str(file))

    assert (done.returncode, done.stdout, message in done.stderr) == (4, "", True)


def test_a_reference_that_does_not_pass_ends_the_selftest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No mutant runs."""
    outcome = Outcome(("error/code",), ("read/names",), ("limits/rate",))
    monkeypatch.setattr(
        matrix, "measured", lambda *_: Reach(Performed({}, {}), {}, {}, {}, frozenset())
    )
    monkeypatch.setattr(trial, "outcome", lambda _: outcome)

    assert _output(capsys) == (
        3,
        ["! the original reference does not pass error/code, read/names, limits/rate"],
    )


def test_a_suite_without_checks_ends_the_selftest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise every variant would pass."""
    monkeypatch.setattr(checks, "collected", tuple)

    code, lines = _output(capsys, "--seeds", "1")

    assert (code, len(lines), "read/names" in lines[0]) == (3, 1, True)


@pytest.mark.usefixtures("known_reach")
@pytest.mark.parametrize(("edit", "expected"), [("1 / 0", 3), ("None", 1)])
def test_a_trial_without_a_verdict_is_an_error_of_ours(
    edit: str, expected: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mutant that merely survives is none."""
    added = Edit("tools", "log = logging", f"NOTHING = {edit}\nlog = logging")
    mutant = Mutant("added", "A constant is added.", frozenset({"error/code"}), (added,))
    monkeypatch.setattr(population, "shipped", lambda: [mutant])

    assert _output(capsys, "--only", mutant.id)[0] == expected
