"""The memory: what is stored of a report, in SQLite and PostgreSQL alike."""

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sample_reports import EVIL

from conformance.fleet.memory import blobs, database, reading, recording
from conformance.fleet.memory.database import Memory, MemoryProblem
from conformance.fleet.memory.recording import Ended, Unstorable
from conformance.fleet.memory.storable import DIGITS, REPLACEMENT
from conformance.report.document_types import Report

SAMPLE = Path(__file__).parents[3] / "reports" / "sample" / "mutant" / "report.json"
REVISION = "2026-12"


@pytest.fixture(scope="module")
def sample() -> Report:
    """The report of a reference with one changed line."""
    report: Report = json.loads(SAMPLE.read_bytes())
    return report


def _ended(report: Report, code: int = 1, revision: str = REVISION, **changes: Any) -> Ended:
    content = json.dumps({**report, **changes}).encode()
    return Ended(code, {"report.json": content}, revision, worker="here")


def _added(memory: Memory, ended: Ended, target: str = "eu") -> int:
    with memory.writing() as connection:
        return recording.add(connection, target, ended)


def test_a_stored_report_is_read_back_as_rows(memory: Memory, sample: Report) -> None:
    """Verdicts by requirement and operation, causes, observations and latencies are those of it."""
    number = _added(memory, _ended(sample))

    with memory.reading() as connection:
        verdicts = reading.verdicts(connection, number)
        causes = reading.causes(connection, number)
        observations = reading.observations(connection, number)
        latencies = reading.latencies(connection, number)
    found = {(each.requirement, each.operation): each.verdict for each in verdicts}
    assert found == {
        (entry["id"], operation): verdict
        for entry in sample["requirements"]
        for operation, verdict in {"": entry["verdict"], **entry["operations"]}.items()
    }
    failed = [each for each in verdicts if each.verdict == "fail"]
    assert {each.requirement for each in failed} == {"approval/stale-revision"}
    assert all("revision" in (each.message or "") for each in failed)
    assert [each.requirement for each in causes] == ["approval/stale-revision"]
    assert len(observations) == len(sample["observations"])
    assert latencies["account_get"].p95 == sample["latencies"]["account_get"]["p95"]


def test_a_run_has_the_head_of_its_report(memory: Memory, sample: Report) -> None:
    """Target, suite, revision, depth and duration are columns of the run."""
    number = _added(memory, _ended(sample))

    with memory.reading() as connection:
        run = reading.run(connection, number)
        assert run is not None
        assert run.suite is not None
        stated = reading.requirements(connection, run.suite)
        whole = reading.report(connection, number)
        assert reading.targets(connection) == ("eu",)
    assert (run.target, run.state, run.outcome) == ("eu", "done", "non-conformant")
    assert (run.verdict, run.revision, run.worker) == ("non-conformant", REVISION, "here")
    assert (run.depth, run.exchanges) == (sample["suite"]["depth"], sample["exchanges"]["count"])
    assert stated["approval/stale-revision"].conformance_class == "approval"
    assert whole == sample


def test_a_run_without_a_report_has_a_reason(memory: Memory) -> None:
    """An unreachable target is a run of the target, without a verdict."""
    number = _added(memory, Ended(4, reason="nothing responds"))

    with memory.reading() as connection:
        run = reading.run(connection, number)
        assert reading.report(connection, number) is None
        assert reading.verdicts(connection, number) == ()
        assert reading.run(connection, number + 1) is None
    assert run is not None
    assert (run.outcome, run.verdict, run.complete) == ("unreachable", None, False)
    assert run.reason == "nothing responds"


def test_equal_files_are_stored_once(memory: Memory) -> None:
    """Two runs with the same file share a blob, which goes with the last of them."""
    numbers = [_added(memory, Ended(0, {"a": b"same"})) for _ in range(2)]

    with memory.reading() as connection:
        digests = {reading.files(connection, number)["a"] for number in numbers}
        assert [reading.file(connection, number, "a") for number in numbers] == [b"same"] * 2
    assert len(digests) == 1
    for number in numbers:
        with memory.writing() as connection:
            recording.store(connection, number, Ended(3))
            blobs.sweep(connection)
    with memory.reading() as connection, pytest.raises(KeyError):
        blobs.get(connection, digests.pop())


def test_the_previous_run_is_complete_and_of_the_same_revision(
    memory: Memory, sample: Report
) -> None:
    """Runs of other targets and revisions, later ones and incomplete ones are passed over."""
    first = _added(memory, _ended(sample, started="2026-11-01T00:00:00+00:00"))
    _added(memory, _ended(sample, 5, started="2026-11-02T00:00:00+00:00"))
    _added(memory, _ended(sample, revision="2025-06", started="2026-11-03T00:00:00+00:00"))
    _added(memory, _ended(sample, started="2026-11-04T00:00:00+00:00"), "us")
    now = _added(memory, _ended(sample, started="2026-11-05T00:00:00+00:00"))
    _added(memory, _ended(sample, started="2026-11-06T00:00:00+00:00"))

    with memory.reading() as connection:
        run = reading.run(connection, now)
        assert run is not None
        before = reading.previous(connection, run)
        assert before is not None
        assert reading.previous(connection, before) is None
        assert len(reading.history(connection, "eu")) == 5
    assert before.id == first


def test_storing_twice_is_storing_once(memory: Memory, sample: Report) -> None:
    """A coordinator that does not know whether its commit arrived repeats it."""
    number = _added(memory, _ended(sample))
    with memory.writing() as connection:
        recording.store(connection, number, _ended(sample))

    with memory.reading() as connection:
        assert len(reading.latencies(connection, number)) == len(sample["latencies"])


