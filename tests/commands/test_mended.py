"""What is said of a failure before and after its repair: by a replay, the written test and a run.

The reference is mended by leaving out the edit of a mutant.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import altered_run
import pytest
from live_server import instance
from subjects import SUBJECTS

from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.commands.replay import _failures
from conformance.commands.reproduction import pytest_file
from conformance.commands.reproduction.again import (
    FAILING,
    FIXED,
    Failure,
    Replay,
)
from conformance.report.document_types import Report
from conformance.runner import examination
from conformance.target.profile import parse

EDITS = {subject.id: tuple(subject.edits) for subject in SUBJECTS}

MUTANTS = {
    "account-without-type": ["read"],
    "video-with-null-duration": ["read"],
    "ids-without-dashes": ["read"],
    "listed-project-with-position": ["read"],
    "neighbouring-video": ["read"],
    "absent-is-gone": ["read"],
    "nested-errors": ["authentication"],
    "list-of-ungranted-videos": ["read", "authorization"],
    "permission-unchecked-on-comments": ["authorization"],
    "filter-in-capitals-beyond-the-grant": ["authorization"],
    "revocation-unchecked-for-tokens": ["authentication"],
    "no-api-keys-on-activity": ["authentication"],
    "one-more-than-the-limit": ["pagination"],
    "company-forgotten-beside-cursor": ["pagination"],
    "pages-of-48-lose-one": ["pagination"],
    "tool-errors-have-one-code": ["tools"],
    "tools-clamp-limits": ["tools"],
    "result-in-capitals": ["approval"],
    "key-forgets-its-review": ["approval"],
    "replay-before-authentication": ["approval"],
    "stale-takes-the-review-aside": ["approval"],
    "description-is-absent": ["description"],
    "description-without-retry-after": ["description"],
}
UNWRITTEN = {
    "pages-of-48-lose-one",
    "key-forgets-its-review",
    "stale-takes-the-review-aside",
    "description-without-retry-after",
}
"""Those whose failures show in more than the responses of a finding."""


@pytest.mark.parametrize(("mutant", "classes"), MUTANTS.items(), ids=MUTANTS)
def test_replay_and_the_written_test_say_what_the_next_run_says(
    mutant: str, classes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every failure is still there on the mutant, and fixed on the original."""
    report = altered_run.report(EDITS[mutant], tmp_path, classes)
    failures = list(_failures(report, ()))

    assert failures
    assert set(_replayed(report, failures, EDITS[mutant])) == {FAILING}
    assert set(_replayed(report, failures, ())) == {FIXED}
    written = _tested(report, failures, EDITS[mutant], monkeypatch)
    mended = _tested(report, failures, (), monkeypatch)
    assert set(written) == (set() if mutant in UNWRITTEN else {"failed"})
    assert set(mended) == (set() if mutant in UNWRITTEN else {"passed"})
    assert _failed(_next_run(EDITS[mutant], tmp_path)) >= _failed(report)
    assert not _failed(_next_run((), tmp_path))


def _failed(report: Report) -> set[str]:
    """The requirements that a report says fail."""
    return {entry["id"] for entry in report["requirements"] if entry["verdict"] == "fail"}


def _next_run(edits: Sequence[Edit], directory: Path) -> Report:
    """The report of a run of what failed in the last one, which sends no more than that takes."""
    return altered_run.report(edits, directory, (), "--conformance-last-failed")


def _replayed(report: Report, failures: Sequence[Failure], edits: Sequence[Edit]) -> Counter[str]:
    """What becomes of the failures on the reference with these edits."""
    made = examination.in_process(altered.load(edits))
    with closing(Replay(report, made.target, made.transport)) as replay:
        return Counter(replay.outcome(failure).word for failure in failures)


def _tested(
    report: Report,
    failures: Sequence[Failure],
    edits: Sequence[Edit],
    monkeypatch: pytest.MonkeyPatch,
) -> Counter[str]:
    """How the tests of a written file end on the served reference with these edits."""
    with instance(altered.load(edits).Reference()) as profile:
        target = parse(profile, environ={})
        for credential in target.credentials.values():
            for scheme in credential.schemes:
                monkeypatch.setenv(credential.variable(scheme)[1:], credential.secret(scheme))
        file: dict[str, Any] = {}
        exec(pytest_file.write(failures, report, target).text, file)
        tests = [value for name, value in file.items() if name.startswith("test_")]
        return Counter(map(_ended, tests))


def _ended(test: Any) -> str:
    try:
        test()
    except AssertionError:
        return "failed"
    return "passed"
