"""The process of a replay: its result, its bounds, and what is left when it is stopped."""

import os
import signal
import subprocess
import tarfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from process import COMMAND, surroundings

from conformance.assurance.certificate import archive, replaying
from conformance.assurance.certificate.replaying import UNWATCHED, Replaying
from conformance.contract.exit_codes import INCOMPLETE, INTERRUPTED
from conformance.contract.verdict import Inconclusive

KEPT = Path(__file__).parent / "certificates" / "0.1.0-dev.tar.xz"
READY = 60.0


def endless() -> NoReturn:
    """Wait for what never comes."""
    while True:
        threading.Event().wait()


def malformed() -> NoReturn:
    """Raise what is wrong with a recording."""
    raise ValueError("no such exchange")


def crashed() -> NoReturn:
    """End without a word."""
    os._exit(9)


def greedy() -> int:
    """Take memory without an end."""
    taken: list[bytearray] = []
    while True:
        taken.append(bytearray(os.urandom(1)) * (1 << 20))


def test_the_result_is_that_of_another_process() -> None:
    """What the replay leaves in memory is gone with it."""
    assert UNWATCHED.apart(os.getpid) != os.getpid()


def test_an_exception_is_that_of_the_replay() -> None:
    """Such as for a recording that is malformed."""
    with pytest.raises(ValueError, match="no such exchange"):
        UNWATCHED.apart(malformed)


@pytest.mark.parametrize(
    ("perform", "reason"),
    [
        (endless, "the replay of the recording takes more than 0.5 s"),
        (crashed, "the replay of the recording crashed"),
    ],
)
def test_a_replay_without_an_end_is_no_verdict(perform: Callable[[], None], reason: str) -> None:
    """Neither its time nor its crash says anything about the certificate."""
    with pytest.raises(Inconclusive) as ended:
        Replaying(seconds=0.5).apart(perform)
    assert ended.value.message == reason


def test_the_memory_of_a_replay_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside what there was before: here that is a process of many tests."""
    monkeypatch.setattr(replaying, "MOST_MEMORY", 100 * replaying.MIB)
    with pytest.raises(Inconclusive, match="takes more than 100 MiB"):
        UNWATCHED.apart(greedy)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that another suite made, whose exchanges the installed one replays."""
    path = tmp_path_factory.mktemp("kept") / "kept.zip"
    with tarfile.open(KEPT) as kept:
        found = {
            member.name: content.read()
            for member in kept
            if (content := kept.extractfile(member)) is not None
        }
    path.write_bytes(archive.packed(found))
    return path


def verify(certificate: Path, temporary: Path, *options: str) -> "subprocess.Popen[str]":
    """The command, with a folder of its own for temporary files."""
    return subprocess.Popen(
        [*COMMAND, "verify", "--with-current-suite", *options, str(certificate)],
        env=surroundings(TMPDIR=str(temporary)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_certificate_that_takes_too_long_is_not_checked(
    certificate: Path, tmp_path: Path
) -> None:
    """Its signer decides how long it takes, and the reader how long he waits."""
    with verify(certificate, tmp_path, "--max-time", "0.1") as running:
        said, _ = running.communicate()
    assert "conformance verify: not checked: the replay of the recording takes more than" in said
    assert running.returncode == INCOMPLETE
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_ends_a_replay(end: signal.Signals, certificate: Path, tmp_path: Path) -> None:
    """With both of its processes, which have the same output; a kill leaves a folder."""
    with verify(certificate, tmp_path) as running:
        began = time.monotonic()
        while not list(tmp_path.glob("*/exchanges-*.jsonl")):
            assert running.poll() is None
            assert time.monotonic() - began < READY
            signal.sigtimedwait([], 0.02)
        running.send_signal(end)
        running.communicate(timeout=READY)
    if end != signal.SIGKILL:
        assert running.returncode == INTERRUPTED
        assert list(tmp_path.iterdir()) == []
