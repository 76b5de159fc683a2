"""Certificates that cost: each is rejected in a minute and 400 MiB, whatever it states."""

import io
import stat
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from process import COMMAND, conformance_here, surroundings
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner

from conformance.assurance.certificate import archive, bundle, dsse, statement, strict_json
from conformance.assurance.certificate.archive import Entry
from conformance.assurance.certificate.evidence import Evidence
from conformance.contract.exit_codes import USAGE_ERROR

KEPT = Path(__file__).parents[1] / "assurance" / "certificates" / "0.1.0-dev.tar.xz"
LONGEST = 60
MOST_MEMORY = 400 * 1024
"""KiB."""

MIB = 1024 * 1024
SIGNER = CryptoSigner.generate_ed25519()
Entries = dict[str, Entry]


@pytest.fixture(autouse=True)
def bounds() -> None:
    """The command has them, in a process of its own: to make such an archive takes more."""


@pytest.fixture(scope="module")
def kept() -> dict[str, bytes]:
    """The files of a certificate, with the exchanges of its beginning: its size does not matter."""
    with tarfile.open(KEPT) as found:
        files = {
            member.name: content.read()
            for member in found
            if (content := found.extractfile(member)) is not None
        }
    files["exchanges.jsonl"] = b"".join(files["exchanges.jsonl"].splitlines(keepends=True)[:200])
    return {name: files[name] for name in bundle.EVIDENCE}


def repeated(piece: bytes, times: int, head: bytes = b"", tail: bytes = b"") -> tuple[int, bytes]:
    """The size of a long text, and its compressed form, made of one compressed piece."""
    packer = zlib.compressobj(9, wbits=archive.RAW)
    first = packer.compress(head + piece) + packer.flush(zlib.Z_FULL_FLUSH)
    each = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    last = packer.compress(tail) + packer.flush()
    size = len(head) + len(piece) * times + len(tail)
    return size, first + each * (times - 1) + last


def entry(name: str, content: bytes) -> Entry:
    """A file of an archive."""
    (found,) = archive.entries(archive.packed({name: content}))
    return found


