"""The second judge agrees with the suite, on conforming and on other targets, and with no edit."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import second_opinions
from certified import Certified, one_replay, quick_runs

from conformance.__main__ import main
from conformance.assurance.certificate import bundle, issuing, strict_json
from conformance.assurance.certificate.evidence import Evidence
from conformance.assurance.second import opinion
from conformance.assurance.selftest import blend, population

BY_ID = {subject.id: subject for subject in population.shipped()}

VARIANTS = [
    (
        "base-below-other-segments",
        "malformed-is-400",
        "outside-is-forbidden",
        "filter-outside-is-forbidden",
        "end-without-cursor",
        "short-pages",
        "other-defaults",
        "reason-null",
    ),
    (
        "extra-properties",
        "one-request-id",
        "lists-show-less",
        "impossible-revision-is-malformed",
    ),
]
"""Twelve variants; those of one run share it."""

MUTANTS = {
    "neighbouring-video": "read/identity",
    "cursor-leads-back": "pagination/end",
    "limit-above-accepted": "arguments/limit",
    "no-api-keys-on-activity": "authentication/api-key",
    "expiry-unchecked-for-keys": "authentication/expired",
    "permission-unchecked-on-comments": "authorization/permission",
    "project-company-unchecked": "authorization/company",
    "list-of-ungranted-videos": "authorization/lists",
    "result-in-capitals": "approval/result-status",
    "result-of-the-next-revision": "approval/result-revision",
    "replay-conflicts": "approval/replay",
    "stale-approves-all-the-same": "approval/stale-revision",
    "key-with-lower-revision-replays": "approval/key-other-revision",
    "unapprovable-in-words": "approval/unapprovable",
    "no-retry-after": "limits/retry-after",
}
"""Mutants of the reference, and the requirement that each is judged under."""


@pytest.fixture
def known_replay(certified: Certified) -> Iterator[None]:
    """Quick runs can be certified, and the replay of the honest recording is known."""
    with quick_runs(), one_replay(certified):
        yield


@pytest.mark.usefixtures("known_replay")
def test_a_certificate_that_both_judges_agree_on_is_verified(
    certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says how many requirements it has judged, and names all others."""
    file = str(certified.write(tmp_path / "honest.zip"))
    assert main(["verify", "--second", file]) == 0
    shown = capsys.readouterr().out
    assert "SECOND JUDGE: it judged 61 requirements, and agrees with the certificate" in shown
    assert "tools/data" in shown.partition("not judged by it: ")[2]

    assert main(["verify", "--second", "--json", file]) == 0
    second = json.loads(capsys.readouterr().out)["second"]
    assert set(second["verdicts"].values()) == {"pass"}
    assert second["differences"] == []
    assert second["verdicts"].keys() & set(second["notJudged"]) == set()


@pytest.mark.usefixtures("known_replay")
def test_a_certificate_that_the_second_judge_contradicts_is_rejected(
    certified: Certified,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The list of differences is shown, and no registrar signs a summary of it."""
    sentence = "read/parent: the certificate says pass, the second judge finds fail at x#1: no"
    found = opinion.Opinion({"read/parent": "fail"}, (), (sentence,))
    monkeypatch.setattr(opinion, "of", lambda *_: found)
    file, summary = str(certified.write(tmp_path / "honest.zip")), tmp_path / "summary.json"
    key = str(certified.key)
    assert main(["verify", "--second", "--countersign", key, str(summary), file]) == 1
    shown = capsys.readouterr().out
    assert f"REJECTED:\n  {sentence}\n" in shown
    assert "SECOND JUDGE: it judged 1 requirement, and differs from the certificate" in shown
    assert not summary.exists()


@pytest.mark.usefixtures("known_replay")
def test_a_certificate_that_is_not_recomputed_is_not_judged_again(
    certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing bounds what a stranger has added to a recording that no replay needs."""
    run = {**Evidence(certified.evidence).run, "source": "0" * 64}
    files = {**certified.evidence, "run.json": strict_json.written(run)}
    found = issuing.sealed(Evidence(files), certified.signer)
    bundle.write(tmp_path / "other.zip", replace(found))
    assert main(["verify", "--second", str(tmp_path / "other.zip")]) == 1
    assert "NOT JUDGED AGAIN" in capsys.readouterr().out


@pytest.mark.parametrize("ids", VARIANTS, ids=["eight", "four"])
def test_the_second_judge_fails_no_variant(ids: tuple[str, ...], tmp_path: Path) -> None:
    """What the contract leaves open is left alone."""
    run = second_opinions.run(blend.edits(tuple(BY_ID[id] for id in ids)), tmp_path)
    assert "fail" not in run.opinion.verdicts.values()
    assert run.opinion.differences == ()


@pytest.mark.parametrize(("id", "requirement"), MUTANTS.items(), ids=MUTANTS)
def test_both_judges_fail_a_mutant(id: str, requirement: str, tmp_path: Path) -> None:
    """They name the same requirement."""
    run = second_opinions.run(BY_ID[id].edits, tmp_path, [requirement])
    assert run.verdicts[requirement] == "fail"
    assert run.opinion.verdicts[requirement] == "fail"
    assert run.opinion.differences == ()
