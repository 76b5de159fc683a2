"""Output: written into a new file beside its place, which it then takes; through no link.

Everything here raises OSError with the path and the reason where something is in the way.
"""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from conformance.storage import regular_file

LEFT_OVER = f"*.{'[0-9a-f]' * 16}.new"
"""The names of new files that a killed process has left behind."""

# Windows has no such flags. The mode is that of any file: the umask of the user decides.
_NEW = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_APPENDED = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_MODE = 0o666

_HELD: dict[Path, tuple[int, int]] = {}
"""Folders that this process writes to for a while: what was there under each path."""


def hold(folder: Path) -> None:
    """From now on, write only to the folder that is there: another may take its place, or a link.

    Whoever holds the same path again writes to what is there then.
    """
    _HELD[folder.absolute()] = _identity(folder)


def keep_held(folder: Path) -> None:
    """Hold a folder, unless it was held before, as it was then."""
    if folder.absolute() not in _HELD:
        hold(folder)


def check_held(path: Path) -> None:
    """Raise OSError where a folder that is held, and that a path is in, is not there any more."""
    for folder in path.absolute().parents:
        if folder in _HELD and _identity(folder) != _HELD[folder]:
            raise OSError(errno.EEXIST, "another folder has taken its place", str(folder))


def _identity(folder: Path) -> tuple[int, int]:
    found = folder.stat()
    return found.st_dev, found.st_ino


def check(path: Path) -> None:
    """Raise OSError unless a path is free, or has a regular file, which may be replaced."""
    check_held(path)
    with suppress(FileNotFoundError):
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            raise in_the_way(path, mode)


def in_the_way(path: Path, mode: int) -> OSError:
    """What says that something of this mode is where a file or a folder is to be written."""
    kinds = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFREG: "a file"}
    kind = kinds.get(stat.S_IFMT(mode), "what is not a regular file")
    return OSError(errno.EEXIST, f"{kind} is in the way; remove it", str(path))


def write(path: Path, content: bytes) -> None:
    """Write a file at once: if the process is killed, the old or the new content is there."""
    with writing(path) as file:
        file.write(content)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A new file, which takes its place at the end of the context; not after an exception."""
    fresh = beside(path)
    with _unless_it_fails(fresh, path):
        with os.fdopen(os.open(fresh, _NEW, _mode(path)), "wb") as file:
            yield file
        fresh.replace(path)


def _mode(path: Path) -> int:
    """The mode of a file that takes the place of another: nobody may read it who could not before.

    The umask takes its part of it, so that it is never wider than that of a new file.
    """
    with suppress(FileNotFoundError):
        return _MODE & stat.S_IMODE(path.lstat().st_mode)
    return _MODE


def new(path: Path, content: bytes, mode: int = _MODE) -> None:
    """Write a file where none is; none is left that a full disk has cut off.

    Raises FileExistsError.
    """
    descriptor = os.open(path, _NEW, mode)
    with _unless_it_fails(path, path), os.fdopen(descriptor, "wb") as file:
        file.write(content)


@contextmanager
def _unless_it_fails(made: Path, path: Path) -> Iterator[None]:
    """Delete what was made if the context fails. An error of a write gets the path of the file."""
    try:
        yield
    except BaseException as problem:
        with suppress(OSError):
            made.unlink(missing_ok=True)
        if isinstance(problem, OSError) and problem.errno and problem.filename is None:
            raise OSError(problem.errno, problem.strerror, str(path)) from None
        raise


def beside(path: Path) -> Path:
    """A name that no other file has, in the same folder."""
    check(path)
    return path.with_name(f"{path.name}.{secrets.token_hex(8)}.new")


def copy(source: Path, path: Path) -> None:
    """Copy a regular file."""
    with regular_file.opened(source) as read, writing(path) as written:
        shutil.copyfileobj(read, written)


def created(path: Path) -> BinaryIO:
    """A new file in its place, unbuffered; an earlier one is deleted, and not written to."""
    check(path)
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, _NEW, _MODE), "wb", buffering=0)


def appending(path: Path) -> BinaryIO:
    """A file, unbuffered, whose end is written; made where it is missing."""
    check(path)
    descriptor = os.open(path, _APPENDED, _MODE)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        os.close(descriptor)
        # What has a second name would change there as well.
        raise in_the_way(path, stat.S_IFLNK)
    return os.fdopen(descriptor, "ab", buffering=0)
