"""Commands of a profile that its user has allowed: they end, and print a bounded text."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from process import COMMAND, surroundings

from conformance.contract import import_path
from conformance.target.command import CommandError, printed

LONG = 60.0
WAITING = "import os, subprocess, sys; subprocess.run([sys.executable, '-c', {!r}])"
CHILD = "import os, time; open('{}', 'w').write(str(os.getpid())); time.sleep(600)"


def waiting(place: Path) -> tuple[str, ...]:
    """A command that waits for a child of its own, whose number is in a file."""
    return sys.executable, "-c", WAITING.format(CHILD.format(place))


def number(place: Path) -> int:
    """The number of that child, once it runs."""
    while not place.exists() or not place.read_text():
        signal.sigtimedwait([], 0.02)
    return int(place.read_text())


def wait_for_the_end(process: int) -> None:
    """Wait until a process is no more, or has ended."""
    status = Path(f"/proc/{process}/stat")
    while status.exists() and status.read_text().rpartition(")")[2].split()[0] not in "ZX":
        signal.sigtimedwait([], 0.02)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_command_ends_with_its_run(end: signal.Signals, tmp_path: Path) -> None:
    """So do its children, however the run ends."""
    place = tmp_path / "child"
    command = json.dumps(waiting(place))
    (tmp_path / "target.toml").write_text(
        'base-url = "http://127.0.0.1:9/v1"\n'
        f"[credentials.primary]\nbearer = {{ command = {command} }}\n"
    )
    with subprocess.Popen(
        [*COMMAND, "run", "--trust"],
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        child = number(place)
        running.send_signal(end)
        running.wait(LONG)
    wait_for_the_end(child)


def test_a_command_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    """The reason says how long that is."""
    place = tmp_path / "child"
    with pytest.raises(CommandError, match=r"did not end within 1\.5 s"):
        printed(waiting(place), 1.5)
    wait_for_the_end(number(place))


def test_a_command_without_an_end_to_its_output_is_killed() -> None:
    """It may print a mebibyte."""
    with pytest.raises(CommandError, match="printed more than 1,048,576 bytes"):
        printed((sys.executable, "-c", "while True: print('x' * 65536)"), LONG)


def test_what_a_command_leaves_behind_is_not_waited_for() -> None:
    """Such as an agent that has not closed its output."""
    agent = "import subprocess; subprocess.Popen(['sleep', '2']); print('said')"
    assert printed((sys.executable, "-c", agent), LONG) == b"said\n"


def test_a_command_has_the_environment_of_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """What keeps our own processes from importing from the folder is not for programs of others."""
    monkeypatch.setenv(import_path.VARIABLE, import_path.OURS)
    asked = f"import os; print(os.environ.get({import_path.VARIABLE!r}))"
    assert printed((sys.executable, "-c", asked), LONG) == b"None\n"
    monkeypatch.setenv(import_path.VARIABLE, "1")
    assert printed((sys.executable, "-c", asked), LONG) == b"1\n"


def test_a_command_is_killed_while_its_run_goes_on(tmp_path: Path) -> None:
    """Somebody else has killed what guards it."""
    place = tmp_path / "child"
    problems: list[str] = []

    def ask() -> None:
        try:
            printed(waiting(place), LONG)
        except CommandError as problem:
            problems.append(str(problem))

    asking = threading.Thread(target=ask)
    asking.start()
    os.killpg(os.getpgid(number(place)), signal.SIGKILL)
    asking.join(LONG)
    assert problems == ["was killed"]
