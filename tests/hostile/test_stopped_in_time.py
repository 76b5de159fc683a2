"""A run that is stopped while its threads wait for a target."""

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hostile_server import Answer, broken
from process import COMMAND, surroundings

WAITING = 4
"""Threads that wait for a response when the signal is sent."""

LONGEST = 10.0
"""Seconds until the end of a process on a busy machine; each response would take a minute."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_ends_while_its_threads_wait_for_responses(
    number: signal.Signals, tmp_path: Path
) -> None:
    """It leaves a report, and does not wait for the responses."""
    asked, end = threading.Semaphore(0), threading.Event()

    def wait(answer: Answer) -> bytes:
        asked.release()
        end.wait(60)
        return answer.but()

    with broken("http", wait) as profile:
        base_url, key = profile["base-url"], profile["credentials"]["primary"]["api-key"]
        target = tmp_path / "target.toml"
        credentials = f"[credentials.primary]\napi-key = {json.dumps(key)}\n"
        target.write_text(f"base-url = {json.dumps(base_url)}\n{credentials}")
        with subprocess.Popen(
            [*COMMAND, "run", "--target", str(target), "--class", "read", "--depth", "standard"],
            cwd=tmp_path,
            env=surroundings(NO_PROXY="127.0.0.1"),
            stdout=subprocess.PIPE,
            stderr=sys.stderr,
            text=True,
        ) as running:
            assert all(asked.acquire(timeout=60) for _ in range(WAITING))
            started = time.monotonic()
            running.send_signal(number)
            output, _ = running.communicate(timeout=120)
            seconds = time.monotonic() - started
        end.set()

    assert running.returncode == 2
    assert "INTERRUPTED" in output
    assert seconds < LONGEST
    report = json.loads((tmp_path / "reports/latest/report.json").read_bytes())
    assert report["interrupted"] is True
