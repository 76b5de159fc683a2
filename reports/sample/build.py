"""Rebuilds the sample reports beside this file: `python reports/sample/build.py`.

Two runs at depth standard, one of the bundled reference and one of a mutant of it, and a picture of
the second one's page, for which Chromium and the `test` extra are needed.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from conformance.assurance.selftest import altered, population
from conformance.runner import examination, pytest_run

HERE = Path(__file__).parent
MUTANT = "stale-approves-all-the-same"
FILES = ("report.json", "report.html", "junit.xml")
CHROMIUM = shutil.which("chromium") or ""
SIZE = {"width": 1180, "height": 860}


def build(name: str, edits: tuple[altered.Edit, ...]) -> None:
    """One run, into the folder `name`."""
    package = altered.load(edits)
    with tempfile.TemporaryDirectory() as directory:
        plugin = examination.Substitute(lambda: examination.in_process(package))
        pytest_run.execute(pytest_run.options(Path(directory), "standard", 1), [plugin])
        (HERE / name).mkdir(exist_ok=True)
        for file in FILES:
            shutil.copy(Path(directory) / file, HERE / name / file)


def picture(page: Path, image: Path) -> None:
    """The first screen of a page."""
    # Only the picture needs a browser.
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
        )
        opened = browser.new_page(viewport=SIZE)
        opened.goto(page.as_uri())
        opened.screenshot(path=image)
        browser.close()


if __name__ == "__main__":
    mutant = next(entry for entry in population.shipped() if entry.id == MUTANT)
    build("reference", ())
    build("mutant", mutant.edits)
    if not CHROMIUM:
        sys.exit("no Chromium: the picture is not rebuilt")
    picture(HERE / "mutant" / "report.html", HERE / "mutant.png")
