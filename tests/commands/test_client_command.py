"""`conformance client` on a client that keeps the contract, on faulty ones and on unusual ones."""

import fcntl
import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import pytest

from conformance.__main__ import main
from conformance.assurance.clients import edited
from conformance.assurance.clients.edited import EditedClient
from conformance.contract import import_path, requirements
from conformance.contract.verdict import Verdict

Report = dict[str, Any]
ORIGINAL = Path(str(edited.ORIGINAL))
MUTANTS, VARIANTS = edited.mutants(), edited.variants()


def report_of(client: Path, folder: Path, *scenarios: str) -> tuple[int, Report]:
    """The exit code, and the report, of a client in some scenarios; in all where none is named."""
    chosen = [f"--scenario={','.join(scenarios)}"] if scenarios else []
    options = [f"--report-dir={folder / 'report'}", "--json", *chosen]
    code = main(["client", *options, "--", sys.executable, str(client)])
    return code, json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))


def with_verdict(report: Report, verdict: Verdict) -> set[str]:
    """The requirements with a verdict."""
    return {each["id"] for each in report["requirements"] if each["verdict"] == verdict}


def written(client: EditedClient, folder: Path) -> Path:
    """The file of a client."""
    path = folder / "client.py"
    path.write_text(client.source, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Report]:
    """The right client in all scenarios."""
    return report_of(ORIGINAL, tmp_path_factory.mktemp("whole"))


def test_a_right_client_passes_every_duty(whole: tuple[int, Report]) -> None:
    """Every duty is exercised by the scenarios together; no requirement on a target is there."""
    code, report = whole
    checked = [each.id for each in requirements.of_client().values() if each.is_checked]
    assert (code, report["verdict"]) == (0, "conformant")
    assert with_verdict(report, Verdict.PASS) == set(checked)
    assert [each["id"] for each in report["requirements"]] == list(requirements.of_client())
    assert report["coverage"]["requirements"] == len(checked)


def test_how_a_client_ends_is_observed(whole: tuple[int, Report]) -> None:
    """Nothing says what a client does after 401: this one gives up, and that is no fault."""
    _, report = whole
    seen = {(each["id"], each["subject"]): each["values"] for each in report["observations"]}
    assert seen["client/ending", "plain"] == ["exit code 0"]
    assert seen["client/ending", "expired-token"] == ["exit code 1"]
    assert seen["client/after-401", "primary by bearer"] == ["0 further requests rejected"]


@pytest.mark.parametrize("client", MUTANTS, ids=str)
def test_a_faulty_client_fails_exactly_its_duty(client: EditedClient, tmp_path: Path) -> None:
    """What it fails is what its fault violates, and the evidence is there."""
    _, report = report_of(written(client, tmp_path), tmp_path, client.scenario)
    assert with_verdict(report, Verdict.FAIL) == client.breaks
    failed = [each for each in report["requirements"] if each["id"] in client.breaks]
    assert all(finding["exchanges"] for each in failed for finding in each["findings"][:1])


@pytest.mark.parametrize("client", VARIANTS, ids=str)
def test_an_unusual_client_passes(client: EditedClient, tmp_path: Path) -> None:
    """What it does is allowed, and was exercised."""
    _, report = report_of(written(client, tmp_path), tmp_path, client.scenario)
    assert with_verdict(report, Verdict.FAIL) == set()
    assert with_verdict(report, Verdict.PASS) >= client.concerns


def test_every_duty_has_a_mutant_and_a_variant() -> None:
    """A check that cannot fail, or that fails whoever is right, is none."""
    checked = {each.id for each in requirements.of_client().values() if each.is_checked}
    assert set().union(*(each.breaks for each in MUTANTS)) == checked
    assert set().union(*(each.concerns for each in VARIANTS)) == checked


def test_no_secret_of_a_client_is_in_its_report(tmp_path: Path) -> None:
    """Not even that which the client has put into its URLs."""
    (faulty,) = (each for each in MUTANTS if each.id == "client-shows-its-key-in-urls")
    _, report = report_of(written(faulty, tmp_path), tmp_path, faulty.scenario)
    files = (tmp_path / "report").iterdir()
    texts = [path.read_text(encoding="utf-8") for path in files]
    assert "$PRIMARY_API_KEY" in json.dumps(report)
    assert not any("key_" in text or "token_" in text for text in texts if "PRIMARY" not in text)


