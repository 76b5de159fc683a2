"""`conformance run --db`: a single run in the memory of a fleet."""

import sys
from pathlib import Path

import pytest
from process import conformance

from conformance.__main__ import main
from conformance.fleet.memory import database, reading


def test_a_single_run_is_added_to_the_memory(tmp_path: Path) -> None:
    """Report, evidence and verdicts are stored under the name of the target."""
    options = ("--class", "limits", "--report", "badge", "--name", "eu")
    ended = conformance(tmp_path, "run", *options, "--db", "fleet.db")

    assert (ended.returncode, ended.stderr) == (0, "")
    memory = database.open_memory(str(tmp_path / "fleet.db"), is_new=False)
    with memory.reading() as connection:
        (run,) = reading.history(connection, "eu")
        names = set(reading.files(connection, run.id))
        verdicts = {each.requirement for each in reading.verdicts(connection, run.id)}
    memory.close()
    assert (run.campaign, run.outcome, run.complete) == (None, "conformant", True)
    assert names == {"report.json", "exchanges.jsonl", "target.json", "run.json"}
    assert "limits/body" in verdicts


def test_a_wrong_memory_is_reported_before_the_first_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A usage error, and no report."""
    monkeypatch.chdir(tmp_path)

    assert main(["run", "--db", "mysql://host/name"]) == 4
    assert "error: --db mysql: neither SQLite nor PostgreSQL" in capsys.readouterr().err
    assert not list(tmp_path.glob("reports/latest/*"))


def test_without_the_extra_the_option_names_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever installed the plain package learns what to install."""
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)

    with pytest.raises(SystemExit):
        main(["run", "--db", "fleet.db"])

    assert "needs the extra `fleet`: pip install" in capsys.readouterr().err
