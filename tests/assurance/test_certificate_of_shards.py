"""Certificates of merged shards: each shard is replayed, and whatever is moved or altered shows."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from certified import Edit, Files, edited, unpacked
from sample_reports import an_exchange
from securesystemslib.signer import CryptoSigner

from conformance.__main__ import main
from conformance.assurance.certificate import (
    bundle,
    dsse,
    eligibility,
    issuing,
    recomputation,
    shards,
)
from conformance.assurance.certificate.bundle import Bundle, BundleProblem
from conformance.assurance.certificate.evidence import Evidence, Malformed
from conformance.assurance.certificate.recomputation import Recomputed
from conformance.assurance.certificate.verification import verify
from conformance.contract import requirements, revisions
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT, USAGE_ERROR
from conformance.report import kept_shards
from conformance.runner import merging, pytest_run

CLASSES = ("approval", "description")
PERFORM = recomputation.perform
COUNTED = {id: entry.conformance_class in CLASSES for id, entry in requirements.load().items()}
REVISION = replace(
    revisions.latest(),
    depths=("standard",),
    levels={id: level for id, level in revisions.latest().levels.items() if COUNTED[id]},
)
"""A revision of two classes, as if it accepted quick runs."""


@dataclass(frozen=True)
class Merged:
    """A folder of two shards and their merged report, its certificate."""

    folder: Path
    signer: CryptoSigner
    honest: Bundle


@contextmanager
def two_classes() -> Iterator[None]:
    """Accept quick runs of two classes in certificates."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(revisions, "load", lambda _name: REVISION)
        patch.setattr(revisions, "latest", lambda: REVISION)
        patch.setattr(eligibility, "CLASSES", CLASSES)
        yield


@contextmanager
def known_replays(folder: Path) -> Iterator[None]:
    """Replay each recording once: later ones get the files and the result of the first."""
    found: dict[bytes, tuple[Path, Recomputed]] = {}

    def perform(evidence: Evidence, directory: Path, _watching: object = ()) -> Recomputed:
        content = evidence.files["exchanges.jsonl"]
        if content not in found:
            kept = folder / str(len(found))
            found[content] = kept, PERFORM(evidence, kept)
        shutil.copytree(found[content][0], directory, dirs_exist_ok=True)
        return found[content][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recomputation, "perform", perform)
        yield


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Merged]:
    """Two shards of a quick run on the reference, divided by given durations, and certified."""
    folder = tmp_path_factory.mktemp("shards")
    options = [*pytest_run.options(folder / "1", "standard", 1, CLASSES), "--report=badge"]
    earlier = an_exchange(item="description::test_it_is_published", started=0.0, elapsed=3.5)
    (folder / "exchanges.jsonl").write_bytes(orjson.dumps(earlier) + b"\n")
    options.append(f"--durations-from={folder}")
    for number in "12":
        options[0] = f"--conformance-report-dir={folder / number}"
        assert pytest_run.execute([*options, f"--shard={number}/2"]) == CONFORMANT
    named = [str(folder / number) for number in "12"]
    assert main(["merge", *named, "--report-dir", str(folder / "out")]) == CONFORMANT
    signer = CryptoSigner.generate_ed25519()
    with two_classes(), known_replays(folder / "replays"):
        honest = issuing.issued(folder / "out", REVISION, signer)
        yield Merged(folder, signer, honest)


def of_shard(number: int, file: str, change: Callable[[Any], object]) -> Edit:
    """An edit of a JSON file of a shard."""
    return edited(kept_shards.name(number, file), change)


def both(number: int, change: Callable[[Any], object]) -> Edit:
    """The same edit of run.json and of the report of a shard, so that they agree."""

    def edit(files: Files) -> None:
        for file in ("run.json", "report.json"):
            of_shard(number, file, change)(files)

    return edit


