"""The example registry: its script takes a product with a failure to a page of the site."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from certified import quick_runs, replayed_once
from playwright.sync_api import Browser

from conformance.assurance.registry import submission

EXAMPLE = Path(__file__).parents[2] / "examples" / "registry"


def script() -> ModuleType:
    """The script that builds the registry."""
    found = importlib.util.spec_from_file_location("example_registry", EXAMPLE / "build.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The registry with the product that has a failure, and its site."""
    out = tmp_path_factory.mktemp("example") / "out"
    with quick_runs(), replayed_once():  # four commands verify the only recording
        script().build(out, ["mumble"], "standard")
    return out


def test_every_product_of_the_example_has_its_files() -> None:
    """They are small: certificates are made when the site is built."""
    names = script().PRODUCTS
    assert {path.parent.name for path in EXAMPLE.glob("*/PRODUCT.toml")} == set(names)
    assert sum(path.stat().st_size for path in EXAMPLE.rglob("*") if path.is_file()) < 30_000


def test_a_product_with_failures_is_shown_with_them(built: Path) -> None:
    """It answers a challenge, is countersigned, and is not called conformant."""
    (entry,) = json.loads((built / "site" / "registry.json").read_bytes())
    assert (entry["status"], entry["verdict"]) == ("active", "non-conformant")
    assert entry["claims"]["failed"] == ["account/type"]
    assert entry["claims"]["challenge"]["dates"] > 100
    assert (built / "site" / "mumble" / submission.SUMMARY).is_file()
    badge = json.loads((built / "site" / "mumble" / "badge.json").read_bytes())
    assert (badge["color"], badge["message"].endswith("non-conformant")) == ("yellow", True)
    assert not list(built.rglob("*.key"))


@pytest.mark.browser
def test_the_example_in_a_browser(built: Path, browser: Browser) -> None:
    """The matrix says what the products are, and marks the class with the failure."""
    page = browser.new_page(viewport={"width": 1400, "height": 700})
    page.goto((built / "site" / "index.html").as_uri())
    assert page.locator("h1").inner_text() == "Example registry"
    assert page.locator(".about").inner_text().startswith("These are not products")
    assert page.locator("td.failed").count() == 1
    page.locator("tbody a").click()
    assert "accountType is written in capitals until 1.0" in page.locator("dl").inner_text()
    page.close()
