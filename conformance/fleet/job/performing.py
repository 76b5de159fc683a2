"""Performs a job on the machine of the worker: one process of `conformance run`."""

import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.contract import import_path, revisions
from conformance.contract.exit_codes import CHECKER_ERROR, INTERRUPTED
from conformance.fleet.job.task import Task, packed_end, unpacked
from conformance.fleet.memory.recording import Ended
from conformance.report.artefacts import REPORT, WRITTEN

if TYPE_CHECKING:
    from conformance.fleet.memory.guard import Rejection

INHERITED = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "VIRTUAL_ENV", "XDG_CACHE_HOME"),
    }
)
"""The variables that a run gets from its worker, with those of Python and of the locale."""
PREFIXES = ("PYTHON", "LC_", "HYPOTHESIS_", "COVERAGE_")

POLL = 0.5
"""Seconds between two questions whether the job was stopped."""
STOPPING = 20.0
"""Seconds that a run has to write its report once it is stopped."""

REPORTS = "report"
SENT = b"review_approve"
"""What every exchange of an approval names."""


def perform(content: bytes, is_stopped: Callable[[], bool]) -> bytes:
    """Perform a packed task; its packed end. Never raises for what the run does."""
    task = unpacked(content)
    worker = f"{platform.node()} {os.getpid()}"
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        rejection = _rejection(task)
        if rejection is not None:
            spent = rejection.may_have_spent
            return packed_end(Ended(CHECKER_ERROR, {}, "", rejection.reason, worker, spent))
        code, reason = _run(task, Path(folder), is_stopped)
        reports = Path(folder, REPORTS)
        return packed_end(
            Ended(
                exit_code=code,
                files=_files(reports),
                revision=revisions.latest().name,
                reason=reason,
                worker=worker,
                may_have_spent=bool(task.permission) and _may_have_spent(code, reports),
            )
        )


def _rejection(task: Task) -> "Rejection | None":
    """Why a job that approves reviews must not begin; None where it may."""
    if task.permission is None:
        return None
    # Only such a job needs the database.
    from conformance.fleet.memory import guard  # noqa: PLC0415

    return guard.rejection(task.permission.database, task.permission.run, task.permission.claim)


def _run(task: Task, folder: Path, is_stopped: Callable[[], bool]) -> tuple[int, str]:
    """The exit code of the run, and why it has no verdict."""
    for name, text in task.files.items():
        file = folder / name
        file.touch(mode=0o600)  # a profile may hold secrets
        file.write_text(text, encoding="utf-8")
    with (folder / "stderr").open("w+b") as errors, (folder / "stdout").open("wb") as output:
        process = subprocess.Popen(
            _command(task, folder),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=errors,
            cwd=_home(task, folder),
            env=_environment(task, os.environ),
            start_new_session=True,  # Ctrl-C is for the coordinator, which stops its runs itself
        )
        try:
            cut = _wait(process, task.seconds, is_stopped)
        finally:
            _end(process)
        return _ending(process.returncode, cut, (folder / "stderr").read_bytes())


def _command(task: Task, folder: Path) -> list[str]:
    files = {f"={name}": f"={folder / name}" for name in task.files}
    options = [_with_path(option, files) for option in task.options]
    child = [sys.executable, "-m", "conformance.fleet.job.child", str(task.megabytes or 0)]
    return [*child, "run", f"--report-dir={folder / REPORTS}", "--report=badge", *options]


def _with_path(option: str, files: Mapping[str, str]) -> str:
    return next(
        (option.removesuffix(end) + path for end, path in files.items() if option.endswith(end)),
        option,
    )


def _home(task: Task, folder: Path) -> Path:
    """Where the run begins: commands of a profile are named from the folder that it is in."""
    stated = Path(task.folder) if task.folder else folder
    return stated if stated.is_dir() else folder


def _environment(task: Task, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of the run: no secret but its own."""
    kept = {
        name: value
        for name, value in environ.items()
        if name in INHERITED or name.startswith(PREFIXES) or name in task.names
    }
    # The run begins in the folder of its profile.
    return {**kept, **import_path.SAFE, **task.environment}


def _wait(
    process: subprocess.Popen[bytes], seconds: float | None, is_stopped: Callable[[], bool]
) -> str:
    """Wait for the end of a run; why it was ended before, or ""."""
    latest = time.monotonic() + (float("inf") if seconds is None else seconds)
    # With a limit of time, Python looks for the end of a process now and then; without, it waits.
    running = threading.Thread(target=process.wait, daemon=True)
    running.start()
    while True:
        running.join(POLL)
        if not running.is_alive():
            return ""
        if is_stopped():
            return "stopped"
        if time.monotonic() > latest:
            return f"stopped after {seconds:.0f} s"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process: it writes its report if it can, and is killed if it does not."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(STOPPING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _ending(code: int, cut: str, errors: bytes) -> tuple[int, str]:
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    said = next((line for line in lines if "error: " in line), lines[-1] if lines else "")
    if cut:
        return INTERRUPTED, cut
    if code < 0:
        return code, f"the process was ended by signal {-code}"
    return code, said.rpartition("error: ")[2]


def _files(reports: Path) -> dict[str, bytes]:
    files = {name: reports / name for name in WRITTEN}
    return {name: file.read_bytes() for name, file in files.items() if file.is_file()}


def _may_have_spent(code: int, reports: Path) -> bool:
    """Whether a run may have approved a review: it was killed, or its log names an approval."""
    was_killed = code < 0 or (code == INTERRUPTED and not (reports / REPORT).is_file())
    return was_killed or any(SENT in log.read_bytes() for log in reports.glob("exchanges*.jsonl"))
