"""A certificate is one sequence of bytes: an archive in any other form is not read."""

import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from certified import Certified, one_replay, quick_runs, unpacked

from conformance.assurance.certificate import archive, bundle
from conformance.assurance.certificate.bundle import BundleProblem
from conformance.assurance.certificate.verification import verify


@pytest.fixture(autouse=True)
def known_replay(certified: Certified) -> Iterator[None]:
    """No replay: what is altered here does not change what the responses show."""
    with quick_runs(), one_replay(certified):
        yield


def ordered(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files of an archive with statement and key at the end, wherever a test has put others."""
    last = {name: files[name] for name in (bundle.STATEMENT, bundle.KEY)}
    return {**{name: files[name] for name in files if name not in last}, **last}


def archived_as(path: Path, files: dict[str, bytes], certified: Certified) -> Path:
    """An archive of these files in the form of a certificate."""
    path.write_bytes(certified.archived(files))
    return path


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these files, as `zipfile` writes it by itself."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as entries:
        for name, content in files.items():
            entries.writestr(zipfile.ZipInfo(name), content, method)
    return written.getvalue()


@pytest.fixture(scope="module")
def honest(certified: Certified, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the honest certificate."""
    return certified.write(tmp_path_factory.mktemp("archived") / "honest.zip")


@pytest.fixture(scope="module")
def archived(honest: Path) -> dict[str, bytes]:
    """The files in it."""
    return unpacked(honest)


@pytest.fixture
def files(archived: dict[str, bytes]) -> dict[str, bytes]:
    """The same files, to be altered."""
    return dict(archived)


FILES: dict[str, tuple[Callable[[dict[str, bytes]], object], str]] = {
    "a further file": (lambda files: files.update({"notes.txt": b"trust me"}), "instead of"),
    "a file outside": (lambda files: files.update({"../run.json": b"{}"}), "instead of"),
    "a file less": (lambda files: files.pop("run.json"), "instead of"),
    "an envelope with a duplicate key": (
        lambda files: files.update({bundle.STATEMENT: b'{"payload": 1, "payload": 2}'}),
        "duplicate key 'payload'",
    ),
    "an envelope that is a list": (
        lambda files: files.update({bundle.STATEMENT: b"[]"}),
        "is not an envelope",
    ),
    "a file that unpacks to gigabytes": (
        lambda files: files.update({"run.json": b" " * 5_000_000}),
        "unpacks to more than 4194304 bytes of run.json",
    ),
}


@pytest.mark.parametrize(("change", "expected"), FILES.values(), ids=FILES)
def test_an_archive_with_other_files_is_not_read(
    change: Callable[[dict[str, bytes]], object],
    expected: str,
    files: dict[str, bytes],
    certified: Certified,
    tmp_path: Path,
) -> None:
    """Nothing of it is unpacked before its names and sizes are known."""
    change(files)
    with pytest.raises(BundleProblem, match=expected):
        bundle.read(archived_as(tmp_path / "odd.zip", ordered(files), certified))


def twice(content: bytes) -> bytes:
    """An archive with a second run.json; readers disagree about which of the two counts."""
    entries = archive.entries(content)
    return archive.joined([*entries, next(each for each in entries if each.name == "run.json")])


def commented(content: bytes) -> bytes:
    """An archive with a comment, which takes part in no digest of a file."""
    written = io.BytesIO(content)
    with zipfile.ZipFile(written, "a") as entries:
        entries.comment = b"x"
    return written.getvalue()


def extended(content: bytes) -> bytes:
    """An archive with a further field of each file."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as entries, zipfile.ZipFile(written, "w") as copy:
        for entry in entries.infolist():
            unpacked = entries.read(entry)
            entry.extra = b"\x99\x99\x00\x00"
            copy.writestr(entry, unpacked, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def longer(content: bytes) -> bytes:
    """An archive with bytes after the end of its first compressed file."""
    first, *others = archive.entries(content)
    return archive.joined([replace(first, compressed=first.compressed + b"x"), *others])


def shorter(content: bytes) -> bytes:
    """An archive whose first compressed file lacks its last bytes."""
    first, *others = archive.entries(content)
    return archive.joined([replace(first, compressed=first.compressed[:-9]), *others])


def broken(content: bytes) -> bytes:
    """An archive whose first compressed file is not one."""
    first, *others = archive.entries(content)
    return archive.joined([replace(first, compressed=b"\xff" * 9), *others])


def other_order(content: bytes) -> bytes:
    """An archive with its first file in the second place."""
    first, second, *others = archive.entries(content)
    return archive.joined([second, first, *others])


FORMS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a script in front": (lambda content: b"#!/bin/sh\n" + content, "stands before"),
    "a byte behind": (lambda content: content + b"x", "stands before, after"),
    "a comment": (commented, "stands before"),
    "a further field": (extended, "stands before"),
    "a file that is there twice": (twice, "instead of"),
    "a date of a file": (
        lambda content: content.replace(b"\x21\x00", b"\x22\x00", 1),
        "a header differs",
    ),
    "another mode of a file": (
        lambda content: content.replace(b"\x00\x00\x80\x01", b"\x00\x00\xa4\x81"),
        "a header differs",
    ),
    "a compressed file without its end": (shorter, "does not unpack to what the archive says"),
    "a compressed file that is none": (broken, "does not unpack to what the archive says"),
    "bytes behind a compressed file": (longer, "is followed by other bytes"),
    "another order": (other_order, "has its files in another order"),
    "a part of it": (lambda content: content[:-5], "stands before"),
    "half of it": (lambda content: content[: len(content) // 2], "stands before"),
    "a name beyond ASCII": (
        lambda content: content.replace(b"report.json", b"rep\xffrt.json"),
        "stands before",
    ),
}


@pytest.mark.parametrize(("change", "expected"), FORMS.values(), ids=FORMS)
def test_an_archive_in_another_form_is_not_read(
    change: Callable[[bytes], bytes], expected: str, honest: Path, tmp_path: Path
) -> None:
    """A certificate is one sequence of bytes: no comment, prefix, date or gap makes another one."""
    path = tmp_path / "odd.zip"
    path.write_bytes(change(honest.read_bytes()))
    with pytest.raises(BundleProblem, match=expected):
        bundle.read(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_an_archive_by_another_method_is_not_read(
    method: int, files: dict[str, bytes], tmp_path: Path
) -> None:
    """Other methods let the archive decide how much memory unpacking takes."""
    path = tmp_path / "odd.zip"
    path.write_bytes(zipped({name: files[name][:1000] for name in files}, method))
    with pytest.raises(BundleProblem, match="is not written as `conformance certify` writes it"):
        bundle.read(path)


def test_a_file_of_another_size_than_the_signed_one_is_not_unpacked(
    files: dict[str, bytes], certified: Certified, tmp_path: Path
) -> None:
    """The statement says how much there is to read."""
    files["report.json"] += b" "
    found = bundle.read(archived_as(tmp_path / "longer.zip", files, certified))
    assert found.evidence["report.json"] == b""
    assert verify(found, None).problems == ("report.json is not the signed one",)


def test_other_archivers_read_a_certificate(certified: Certified, honest: Path) -> None:
    """It is a usual zip."""
    with zipfile.ZipFile(honest) as entries:
        assert entries.testzip() is None
        read = {entry.filename: entries.read(entry) for entry in entries.infolist()}
    assert read == bundle.files(certified.honest)
