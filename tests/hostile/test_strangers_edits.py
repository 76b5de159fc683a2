"""Edits of somebody else run without network, secrets and files, after somebody has read them."""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from asked import answered
from barriers import accept
from process import COMMAND, conformance, surroundings

from conformance.assurance.selftest import confined, confinement, population
from conformance.assurance.selftest.matrix import MatrixError, Row
from conformance.commands.edits import barriers
from conformance.commands.outcome import UsageError

ID = "a-strangers-variant"
OLD = '"videoId": activity["video_id"],'


def variant(id: str, new: str) -> str:
    """A variant whose edit puts this in the place of a property of activities."""
    edits = f"[{{module = 'resources', old = {json.dumps(OLD)}, new = {json.dumps(new)}}}]"
    return f'[[variant]]\nid = "{id}"\nabout = "About."\nreading = "Words."\nedits = {edits}\n'


def running(code: str) -> str:
    """What replaces the property: it runs code whenever an activity is read."""
    return f'"videoId": [exec({code!r}, {{}}), activity["video_id"]][1],'


def appeal(folder: Path, code: str) -> Path:
    """The file of a stranger."""
    file = folder / "appeal.toml"
    file.write_text(variant(ID, running(code)))
    return file


TRIED = """
import ctypes, os, pathlib, socket, tempfile
libc = ctypes.CDLL(None)
def tried(action):
    try:
        action()
    except Exception:
        return
    raise SystemError  # the variant fails
"""
REACHES = """
tried(lambda: socket.create_connection(("127.0.0.1", {port}), 5))
tried(lambda: socket.create_connection(("localhost", {port}), 5))
tried(lambda: os.environ["CANARY"])
tried(lambda: open({file!r}).read())
tried(lambda: os.listdir({folder!r}))
tried(lambda: open({file!r}, "r+"))
tried(lambda: open({package!r}, "r+"))
tried(lambda: os.listdir("/proc"))
tried(lambda: os.kill({pid}, 0))
"""
"""What everybody can do who is not confined."""

ATTEMPTS = """
tried(lambda: open("/dev/tty"))
tried(lambda: 1 / (libc.umount2(b"/usr", 2) == 0))
libc.unshare(0x10020000)
tried(lambda: 1 / (libc.umount2(b"/usr", 2) == 0))
pathlib.Path(tempfile.gettempdir(), "own").write_text("this is allowed")
"""
ALLOWED = 'tried(lambda: open(pathlib.Path(tempfile.gettempdir(), "own"), "w"))'
"""Confined, it has a folder for temporary files of its own, which nobody else sees."""


def test_nothing_of_its_user_is_within_reach_of_an_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No network, variable, file, process or terminal; and an attempt that succeeds is seen."""
    monkeypatch.setenv("CANARY", "a-secret-of-the-environment")
    (tmp_path / "registrar.key").write_text("a secret")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        reaches = REACHES.format(
            port=listener.getsockname()[1],
            file=str(tmp_path / "registrar.key"),
            folder=str(tmp_path),
            package=confinement.__file__,
            pid=os.getpid(),
        )
        assert succeeded(reaches) == reaches.count("tried(")
        tries = running(TRIED + reaches + ATTEMPTS)
        texts = {"tries": tries, "seen": running(TRIED + ALLOWED), "bad": "("}
        file = tmp_path / "appeal.toml"
        file.write_text("".join(variant(id, new) for id, new in texts.items()))
        rows = confined.rows(population.load([file]), 2, accept, alone=True)
        found = {row.subject.id: row for row in rows}

    assert (found["tries"].failed, found["tries"].problems) == ((), ())
    assert found["seen"].failed != ()
    assert "SyntaxError" in found["bad"].problems[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["appeal.toml", "registrar.key"]


def succeeded(reaches: str) -> int:
    """How many of these attempts succeed in a process that is not confined."""
    counting = TRIED.replace("raise SystemError", "print()")
    command = [sys.executable, "-c", counting + reaches]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return len(done.stdout.splitlines())


def test_what_an_edit_writes_to_its_process_is_not_believed(tmp_path: Path) -> None:
    """Only rows that the matrix could have, of mutants and variants that were asked for."""
    lies = (
        '[{"id": 1}]\n{"id": "a-mutant-of-the-package", "failed": [], "problems": []}\n'
        f'{{"id": "{ID}", "failed": ["no/requirement"], "problems": []}}\n'
    )
    code = (
        "import os\nfor number in range(3, 64):\n"
        f" try: os.write(number, {lies.encode()!r})\n except OSError: pass\n"
    )
    (found,) = confined.rows(population.load([appeal(tmp_path, code)]), 1, accept)

    assert found.subject.id == ID
    assert found.problems == ("no verdict: its process ended, or said something else",)


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"id": "nobody", "failed": [], "problems": []},
        {"id": ID, "failed": "error/code", "problems": []},
        {"id": ID, "failed": [1], "problems": []},
        {"id": ID, "failed": [], "problems": [None]},
        {"id": ID, "failed": ["no/requirement"], "problems": []},
    ],
)
def test_a_row_that_no_matrix_has_is_none(line: dict[str, object], tmp_path: Path) -> None:
    """The process could be anybody's by then; a text of it is shortened."""
    (subject,) = population.load([appeal(tmp_path, "pass")])
    assert confined.row(line, {ID: subject}) is None

    long = {"id": ID, "failed": ["error/code"], "problems": ["x" * 10_000]}
    assert confined.row(long, {ID: subject}) == Row(subject, ("error/code",), ("x" * 500 + "…",))


