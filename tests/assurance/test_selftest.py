"""The self-test: edited references beside the untouched one, what counts as killed, and every mutant and variant there is."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import altered_run
import pytest
from subjects import BY_ID, FILES, SUBJECTS

import conformance
from conformance import reference
from conformance.__main__ import main
from conformance.assurance.selftest import altered, checks, matrix, population, trial, workers
from conformance.assurance.selftest.altered import Edit, EditError
from conformance.assurance.selftest.matrix import Row
from conformance.assurance.selftest.population import Mutant, PopulationError, Subject, Variant
from conformance.assurance.selftest.trial import Outcome
from conformance.assurance.selftest.workers import Failure
from conformance.commands import selftest as command
from conformance.contract import requirements
from conformance.contract.requirements import CLASSES
from conformance.reference import app, catalogue

PREFIX = Edit("app", '"/v1"', '"/v2"')
CLEAN = Outcome((), (), ())
MUTANT = Mutant("m", "about", frozenset({"error/code", "error/title"}), (PREFIX,))
VARIANT = Variant("v", "about", "reading", (PREFIX,), frozenset({"limits/rate"}))


# --- edited references -----------------------------------------------------------------------------------------------


def test_an_edit_is_made() -> None:
    """The altered package differs in what was edited."""
    assert altered.load([PREFIX]).app.PREFIX == "/v2"


def test_an_altered_reference_leaves_the_untouched_one_alone() -> None:
    """Modules, and the name in the package above, are the same objects as before."""
    before = {
        name: module for name, module in sys.modules.items() if name.startswith("conformance")
    }

    altered.load([PREFIX])

    after = {name: module for name, module in sys.modules.items() if name.startswith("conformance")}
    assert (after, conformance.reference, app.PREFIX) == (before, reference, "/v1")


def test_every_module_of_an_altered_reference_is_its_own() -> None:
    """State that a module keeps is not shared, nor are its classes."""
    package = altered.load([PREFIX])

    assert package.Reference is not reference.Reference
    assert package.catalogue.operations is not catalogue.operations


def test_what_an_altered_reference_imports_later_is_its_own() -> None:
    """An edit may import inside of a function, which runs when the untouched reference is back in place."""
    package = altered.load(
        [
            Edit(
                "clock",
                "return time.time()",
                "from conformance.reference.errors import ApiError; return ApiError",
            )
        ]
    )

    assert package.SystemClock().now() is package.app.ApiError


def test_an_altered_reference_may_import_what_nobody_has_imported() -> None:
    """Modules that are no part of it are found as everywhere."""
    sys.modules.pop("colorsys", None)

    package = altered.load([Edit("app", '"/v1"', '__import__("colorsys").__name__')])

    assert package.app.PREFIX == "colorsys"


def test_a_reference_that_cannot_be_loaded_leaves_the_untouched_one_alone() -> None:
    """What an edited module raises passes through."""
    with pytest.raises(ZeroDivisionError):
        altered.load([Edit("app", '"/v1"', "str(1 / 0)")])

    assert sys.modules["conformance.reference"] is reference
    assert conformance.reference is reference


@pytest.mark.parametrize(("old", "times"), [("no such text", 0), ("import", 12), ("", 0)])
def test_an_edit_that_does_not_fit_exactly_once_is_refused(old: str, times: int) -> None:
    """The message names the module and what was looked for."""
    with pytest.raises(
        EditError, match=rf"^app: {re.escape(repr(old))} occurs \d+ times, not once$"
    ):
        altered.edited([Edit("app", old, "x")])


@pytest.mark.parametrize("module", ["nothing", "../profile", "instance.py"])
def test_an_edit_of_an_unknown_module_is_refused(module: str) -> None:
    """Only modules of the reference can be edited."""
    with pytest.raises(EditError, match="the reference has no such module"):
        altered.edited([Edit(module, "a", "b")])


def test_edits_of_one_module_follow_each_other() -> None:
    """The second one finds what the first one wrote."""
    sources = altered.edited([PREFIX, Edit("app", '"/v2"', '"/v3"')])

    assert '"/v3"' in sources["app"]


# --- the files -------------------------------------------------------------------------------------------------------

MUTANT_TEXT = """
[[mutant]]
id = "one"
about = "What is wrong."
breaks = ["error/code"]
edits = [{module = "app", old = '"/v1"', new = '"/v2"'}]
"""
VARIANT_TEXT = """
[[variant]]
id = "other"
about = "What is different."
reading = "a row"
edits = [{module = "app", old = '"/v1"', new = '"/v2"'}]
"""


def test_mutants_and_variants_are_read() -> None:
    """Every key has its place; what a variant leaves undecided may be left out."""
    assert population.read(MUTANT_TEXT + VARIANT_TEXT) == (
        Mutant("one", "What is wrong.", frozenset({"error/code"}), (PREFIX,)),
        Variant("other", "What is different.", "a row", (PREFIX,), frozenset()),
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("about =", "abuot =", "mutant one: about, abuot must not stand there, or is missing"),
        ('id = "one"', "", "mutant without an id: id must not"),
        ("[[mutant]]", "[[mutnat]]", r"mutnat: unknown, write \[\[mutant\]\] or \[\[variant\]\]"),
        ("[[mutant]]", "[mutant]", r"mutant: unknown, write \[\[mutant\]\]"),
        ('"What is wrong."', "1", "mutant one: about must be a string"),
        ('["error/code"]', '"error/code"', "mutant one: breaks must be an array"),
        ('["error/code"]', "[]", "mutant one: breaks nothing"),
        ('["error/code"]', "[[]]", r"one: breaks names \[\], which is no requirement"),
        ("error/code", "error/cod", "one: breaks names error/cod, which is no requirement"),
        ("error/code", "observe/order", "one: breaks names observe/order, which is no requirement"),
        (
            "error/code",
            "untested/events",
            "one: breaks names untested/events, which is no requirement",
        ),
        (", new = '\"/v2\"'", "", "one: each edit has module, new, old"),
        (
            '[{module = "app", old = \'"/v1"\', new = \'"/v2"\'}]',
            "[]",
            "one: each edit has module, new, old",
        ),
        (
            '[{module = "app", old = \'"/v1"\', new = \'"/v2"\'}]',
            "[7]",
            "one: each edit has module, new, old",
        ),
        ('"app"', "7", "one: each edit has module, new, old, all of them strings;"),
        ("[[mutant]]", "mutant = [7]\n[[variant]]", r"mutant: unknown, write \[\[mutant\]\]"),
        ("'\"/v1\"'", "'/v3'", "one: app: '/v3' occurs 0 times, not once"),
    ],
)
def test_a_mistake_in_a_file_is_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    """The file, the entry, and what is wrong with it."""
    file = tmp_path / "more.toml"
    file.write_text(MUTANT_TEXT.replace(old, new), encoding="utf-8")

    with pytest.raises(PopulationError, match=f"^{re.escape(str(file))}: {message}"):
        population.load([file])


def test_an_id_stands_once() -> None:
    """Two entries with one id are refused, or one could not be chosen by it."""
    with pytest.raises(PopulationError, match="one: stands twice"):
        population.distinct(population.read(MUTANT_TEXT * 2))


def test_the_same_mutant_stands_once() -> None:
    """No two entries make the same edits."""
    assert len({subject.edits for subject in SUBJECTS}) == len(SUBJECTS)


def test_the_package_has_what_proves_something_new() -> None:
    """What repeats it stands in the files of the tests: a self-test of everything would take too long to be asked for."""
    seen: set[str] = set()
    repeating = []
    for subject in population.shipped():
        proves = subject.breaks if isinstance(subject, Mutant) else {subject.reading}
        repeating += [subject.id] if seen.issuperset(proves) else []
        seen.update(proves)

    assert repeating == []


# --- workers ---------------------------------------------------------------------------------------------------------


def _double(number: int) -> int:
    if number == 1:
        raise ValueError("one is too few")
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 3:
        time.sleep(60)
    if number == 8:
        raise TimeoutError("eight took too long")
    return number * 2


def test_every_task_gets_its_result() -> None:
    """Whatever becomes of the others."""
    assert dict(workers.each(_double, [4, 5, 6, 7], 2)) == {4: 8, 5: 10, 6: 12, 7: 14}


def test_a_task_that_raises_has_failed() -> None:
    """The reason is what it raised."""
    assert list(workers.each(_double, [1], 1)) == [(1, Failure("ValueError: one is too few"))]


def test_a_task_whose_process_dies_has_failed() -> None:
    """The reason is how the process ended."""
    assert list(workers.each(_double, [2], 1)) == [(2, Failure("its process ended with -9"))]


def test_a_task_that_takes_too_long_has_failed() -> None:
    """Its process is ended, and the others go on."""
    assert dict(workers.each(_double, [3, 4], 2, patience=1.5)) == {
        3: Failure("it did not end in time"),
        4: 8,
    }


def test_a_task_that_says_itself_that_something_took_too_long_has_ended() -> None:
    """The reason is what it raised, not that it took too long."""
    assert list(workers.each(_double, [8], 1)) == [
        (8, Failure("TimeoutError: eight took too long"))
    ]


def test_no_more_processes_run_than_allowed() -> None:
    """Two sleepers one after the other take the time of both."""
    begun = time.monotonic()

    list(workers.each(time.sleep, [0.2, 0.2], 1))

    assert time.monotonic() - begun >= 0.4


def test_who_stops_listening_leaves_no_process_behind() -> None:
    """The processes that still run are ended."""
    results = workers.each(_double, [4, 3], 2)
    next(results)
    assert isinstance(results, Iterator)

    begun = time.monotonic()
    results.close()  # type: ignore[attr-defined]

    assert time.monotonic() - begun < 10


# --- what counts as killed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subject", "outcome", "problems"),
    [
        (MUTANT, Outcome(("error/code", "error/title"), (), ()), ()),
        (MUTANT, Outcome(("error/code",), (), ()), ("lives: error/title is kept",)),
        (
            MUTANT,
            Outcome(("error/code",), (), ("error/title",)),
            ("lives: error/title is inconclusive",),
        ),
        (
            MUTANT,
            Outcome(("error/code", "error/title", "read/success"), (), ()),
            ("also turns read/success red",),
        ),
        (
            MUTANT,
            Outcome(("error/code", "error/title"), ("page/items",), ()),
            ("the checker goes wrong on page/items",),
        ),
        (MUTANT, Failure("it did not end in time"), ("no verdict: it did not end in time",)),
        (VARIANT, Outcome((), (), ("limits/rate",)), ()),
        (VARIANT, Outcome((), (), ("limits/rate", "tools/listed")), ()),
        (VARIANT, Outcome(("error/code",), (), ("limits/rate",)), ("is failed for error/code",)),
        (
            VARIANT,
            Outcome((), ("error/code",), ("limits/rate",)),
            ("the checker goes wrong on error/code",),
        ),
        (VARIANT, Outcome((), (), ("limits/rate", "page/items")), ("leaves page/items undecided",)),
        (VARIANT, CLEAN, ("was to leave limits/rate undecided",)),
    ],
)
def test_a_row_tells_what_is_wrong(
    subject: Subject, outcome: Outcome | Failure, problems: tuple[str, ...]
) -> None:
    """Mutants turn exactly their requirements red, variants none; what the reference leaves undecided is nobody's fault."""
    plain = Outcome((), (), ("tools/listed",))

    assert matrix.row(subject, outcome, plain).problems == problems


