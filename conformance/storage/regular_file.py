"""Input that others may have made: only regular files, within a bound, and through no link.

Anything else raises OSError with the path and the reason: a pipe might never end, and a link might
lead to a file that is nobody else's business.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

MIB = 1024 * 1024
LARGEST = 128 * MIB
"""Bytes of a file that is read as a whole, where its reader names no other number."""

LINKED = "a link, which is not followed; put the file itself there"
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def opened(path: Path, *, follow: bool = False) -> BinaryIO:
    """A regular file, open for reading; through a link only with `follow`.

    `follow` is for a path that the user has named: where it leads is the user's choice.
    """
    if not follow and path.is_symlink():
        raise OSError(errno.ELOOP, LINKED, str(path))
    descriptor = os.open(path, _FLAGS | (0 if follow else _NO_LINK))
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        # By its path: a descriptor alone would be the name of the file in messages.
        return open(path, "rb", opener=lambda *_: descriptor)
    os.close(descriptor)
    reason = os.strerror(errno.EISDIR) if stat.S_ISDIR(mode) else "not a regular file"
    raise OSError(errno.EINVAL, reason, str(path))


def read(path: Path, most: int = LARGEST, *, follow: bool = False) -> bytes:
    """The content of a regular file of at most so many bytes."""
    with opened(path, follow=follow) as file:
        if os.fstat(file.fileno()).st_size <= most:
            return file.read()
    raise OSError(errno.EFBIG, f"larger than {most:,} bytes", str(path))


def is_there(path: Path) -> bool:
    """Whether something has this name, a link that leads nowhere too."""
    return os.path.lexists(path)
