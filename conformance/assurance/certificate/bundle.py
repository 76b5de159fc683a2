"""The certificate file: a zip of the evidence, the signed statement, and the public key."""

import hashlib
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from conformance.assurance.certificate import strict_json
from conformance.report import kept_shards

MIB = 1024 * 1024
EVIDENCE = {
    "report.json": 64 * MIB,
    "exchanges.jsonl": 384 * MIB,
    "target.json": 4 * MIB,
    "run.json": 4 * MIB,
    "environment.txt": MIB,
    "revision.json": 4 * MIB,
    "requirements.yaml": 4 * MIB,
    "openapi.yaml": 4 * MIB,
}
"""The files of the evidence, with the most bytes of each."""

OPTIONAL = {"challenge.dsse.json": MIB, "pylock.toml": 4 * MIB}
"""Files of the evidence that a certificate need not have: a registrar's challenge, a lock file."""

STATEMENT = "statement.dsse.json"
KEY = "signer.pub"
REQUIRED = frozenset({*EVIDENCE, STATEMENT, KEY})
LIMITS = {**EVIDENCE, **OPTIONAL, STATEMENT: MIB, KEY: MIB}
MOST_OF_SHARDS = 512 * MIB
"""Bytes of the files of all shards of a merged run."""

EPOCH = (1980, 1, 1, 0, 0, 0)
CODINGS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
ENCRYPTED = 0x1
LONGEST_NAME = 40


class BundleProblem(ValueError):
    """The file is not a complete certificate."""


@dataclass(frozen=True)
class Bundle:
    """The content of a certificate: the evidence by name, the envelope, and the public key."""

    evidence: Mapping[str, bytes]
    envelope: dict[str, Any]
    key: bytes


def write(path: Path, found: Bundle) -> None:
    """Write the certificate; the same content gives the same file."""
    files = {
        **found.evidence,
        STATEMENT: strict_json.written(found.envelope),
        KEY: found.key,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)


def read(path: Path) -> Bundle:
    """The parts of a certificate, of bounded size. Raises BundleProblem."""
    try:
        with zipfile.ZipFile(path) as archive:
            for flaw in _flaws(archive.infolist()):
                raise BundleProblem(f"{path.name} {flaw}")
            files = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except BundleProblem:
        raise
    except OSError as problem:
        raise BundleProblem(f"{path}: {problem.strerror or problem}") from None
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError) as problem:
        raise BundleProblem(
            f"{path.name} is not a certificate ({type(problem).__name__})"
        ) from None
    try:
        envelope = strict_json.parse(files[STATEMENT])
    except strict_json.NotStrict as problem:
        raise BundleProblem(f"{STATEMENT} in {path.name}: {problem}") from None
    if not isinstance(envelope, dict):
        raise BundleProblem(f"{STATEMENT} is not an envelope")
    names = [name for name in (*EVIDENCE, *OPTIONAL) if name in files]
    evidence = {name: files[name] for name in (*names, *_of_shards(files))}
    return Bundle(evidence, envelope, files[KEY])


def _of_shards(names: Iterable[str]) -> list[str]:
    """The files of the shards among some names: those of the first one first."""
    places = sorted(filter(None, map(kept_shards.place, names)), key=_order)
    return [kept_shards.name(*place) for place in places]


def _order(place: tuple[int, str]) -> tuple[int, int]:
    number, file = place
    return number, kept_shards.FILES.index(file)


def _flaws(entries: list[zipfile.ZipInfo]) -> Iterator[str]:
    """What is wrong with the files of an archive, before any of them is unpacked."""
    names = sorted(entry.filename for entry in entries)
    of_shards = set(_of_shards(names))
    known = REQUIRED <= set(names) <= LIMITS.keys() | of_shards
    if len(set(names)) < len(names) or not known or not _is_complete(of_shards):
        shown = ", ".join(name[:LONGEST_NAME] for name in names[: len(LIMITS) + 1])
        yield f"holds {shown!r} instead of {', '.join(sorted(REQUIRED))}"
        return
    if sum(entry.file_size for entry in entries if entry.filename in of_shards) > MOST_OF_SHARDS:
        yield f"unpacks to more than {MOST_OF_SHARDS} bytes of shards"
    for entry in entries:
        most = LIMITS[entry.filename.rpartition("/")[2]]
        if entry.file_size > most:
            yield f"unpacks to more than {most} bytes of {entry.filename}"
        if entry.compress_type not in CODINGS or entry.flag_bits & ENCRYPTED:
            yield f"holds {entry.filename} encrypted, or compressed by another method than deflate"


def _is_complete(of_shards: set[str]) -> bool:
    """Whether every shard from the first one on has all its files."""
    count = len(of_shards) // len(kept_shards.FILES)
    numbers = range(1, count + 1)
    return of_shards == {kept_shards.name(*each) for each in product(numbers, kept_shards.FILES)}


def digest(content: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()