def test_a_judged_requirement_without_a_mutant_is_found() -> None:
    """Requirements that are only observed, or untested, need none."""
    judged = [id for id, stated in requirements.load().items() if stated.is_checked]

    assert matrix.uncovered([]) == judged
    assert matrix.uncovered([MUTANT]) == [id for id in judged if id not in MUTANT.breaks]


def test_a_trial_of_what_one_class_meets_runs_that_class() -> None:
    """Edits of shared modules take all of them."""
    tools, description = Edit("tools", "a", "b"), Edit("description", "a", "b")

    assert trial.classes([tools]) == ("tools",)
    assert trial.classes([tools, description]) == ("tools", "description")
    assert trial.classes([tools, PREFIX]) == CLASSES
    assert trial.classes([]) == CLASSES


@pytest.mark.parametrize(
    "id", ["reference", "nested-errors", "few-properties", "description-is-absent"]
)
def test_a_trial_comes_to_the_verdicts_of_a_whole_run(id: str, tmp_path: Path) -> None:
    """Although no pytest runs the checks."""
    edits = {**BY_ID, "reference": population.REFERENCE}[id].edits

    report = altered_run.report(edits, tmp_path, trial.classes(edits))

    judged = [
        entry for entry in report["requirements"] if requirements.load()[entry["id"]].is_checked
    ]
    assert trial.run(edits) == Outcome(
        failed=tuple(entry["id"] for entry in judged if entry["verdict"] == "fail"),
        errors=tuple(
            entry["id"]
            for entry in judged
            if any(found["verdict"] == "error" for found in entry["findings"])
        ),
        inconclusive=tuple(entry["id"] for entry in judged if entry["verdict"] == "inconclusive"),
    )


