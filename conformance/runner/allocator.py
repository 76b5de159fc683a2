"""The allocator of the C library: what a run frees is to go back to the system."""

import ctypes
from contextlib import suppress

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
"""The parameters of glibc's mallopt(3)."""

LARGE = 512 * 1024
"""Bytes of a block that gets pages of its own; glibc raises that with each such block it frees."""

ARENAS = 2
"""Heaps of all threads; glibc makes eight for each processor, and what is freed stays in them."""


def bound() -> None:
    """Bound what stays with the process where the C library is glibc; otherwise do nothing.

    With 32 threads and large bodies this is a fifth of the largest resident set.
    """
    with suppress(AttributeError, OSError, TypeError):  # no mallopt, or no library by this name
        library = ctypes.CDLL(None)
        library.mallopt(M_MMAP_THRESHOLD, LARGE)
        library.mallopt(M_ARENA_MAX, ARENAS)
