"""The certificate file: a zip of the evidence, the signed statement, and the public key."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any

from conformance.assurance.certificate import archive, dsse, strict_json
from conformance.assurance.certificate.archive import ArchiveProblem, Entry
from conformance.assurance.certificate.budget import MIB, Budget, BudgetProblem, Meter
from conformance.assurance.certificate.contents import Unpacked
from conformance.assurance.certificate.evidence import Evidence
from conformance.report import kept_shards
from conformance.storage import fresh_file, regular_file

EVIDENCE = {
    "report.json": Budget(64 * MIB, 1_000_000),
    "exchanges.jsonl": Budget(384 * MIB, 10_000_000, 100_000),
    "target.json": Budget(4 * MIB, 20_000),
    "run.json": Budget(4 * MIB, 20_000),
    "environment.txt": Budget(MIB),
    "revision.json": Budget(4 * MIB),
    "requirements.yaml": Budget(4 * MIB),
    "openapi.yaml": Budget(4 * MIB),
}
"""The files of the evidence, with what each may cost."""

OPTIONAL = {"challenge.dsse.json": Budget(MIB), "pylock.toml": Budget(4 * MIB, 400_000)}
"""Files of the evidence that a certificate need not have: a registrar's challenge, a lock file."""

STATEMENT = "statement.dsse.json"
KEY = "signer.pub"
REQUIRED = frozenset({*EVIDENCE, STATEMENT, KEY})
LIMITS = {**EVIDENCE, **OPTIONAL, STATEMENT: Budget(MIB), KEY: Budget(MIB)}
MOST_OF_SHARDS = 512 * MIB
"""Bytes of the files of all shards of a merged run."""

LARGEST_ARCHIVE = 64 * MIB


class BundleProblem(ValueError):
    """The file is not a complete certificate."""


@dataclass(frozen=True)
class Bundle:
    """The content of a certificate: the evidence by name, the envelope, and the public key.

    `archive` is the file that all of it was read from, for whoever copies it or takes its digest:
    another one may be in its place by then.
    """

    evidence: Mapping[str, bytes]
    envelope: dict[str, Any]
    key: bytes
    archive: bytes = field(default=b"", compare=False, repr=False)

    @cached_property
    def opened(self) -> Evidence:
        """The evidence, of which each part is read once for whoever asks."""
        return Evidence(self.evidence)

    @property
    def digest(self) -> str:
        """SHA-256 of the signed statement, whichever key has signed it, and in whatever file.

        Raises SignatureProblem for an envelope without one.
        """
        return dsse.digest(self.envelope)


def write(path: Path, found: Bundle) -> None:
    """Write the certificate; the same content gives the same file."""
    fresh_file.write(path, archive.packed(files(found)))


def files(found: Bundle) -> dict[str, bytes]:
    """The files of a certificate in the order of the archive."""
    names = _ordered(found.evidence)
    return {
        **{name: found.evidence[name] for name in names},
        STATEMENT: strict_json.written(found.envelope),
        KEY: found.key,
    }


def excesses(found: Bundle) -> Iterator[str]:
    """The files of a certificate that nobody would read, since they cost too much."""
    for name, content in files(found).items():
        counted = meter(name)
        try:
            counted.feed(content)
            counted.close()
        except BudgetProblem as problem:
            yield f"{name} {problem}"
        if len(content) > _budget(name).bytes:
            yield f"{name} has more than {_budget(name).bytes} bytes"


def read(path: Path, *, follow: bool = True) -> Bundle:
    """The parts of a certificate, of bounded size. Raises BundleProblem.

    `follow`: it may be a link, as one that the user has named.
    """
    with _named(path):
        return _read(_bytes(path, follow=follow))


