"""Where a run of pytest finds the suite: always in the installed package."""

from collections.abc import Iterator, Sequence
from pathlib import Path

PACKAGE = "conformance.suite"
SUITE = Path(__file__).parents[1] / "suite"
RUN_INI = Path(__file__).with_name("run.ini")
"""The configuration of pytest for `conformance run`."""


def places(given: Sequence[str], folder: Path, *, pyargs: bool) -> list[str]:
    """The paths for pytest to collect; those of the suite lead into the package.

    In a checkout, no paths stand for the suite.

    With `pyargs`, modules may be named as well.
    """
    if not given and _is_checkout(folder):
        return [str(SUITE)]
    return [next(_in_package(each, folder, pyargs=pyargs), each) for each in given]


def is_suite(places: Sequence[str]) -> bool:
    """Whether the suite, or a part of it, is among the paths to collect."""
    return any(Path(place.split("::")[0]).is_relative_to(SUITE) for place in places)


def _in_package(given: str, folder: Path, *, pyargs: bool) -> Iterator[str]:
    path, colons, name = given.partition("::")
    if pyargs and f"{path}.".startswith(f"{PACKAGE}."):
        below = path.removeprefix(PACKAGE).removeprefix(".").replace(".", "/")
        yield f"{SUITE / below}{'.py' if below else ''}{colons}{name}"
    for root in (folder, *folder.parents):
        own = root / "conformance" / SUITE.name
        if _is_checkout(root) and (folder / path).is_relative_to(own):
            yield f"{SUITE / (folder / path).relative_to(own)}{colons}{name}"


def _is_checkout(folder: Path) -> bool:
    return (folder / "conformance" / SUITE.name).is_dir() and (
        folder / "spec" / "requirements.yaml"
    ).is_file()
