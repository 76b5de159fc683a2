"""Runs in shards: which checks each performs, and that they merge into one run."""

import json
import shlex
import shutil
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from test_plugin import report_of

from conformance.__main__ import main
from conformance.commands.command_line import parser
from conformance.contract import files
from conformance.contract.exit_codes import CONFORMANT, INTERRUPTED, USAGE_ERROR
from conformance.contract.verdict import Verdict
from conformance.http.exchange import FACT
from conformance.http.network import Network
from conformance.report import artefacts
from conformance.runner import durations, examination, partition, pytest_run, shard
from conformance.runner.collection import SUITE
from conformance.runner.examination import Subject
from conformance.runner.scheduling import paginates, spends
from conformance.runner.shard import Shard
from conformance.target.profile import parse

CLASSES = ("pagination", "approval")
EVERYTHING = ",".join(artefacts.FORMATS)
LOOKING_BACK = "fact::former-way["
"""What depends on what a process has read."""


def performed(directory: Path, *options: str) -> int:
    """The exit code of a quick run on the reference."""
    chosen = [*pytest_run.options(directory, "standard", 1, CLASSES), "--report=badge", *options]
    return pytest_run.execute(chosen)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a whole run, the three shards of the same one, and what they merge into."""
    whole = tmp_path_factory.mktemp("shards")
    assert performed(whole / "whole") == CONFORMANT
    for number in (1, 2, 3):
        assert performed(whole / str(number), f"--shard={number}/3") == CONFORMANT
    arguments = [str(whole / name) for name in ("3", "1", "2")]
    out = ["--report-dir", str(whole / "merged"), "--report", EVERYTHING]
    assert main(["merge", *arguments, *out]) == CONFORMANT
    return whole


@pytest.fixture
def shards(folder: Path, tmp_path: Path) -> Path:
    """Copies of the three shards, to alter."""
    for number in "123":
        shutil.copytree(folder / number, tmp_path / number)
    return tmp_path


def verdicts(report: dict[str, Any]) -> dict[str, Any]:
    """The verdicts of all requirements, by operation, with their coverage."""
    return {
        entry["id"]: (entry["verdict"], entry["operations"], entry["coverage"])
        for entry in report["requirements"]
    }


def approvals(report: dict[str, Any]) -> set[tuple[Any, ...]]:
    """What a run may have approved; with one key for two reviews at once, either is replayed."""
    return {tuple(entry.values()) for entry in report["ledger"]}


def lines(directory: Path) -> list[dict[str, Any]]:
    """The log of a run."""
    return list(map(json.loads, (directory / "exchanges.jsonl").read_text().splitlines()))


def merged(folder: Path, *arguments: str) -> int:
    """The exit code of a merge of folders below one."""
    named = [each if each.startswith("-") else str(folder / each) for each in arguments]
    return main(["merge", *named, "--report-dir", str(folder / "out"), "--report", "badge"])


def test_three_shards_merge_into_the_report_of_one_run(folder: Path) -> None:
    """Verdicts, coverage, counts, observations and approvals are those of the single run.

    Only what looks back has sent less: the shard with the approvals has read in fewer ways.
    """
    whole, found = report_of(folder / "whole"), report_of(folder / "merged")

    jsonschema.validate(found, files.document("report.schema.json"))
    assert verdicts(found) == verdicts(whole)
    assert verdicts(whole)["observe/races"][0] == Verdict.PASS
    same = ("verdict", "interrupted", "counts", "coverage", "unchecked", "gate", "target")
    assert {name: found[name] for name in same} == {name: whole[name] for name in same}
    counts = [
        report["exchanges"]["count"]
        - sum(LOOKING_BACK in line["id"] for line in lines(folder / name))
        for name, report in (("whole", whole), ("merged", found))
    ]
    assert counts[0] == counts[1]
    assert approvals(found) == approvals(whole) != set()
    assert len(found["ledger"]) == len(whole["ledger"])
    assert found["suite"]["shards"] == {"of": 3, "merged": [1, 2, 3]}
    assert {seen["subject"] for seen in found["observations"]} == {
        seen["subject"] for seen in whole["observations"]
    }


def test_each_exchange_keeps_its_name_and_a_fact_is_reported_once(folder: Path) -> None:
    """Several shards found the same facts; the log has each exchange of the single run once.

    A cursor that is used later is one of a list that a single run has read several times.
    """
    looking_back = (LOOKING_BACK, "fact::kept-cursor[")
    merged, whole = (
        Counter(
            line["id"]
            for line in lines(folder / name)
            if not any(each in line["id"] for each in looking_back)
        )
        for name in ("merged", "whole")
    )
    of_shards = Counter(line["id"] for number in "123" for line in lines(folder / number))

    assert merged == whole
    assert any(id.startswith(FACT) and number > 1 for id, number in of_shards.items())


def test_every_format_is_written(folder: Path) -> None:
    """All renderers work on a merged report."""
    names = {path.name for path in (folder / "merged").iterdir()}

    assert {each.file for each in artefacts.FORMATS.values()} <= names
    assert {"target.json", "run.json"} <= names


def test_only_one_shard_approves_reviews(folder: Path) -> None:
    """The ledgers of the others are empty."""
    spent = [bool(report_of(folder / number)["ledger"]) for number in "123"]

    assert sorted(spent) == [False, False, True]


def test_a_shard_leaves_the_decision_to_the_merge(folder: Path) -> None:
    """What a shard did not check may belong to another one: it counts as nothing failed."""
    report = report_of(folder / "1")

    assert report["verdict"] == "inconclusive"
    assert report["suite"]["shard"]["number"] == 1
    assert "only shards" not in (folder / "merged" / "summary.md").read_text()


@pytest.mark.parametrize(
    ("file", "edit", "said"),
    [
        ("shard.jsonl", ('"seed":1', '"seed":2'), "have a different seed: 1 and 2"),
        (
            "shard.jsonl",
            ('"depth":"standard"', '"depth":"deep"'),
            "different depth: standard and deep",
        ),
        ("shard.jsonl", ('"version":"', '"version":"9.'), "a different version of the suite"),
        ("run.json", ('"source": "', '"source": "0'), "a different build of the suite"),
        ("shard.jsonl", ('"plan":"', '"plan":"0'), "a different durations"),
        ("target.json", ("reference.invalid", "other.invalid"), "a different target: http://"),
        ("target.json", ('"approve_reviews": true', '"approve_reviews": false'), "profile"),
        ("report.json", ('"interrupted": false', '"interrupted": true'), "2: its run was stopped"),
    ],
)
def test_shards_of_different_runs_are_rejected(
    shards: Path, capsys: pytest.CaptureFixture[str], file: str, edit: tuple[str, str], said: str
) -> None:
    """The message names the folders and what differs; nothing is written."""
    path = shards / "2" / file
    text = path.read_text()
    path.write_text(text.replace(*edit, 1))

    assert edit[0] in text
    assert merged(shards, "1", "2", "3") == USAGE_ERROR
    assert said in capsys.readouterr().err
    assert not (shards / "out" / "report.json").exists()


def test_shards_of_another_build_are_rejected(
    shards: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may know other requirements, or write its records in another way."""
    for number in "123":
        path = shards / number / "run.json"
        path.write_text(path.read_text().replace('"source": "', '"source": "0', 1))

    assert merged(shards, "1", "2", "3") == USAGE_ERROR
    assert "made by another build of the suite; merge with that one" in capsys.readouterr().err


