"""Hypothesis with a seed alone: no constants of other code, no database, no files around."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from os import devnull, environ
from pathlib import Path
from typing import Any

from conformance.contract.late_imports import ALONE

_alone = threading.RLock()
"""Hypothesis is changed for the whole process: only one thread may use it at a time."""

HOOKS = "SCHEMATHESIS_HOOKS"
"""Names a module that schemathesis imports, from the working directory too."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Hypothesis depend on the seed alone, and use nothing of the working directory."""
    with _alone, _changed():
        yield


@contextmanager
def _changed() -> Iterator[None]:
    with ALONE:  # slow to import, and only needed to generate requests
        from hypothesis import configuration  # noqa: PLC0415
        from hypothesis.internal import charmap  # noqa: PLC0415
        from hypothesis.internal.conjecture import providers  # noqa: PLC0415
        from hypothesis.internal.constants_ast import Constants  # noqa: PLC0415
        from hypothesis.internal.intervalsets import IntervalSet  # noqa: PLC0415

    # Hypothesis also draws constants from the source of modules outside site-packages: the same
    # seed would mean other requests in a checkout than after an installation. Without its files,
    # its table of UTF-8 takes a second to build.
    utf_8 = (IntervalSet([(0, 0xD7FF), (0xE000, 0x10FFFF)]), IntervalSet([]))
    codecs = charmap.intervals_from_codec
    changes: list[tuple[Any, str, Any]] = [
        (providers, "_get_local_constants", Constants),
        (providers, "CONSTANTS_CACHE", type(providers.CONSTANTS_CACHE)(1024)),
        (charmap, "intervals_from_codec", lambda name: utf_8 if name == "utf-8" else codecs(name)),
        (configuration, "__hypothesis_home_directory", _cache()),
    ]
    originals = [(module, name, getattr(module, name)) for module, name, _ in changes]
    hooks = environ.pop(HOOKS, None)
    collecting = gc.isenabled()
    gc.disable()  # saves a fifth of the time
    try:
        for module, name, value in changes:
            setattr(module, name, value)
        yield
    finally:
        for module, name, value in originals:
            setattr(module, name, value)
        if hooks is not None:
            environ[HOOKS] = hooks
        if collecting:
            gc.enable()


def _cache() -> Path:
    """The directory for Hypothesis' tables of Unicode, which take half a second to build."""
    try:
        home = Path.home()
    except RuntimeError:  # without a home directory, nothing is cached
        home = Path(devnull)
    return (
        Path(environ.get("XDG_CACHE_HOME") or home / ".cache")
        / "localization-api-conformance"
        / "hypothesis"
    )
