"""Hypothesis without anything but a seed: no constants of the code around it, no database, no files beside the user's own."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from os import devnull, environ
from pathlib import Path
from typing import Any


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep Hypothesis from drawing on anything but the seed, and from writing into the working directory."""
    from hypothesis import configuration  # noqa: PLC0415 - slow, and only of use where something is generated
    from hypothesis.internal import charmap  # noqa: PLC0415
    from hypothesis.internal.conjecture import providers  # noqa: PLC0415
    from hypothesis.internal.constants_ast import Constants  # noqa: PLC0415
    from hypothesis.internal.intervalsets import IntervalSet  # noqa: PLC0415

    # Hypothesis also draws constants that it finds in the source of modules outside site-packages, so the same seed would
    # mean other requests in a checkout than after an install. Its table of UTF-8 takes a second to build without its files.
    utf_8 = (IntervalSet([(0, 0xD7FF), (0xE000, 0x10FFFF)]), IntervalSet([]))
    codecs = charmap.intervals_from_codec
    changes: list[tuple[Any, str, Any]] = [
        (providers, "_get_local_constants", Constants),
        (providers, "CONSTANTS_CACHE", type(providers.CONSTANTS_CACHE)(1024)),
        (charmap, "intervals_from_codec", lambda name: utf_8 if name == "utf-8" else codecs(name)),
        (configuration, "__hypothesis_home_directory", _cache()),
    ]
    kept = [(module, name, getattr(module, name)) for module, name, _ in changes]
    collecting = gc.isenabled()
    gc.disable()  # a fifth of the time otherwise
    try:
        for module, name, value in changes:
            setattr(module, name, value)
        yield
    finally:
        for module, name, value in kept:
            setattr(module, name, value)
        if collecting:
            gc.enable()


def _cache() -> Path:
    """Where Hypothesis keeps its tables of Unicode, which take half a second to make: with the user's other caches."""
    try:
        home = Path.home()
    except RuntimeError:  # nobody's home is known: then nothing is kept
        home = Path(devnull)
    return (
        Path(environ.get("XDG_CACHE_HOME") or home / ".cache")
        / "localization-api-conformance"
        / "hypothesis"
    )
