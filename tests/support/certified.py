"""One quick run and its certificate, for all tests; and what edits the evidence of copies."""

import json
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from process import conformance_here
from securesystemslib.signer import CryptoSigner

from conformance.assurance.certificate import (
    archive,
    bundle,
    challenge,
    dsse,
    issuing,
    recomputation,
    strict_json,
)
from conformance.assurance.certificate import evidence as evidence_files
from conformance.assurance.certificate.archive import Entry
from conformance.assurance.certificate.bundle import Bundle
from conformance.assurance.certificate.evidence import Evidence
from conformance.assurance.certificate.recomputation import Recomputed
from conformance.assurance.certificate.recorded import Exchanges
from conformance.contract import revisions
from conformance.contract.revisions import Revision

Files = dict[str, bytes]
Edit = Callable[[Files], None]

REPORT, KEY, REGISTRAR, MADE = "report", "key", "registrar", "made.pickle"
"""The parts of the folder: of the run, of two private keys, and the certificate with its replay."""

REPLAY = recomputation.replay
REPLAYED = ("exchanges.jsonl", "target.json")
REVISION = replace(revisions.latest(), depths=("quick", "standard", "deep"))
"""The newest revision, as if it accepted quick runs."""


@dataclass(frozen=True)
class Certified:
    """A report folder, the key and the certificate of its run, and what its replay has found."""

    report: Path
    key: Path
    signer: CryptoSigner
    registrar: CryptoSigner
    honest: Bundle
    recomputed: Recomputed

    @property
    def evidence(self) -> Mapping[str, bytes]:
        """The files of the honest certificate."""
        return self.honest.evidence

    def write(self, path: Path, found: Bundle | None = None) -> Path:
        """Write a certificate, by default the honest one."""
        path.write_bytes(self.archived(bundle.files(found or self.honest)))
        return path

    def archived(self, files: Mapping[str, bytes]) -> bytes:
        """An archive of these files as `archive.packed` makes it.

        What the honest one has as well is compressed once: that takes longer than most tests.
        """
        altered = {
            name: content
            for name, content in files.items()
            if name not in self._files or content != self._files[name]
        }
        known = self._entries | _by_name(archive.packed(altered))
        return archive.joined([known[name] for name in files])

    @cached_property
    def _files(self) -> Files:
        return bundle.files(self.honest)

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return _by_name(archive.packed(self._files))


def _by_name(content: bytes) -> dict[str, Entry]:
    return {entry.name: entry for entry in archive.entries(content)}


def write(path: Path, found: Bundle) -> Path:
    """Write a certificate to a file."""
    bundle.write(path, found)
    return path


def claimed(found: Bundle) -> Any:
    """The statement of a certificate."""
    return dsse.opened(found.envelope, dsse.public_key(found.key, "the signer"))


def unpacked(path: Path) -> Files:
    """The files in a certificate, by name."""
    with zipfile.ZipFile(path) as entries:
        return {name: entries.read(name) for name in entries.namelist()}


def command(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """The command line, in a process of its own."""
    words = [sys.executable, "-m", "conformance", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)


def make(folder: Path) -> None:
    """Run the suite once, replay it once, and write everything to a folder."""
    for name in (KEY, REGISTRAR):
        dsse.generate(folder / name)
    asked = challenged(dsse.private_key(folder / REGISTRAR), datetime.now(UTC))
    seed = challenge.read(asked).seed
    options = ("--seed", seed, "--report", "badge", "--report-dir", folder / REPORT)
    done = conformance_here(folder, "run", *options)  # of the reports, nobody reads another one
    assert done.returncode == 0, done.stdout + done.stderr
    found: list[Recomputed] = []

    def replay(evidence: Evidence, _watching: object = ()) -> Recomputed:
        found.append(once(evidence))
        return found[0]

    once = recomputation.replay
    with quick_runs(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(recomputation, "replay", replay)
        signer = dsse.private_key(folder / KEY)
        honest = issuing.issued(folder / REPORT, REVISION, signer, {challenge.FILE: asked})
    (folder / MADE).write_bytes(pickle.dumps((replace(honest), found[0])))


def read(folder: Path) -> Certified:
    """What `make` has written to a folder."""
    honest, recomputed = pickle.loads((folder / MADE).read_bytes())
    signer, registrar = (dsse.private_key(folder / name) for name in (KEY, REGISTRAR))
    return Certified(folder / REPORT, folder / KEY, signer, registrar, honest, recomputed)


def challenged(
    registrar: CryptoSigner,
    now: datetime,
    hours: int = 1,
    base_url: str | None = None,
    vendor: str | None = None,
) -> bytes:
    """A challenge with a nonce that is always the same, so that the run is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_hex", lambda count: "ab" * count)
        envelope = challenge.issue(registrar, now, timedelta(hours=hours), base_url, vendor)
    return strict_json.written(envelope)


@contextmanager
def quick_runs() -> Iterator[None]:
    """Accept quick runs in certificates."""

    def load(name: str) -> Revision:
        return REVISION if name == REVISION.name else original(name)

    original = revisions.load
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(revisions, "load", load)
        patch.setattr(revisions, "latest", lambda: REVISION)
        yield


@contextmanager
def one_replay(certified: Certified) -> Iterator[None]:
    """Replay nothing where the recording is the honest one: the result is known."""

    def replay(evidence: Evidence, _watching: object = ()) -> Recomputed:
        same = all(evidence.files[name] == certified.evidence[name] for name in REPLAYED)
        assert same, "a replay of altered exchanges takes half a minute"
        return certified.recomputed

    with known_exchanges(certified), pytest.MonkeyPatch.context() as patch:
        patch.setattr(recomputation, "replay", replay)
        yield


@contextmanager
def replayed_once() -> Iterator[None]:
    """Replay a recording the first time, whatever else a certificate of it says later."""
    known: list[tuple[list[bytes], Recomputed]] = []

    def replay(evidence: Evidence, _watching: object = ()) -> Recomputed:
        files = [evidence.files[name] for name in (*REPLAYED, "run.json")]
        known[:] = known or [(files, REPLAY(evidence))]
        assert known[0][0] == files, "another recording"
        return known[0][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recomputation, "replay", replay)
        yield


@contextmanager
def known_exchanges(certified: Certified) -> Iterator[None]:
    """Read the honest recording once: the same bytes have the same exchanges. Others are read."""

    def exchanges(content: bytes) -> Exchanges:
        is_honest = content == certified.evidence["exchanges.jsonl"]
        return read_once(content) if is_honest else read_anew(content)

    read_anew = evidence_files.exchanges
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence_files, "exchanges", exchanges)
        yield


read_once = lru_cache(1)(evidence_files.exchanges)
"""What a recording holds; of one alone, as it is large."""


def edited(name: str, change: Callable[[Any], object]) -> Edit:
    """An edit of a JSON file of the evidence, which stays as a run writes it."""

    def edit(files: Files) -> None:
        value = json.loads(files[name])
        change(value)
        files[name] = orjson.dumps(value, option=orjson.OPT_INDENT_2)

    return edit


def edited_lines(change: Callable[[list[Any]], object]) -> Edit:
    """An edit of the recorded exchanges."""

    def edit(files: Files) -> None:
        lines = [orjson.loads(line) for line in files["exchanges.jsonl"].splitlines()]
        change(lines)
        files["exchanges.jsonl"] = b"".join(orjson.dumps(line) + b"\n" for line in lines)

    return edit


def replaced(name: str, old: bytes, new: bytes) -> Edit:
    """An edit of the text of a file, at the first place."""

    def edit(files: Files) -> None:
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)

    return edit