def test_the_matrix_as_text() -> None:
    """Rows, then what is wrong, then the sums."""
    rows = [
        Row(MUTANT, ("error/code", "error/title"), ()),
        Row(VARIANT, ("error/code",), ("is failed for error/code",)),
    ]

    assert list(command.lines(rows, ["page/items"])) == [
        "  m  error/code, error/title",
        "! v  error/code",
        "",
        "! v: about",
        "    is failed for error/code",
        "! no mutant breaks page/items",
        "1 of 1 mutants turn exactly their requirements red",
        "0 of 1 variants stay green",
    ]


# --- the command -----------------------------------------------------------------------------------------------------


def _selftest(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "conformance", "selftest", *arguments]
    return subprocess.run(line, check=False, capture_output=True, text=True, timeout=120)


def test_an_unknown_id_is_a_usage_error() -> None:
    """Nothing is run."""
    done = _selftest("--only", "nobody")

    assert (done.returncode, done.stdout) == (4, "")
    assert "there is no mutant or variant 'nobody'" in done.stderr


def test_the_list_names_everything() -> None:
    """One line each."""
    done = _selftest("--list")

    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        subject.id for subject in population.shipped()
    ]


def test_seeds_take_turns_on_the_reference_and_the_variants() -> None:
    """Each run has a seed of its own."""
    runs = population.seeded([VARIANT], 3)

    assert [(run.id, run.seed, run.edits) for run in runs] == [
        ("reference, seed 1", 1, ()),
        ("v, seed 2", 2, VARIANT.edits),
        ("reference, seed 3", 3, ()),
    ]


