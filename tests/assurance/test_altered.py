"""Edited references, loaded beside the original."""

import re
import sys

import pytest

import conformance
from conformance import reference
from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit, EditError
from conformance.reference import app, catalogue

PREFIX = Edit("app", '"/v1"', '"/v2"')


def test_an_edit_is_applied() -> None:
    """The altered package has the new text."""
    assert altered.load([PREFIX]).app.PREFIX == "/v2"


def test_loading_an_altered_reference_leaves_the_original_unchanged() -> None:
    """The modules and the attribute of the parent package are the same objects as before."""
    before = {
        name: module for name, module in sys.modules.items() if name.startswith("conformance")
    }

    altered.load([PREFIX])

    after = {name: module for name, module in sys.modules.items() if name.startswith("conformance")}
    assert (after, conformance.reference, app.PREFIX) == (before, reference, "/v1")


def test_an_altered_reference_shares_no_module_with_the_original() -> None:
    """Neither the state of a module nor its classes are shared."""
    package = altered.load([PREFIX])

    assert package.Reference is not reference.Reference
    assert package.catalogue.operations is not catalogue.operations


def test_a_later_import_finds_the_altered_reference() -> None:
    """An import inside a function runs after the original is back in `sys.modules`."""
    package = altered.load(
        [
            Edit(
                "clock",
                "return time.time()",
                "from conformance.reference.errors import ApiError; return ApiError",
            )
        ]
    )

    assert package.SystemClock().now() is package.app.ApiError


def test_an_altered_reference_may_import_other_modules() -> None:
    """The finder leaves modules of other packages to the usual ones."""
    sys.modules.pop("colorsys", None)

    package = altered.load([Edit("app", '"/v1"', '__import__("colorsys").__name__')])

    assert package.app.PREFIX == "colorsys"


def test_an_error_at_import_leaves_the_original_unchanged() -> None:
    """The exception of the edited module is not caught."""
    with pytest.raises(ZeroDivisionError):
        altered.load([Edit("app", '"/v1"', "str(1 / 0)")])

    assert sys.modules["conformance.reference"] is reference
    assert conformance.reference is reference


@pytest.mark.parametrize("old", ["no such text", "import", ""])
def test_a_text_that_does_not_occur_exactly_once_is_an_error(old: str) -> None:
    """The message has the module, the text and its count."""
    with pytest.raises(
        EditError, match=rf"^app: {re.escape(repr(old))} must occur once, occurs \d+ times$"
    ):
        altered.edited([Edit("app", old, "x")])


@pytest.mark.parametrize("module", ["nothing", "../profile", "instance.py", "x" * 3_000])
def test_an_edit_of_an_unknown_module_is_an_error(module: str) -> None:
    """Only modules of the reference can be edited."""
    with pytest.raises(EditError, match="unknown module of the reference"):
        altered.edited([Edit(module, "a", "b")])


def test_edits_of_one_module_apply_in_their_order() -> None:
    """The second edit replaces the text of the first one."""
    sources = altered.edited([PREFIX, Edit("app", '"/v2"', '"/v3"')])

    assert '"/v3"' in sources["app"]
