"""Folders inside the one that a user has named: real ones, since a link would lead out of it."""

import stat
from pathlib import Path

from conformance.storage import fresh_file


def inner(folder: Path, *names: str) -> Path:
    """A folder inside another one, made where it is missing. OSError where a link is in the way."""
    for name in names:
        folder /= name
        fresh_file.check_held(folder)
        try:
            folder.mkdir()
        except FileExistsError:
            check(folder)
    return folder


def check_parts(folder: Path, path: Path) -> None:
    """Raise OSError where a part of a path inside a folder is a link: nobody has named it."""
    for part in path.parts:
        folder /= part
        if folder.is_symlink():
            raise fresh_file.in_the_way(folder, stat.S_IFLNK)


def check_unnamed(path: Path, default: Path, start: Path | None = None) -> None:
    """Raise OSError where a default folder is, or is in, a link, seen from where it begins.

    Where a link leads is the choice of the user who names it; a default was named by nobody.
    """
    beginning = start or Path.cwd()
    if beginning / path == beginning / default:
        check_parts(beginning, default)


def check(path: Path) -> None:
    """Raise OSError where something else than a folder has this name."""
    mode = path.lstat().st_mode
    if not stat.S_ISDIR(mode):
        raise fresh_file.in_the_way(path, mode)
