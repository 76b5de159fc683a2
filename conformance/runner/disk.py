"""The directory of a run: one run at a time writes to it, and what happens when it is full."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import pytest

from conformance.contract.exit_codes import USAGE_ERROR
from conformance.runner.run_options import REPORT_DIR
from conformance.runner.usage import usage_error
from conformance.storage.folder import check_unnamed
from conformance.storage.fresh_file import hold as hold_folder

if sys.platform != "win32":
    import fcntl


@contextmanager
def locked(directory: Path) -> Iterator[bool]:
    """Whether no other run writes to a directory; none does until the end of the context.

    The directory itself is locked, so that no further file is in it. What takes its place from now
    on, such as a link while a run still loads its checks, is not written to.
    """
    hold_folder(directory)
    if sys.platform == "win32":  # it has no such locks
        yield True
        return
    descriptor = os.open(directory, os.O_RDONLY)
    is_free = _is_free(descriptor)
    try:
        yield is_free
    finally:
        if is_free:
            _free(descriptor)
        os.close(descriptor)


def _is_free(descriptor: int) -> bool:
    if sys.platform == "win32":
        return True
    with suppress(OSError):  # a file system without locks
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _free(descriptor: int) -> None:
    """Unlock the directory: closing it is not enough while a process that was forked has it too."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def check_default(directory: Path, folder: Path) -> None:
    """Raise OSError where the default directory in a folder is, or is in, a link."""
    check_unnamed(directory, REPORT_DIR, folder)


def hold(config: pytest.Config, directory: Path) -> None:
    """Let no other run write to a directory until this one ends. Raises UsageError."""
    from conformance.report import artefacts  # noqa: PLC0415 - with all formats

    held = ExitStack()
    config.add_cleanup(held.close)
    try:
        check_default(directory, config.invocation_params.dir)
        directory.mkdir(parents=True, exist_ok=True)
        is_free = held.enter_context(locked(directory))
        artefacts.check(directory, artefacts.chosen(config.getoption("conformance_report")))
    except OSError as problem:
        raise usage_error(f"{problem.filename}: {problem.strerror}") from None
    if not is_free:
        raise usage_error(f"{directory}: another run writes to it; name another --report-dir")


def unwritable(directory: Path, problem: OSError) -> NoReturn:
    """End the run where its directory is full or gone; what was written stays."""
    rest = f"{problem.strerror}; `conformance report {directory}` reports the rest"
    message = f"{directory}: {rest if directory.is_dir() else 'was deleted during the run'}"
    raise pytest.exit.Exception(message, returncode=USAGE_ERROR) from None