def parsed(content: bytes, name: str) -> Bundle:
    """The parts of a certificate whose file has this name and content. Raises BundleProblem."""
    with _named(Path(name)):
        return _read(content)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Say of what is wrong with a certificate which file it is."""
    try:
        yield
    except OSError as problem:
        raise BundleProblem(f"{path}: {problem.strerror or problem}") from None
    except ArchiveProblem as problem:
        raise BundleProblem(f"{path.name} is not a certificate: {problem}") from None


def _bytes(path: Path, *, follow: bool = True) -> bytes:
    return regular_file.read(path, LARGEST_ARCHIVE, follow=follow)


def signed(path: Path) -> tuple[dict[str, Any], bytes]:
    """The envelope and the key of a certificate; nothing else is unpacked. Raises BundleProblem."""
    with _named(path):
        entries = _entries(_bytes(path))
        return _envelope(_content(entries[STATEMENT])), _content(entries[KEY])


def _entries(content: bytes) -> dict[str, Entry]:
    entries = archive.entries(content)
    for flaw in _flaws(entries):
        raise ArchiveProblem(f"it {flaw}")
    return {entry.name: entry for entry in entries}


def _read(content: bytes) -> Bundle:
    by_name = _entries(content)
    envelope = _envelope(_content(by_name.pop(STATEMENT)))
    key = _content(by_name.pop(KEY))
    stated = dsse.sizes(envelope)
    # What has another size than was signed is not unpacked: no digest fits it in any case.
    signed = {name for name, entry in by_name.items() if entry.size == stated.get(name, entry.size)}
    first = {
        name: partial(_content, entry) if name in signed else bytes
        for name, entry in by_name.items()
    }
    again = {
        name: partial(entry.content, None) if name in signed else bytes
        for name, entry in by_name.items()
    }
    return Bundle(Unpacked(first, again), envelope, key, content)


def _content(entry: Entry) -> bytes:
    return entry.content(meter(entry.name))


def meter(name: str) -> Meter:
    """What counts the content of a file of this name."""
    return Meter(_budget(name))


def _budget(name: str) -> Budget:
    """What a file may cost; that of a shard as much as that of a whole run."""
    return LIMITS[name.rpartition("/")[2]]


def _envelope(content: bytes) -> dict[str, Any]:
    try:
        found = strict_json.canonical(content, indented=True)
    except strict_json.NotStrict as problem:
        raise ArchiveProblem(f"{STATEMENT}: {problem}") from None
    if not isinstance(found, dict):
        raise ArchiveProblem(f"{STATEMENT} is not an envelope")
    return found


def _ordered(names: Iterable[str]) -> list[str]:
    """The files of the evidence in the order of the archive."""
    given = set(names)
    return [*(name for name in (*EVIDENCE, *OPTIONAL) if name in given), *_of_shards(given)]


def _of_shards(names: Iterable[str]) -> list[str]:
    """The files of the shards among some names: those of the first one first."""
    places = sorted(filter(None, map(kept_shards.place, names)), key=_order)
    return [kept_shards.name(*place) for place in places]


def _order(place: tuple[int, str]) -> tuple[int, int]:
    number, file = place
    return number, kept_shards.FILES.index(file)


def _flaws(entries: Sequence[Entry]) -> Iterator[str]:
    """What is wrong with the files of an archive, before any of them is unpacked."""
    names = [entry.name for entry in entries]
    of_shards = set(_of_shards(names))
    known = REQUIRED <= set(names) <= LIMITS.keys() | of_shards
    if len(set(names)) < len(names) or not known or not _is_complete(of_shards):
        shown = ", ".join(names[: len(LIMITS) + 1])
        yield f"holds {shown!r} instead of {', '.join(sorted(REQUIRED))}"
        return
    if names != [*_ordered(names), STATEMENT, KEY]:
        yield "has its files in another order"
    if sum(entry.size for entry in entries if entry.name in of_shards) > MOST_OF_SHARDS:
        yield f"unpacks to more than {MOST_OF_SHARDS} bytes of shards"
    for entry in entries:
        most = _budget(entry.name).bytes
        if entry.size > most:
            yield f"unpacks to more than {most} bytes of {entry.name}"


def _is_complete(of_shards: set[str]) -> bool:
    """Whether every shard from the first one on has all its files."""
    count = len(of_shards) // len(kept_shards.FILES)
    numbers = range(1, count + 1)
    return of_shards == {kept_shards.name(*each) for each in product(numbers, kept_shards.FILES)}


def digest(content: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()
