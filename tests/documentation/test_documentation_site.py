"""The documentation: built strictly, with a page for each requirement, and no link into nothing."""

import html
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from shared_folder import shared

from conformance.assurance.clients import edited
from conformance.assurance.selftest.population import Mutant, shipped
from conformance.commands.options.table import COMMANDS
from conformance.contract import documentation, requirements
from conformance.report import artefacts

ROOT = Path(__file__).parents[2]
FAILURES = json.loads((ROOT / "docs/site/failures.json").read_text(encoding="utf-8"))
NOT_FOUND = "404.html"
"""Its links are those of a server's root."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a warning of MkDocs, such as that of a broken link, is an error."""

    def build(folder: Path) -> None:
        built = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
            cwd=ROOT,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert built.returncode == 0, built.stdout + built.stderr

    return shared(tmp_path_factory, "site", build)


class Links(HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element refers to, and by what it can be referred to."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.addresses.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def broken(site: Path) -> Iterator[str]:
    """The addresses of pages of ours that lead to no file or anchor."""
    own = [path for path in site.rglob("*.html") if "reports" not in path.parts]
    pages = {page.resolve(): Links(page) for page in own}
    for page, links in pages.items():
        for address in links.addresses if page.name != NOT_FOUND else ():
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            file = there / "index.html" if there.is_dir() else there
            has_anchor = (
                not parts.fragment
                or file not in pages
                or (unquote(parts.fragment) in pages[file].anchors)
            )
            if not file.is_file() or not has_anchor:
                yield f"{page.relative_to(site.resolve())}: {address}"


def test_no_link_leads_into_nothing(site: Path) -> None:
    """Pages, files and anchors."""
    assert list(broken(site)) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    """The test above can fail: by a file that is not there, and by an anchor."""
    (tmp_path / "index.html").write_text(
        '<a id="here" href="#here"></a><a href="#there"></a><img src="picture.svg">'
        '<a href="https://example.com/"></a>'
    )

    assert list(broken(tmp_path)) == ["index.html: #there", "index.html: picture.svg"]


def test_nothing_is_loaded_from_other_hosts(site: Path) -> None:
    """A page works without a network."""
    text = (site / "index.html").read_text(encoding="utf-8")
    assert "fonts.googleapis.com" not in text
    assert 'src="http' not in text


@pytest.mark.parametrize("id", requirements.every())
def test_each_requirement_has_its_page(site: Path, id: str) -> None:
    """With its statement, at the place that `explain` names."""
    page = (site / documentation.page(id) / "index.html").read_text(encoding="utf-8")

    words = requirements.every()[id].statement.replace("`", "").split()
    assert all(word in html.unescape(page) for word in words)


def test_each_requirement_has_a_failure_of_a_mutant_that_is_there() -> None:
    """`tests/support/generate_failures.py` writes them anew."""
    subjects = (*shipped(), *edited.as_mutants())
    mutants = {each.id: each for each in subjects if isinstance(each, Mutant)}

    assert list(FAILURES) == [id for id, each in requirements.every().items() if each.is_checked]
    for id, shown in FAILURES.items():
        assert id in mutants[shown["mutant"]].breaks
        assert shown["lines"][0].startswith(("FAILED", "WARNING"))


def test_each_command_option_and_format_is_in_the_reference(site: Path) -> None:
    """Nobody has to write them down."""
    commands = (site / "reference/commands/index.html").read_text(encoding="utf-8")
    formats = (site / "reference/formats/index.html").read_text(encoding="utf-8")
    codes = (site / "reference/exit-codes/index.html").read_text(encoding="utf-8")
    profile = (site / "reference/profile/index.html").read_text(encoding="utf-8")

    assert all(f'<h2 id="{name}">' in commands for name in COMMANDS)
    assert all(f'<h2 id="{name}">' in codes for name in COMMANDS)
    assert all(each.file in formats for each in artefacts.FORMATS.values())
    assert "--write-known-failures FILE" in commands
    assert '<h3 id="fleet-may">' in commands
    assert "gate.p95.project_list" in profile


def test_the_pictures_show_real_runs(site: Path) -> None:
    """The verdict of a sample, and the requirement that the other one violates."""
    failure = (site / "pictures/mutant.svg").read_text(encoding="utf-8")
    success = (site / "pictures/reference.svg").read_text(encoding="utf-8")

    assert "approval/stale-revision" in failure.replace("&#160;", " ")
    assert "CONFORMANT" in success
