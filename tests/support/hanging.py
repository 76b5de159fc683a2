"""The command line in a process that hangs for ever at the first call of a function.

Arguments: HOW MODULE:FUNCTION ARGUMENTS… It hangs within the C library, where no signal wakes it
up, with the lock of the interpreter ("held") or without ("free"); or in a regular expression, which
also holds that lock ("regex"). It leaves the file `hangs` in the current directory.
"""

import ctypes
import importlib
import re
import sys
from functools import reduce
from pathlib import Path
from typing import Any, NoReturn

from conformance.__main__ import main

module, _, path = sys.argv[2].partition(":")
*owners, name = path.split(".")
owner = reduce(getattr, owners, importlib.import_module(module))
mutex = ctypes.create_string_buffer(64)


def hang(*_: Any, **__: Any) -> NoReturn:
    """Wait for a lock that this thread has, or for a pattern that takes ages."""
    Path("hangs").touch()
    if sys.argv[1] == "regex":
        re.fullmatch("(a+)+", "a" * 100 + "b")
    library = ctypes.CDLL(None) if sys.argv[1] == "free" else ctypes.PyDLL(None)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)
    raise AssertionError("it was woken up")


setattr(owner, name, hang)
sys.exit(main(sys.argv[3:]))
