"""Verdicts and conclusions, defects as data, and the exceptions that end a check."""

from itertools import permutations

import pytest

from conformance.contract.verdict import (
    Conclusion,
    Finding,
    Inconclusive,
    Kind,
    Level,
    Location,
    NotApplicable,
    Part,
    Verdict,
    Violation,
    conclude,
    defect,
    worst,
)

FAIL, ERROR, INCONCLUSIVE, PASS, NOT_APPLICABLE = Verdict


def test_the_values_are_the_words_of_the_report() -> None:
    """The worst verdict is first."""
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
    """The order of the two does not matter."""
    order = list(Verdict)
    for pair in permutations((order[worse], order[better])):
        assert worst(pair) is order[min(worse, better)]


def test_without_verdicts_the_conclusion_is_inconclusive() -> None:
    """A requirement that nothing checked has not passed."""
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
    """A failure decides; an error or an inconclusive requirement prevents conformance."""
    assert conclude(iter(verdicts)) is conclusion


def test_a_sentence_is_the_text_with_its_values() -> None:
    """A text without values does not change, even with braces."""
    example = defect(Kind.COUNT, "{n} of {{all}}", n=2)
    assert (example.text, example.sentence) == ("{n} of {{all}}", "2 of {all}")
    assert defect(Kind.BODY, "no {data}").sentence == "no {data}"


def test_a_defect_is_equal_to_one_with_the_same_data() -> None:
    """Equal defects are the same key."""
    first, second = (defect(Kind.COUNT, "{n} of them", actual=2, n=2) for _ in range(2))
    assert first == second
    assert len({first, second}) == 1
    assert first != defect(Kind.COUNT, "{n} of them", actual=2, n=3)


def test_a_defect_has_its_place_and_its_properties() -> None:
    """Each method returns a copy with one change."""
    bare = defect(Kind.VALUE, "id is x", expected="a UUID", actual="x")
    place = Location(Part.BODY, "/data/id", "a#1")
    full = bare.at(place).on("id").about("pattern", "id", "companyId")
    assert (bare.where, bare.fields, bare.keyword) == ((), (), "")
    assert (full.kind, full.text, full.expected, full.actual) == (
        Kind.VALUE,
        "id is x",
        "a UUID",
        "x",
    )
    assert (full.where, full.keyword, full.fields) == ((place,), "pattern", ("id", "companyId"))


def test_a_violation_has_a_defect_and_its_evidence() -> None:
    """Its message is the sentence of the defect."""
    status_defect = defect(Kind.STATUS, "status {status}", expected="200", status=418)
    bare = Violation(status_defect)
    full = Violation(status_defect, exchanges=iter(["a#1"]), operation="account_get")
    assert (str(bare), bare.message, bare.expected) == ("status 418", "status 418", "200")
    assert (bare.defect, bare.exchanges, bare.operation) == (status_defect, (), None)
    assert (full.exchanges, full.operation) == (("a#1",), "account_get")


def test_an_inconclusive_check_names_what_it_needs() -> None:
    """Keys of the profile, or data of the target."""
    bare, full = (
        Inconclusive("unknown"),
        Inconclusive("unknown", needs=["limits"], exchanges=["a#1"]),
    )
    assert (str(bare), bare.message, bare.needs, bare.exchanges) == ("unknown", "unknown", (), ())
    assert (full.needs, full.exchanges) == (("limits",), ("a#1",))
    assert str(NotApplicable("no cursor")) == "no cursor"


def test_a_finding_needs_a_requirement_and_a_verdict_only() -> None:
    """Everything else is empty."""
    finding = Finding("base/x", PASS)
    assert (
        finding.operation,
        finding.message,
        finding.expected,
        finding.needs,
        finding.exchanges,
        finding.item,
        finding.defect,
    ) == (None, "", "", (), (), "", None)
