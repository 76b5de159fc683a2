"""The command line in a process that sends itself a SIGTERM within a certain call: MODULE:FUNCTION NUMBER ARGUMENTS…"""

import importlib
import os
import signal
import sys
from functools import reduce
from itertools import count
from typing import Any

from conformance.__main__ import main

path, _, name = sys.argv[1].partition(":")[2].rpartition(".")
owner = reduce(
    getattr, filter(None, path.split(".")), importlib.import_module(sys.argv[1].partition(":")[0])
)
function = getattr(owner, name)
numbers = count(1)


def signalling(*arguments: Any, **options: Any) -> Any:
    """The function, and the signal before its call of that number."""
    if next(numbers) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGTERM)
    return function(*arguments, **options)


setattr(owner, name, signalling)
sys.exit(main(sys.argv[3:]))
