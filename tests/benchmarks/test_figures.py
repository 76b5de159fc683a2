"""The figures of the benchmarks: benchmarks/README.md shows the newest ones of the history."""

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def readme(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that writes the figures; the benchmarks are no part of the package."""
    monkeypatch.syspath_prepend(ROOT)
    return importlib.import_module("benchmarks.readme")


def test_the_readme_shows_the_newest_figures_of_the_history(readme: ModuleType) -> None:
    """`python -m benchmarks --readme` writes them."""
    titles = importlib.import_module("benchmarks.__main__").TITLES
    assert readme.written(titles) in (ROOT / "benchmarks/README.md").read_text(encoding="utf-8")


def test_each_row_shows_its_last_measurement(
    readme: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part may be measured in several goes, and runs of another depth have rows of their own."""
    history = tmp_path / "history.json"
    monkeypatch.setattr(importlib.import_module("benchmarks.history"), "FILE", history)
    monkeypatch.setattr(readme, "FILE", tmp_path / "README.md")
    path = "the run", "a check"
    entries: list[dict[str, Any]] = [
        {"parts": {"path": [{"name": path[0], "round trips": 1725}, {"name": path[1], "x": 0.5}]}},
        {"parts": {"path": [{"name": path[0], "round trips": 612, "seconds": None}], "start": []}},
    ]
    entries.append({"depth": "quick", "parts": {"path": [{"name": path[0], "x": 7}]}})
    history.write_text(json.dumps(entries))
    readme.FILE.write_text(f"before\n{readme.BEGIN}\nold\n{readme.END}\nafter\n")

    readme.rewrite({"path": "Round trips", "start": "Start"})

    assert readme.FILE.read_text().splitlines() == [
        "before",
        readme.BEGIN,
        "| | goal | first measured | now |",
        "|---|--:|--:|--:|",
        "| round trips of a run, one after another | ≤ 120 | 1,725 | 612 |",
        "",
        "`python -m benchmarks path`: Round trips",
        "",
        "| | round trips | seconds | x |",
        "|---|--:|--:|--:|",
        "| the run | 612 |  |  |",
        "| a check |  |  | 0.5 |",
        "| the run, --depth quick |  |  | 7 |",
        readme.END,
        "after",
    ]
