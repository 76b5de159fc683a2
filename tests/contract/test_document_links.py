"""The links of the documents lead to what is there."""

import re
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(chain.from_iterable(map(ROOT.glob, ("*.md", "*/*.md", "examples/*/*.md"))))
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(document: Path) -> set[str]:
    """The anchors of the headings of a document, as GitHub makes them."""
    headings = HEADING.findall(document.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(document: Path) -> None:
    """Those within the repository."""
    for path, anchor in LINK.findall(document.read_text(encoding="utf-8")):
        linked = document.parent / path if path else document
        assert linked.exists(), f"{document}: {path}"
        assert not anchor or anchor in anchors(linked), f"{document}: {path}#{anchor}"


def test_every_how_to_guide_is_linked_from_the_readme() -> None:
    """Whoever begins there finds all of them."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = {path for path, _ in LINK.findall(readme)}
    guides = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")}
    assert guides - linked <= {"docs/revisions.md"}