def test_missing_and_doubled_shards_are_named(
    shards: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The numbers of those that are missing, and the folders of those that are there twice."""
    shutil.copytree(shards / "1", shards / "again")

    assert merged(shards, "2") == USAGE_ERROR
    assert "shards 1, 3 of 3 missing" in capsys.readouterr().err
    assert merged(shards, "1", "2", "3", "again") == USAGE_ERROR
    assert "shard 1 is there twice" in capsys.readouterr().err
    assert merged(shards, "1", "again", "--partial") == USAGE_ERROR


def test_what_is_no_shard_is_named(
    shards: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A whole run, an empty folder, files of something else; or the output is an input."""
    (shards / "empty").mkdir()
    (shards / "3" / "run.json").write_text("[]")

    assert main(["merge", str(folder / "whole"), "--report-dir", str(shards / "out")]) == 4
    assert "not of a shard" in capsys.readouterr().err
    assert merged(shards, "1", "empty") == USAGE_ERROR
    assert "empty/report.json: No such file" in capsys.readouterr().err
    assert merged(shards, "1", "3") == USAGE_ERROR
    assert "3/run.json: not the options of a run: " in capsys.readouterr().err
    (shards / "2" / "run.json").unlink()
    assert merged(shards, "2") == USAGE_ERROR
    assert "run.json: No such file" in capsys.readouterr().err
    assert main(["merge", str(shards / "1"), "--report-dir", str(shards / "1")]) == USAGE_ERROR
    assert "is a shard" in capsys.readouterr().err
    (shards / "1" / "shard.jsonl").write_text("{}\n")
    assert merged(shards, "1") == USAGE_ERROR
    assert "not the journal of a run" in capsys.readouterr().err


def test_a_part_is_merged_where_that_is_asked_for(
    shards: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also that of a killed run; the report counts as interrupted, and says what it is of."""
    (shards / "3" / "shard.jsonl").rename(shards / "3" / "journal.jsonl")

    assert merged(shards, "1", "2", "3") == USAGE_ERROR
    assert "3: its run was killed, or is under way" in capsys.readouterr().err
    assert merged(shards, "1", "3", "--partial") == INTERRUPTED
    assert "only shards 1, 3 of 3" in capsys.readouterr().out
    report = report_of(shards / "out")
    assert (report["interrupted"], report["suite"]["shards"]["merged"]) == (True, [1, 3])
    assert merged(shards, "1", "3", "--partial", "--json") == INTERRUPTED
    assert json.loads(capsys.readouterr().out)["exit-code"] == INTERRUPTED


def test_shards_that_began_at_different_times_have_one_clock(shards: Path) -> None:
    """Times are seconds since the first one began; what was masked stays known."""
    path = shards / "2" / "shard.jsonl"
    head, *rest = path.read_text().splitlines(keepends=True)
    value = json.loads(head)
    began = value["about"]["started"]
    value["about"]["started"] = began.replace(began[:4], str(int(began[:4]) + 4))
    path.write_text("".join([json.dumps(value) + "\n", *rest]))
    report = shards / "3" / "report.json"
    masked = report.read_text().replace('"format": 1', '"format": 1, "masked": ["run.json"]', 1)
    report.write_text(masked)

    assert merged(shards, "1", "2", "3") == CONFORMANT

    late = [line for line in lines(shards / "out") if line["started"] > 3 * 365 * 86_400]
    assert 0 < len(late) < len(lines(shards / "out"))
    assert report_of(shards / "out")["duration"] > 3 * 365 * 86_400
    assert report_of(shards / "out")["masked"] == ["run.json"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1/1", Shard(1, 1)), ("2/3", Shard(2, 3)), ("index=0/3", Shard(1, 3))],
)
def test_a_shard_counts_from_one_and_an_index_from_zero(text: str, expected: Shard) -> None:
    """`index=` is for systems whose numbers begin at 0."""
    assert shard.parse(text) == expected
    assert shard.parse(str(expected)) == expected


@pytest.mark.parametrize(
    "text", ["0/3", "4/3", "index=3/3", "1/0", "1", "-1/3", "1/3/4", "²/3", ""]
)
def test_what_is_no_shard_is_a_usage_error(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The message shows both spellings."""
    with pytest.raises(SystemExit) as ended:
        main(["run", f"--shard={text}"])

    assert ended.value.code == USAGE_ERROR
    assert "write 2/3 for the second of three shards, or index=1/3" in capsys.readouterr().err


def test_the_memory_takes_no_shard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its verdict is that of a part."""
    arguments = ["run", "--shard", "1/2", "--db", str(tmp_path / "fleet.db")]

    assert main(arguments) == USAGE_ERROR
    assert "--db takes whole runs" in capsys.readouterr().err


def test_the_manifest_of_an_indexed_job_names_all_shards() -> None:
    """The command of each pod is understood, and the merge takes what they write."""
    path = Path(__file__).parents[2] / "examples" / "kubernetes" / "shards.yaml"
    _, shards, merge = yaml.safe_load_all(path.read_text())
    count = shards["spec"]["completions"]
    (container,) = shards["spec"]["template"]["spec"]["containers"]
    (merging,) = merge["spec"]["template"]["spec"]["containers"]

    for index in range(count):
        command = shlex.split(container["args"][0].replace("$JOB_COMPLETION_INDEX", str(index)))
        options = parser().parse_args(command[1:])
        assert options.shard == Shard(index + 1, count)
        assert str(options.report_dir) == merging["args"][1 + index]
    assert len(parser().parse_args(merging["args"]).folders) == count


def test_the_longest_parts_are_assigned_first() -> None:
    """Each goes to the shard that has least so far; equal ones in the order of their names."""
    loads = {"b": 2.0, "a": 2.0, "c": 5.0, "d": 1.0}

    assert partition.assigned(loads, 2) == {"c": 1, "a": 2, "b": 2, "d": 2}
    assert partition.assigned({}, 2) == {}


def test_a_second_is_shared_by_what_is_under_way() -> None:
    """Two requests at once count half a second each of it."""
    spans = [("a", 0.0, 2.0), ("b", 1.0, 2.0), ("a", 4.0, 5.0), ("c", 4.0, 5.0)]

    assert durations.shared(spans) == {"a": 2.0, "b": 0.5, "c": 0.5}


class Kept:
    """A plugin that stores what was kept and what was left out."""

    def __init__(self) -> None:
        self.kept: list[pytest.Item] = []
        self.left_out: list[pytest.Item] = []

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Store what was left out."""
        self.left_out += items

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the rest."""
        self.kept = list(session.items)


def collected(*options: str) -> Kept:
    """The checks that a process would perform."""
    found = Kept()
    arguments = ["-q", "-p", "no:cacheprovider", "--collect-only", str(SUITE), *options]
    assert pytest.main(arguments, [found]) == 0
    return found


def test_shards_are_disjoint_complete_and_balanced() -> None:
    """Approvals are together, and so are the checks of one list; the other loads are equal."""
    found = [collected(f"--conformance-shard={number}/3") for number in (1, 2, 3)]
    names = [{item.nodeid for item in each.kept} for each in found]
    everything = names[0] | {item.nodeid for item in found[0].left_out}

    assert sum(map(len, names)) == len(everything) == len(set.union(*names))
    assert [any(map(spends, part)) for part in names].count(True) == 1
    alone = [
        next(i for i, part in enumerate(names) if id in part)
        for id in sorted(everything)
        if paginates(id) and "[project_list" in id and not spends(id)
    ]
    assert len(set(alone)) == 1
    rest = [len(part) for part in names if not any(map(spends, part))]
    assert max(rest) < 2 * min(rest)


def test_recorded_durations_balance_shards(folder: Path) -> None:
    """The same log gives every process the same parts, other ones than those that are shipped."""
    options = ("--conformance-class=pagination", "--conformance-class=approval")
    known = f"--conformance-durations-from={folder / 'whole'}"
    first = collected("--conformance-shard=1/2", known, *options)
    again = collected("--conformance-shard=index=0/2", known, *options)

    assert [item.nodeid for item in first.kept] == [item.nodeid for item in again.kept]
    assert any(spends(item.nodeid) for item in [*first.kept, *first.left_out])
    assert durations.recorded(folder / "whole" / "report.json").keys() > {"approvals"}


def test_durations_without_a_log_or_without_a_shard_are_usage_errors(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The message names the option, the file and the reason."""
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "exchanges.jsonl").write_text('{"id": 1}\n')
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "exchanges.jsonl").write_text("")
    reasons = {
        "missing": "No such file or directory",
        "odd": "not the log of a run",
        "none": "no exchange of a check",
    }
    for name, reason in reasons.items():
        options = ("--shard=1/2", f"--durations-from={tmp_path / name}")
        assert performed(tmp_path / "out", *options) == USAGE_ERROR
        assert reason in capfd.readouterr().err
    assert performed(tmp_path / "out", f"--durations-from={folder / 'whole'}") == USAGE_ERROR
    assert "add --shard k/n" in capfd.readouterr().err


LIMITED = """
base-url = "http://127.0.0.1:9/v1"
[credentials.primary]
api-key = "key-0123456789"
[limits]
requests-per-second = 12
connections = 4
"""


def test_shards_share_the_rate_and_the_connections_of_the_profile() -> None:
    """They may run at the same time."""
    target = parse(tomllib.loads(LIMITED), source=None, environ={})
    session = examination.opened(Subject(target, Network()), 1, "quick", processes=2)

    assert (session.rate, session.connections) == (6, 2)
    session.close()


def test_more_shards_than_connections_are_a_usage_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The message says how many the profile allows, before the first request."""
    profile = tmp_path / "target.toml"
    profile.write_text(LIMITED)
    options = [f"--conformance-target={profile}", "--shard=1/5"]

    assert performed(tmp_path / "out", *options) == USAGE_ERROR
    assert (
        "5 shards send 5 requests at once, and limits.connections of the profile allows 4:"
        " use at most 4 processes altogether" in capfd.readouterr().err
    )