def test_texts_of_a_hostile_target_can_be_stored(memory: Memory, sample: Report) -> None:
    """A null character is replaced in rows."""
    hostile: Any = [{"id": "x", "subject": EVIL, "values": [EVIL]}]
    number = _added(memory, _ended(sample, observations=hostile))

    with memory.reading() as connection:
        seen = reading.observations(connection, number)
    assert seen[0].values == [EVIL]
    assert seen[0].subject.startswith("</script>")
    assert "\0" not in seen[0].subject


NULL, SURROGATE, LONG = "\0Status", "\ud800Status", "Status" * 51
LOOKS_CHANGED = f"{REPLACEMENT}Status~{hashlib.sha256(NULL.encode()).hexdigest()[:DIGITS]}"
UNUSUAL = (NULL, f"{REPLACEMENT}Status", LOOKS_CHANGED, LONG, f"{LONG}x", "Status")


def test_keys_that_no_database_takes_stay_apart(memory: Memory, sample: Report) -> None:
    """Null characters, 306 letters, and what only looks as if it had been changed."""
    hostile = [{"id": "x", "subject": each, "values": [each]} for each in UNUSUAL]
    number = _added(memory, _ended(sample, observations=hostile))

    with memory.reading() as connection:
        seen = reading.observations(connection, number)
    assert {each.values[0] for each in seen} == set(UNUSUAL)
    assert {each.subject for each in seen if each.values[0] == each.subject} == {
        f"{REPLACEMENT}Status",
        "Status",
    }
    assert all(len(each.subject) <= 200 for each in seen)


@pytest.mark.parametrize("text", [NULL, SURROGATE, "x" * 10_000_000], ids=["null", "half", "long"])
def test_whatever_a_target_says_as_its_reason_is_stored(memory: Memory, text: str) -> None:
    """It is the end of its standard error."""
    number = _added(memory, Ended(3, reason=text))

    with memory.reading() as connection:
        run = reading.run(connection, number)
    assert run is not None
    assert run.reason is not None
    assert run.reason[-6:] == ("Status" if "Status" in text else "xxxxx…")


@pytest.mark.parametrize(
    "change", [{"duration": "long"}, {"started": "never"}, {"exchanges": {}}, {}]
)
def test_what_cannot_be_stored_says_why_and_changes_nothing(
    memory: Memory, sample: Report, change: dict[str, Any]
) -> None:
    """In a line; the transaction is undone."""
    report = json.dumps({**sample, **change} if change else {}).encode()
    with pytest.raises(Unstorable, match=r"^its result cannot be stored: [^\n]+\Z"):
        _added(memory, Ended(1, {"report.json": report}, REVISION))

    with memory.reading() as connection:
        assert reading.targets(connection) == ()


def test_a_memory_is_opened_again(url: str) -> None:
    """What one process has stored is there for the next one."""
    for _ in range(2):
        memory = database.open_memory(url)
        _added(memory, Ended(0))
        memory.close()

    memory = database.open_memory(url, is_new=False)
    with memory.reading() as connection:
        assert len(reading.history(connection, "eu")) == 2
    memory.close()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://host/name", "neither SQLite nor PostgreSQL"),
        ("sqlite://", "is a file"),
        ("://", "not a database URL"),
        ("sqlite:////no/such/folder/fleet.db", "unable to open"),
        ("postgresql+asyncio://host/name", "postgresql"),
        ("postgresql://user:hunter2secret@127.0.0.1:1/name", "refused"),
        ("postgresql://user@127.0.0.1:1/name?password=hunter2secret", "refused"),
        ("user:hunter2secret@127.0.0.1/name", "not a database URL"),
        ("postgresql:/user:hunter2secret@127.0.0.1/name", "not a database URL"),
        ("host=127.0.0.1 password=hunter2secret", "not a database URL"),
    ],
)
def test_a_wrong_url_is_explained_without_its_password(url: str, message: str) -> None:
    """One line says what is wrong; the password is not in it."""
    with pytest.raises(MemoryProblem, match=message) as problem:
        database.open_memory(url)

    assert "hunter2secret" not in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_memory_that_has_to_be_there_is_not_created(tmp_path: Path) -> None:
    """A worker on another host, without the file, creates none."""
    with pytest.raises(MemoryProblem, match="no such file"):
        database.open_memory(str(tmp_path / "fleet.db"), is_new=False)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_new", [True, False])
def test_a_file_of_another_program_is_left_alone(tmp_path: Path, *, is_new: bool) -> None:
    """A mistyped path adds no table to it, and changes no byte."""
    file = tmp_path / "places.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE run (visited)")
    connection.close()
    before = file.read_bytes()

    with pytest.raises(MemoryProblem, match=r"^[^\n]+: has tables of another program; [^\n]+\Z"):
        database.open_memory(str(file), is_new=is_new)

    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_a_memory_is_not_made_behind_a_link(tmp_path: Path) -> None:
    """A link in a clone would put the tables where it leads."""
    link, file = tmp_path / "fleet.db", tmp_path / "elsewhere.db"
    link.symlink_to(file)
    for _ in range(2):
        with pytest.raises(MemoryProblem, match=r"^[^\n]+: is a symbolic link; [^\n]+\Z"):
            database.open_memory(str(link))
        database.open_memory(str(file)).close()  # nor is one that is there opened by it


def test_a_memory_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    """An older package does not guess what newer tables mean."""
    file = tmp_path / "fleet.db"
    database.open_memory(str(file)).close()
    with sqlite3.connect(file) as connection:
        connection.execute("INSERT INTO memory VALUES (1000, 0)")
    connection.close()

    with pytest.raises(MemoryProblem, match="update the package"):
        database.open_memory(str(file))
