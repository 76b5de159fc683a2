"""The short names of our options, where pytest runs our suite.

Other plugins, and the conftest.py of somebody else, may have options of the same names: only those
that begin with `--conformance-` are registered.
"""

from collections.abc import Iterator, Sequence

from conformance.runner.run_options import OPTIONS

PREFIX = "--conformance-"
NAMES = frozenset(option.name for option in OPTIONS if option.is_short)
FLAGS = frozenset(option.name for option in OPTIONS if option.is_flag)


def written_out(arguments: Sequence[str]) -> list[str]:
    """The arguments with the whole names of our options."""
    return [f"{PREFIX}{each[2:]}" if is_ours else each for each, is_ours in _marked(arguments)]


def without(arguments: Sequence[str]) -> list[str]:
    """The arguments without our options of short names, and without their values."""
    rest, is_value = [], False
    for argument, is_ours in _marked(arguments):
        if not is_ours and not is_value:
            rest.append(argument)
        name, equals, _ = argument.partition("=")
        is_value = is_ours and not equals and name[2:] not in FLAGS
    return rest


def _marked(arguments: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each argument, and whether it is one of our options by its short name."""
    ended = False
    for argument in arguments:
        ended = ended or argument == "--"
        name = argument.partition("=")[0]
        yield argument, not ended and name[:2] == "--" and name[2:] in NAMES