def whole(change: Callable[[Any], object]) -> Edit:
    """The same edit of run.json and of the report of the merged run."""

    def edit(files: Files) -> None:
        for file in ("run.json", "report.json"):
            edited(file, change)(files)

    return edit


def without(*numbers: int) -> Edit:
    """Leave the files of shards out."""

    def edit(files: Files) -> None:
        for number in numbers:
            for file in kept_shards.FILES:
                del files[kept_shards.name(number, file)]

    return edit


def twice(files: Files) -> None:
    """Put the first shard in the place of the second one."""
    for file in kept_shards.FILES:
        files[kept_shards.name(2, file)] = files[kept_shards.name(1, file)]


def swapped(files: Files) -> None:
    """Exchange the two shards."""
    for file in kept_shards.FILES:
        one, other = (kept_shards.name(number, file) for number in (1, 2))
        files[one], files[other] = files[other], files[one]


def one_alone(files: Files) -> None:
    """Leave the second shard out, and claim that there was one only."""
    without(2)(files)
    whole(lambda run: run["suite"].update(shards={"of": 1, "merged": [1]}))(files)


def merged_log(files: Files) -> None:
    """Leave an exchange out of the log of the merged run."""
    files["exchanges.jsonl"] = files["exchanges.jsonl"].partition(b"\n")[2]


def failed(report: Any) -> None:
    """A failure in the report of a shard."""
    report["requirements"][0].update(verdict="fail")


def dearer(entry: Any) -> None:
    """Other durations than those that divided the checks."""
    entry["durations"]["approval::test_a"] = 9.0


STATIC: dict[str, tuple[Edit, str]] = {
    "a shard that is left out": (without(2), "merged from 2 shards, and the evidence has 1"),
    "a first shard that is left out": (without(1), "merged from 2 shards, and the evidence has 2"),
    "no shard at all": (without(1, 2), "merged from 2 shards, and the evidence has none"),
    "one shard as all": (one_alone, "shard 1: its run was shard 1 of 2, not 1 of 1"),
    "a shard that is there twice": (twice, "shard 2: its run was shard 1 of 2, not 2 of 2"),
    "shards in another order": (swapped, "shard 1: its run was shard 2 of 2, not 1 of 2"),
    "a single run with shards beside it": (
        whole(lambda run: run["suite"].pop("shards")),
        "merged from 0 shards, and the evidence has 1, 2",
    ),
    "a shard with another seed": (
        both(2, lambda run: run["suite"].update(seed=2)),
        "shards 1 and 2 have a different seed",
    ),
    "a shard of another target": (
        of_shard(2, "target.json", lambda target: target.update({"base-url": "http://b.example"})),
        "shards 1 and 2 have a different target",
    ),
    "a shard with other consents": (
        of_shard(2, "target.json", lambda target: target["consent"].update(fuzz_writes=False)),
        "shards 1 and 2 have a different profile",
    ),
    "a shard of another plan": (
        both(2, lambda run: run["suite"]["shard"].update(plan="0" * 64)),
        "shards 1 and 2 have a different durations",
    ),
    "a shard that was resumed": (
        both(2, lambda run: run["suite"].update(resumed=["2026-01-01T00:00:00+00:00"])),
        "shard 2: the run was resumed",
    ),
    "a shard that was interrupted": (
        of_shard(2, "report.json", lambda report: report.update(interrupted=True)),
        "shard 2: the run was interrupted",
    ),
    "a shard of several processes": (
        both(2, lambda run: run["suite"].update(workers=2)),
        "shard 2: the run used several processes",
    ),
    "a failure that the merged report hides": (
        of_shard(2, "report.json", failed),
        "failed in it, and not in the merged report",
    ),
    "a shard that ended before its last response": (
        both(1, lambda run: run.update(duration=0.001)),
        "s after the start of a run of 0.001 s",
    ),
}

