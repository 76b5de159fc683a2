"""Folders that all workers of a session share: whoever needs one first makes it."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

COMPLETE = ".complete"


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder with this name, filled by `make`; nobody may write to it afterwards."""
    root = _root(factory)
    folder, complete = root / name, root / f"{name}{COMPLETE}"
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # released when the file is closed
        if not complete.exists():
            shutil.rmtree(folder, ignore_errors=True)  # another worker may have failed to make it
            folder.mkdir()
            make(folder)
            complete.touch()
    return folder


def _root(factory: pytest.TempPathFactory) -> Path:
    """The folder of the session; that of a worker of xdist is below it."""
    base = factory.getbasetemp()
    root = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"
    root.mkdir(exist_ok=True)
    return root
