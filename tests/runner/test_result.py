"""The result of an item: findings without secrets, and of bounded size."""

from typing import Any

import pytest

from conformance.contract.verdict import Finding, Kind, Verdict, defect
from conformance.http.redaction import CUT, DEEPEST, Redactor
from conformance.runner.result import LONGEST_VALUE, redacted


def actual_of(value: Any) -> Any:
    """The value of the target in a finding."""
    violation = defect(Kind.VALUE, "{place} is wrong", actual=value, place="data")
    finding = Finding("a/b", Verdict.FAIL, defect=violation)
    clean = redacted(finding, "item", Redactor({"s3cret": "$KEY"})).defect
    assert clean is not None
    return clean.actual


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, None),
        ("a s3cret", "a $KEY"),
        ([{"s3cret": 1}], [{"$KEY": 1}]),
        ("x" * LONGEST_VALUE, "x" * LONGEST_VALUE),
        ("x" * (LONGEST_VALUE + 1), "x" * LONGEST_VALUE + CUT),
        (["x" * LONGEST_VALUE], None),
    ],
    ids=["none", "text", "array", "long", "too long", "too large"],
)
def test_a_value_of_the_target_is_redacted_and_bounded(value: Any, written: Any) -> None:
    """A long text is cut, and another large value is left to the exchange."""
    assert actual_of(value) == written


def test_a_deep_value_is_cut() -> None:
    """What remains can be written as JSON."""
    value: Any = "bottom"
    for _ in range(DEEPEST + 1):
        value = [value]
    written = actual_of(value)
    for _ in range(DEEPEST):
        (written,) = written
    assert written == CUT
