"""What MkDocs builds beside the pages in docs/: those of other folders, and generated ones."""

import re
from collections.abc import Iterator
from pathlib import Path

import pictures
import reference_pages
import requirement_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PAGES = ("CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md", "benchmarks/*")
FILES = ("spec/**/*", "examples/**/*", "reports/sample/**/*")
"""What the pages link to, at the same place below the root of the site."""

OUTSIDE = re.compile(r"\]\((?:\.\./(?=(?:spec|examples|reports|benchmarks)/|[A-Z]+\.md)|docs/)")
TEXTS = {".md", ".yaml", ".yml", ".toml", ".json", ".py", ".html", ".xml", ".png", ".svg", ".pub"}


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add them all."""
    for path in _included():
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    first = (Path(__file__).parent / "index.md").read_text(encoding="utf-8")
    made = (reference_pages.pages(), requirement_pages.pages(), pictures.files())
    generated = {"index.md": first, **{name: each for one in made for name, each in one.items()}}
    for name, text in generated.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Links as they are read in a checkout lead to the same files on the site."""
    is_deeper = "/" in page.file.src_uri
    return markdown if is_deeper else OUTSIDE.sub("](", markdown)


def _included() -> Iterator[Path]:
    for pattern in (*PAGES, *FILES):
        found = (path for path in ROOT.glob(pattern) if path.is_file())
        yield from (path for path in sorted(found) if path.suffix in TEXTS)