def test_a_client_imports_what_is_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What keeps processes of this package from a folder of others is not passed on to it."""
    monkeypatch.setenv(import_path.VARIABLE, import_path.OURS)
    (tmp_path / "beside.py").write_text("", encoding="utf-8")
    client = tmp_path / "client.py"
    client.write_text("import beside", encoding="utf-8")
    _, report = report_of(client, tmp_path, "plain")
    ends = [each["values"] for each in report["observations"] if each["id"] == "client/ending"]
    assert ends == [["exit code 0"]]


def test_a_client_that_sends_nothing_is_not_conformant(tmp_path: Path) -> None:
    """Nothing was checked, which is not green."""
    idle = tmp_path / "idle.py"
    idle.write_text("", encoding="utf-8")
    code, report = report_of(idle, tmp_path, "plain")
    assert (code, report["verdict"]) == (5, "inconclusive")
    assert report["exchanges"]["count"] == 0


def test_a_client_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    """With all that it has sent until then."""
    endless = tmp_path / "endless.py"
    endless.write_text("import time\nwhile True: time.sleep(60)\n", encoding="utf-8")
    options = [f"--report-dir={tmp_path / 'r'}", "--timeout=0.3", "--scenario=plain", "--json"]
    main(["client", *options, "--", sys.executable, str(endless)])
    report = json.loads((tmp_path / "r" / "report.json").read_text(encoding="utf-8"))
    assert report["observations"][0]["values"] == ["was stopped after 0.3 s"]


LEAVING = """
import fcntl, os, pathlib, signal, time
path = pathlib.Path(__file__).with_name("held")
path.touch()
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    fcntl.flock(os.open(path, os.O_RDWR), fcntl.LOCK_EX)
    path.write_text("held")
    time.sleep(60)
while not path.read_text():
    time.sleep(0.01)
"""
"""Ends, and leaves a process behind that holds a lock, and ignores what asks it to end."""


def test_what_a_client_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    """Also where it ignores SIGTERM, and the client itself has ended."""
    (tmp_path / "leaving.py").write_text(LEAVING, encoding="utf-8")
    options = [f"--report-dir={tmp_path / 'r'}", "--scenario=plain", "--json"]
    main(["client", *options, "--", sys.executable, str(tmp_path / "leaving.py")])
    with (tmp_path / "held").open() as held:
        assert held.read() == "held"
        assert is_free(held)


def is_free(file: IO[str]) -> bool:
    """Whether nobody holds the lock: what is killed gives it back, at once or a little later."""
    for _ in range(200):
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(0.05)
    return False


WAITING = """
import contextlib, os, pathlib, socket, urllib.parse, urllib.request
base_url = os.environ["LOCALIZATION_BASE_URL"]
with contextlib.suppress(OSError):
    urllib.request.urlopen(f"{base_url}/account", timeout=9)
seen = pathlib.Path(__file__).with_name("seen")
if seen.exists():
    server = urllib.parse.urlsplit(base_url)
    with socket.create_connection((server.hostname, server.port)) as open_until_it_ends:
        print("waiting", flush=True)
        open_until_it_ends.recv(1)
seen.touch()
"""
"""Sends a request without a credential; in the second scenario it then waits for the server's end,
so that nothing of it is left behind a run that is killed."""


def ended_by(number: signal.Signals, folder: Path) -> Path:
    """The report folder of a run whose client waits in the second scenario, until a signal."""
    client = folder / "client.py"
    client.write_text(WAITING, encoding="utf-8")
    options = [f"--report-dir={folder / 'report'}", "--scenario=plain,small-pages"]
    command = [sys.executable, "-m", "conformance", "client", *options, "--", sys.executable]
    with subprocess.Popen(
        [*command, str(client)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        assert "waiting\n" in running.stderr  # what the client prints; reads up to that line
        running.send_signal(number)
        running.communicate(timeout=60)
    return folder / "report"


def test_what_was_sent_before_sigterm_is_in_the_report(tmp_path: Path) -> None:
    """That of the scenario that was interrupted as well."""
    folder = ended_by(signal.SIGTERM, tmp_path)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    seen = {(each["id"], each["subject"]): each["values"] for each in report["observations"]}
    assert report["interrupted"]
    assert report["exchanges"]["count"] == 2
    assert seen["client/ending", "small-pages"] == ["was interrupted"]


def test_the_scenarios_that_ended_before_sigkill_are_reported(tmp_path: Path) -> None:
    """`conformance report` reads what the killed run has left."""
    folder = ended_by(signal.SIGKILL, tmp_path)
    assert main(["report", str(folder)]) == 2
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert [each["id"] for each in report["requirements"]] == list(requirements.of_client())
    assert report["interrupted"]
    assert report["exchanges"]["count"] == 1


def test_requests_of_somebody_else_are_not_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command that judges them again is named."""
    faulty = next(each for each in MUTANTS if each.id == "client-shows-its-key-in-urls")
    report_of(written(faulty, tmp_path), tmp_path, faulty.scenario)
    assert main(["replay", str(tmp_path / "report"), "--reference"]) == 4
    assert "run `conformance client -- COMMAND`" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--", "no-such-client"], "cannot start 'no-such-client': no such program"),
        (["--scenario=rain", "--", "true"], "unknown scenario 'rain'; the scenarios are plain, "),
        ([], "the following arguments are required: COMMAND"),
    ],
)
def test_bad_input_ends_before_the_client_begins(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says what is wrong, and what would be right."""
    try:
        code = main(["client", *arguments])
    except SystemExit as end:
        code = int(str(end.code))
    assert code == 4
    assert problem in capsys.readouterr().err