STARTS = "import sys; print('{\"missing\": []}', flush=True); sys.stdin.buffer.read();"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("pass", "the process for edits of other files did not start"),
        ("print(1)", "the process for edits of other files did not start"),
        (f'{STARTS} print(\'{{"error": "it does not pass"}}\')', "it does not pass"),
    ],
)
def test_a_process_that_fails_ends_the_matrix(
    program: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it says."""
    monkeypatch.setattr(confined, "PROGRAM", program)
    with pytest.raises(MatrixError, match=message):
        list(confined.rows(population.load([appeal(tmp_path, "pass")]), 1, accept))


def test_edits_of_others_need_a_reader(tmp_path: Path) -> None:
    """Without a terminal, --trust says that somebody has read them; --list runs none."""
    file = appeal(tmp_path, "open('ran', 'w')")
    done = conformance(tmp_path, "selftest", "--also", file.name, "--only", ID)

    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        f"conformance selftest: error: --also: appeal.toml: {ID} changes the reference by Python"
        " that would run here: read its edits, and add --trust; or use a terminal, where you are"
        " asked\n"
    )
    listed = conformance(tmp_path, "selftest", "--also", file.name, "--only", ID, "--list")
    assert (listed.returncode, listed.stdout) == (0, f"{ID}: About.\n")


def test_a_file_of_edits_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A shell leaves a pattern that fits nothing as it is."""
    done = conformance(tmp_path, "selftest", "--also", "theirs/*.toml", "--only", ID)

    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        "conformance selftest: error: --also: theirs/*.toml cannot be read: No such file or"
        " directory: give a TOML file of mutants or variants\n"
    )


def test_the_question_shows_the_edits(tmp_path: Path) -> None:
    """Escaped, and line by line: what they take away, and what they add."""
    file = appeal(tmp_path, "pass # \u202e\x1b[2K")
    words = ("selftest", "--also", file.name, "--only", ID)
    code, shown = answered(tmp_path, *words, answer="n", COLUMNS="400")

    assert f"appeal.toml: the variant {ID} edits the reference, and runs as Python:" in shown
    assert f"\r\n  resources.py\r\n  - {OLD}\r\n" in shown
    assert "\r\n  + " in shown
    assert ("\u202e" in shown, "\x1b[2K" in shown) == (False, False)
    assert (code, "not agreed, so nothing was run" in shown) == (4, True)


def test_edits_that_somebody_has_read_run(tmp_path: Path) -> None:
    """The matrix has them beside those of the package, which need no question."""
    accept(probed(tmp_path))
    file = appeal(tmp_path, "raise SystemError")
    words = ("selftest", "-j", "1", "--also", file.name, "--only", ID, "description-is-absent")
    code, shown = answered(tmp_path, *words, answer="y")

    assert code == 1
    assert f"! {ID} " in shown
    assert "  description-is-absent  description/published" in shown


def probed(folder: Path) -> list[str]:
    """What a process here cannot be kept from."""
    found: list[str] = []

    def note(missing: Sequence[str]) -> None:
        found.extend(missing)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        list(confined.rows(population.load([appeal(folder, "pass")]), 1, note))
    return found


NO_MORE = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
UNSHARED = ("unshare", "--user", "--map-root-user", "sh", "-c", NO_MORE, "sh")


def without_namespaces(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command where no process may have namespaces of its own, as some systems have it."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare on the PATH (util-linux)")
    return subprocess.run(
        [*UNSHARED, *COMMAND, *words],
        cwd=folder,
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_without_a_barrier_nothing_runs_unless_the_user_accepts_that(tmp_path: Path) -> None:
    """What is missing is named; --trust accepts it."""
    accept(probed(tmp_path))
    file = appeal(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')")
    words = ("selftest", "-j", "1", "--also", file.name, "--only", ID)
    arguments = argparse.Namespace(trust=False)
    with pytest.raises(UsageError, match="nothing here keeps the edits of other files from files"):
        barriers(arguments)((confinement.FILES,))

    done = without_namespaces(tmp_path, *words, "--trust")
    assert (
        "note: nothing keeps the edits of other files from the network, files of this user, other"
        " processes of this user\n" in done.stderr
    )
    assert (done.returncode, (tmp_path / "ran").exists()) == (0, True), done.stdout
