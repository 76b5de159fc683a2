"""Verifies every submission with the installed suite: what its release would change."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.assurance.certificate import bundle, dsse
from conformance.assurance.certificate.verification import verify
from conformance.assurance.registry.submission import CERTIFICATE, KEY, PRODUCT
from conformance.contract.verdict import Inconclusive
from conformance.storage import regular_file


@dataclass(frozen=True)
class Rejudged:
    """A submission: its verdict under its revision, then and now, and each requirement that flips.

    `problems`: it is not sound, so nothing was compared, and `now` is None.
    """

    name: str
    was: str | None
    now: str | None
    flips: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether the installed suite comes to the same verdict on every requirement."""
        return not self.flips and not self.problems and self.was == self.now


def folders(registry: Path) -> list[Path]:
    """The submissions of a registry, by name."""
    found = (path for path in registry.iterdir() if regular_file.is_there(path / PRODUCT))
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())


def rejudge(registry: Path) -> Iterator[Rejudged]:
    """The submissions of a registry, one by one; each takes as long as `conformance verify`."""
    for folder in folders(registry):
        yield _rejudged(folder)


def _rejudged(folder: Path) -> Rejudged:
    try:
        key = regular_file.read(folder / KEY, bundle.LIMITS[bundle.KEY].bytes)
        found = bundle.read(folder / CERTIFICATE, follow=False)
        again = verify(found, key, current=True)
    except OSError as problem:
        reason = f"{Path(problem.filename).name}: {problem.strerror}"
        return Rejudged(folder.name, None, None, problems=(reason,))
    except (bundle.BundleProblem, dsse.KeyProblem, Inconclusive) as problem:
        return Rejudged(folder.name, None, None, problems=(str(problem),))
    if again.problems:
        return Rejudged(folder.name, None, None, problems=again.problems)
    was = dsse.claims(found.envelope)["verdict"]
    return Rejudged(folder.name, was, again.now, again.changes)
