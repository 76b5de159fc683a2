"""The command line in a process that sends itself SIGTERM.

Arguments: MODULE:FUNCTION NUMBER ARGUMENTS… The signal is sent before that call of the function.
"""

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
    """Call the function; send the signal before the call with that number."""
    if next(numbers) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGTERM)
    return function(*arguments, **options)


setattr(owner, name, signalling)
sys.exit(main(sys.argv[3:]))
