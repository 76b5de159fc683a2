"""Imports that wait until they are needed: one thread performs them at a time.

Where two threads begin to import one package at different ends, Python gives one of them a part of
it that is not complete, and the check that needed it ends in an ImportError.
"""

import threading

ALONE = threading.RLock()
"""Held while a slow module is imported late."""