def keys_twice(most: int) -> bytes:
    """An object of so many bytes whose last key is there twice."""
    names = [b'"k%08d": 0' % number for number in range(most // 15)]
    return b"{\n" + b",\n".join([*names, names[-1]]) + b"\n}"


def twice_in_statement(entries: Entries) -> None:
    """The last key of the statement is there twice."""
    payload = keys_twice(700_000).replace(b"\n", b"")
    envelope = Envelope(payload, dsse.PAYLOAD_TYPE, {})
    envelope.sign(SIGNER)
    content = strict_json.written(envelope.to_dict())
    entries[bundle.STATEMENT] = entry(bundle.STATEMENT, content)


def twice_in_report(entries: Entries) -> None:
    """The last key of a long report is there twice; its size is signed."""
    entries["report.json"] = entry("report.json", keys_twice(60 * 1000 * 1000))


def half_as_long(entries: Entries) -> None:
    """A report with as many keys as one may have, the last one twice."""
    entries["report.json"] = entry("report.json", keys_twice(4_500_000))


def one_long_line(entries: Entries) -> None:
    """Empty lists in one line of the exchanges."""
    size, compressed = repeated(b"[]," * (MIB // 3), 380, head=b"[", tail=b"[]]\n")
    entries["exchanges.jsonl"] = Entry("exchanges.jsonl", 0, size, compressed)


def many_lines(entries: Entries) -> None:
    """An empty list in each line of the exchanges."""
    size, compressed = repeated(b"[]\n" * (MIB // 3), 380)
    entries["exchanges.jsonl"] = Entry("exchanges.jsonl", 0, size, compressed)


def lists_in_lines(entries: Entries) -> None:
    """As many empty lists in each line as it may have."""
    line = b'{"id":[' + b"[]," * 450 + b"[]]}\n"
    size, compressed = repeated(line * (MIB // len(line)), 300)
    entries["exchanges.jsonl"] = Entry("exchanges.jsonl", 0, size, compressed)


def understated(entries: Entries) -> None:
    """A file that states 1,000 bytes and unpacks to 2 GB."""
    _, compressed = repeated(b" " * MIB, 2048)
    entries["run.json"] = Entry("run.json", 0, 1000, compressed)


def overstated(entries: Entries) -> None:
    """A file that states 2 GB and has them."""
    size, compressed = repeated(b" " * MIB, 2048)
    entries["run.json"] = Entry("run.json", 0, size, compressed)


def near_misses(entries: Entries) -> None:
    """A target with 200,000 near misses of a secret."""
    name = "target.json"
    target = orjson.loads(entries[name].content(bundle.meter(name)))
    target["credentials"]["primary"]["api-key"]["near-misses"] = [True] * 200_000
    entries[name] = entry(name, orjson.dumps(target, option=orjson.OPT_INDENT_2))


def deep(entries: Entries) -> None:
    """A run.json of nested lists."""
    entries["run.json"] = entry("run.json", b"[" * 1_000_000 + b"]" * 1_000_000)


HOSTILE: dict[str, tuple[Callable[[Entries], None], str]] = {
    "a statement with a key twice": (twice_in_statement, "the statement: duplicate key"),
    "a report with a key twice": (twice_in_report, "has more JSON values than a run writes"),
    "a shorter one": (half_as_long, "report.json is malformed: duplicate key 'k00299999'"),
    "empty lists in a line": (one_long_line, "has a line of more than"),
    "an empty list in each line": (many_lines, "exchanges.jsonl has more than 100000 lines"),
    "empty lists in each line": (lists_in_lines, "has more JSON values than a run writes"),
    "a file that understates its size": (understated, "does not unpack to what the archive says"),
    "a file of gigabytes": (overstated, "unpacks to more than 4194304 bytes of run.json"),
    "near misses": (near_misses, "target.json has more JSON values than a run writes"),
    "nested lists": (deep, "run.json has more JSON values than a run writes"),
}


def certificate(files: dict[str, bytes], change: Callable[[Entries], None]) -> bytes:
    """The archive of a certificate whose statement fits the entries: their sizes, and digests."""
    signed = dsse.sign(statement.of(Evidence(files)), SIGNER)
    written = {**files, bundle.STATEMENT: strict_json.written(signed), bundle.KEY: dsse.pem(SIGNER)}
    entries = {found.name: found for found in archive.entries(archive.packed(written))}
    before = entries[bundle.STATEMENT]
    change(entries)
    if entries[bundle.STATEMENT] is before:
        stated: Any = dsse.unverified(signed)
        stated["predicate"]["sizes"] = {name: entries[name].size for name in files}
        for subject in stated["subject"]:
            changed = entries[subject["name"]]
            if changed.crc:
                content = zlib.decompress(changed.compressed, archive.RAW)
                subject["digest"]["sha256"] = bundle.digest(content)
        again = strict_json.written(dsse.sign(stated, SIGNER))
        entries[bundle.STATEMENT] = entry(bundle.STATEMENT, again)
    return archive.joined(list(entries.values()))


MEASURED = """\
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stderr=subprocess.STDOUT)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, used.ru_maxrss, used.ru_utime + used.ru_stime)
"""
"""A small process: one that was forked from a large one counts its memory as well."""


def verified(folder: Path, path: Path) -> tuple[int, str, int, float]:
    """The exit code of verify, its output, the largest resident set in KiB, and CPU seconds."""
    words = [sys.executable, "-c", MEASURED, *COMMAND, "verify", str(path)]
    done = subprocess.run(
        words, cwd=folder, env=surroundings(), capture_output=True, text=True, check=True
    )
    said, _, last = done.stdout.rstrip().rpartition("\n")
    code, memory, seconds = last.split()
    return int(code), said, int(memory), float(seconds)


@pytest.mark.parametrize(("change", "expected"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_certificate_is_rejected_within_bounds(
    change: Callable[[Entries], None], expected: str, kept: dict[str, bytes], tmp_path: Path
) -> None:
    """In one line, without an internal error; seconds are those of the processor."""
    path = tmp_path / "hostile.zip"
    path.write_bytes(certificate(kept, change))
    code, said, memory, seconds = verified(tmp_path, path)
    assert code in (1, 4), said
    assert expected in said
    assert memory < MOST_MEMORY
    assert seconds < LONGEST


def test_the_certificate_in_front_of_these_changes_is_sound(
    kept: dict[str, bytes], tmp_path: Path
) -> None:
    """Otherwise they would show nothing."""
    path = tmp_path / "honest.zip"
    path.write_bytes(certificate(kept, lambda _: None))
    code, said, _, _ = verified(tmp_path, path)
    assert code == 1
    assert "NOT RECOMPUTED: signature and digests are valid" in said


def test_an_archive_of_very_many_files_is_rejected(tmp_path: Path) -> None:
    """Their number does not fit in the end of the archive."""
    one = entry("a", b"").local
    (tmp_path / "certificate.zip").write_bytes(one * 70_000)
    with pytest.raises(bundle.BundleProblem, match="has more than 10,000 files"):
        bundle.read(tmp_path / "certificate.zip")


def added(name: str, mode: int = stat.S_IFREG | 0o644) -> Callable[[bytes], bytes]:
    """A certificate with a further entry of this name and kind."""

    def change(content: bytes) -> bytes:
        file = io.BytesIO(content)
        with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as opened:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.create_system = mode << 16, 3
            opened.writestr(info, "/etc/passwd")
        return file.getvalue()

    return change


def streamed(content: bytes) -> bytes:
    """The same files, written as to a pipe: their sizes come after them."""

    class Pipe(io.BytesIO):
        """It cannot go back to a head."""

        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise io.UnsupportedOperation

    file = Pipe()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(file, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name), zipfile.ZIP_DEFLATED)
    return file.getvalue()


def patched(place: int, value: bytes) -> Callable[[bytes], bytes]:
    """A certificate whose directory has these bytes at this place of its second entry."""

    def change(content: bytes) -> bytes:
        first = content.index(b"PK\x01\x02")
        start = content.index(b"PK\x01\x02", first + 4) + place
        return content[:start] + value + content[start + len(value) :]

    return change


ENCRYPTED = struct.pack("<H", 1)
FORMS: dict[str, Callable[[bytes], bytes]] = {
    "a link": added("x", stat.S_IFLNK | 0o777),
    "a device": added("x", stat.S_IFCHR | 0o644),
    "a folder": added("d/", stat.S_IFDIR | 0o755),
    "an absolute name": added("/owned"),
    "a name above": added("../../owned"),
    "a name of Windows": added("C:\\owned"),
    "a device of Windows": added("CON"),
    "another letter case": added("RUN.JSON"),
    "a name with a null": added("a\0b"),
    "a name of a terminal": added("\x1b[31mVERIFIED\n"),
    "a name from right to left": added("\u202enosj.nur"),
    "a long name": added("a" * 60_000),
    "a stream": streamed,
    "an encrypted file": patched(8, ENCRYPTED),
    "overlapping files": patched(42, bytes(4)),
    "another beginning": patched(42, b"\xff" * 4),
    "a size beyond all": patched(24, b"\xff" * 4),
}
"""Archives that some readers take for a certificate."""


@pytest.mark.parametrize("form", FORMS)
def test_an_archive_of_another_form_is_rejected(
    form: str, kept: dict[str, bytes], tmp_path: Path
) -> None:
    """In one line, and nothing is unpacked."""
    honest = certificate(kept, lambda _: None)
    (tmp_path / "hostile.zip").write_bytes(FORMS[form](honest))
    ended = conformance_here(tmp_path, "verify", "hostile.zip")
    assert ended.returncode == USAGE_ERROR
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith("conformance verify: error: hostile.zip is not a certificate: ")
    assert ended.stderr[:-1].isprintable()
    assert len(ended.stderr) < 1000
    assert [path.name for path in tmp_path.iterdir()] == ["hostile.zip"]
