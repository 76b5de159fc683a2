"""Cells of the access matrix in words."""

from conformance.contract import api
from conformance.suite.access.label import label
from conformance.suite.access.rule import Cell, cells


def test_a_label_says_who_asks_for_what_and_how() -> None:
    """A reader of a finding needs no table of the matrix."""
    own = Cell("lacking", "own", "comment_list", "http", "capitals", "bearer", "alone")
    others = Cell("primary", "foreign", "review_list", "tool", "filters", "api-key", "beside")

    assert [label(own), label(others)] == [
        "a caller without the permission asks for a record of primary, with the id in the other "
        "case",
        "primary asks for a list of what belongs to another company, with filters, beside another "
        "caller",
    ]


def test_every_cell_has_a_label() -> None:
    """No caller, record, form or setting lacks its words."""
    labels = [label(cell) for cell in cells(api.load().schemes)]
    assert all(" asks for " in each or " approves " in each for each in labels)
