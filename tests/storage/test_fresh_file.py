"""Fresh files: written at once or not at all, through no link, with the mode that the user has."""

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.storage import fresh_file, regular_file
from conformance.storage.folder import inner

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")


def test_a_file_is_replaced_at_once(tmp_path: Path) -> None:
    """Nothing else is left in the folder."""
    path = tmp_path / "report.json"
    for content in (b"old", b"new"):
        fresh_file.write(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def interrupted(path: Path) -> None:
    """Write a file, until the disk is full."""
    with fresh_file.writing(path) as file:
        file.write(b"new")
        raise OSError("full")


def test_a_failure_leaves_the_old_content(tmp_path: Path) -> None:
    """The new file is deleted."""
    path = tmp_path / "report.json"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="full"):
        interrupted(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_beside_a_file_is_like_no_other(tmp_path: Path) -> None:
    """A later run finds what a killed process has left behind by it."""
    names = {fresh_file.beside(tmp_path / "report.json").name for _ in range(50)}
    assert len(names) == 50
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / "report.json.new").touch()
    assert {path.name for path in tmp_path.glob(fresh_file.LEFT_OVER)} == names


def test_the_umask_decides_on_the_mode(tmp_path: Path) -> None:
    """Others may read a report where they may read files of the user."""
    before = os.umask(0o027)
    try:
        fresh_file.write(tmp_path / "a", b"")
        fresh_file.created(tmp_path / "b").close()
        fresh_file.appending(tmp_path / "c").close()
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {0o640}


def test_a_file_is_created_anew_and_appended_to(tmp_path: Path) -> None:
    """The lines of a log are there as soon as they are written."""
    path = tmp_path / "log"
    path.write_bytes(b"old")
    with fresh_file.created(path) as file:
        file.write(b"1\n")
        assert path.read_bytes() == b"1\n"
    with fresh_file.appending(path) as file:
        file.write(b"2\n")
        assert path.read_bytes() == b"1\n2\n"


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_in_the_way_wherever_it_leads(there: bool, tmp_path: Path) -> None:
    """Also where nothing is there."""
    other = tmp_path / "other"
    if there:
        other.write_bytes(b"other")
    path = tmp_path / "path"
    path.symlink_to(other)
    writers: tuple[Callable[[Path], object], ...] = (
        *(fresh_file.created, fresh_file.appending),
        *(fresh_file.beside, fresh_file.check),
    )
    for write in writers:
        with pytest.raises(OSError, match="a link is in the way; remove it") as caught:
            write(path)
        assert caught.value.filename == str(path)
    assert other.exists() == there
    assert path.is_symlink()


def test_folders_inside_a_folder_are_made_and_are_no_links(tmp_path: Path) -> None:
    """The outermost one may be a link."""
    (tmp_path / "real").mkdir()
    (tmp_path / "named").symlink_to(tmp_path / "real")
    for _ in range(2):
        assert inner(tmp_path / "named", "a", "b").is_dir()
    (tmp_path / "real" / "a" / "c").symlink_to(tmp_path)
    with pytest.raises(OSError, match="a link is in the way"):
        inner(tmp_path / "named", "a", "c", "d")
    (tmp_path / "real" / "file").touch()
    with pytest.raises(OSError, match="a file is in the way"):
        inner(tmp_path / "named", "file")


def test_only_regular_files_of_a_bounded_size_are_read(tmp_path: Path) -> None:
    """A named link is followed, if that is asked for."""
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"12345")
    link.symlink_to(path)
    assert regular_file.read(path, 5) == regular_file.read(link, 5, follow=True) == b"12345"
    for wrong, most, reason in (
        (path, 4, "larger than 4 bytes"),
        (link, 5, "a link, which is not followed"),
        (tmp_path, 5, "Is a directory"),
        (tmp_path / "none", 5, "No such file"),
        (Path(os.devnull), 5, "not a regular file"),
    ):
        with pytest.raises(OSError, match=reason):
            regular_file.read(wrong, most)


def test_a_copy_is_of_a_regular_file(tmp_path: Path) -> None:
    """What a link leads to is not copied."""
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    fresh_file.copy(tmp_path / "file", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"content"
    with pytest.raises(OSError, match="a link"):
        fresh_file.copy(tmp_path / "link", tmp_path / "other")
    assert not (tmp_path / "other").exists()