RECOMPUTED: dict[str, tuple[list[Edit], list[str]]] = {
    "the report of a shard": (
        [of_shard(2, "report.json", lambda report: report["exchanges"].update(count=1))],
        ["shard 2: /exchanges/count is 1, and the evidence says"],
    ),
    "durations": (
        [of_shard(number, "run.json", dearer) for number in (1, 2)],
        ["run.json/durations/approval::test_a is missing"],
    ),
    "what surrounds the merged report": (
        [
            whole(lambda run: run.update(started="2026-01-01T00:00:00+00:00")),
            whole(lambda run: run.update(duration=run["duration"] + 60)),
            edited("target.json", lambda target: target["consent"].update(fuzz_writes=False)),
            merged_log,
        ],
        [
            'run.json/started is "2026-01-01T00:00:00+00:00", and the evidence says',
            "run.json/duration is ",
            "target.json/consent/fuzz_writes is false, and the evidence says true",
            "exchanges.jsonl is not what the exchanges of the shards merge into",
        ],
    ),
    "the merged report": (
        [
            edited("report.json", lambda report: report["counts"]["must"].update({"pass": 500})),
            edited("report.json", lambda report: report["ledger"].pop()),
        ],
        ["/counts/must/pass is 500", "/ledger is ["],
    ),
}


