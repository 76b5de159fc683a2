"""What several verdicts come to, and what the three ways of not passing carry."""

from itertools import permutations

import pytest

from conformance.contract.verdict import (
    Conclusion,
    Finding,
    Inconclusive,
    Level,
    NotApplicable,
    Verdict,
    Violation,
    conclude,
    worst,
)

FAIL, ERROR, INCONCLUSIVE, PASS, NOT_APPLICABLE = Verdict


def test_the_words_are_those_of_the_report() -> None:
    """Worst first."""
    assert [str(verdict) for verdict in Verdict] == [
        "fail",
        "error",
        "inconclusive",
        "pass",
        "not-applicable",
    ]
    assert [str(level) for level in Level] == ["must", "should", "observe"]
    assert [str(conclusion) for conclusion in Conclusion] == [
        "conformant",
        "non-conformant",
        "inconclusive",
    ]


@pytest.mark.parametrize("better", range(1, 5))
@pytest.mark.parametrize("worse", range(4))
def test_the_worst_of_two_decides(worse: int, better: int) -> None:
    """In whichever order they come."""
    order = list(Verdict)
    for pair in permutations((order[worse], order[better])):
        assert worst(pair) is order[min(worse, better)]


def test_nothing_judged_is_inconclusive() -> None:
    """Neither a requirement nor a run passes by silence."""
    assert worst([]) is INCONCLUSIVE
    assert worst(iter([PASS])) is PASS
    assert conclude([]) is Conclusion.INCONCLUSIVE


@pytest.mark.parametrize(
    ("verdicts", "conclusion"),
    [
        ([PASS], Conclusion.CONFORMANT),
        ([PASS, NOT_APPLICABLE, PASS], Conclusion.CONFORMANT),
        ([NOT_APPLICABLE], Conclusion.INCONCLUSIVE),
        ([PASS, INCONCLUSIVE], Conclusion.INCONCLUSIVE),
        ([PASS, ERROR], Conclusion.INCONCLUSIVE),
        ([ERROR], Conclusion.INCONCLUSIVE),
        ([FAIL], Conclusion.NON_CONFORMANT),
        ([PASS, FAIL, PASS], Conclusion.NON_CONFORMANT),
        ([ERROR, INCONCLUSIVE, FAIL], Conclusion.NON_CONFORMANT),
    ],
)
def test_a_run_is_conformant_only_if_every_must_passed(
    verdicts: list[Verdict], conclusion: Conclusion
) -> None:
    """A failure outweighs everything; an error or a gap never lets a run be conformant."""
    assert conclude(iter(verdicts)) is conclusion


def test_a_violation_carries_what_was_expected_and_its_evidence() -> None:
    """Its text is the message alone."""
    bare, full = (
        Violation("broken"),
        Violation("broken", expected="200", exchanges=iter(["a#1"]), operation="account_get"),
    )
    assert (str(bare), bare.message, bare.expected, bare.exchanges, bare.operation) == (
        "broken",
        "broken",
        "",
        (),
        None,
    )
    assert (full.expected, full.exchanges, full.operation) == ("200", ("a#1",), "account_get")


def test_what_is_inconclusive_names_what_would_settle_it() -> None:
    """Keys of the profile, or the data."""
    bare, full = (
        Inconclusive("unknown"),
        Inconclusive("unknown", needs=["limits"], exchanges=["a#1"]),
    )
    assert (str(bare), bare.message, bare.needs, bare.exchanges) == ("unknown", "unknown", (), ())
    assert (full.needs, full.exchanges) == (("limits",), ("a#1",))
    assert str(NotApplicable("no cursor")) == "no cursor"


def test_a_finding_says_nothing_that_it_was_not_told() -> None:
    """Only the requirement and the verdict are needed."""
    found = Finding("base/x", PASS)
    assert (
        found.operation,
        found.message,
        found.expected,
        found.needs,
        found.exchanges,
        found.item,
    ) == (None, "", "", (), (), "")
