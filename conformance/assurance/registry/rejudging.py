"""Verifies every submission with the installed suite: what its release would change."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.assurance.certificate import bundle, dsse
from conformance.assurance.certificate.verification import verify
from conformance.assurance.registry.submission import CERTIFICATE, KEY, PRODUCT


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
    return sorted(path for path in registry.iterdir() if (path / PRODUCT).is_file())


def rejudge(registry: Path) -> Iterator[Rejudged]:
    """The submissions of a registry, one by one; each takes as long as `conformance verify`."""
    for folder in folders(registry):
        yield _rejudged(folder)


def _rejudged(folder: Path) -> Rejudged:
    try:
        key = (folder / KEY).read_bytes()
        found = bundle.read(folder / CERTIFICATE)
        again = verify(found, key, current=True)
    except OSError as problem:
        reason = f"{Path(problem.filename).name}: {problem.strerror}"
        return Rejudged(folder.name, None, None, problems=(reason,))
    except (bundle.BundleProblem, dsse.KeyProblem) as problem:
        return Rejudged(folder.name, None, None, problems=(str(problem),))
    if again.problems:
        return Rejudged(folder.name, None, None, problems=again.problems)
    was = dsse.claims(found.envelope)["verdict"]
    return Rejudged(folder.name, was, again.now, again.changes)