def test_merged_shards_are_certified_and_verified(
    merged: Merged, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the commands; the statement names the shards, and says when each was performed."""
    dsse.generate(tmp_path / "key")
    file = tmp_path / "certificate.zip"
    words = ["--report-dir", str(merged.folder / "out"), "--key", str(tmp_path / "key"), str(file)]

    assert main(["certify", *words]) == CONFORMANT, capsys.readouterr().out
    assert main(["verify", str(file)]) == CONFORMANT
    said = capsys.readouterr().out
    assert "VERIFIED" in said
    assert "merged from 2 shards" in said
    stated = dsse.claims(bundle.read(file).envelope)["shards"]
    assert [each["number"] for each in stated] == [1, 2]
    report = json.loads((merged.folder / "2" / "report.json").read_bytes())
    assert stated[1]["exchanges"] == report["exchanges"]["count"]
    assert stated[1]["started"] == report["started"]


@pytest.mark.parametrize(("edit", "expected"), [*STATIC.values()], ids=STATIC)
def test_shards_that_are_not_those_of_one_run_are_rejected(
    edit: Edit, expected: str, merged: Merged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is replayed."""
    files = dict(merged.honest.evidence)
    edit(files)
    problems = list(shards.problems(Evidence(files)))
    assert any(expected in problem for problem in problems), problems


@pytest.mark.parametrize(("edits", "expected"), [*RECOMPUTED.values()], ids=RECOMPUTED)
def test_what_the_shards_do_not_merge_into_is_rejected(
    edits: list[Edit], expected: list[str], merged: Merged
) -> None:
    """Whatever the signer has altered, the replayed shards merge into something else."""
    files = dict(merged.honest.evidence)
    for edit in edits:
        edit(files)
    problems = verify(issuing.sealed(Evidence(files), merged.signer), None).problems
    for each in expected:
        assert any(each in problem for problem in problems), problems


def test_what_is_wrong_with_a_shard_rejects_the_certificate(
    merged: Merged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the signer has signed it again, and before anything is replayed."""
    monkeypatch.setattr(shards, "replay", None)
    files = dict(merged.honest.evidence)
    both(2, lambda run: run["suite"].update(seed=2))(files)
    found = verify(issuing.sealed(Evidence(files), merged.signer), None)
    assert found.problems == ("shards 1 and 2 have a different seed",)

    of_shard(2, "run.json", lambda run: run.update(award="gold"))(files)
    with pytest.raises(Malformed, match=r"shard 2: run\.json is malformed: Additional"):
        Evidence(files).check()
    files = dict(merged.honest.evidence)
    of_shard(2, "report.json", lambda report: report.update(format="gold"))(files)
    with pytest.raises(Malformed, match=r"shard 2: report\.json is malformed: "):
        Evidence(files).validate()


def test_an_exchange_of_another_shard_is_rejected(merged: Merged) -> None:
    """No check of this one has sent it."""
    one, other = (merged.honest.evidence[kept_shards.name(k, "exchanges.jsonl")] for k in (1, 2))
    line = next(line for line in reversed(one.splitlines(keepends=True)) if b"::test_" in line)
    files = {**merged.honest.evidence, kept_shards.name(2, "exchanges.jsonl"): other + line}
    shard = Evidence(files).shards[2]
    problems = list(recomputation.differences(shard, recomputation.replay(shard)))
    assert problems[0] == f"1 recorded exchanges belong to no check: {json.loads(line)['id']}"


def test_shards_that_do_not_merge_are_rejected(
    merged: Merged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `conformance merge` rejects them, such as two that have performed the same check."""
    monkeypatch.setattr(
        merging, "_doubles", lambda _: iter(["shards 1 and 2 have both performed x"])
    )
    assert verify(merged.honest, None).problems == (
        "the shards do not merge: shards 1 and 2 have both performed x",
    )


def test_a_later_suite_replays_the_merged_run_as_a_whole(
    merged: Merged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may divide the checks in another way, and miss some requests then; nothing fails."""
    monkeypatch.setattr("conformance.report.source.digest", lambda: "another")

    assert verify(merged.honest, None).is_other_suite
    again = verify(merged.honest, None, current=True)
    assert (again.problems, again.now) == ((), "conformant")
    assert not any(change.endswith("is fail") for change in again.changes)


def test_a_certificate_with_a_part_of_a_shard_is_not_read(merged: Merged, tmp_path: Path) -> None:
    """Each shard has all its files, and no others; together they have a bounded size."""
    path = tmp_path / "certificate.zip"
    for name, problem in (
        (kept_shards.name(2, "run.json"), "instead of"),
        (kept_shards.name(1, "report.json"), "instead of"),
    ):
        files = {key: each for key, each in merged.honest.evidence.items() if key != name}
        bundle.write(path, replace(merged.honest, evidence=files))
        with pytest.raises(BundleProblem, match=problem):
            bundle.read(path)
    bundle.write(path, merged.honest)
    assert bundle.read(path) == merged.honest
    assert [*unpacked(path)][-3] == kept_shards.name(2, "run.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundle, "MOST_OF_SHARDS", 1000)
        with pytest.raises(BundleProblem, match="unpacks to more than 1000 bytes of shards"):
            bundle.read(path)


def test_a_merged_report_without_its_shards_is_not_certified(
    merged: Merged, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says what to do; nor is one shard certified, or one that a merge would overwrite."""
    dsse.generate(tmp_path / "key")
    words = ["--key", str(tmp_path / "key"), str(tmp_path / "certificate.zip")]
    shutil.copytree(merged.folder / "out", tmp_path / "out")
    inside = tmp_path / "out" / kept_shards.FOLDER
    named = [str(inside / number) for number in "12"]

    assert main(["merge", *named, "--report-dir", str(tmp_path / "out")]) == USAGE_ERROR
    assert "holds the shards; name another folder" in capsys.readouterr().err
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_shards, "MOST", 1)
        assert main(["certify", "--report-dir", str(tmp_path / "out"), *words]) == NON_CONFORMANT
        assert "a certificate has 1 shards at most" in capsys.readouterr().out
    shutil.rmtree(inside / "2")
    assert main(["certify", "--report-dir", str(tmp_path / "out"), *words]) == NON_CONFORMANT
    assert "2 is missing: merge the shards again" in capsys.readouterr().out
    assert main(["certify", "--report-dir", str(merged.folder / "1"), *words]) == NON_CONFORMANT
    assert "the report is that of a shard: merge it with the others" in capsys.readouterr().out
