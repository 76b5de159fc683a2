"""`conformance fleet report`, `history` and `diff`."""

import json
from pathlib import Path

import fleet_memory
import pytest
from sqlalchemy import func, select, update

from conformance.__main__ import main
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT, USAGE_ERROR
from conformance.fleet.memory import reading, recording, tables
from conformance.fleet.memory.database import Memory
from conformance.fleet.memory.recording import Ended


def test_the_site_is_written(
    nights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The path of its first page is printed; a file in place of the folder is a usage error."""
    out = tmp_path / "site"

    assert main(["fleet", "report", "--db", nights, "--out", str(out)]) == CONFORMANT
    assert capsys.readouterr().out == f"site  {out / 'index.html'}\n"
    (tmp_path / "file").write_text("")
    assert main(["fleet", "report", "--db", nights, "--out", str(tmp_path / "file")]) == 4
    assert "--out" in capsys.readouterr().err


def test_the_history_of_a_target(nights: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What changed from run to run, and what fails or flaps now."""
    assert main(["fleet", "history", "us", "--db", nights, "--last", "2"]) == CONFORMANT

    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("2026")] == [
        "2026-11-07 02:00  non-conformant",
        "2026-11-08 02:00  non-conformant",
    ]
    assert "  broke           limits/body[review_approve]: a body of 16 MiB was accepted" in lines
    assert "  fixed           approval/replay[review_approve]" in lines
    assert "FAILS     read/success[project_get]  since 2026-11-05" in lines
    assert "FLAPPING  pagination/once[video_list]  fails in 4 of 8" in lines
    assert not any(line.startswith("FAILS     pagination/once") for line in lines)


def test_the_history_as_data(nights: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same, for programs; a run without a verdict has a reason, and no changes."""
    assert main(["fleet", "history", "asia", "--db", nights, "--json"]) == CONFORMANT

    document = json.loads(capsys.readouterr().out)
    assert len(document["runs"]) == 8
    assert {each["outcome"] for each in document["runs"]} == {"non-conformant", "unreachable"}
    lost = next(each for each in document["runs"] if each["outcome"] == "unreachable")
    assert (lost["changes"], "nothing responds" in lost["reason"]) == (None, True)
    ((failing),) = document["failing"]
    assert (failing["requirement"], failing["since"]["is_first"]) == ("read/counts", True)
    assert main(["fleet", "history", "asia", "--db", nights]) == CONFORMANT
    shown = capsys.readouterr().out
    assert "FAILS     read/counts  since 2026-11-01 or before" in shown
    assert "unreachable      nothing responds at https://asia" in shown


def test_two_campaigns_are_compared(nights: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By their names, or counted back from the last one; exit code 1 where something broke."""
    assert main(["fleet", "diff", "night-1", "night-3", "--db", nights]) == CONFORMANT
    assert capsys.readouterr().out == "asia  non-conformant, now unreachable\n"
    assert main(["fleet", "diff", "latest~1", "latest", "--db", nights]) == NON_CONFORMANT
    shown = capsys.readouterr().out
    assert "us\n  broke           limits/body[review_approve]" in shown
    assert main(["fleet", "diff", "latest", "latest", "--db", nights]) == CONFORMANT
    assert capsys.readouterr().out == "Nothing changed.\n"
    assert main(["fleet", "diff", "night-2", "night-3", "--db", nights, "--json"]) == CONFORMANT
    document = json.loads(capsys.readouterr().out)
    assert document["outcomes"] == [
        {"target": "asia", "before": "non-conformant", "now": "unreachable"}
    ]
    assert list(document["targets"]) == ["us"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["history", "nobody"], "no target 'nobody'; there are: asia, eu, us"),
        (["diff", "x", "latest"], "no campaign 'x'; the last ones are: night-6, night-7, night-8"),
        (["diff", "latest~x", "latest"], "no campaign 'latest~x'"),
        (["diff", "latest~8", "latest"], "no campaign 'latest~8'"),
    ],
)
def test_unknown_names_are_usage_errors(
    nights: str, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    """The message lists what there is."""
    assert main(["fleet", *arguments, "--db", nights]) == USAGE_ERROR
    assert said in capsys.readouterr().err


def test_a_memory_has_to_be_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No file is made; one that is no database is named."""
    missing, other = tmp_path / "fleet.db", tmp_path / "other.db"
    other.write_text("no database, but long enough to be taken for one of some kind" * 20)

    assert main(["fleet", "history", "us", "--db", f"sqlite:///{missing}"]) == USAGE_ERROR
    assert "no such file" in capsys.readouterr().err
    assert not missing.exists()
    assert main(["fleet", "history", "us", "--db", f"sqlite:///{other}"]) == USAGE_ERROR
    assert "--db" in capsys.readouterr().err


def test_the_files_of_old_runs_are_deleted_and_their_verdicts_kept(
    url: str, memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last run of each target keeps its files; a second time there is nothing to delete."""
    with memory.writing() as connection:
        for night in range(3):
            content = json.dumps(fleet_memory.report({}, night)).encode()
            recording.add(connection, "eu", Ended(0, {"report.json": content}, "2026-12"))
        connection.execute(update(tables.run).values(ended=tables.run.c.id * 86_400.0))
    with memory.reading() as connection:
        before = [reading.verdicts(connection, number) for number in (1, 2, 3)]

    assert main(["fleet", "prune", "--db", url, "--keep", "30d"]) == CONFORMANT
    assert "deleted the files of 2 runs: " in capsys.readouterr().out
    assert main(["fleet", "prune", "--db", url, "--keep", "30d"]) == CONFORMANT
    assert "deleted the files of 0 runs: 0 bytes" in capsys.readouterr().out
    with memory.reading() as connection:
        assert [bool(reading.files(connection, number)) for number in (1, 2, 3)] == [
            False,
            False,
            True,
        ]
        assert [reading.verdicts(connection, number) for number in (1, 2, 3)] == before
        assert connection.scalar(select(func.count()).select_from(tables.blob)) == 1


def test_days_to_keep_are_stated_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    """A number without its unit is a usage error."""
    with pytest.raises(SystemExit, match="4"):
        main(["fleet", "prune", "--keep", "90"])
    assert "'90' must be a number of days, such as 90d" in capsys.readouterr().err
