"""The digest of the source: one for each build, wherever it is installed."""

from pathlib import Path

from conformance.report import source


def package(folder: Path, text: str = "1") -> Path:
    """A package with one module and one resource."""
    (folder / "rules").mkdir(parents=True)
    (folder / "rules" / "page.py").write_text(text)
    (folder / "run.ini").write_text("[pytest]")
    return folder


def test_a_wheel_and_a_checkout_have_the_same_digest(tmp_path: Path) -> None:
    """A wheel has the contract files inside; they are compared by themselves."""
    checkout, wheel = package(tmp_path / "checkout"), package(tmp_path / "wheel")
    (wheel / "spec").mkdir()
    (wheel / "spec" / "interpretations.toml").write_text("")
    assert source.of(wheel) == source.of(checkout)


def test_another_source_has_another_digest(tmp_path: Path) -> None:
    """So has the same text in another module."""
    one, other = package(tmp_path / "one"), package(tmp_path / "other", "2")
    moved = package(tmp_path / "moved")
    (moved / "rules" / "page.py").rename(moved / "rules" / "pages.py")
    assert len({source.of(each) for each in (one, other, moved)}) == 3
    assert source.digest() == source.of(Path(source.__file__).parents[1])