def test_another_seed_comes_to_the_same_verdict() -> None:
    """The mutants stay out of it."""
    done = _selftest("--seeds", "2", "--only", "description-is-absent", "short-pages", "-j", "1")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "  reference, seed 1    -",
        "  short-pages, seed 2  -",
        "",
        "2 of 2 variants stay green",
    ]


def test_one_mutant_can_be_tried_alone() -> None:
    """Then nobody asks for the requirements of the others."""
    done = _selftest("--only", "description-is-absent", "-j", "1")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "  description-is-absent  description/published"


def _told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    code = main(["selftest", "-j", "1", *arguments])
    return code, capsys.readouterr().out.splitlines()


def test_a_population_that_breaks_too_little_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each requirement wants a mutant."""
    few = tuple(
        mutant
        for mutant in population.shipped()
        if isinstance(mutant, Mutant) and mutant.breaks == {"description/complete"}
    )
    monkeypatch.setattr(population, "shipped", lambda: few)

    code, lines = _told(capsys)

    assert (code, len(few)) == (1, 1)
    assert "! no mutant breaks read/names" in lines
    assert lines[-1] == "1 of 1 mutants turn exactly their requirements red"


def test_mutants_of_another_file_are_tried_too() -> None:
    """Anybody may bring some, and choose among all."""
    done = _selftest("--also", *map(str, FILES), "--only", "description-is-a-page", "-j", "1")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "  description-is-a-page  description/published"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MUTANT_TEXT * 2, "one: stands twice"),
        (MUTANT_TEXT[:-4], "more.toml: "),
        (None, "No such file"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_usage_error(
    text: str | None, message: str, tmp_path: Path
) -> None:
    """Nothing is run."""
    file = tmp_path / "more.toml"
    if text is not None:
        file.write_text(text, encoding="utf-8")

    done = _selftest("--also", str(file))

    assert (done.returncode, done.stdout, message in done.stderr) == (4, "", True)


def test_a_reference_that_is_not_clean_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody is tried."""
    monkeypatch.setattr(
        trial, "run", lambda _: Outcome(("error/code",), ("read/names",), ("limits/rate",))
    )

    assert _told(capsys) == (
        1,
        ["! the reference itself is not seen to keep error/code, read/names, limits/rate"],
    )


def test_a_suite_without_checks_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or every variant would be green."""
    monkeypatch.setattr(checks, "collected", tuple)

    code, lines = _told(capsys, "--seeds", "1")

    assert (code, len(lines), "read/names" in lines[0]) == (1, 1, True)
