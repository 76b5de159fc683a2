"""What the rules say of the exchanges of one item, gathered into findings."""

from conformance.contract.verdict import Kind, Verdict, defect
from conformance.http.exchange import Call, Exchange, Request
from conformance.rules.judgement import Judgement
from conformance.runner.judgements import MOST_SORTS, Judgements


def read(number: int) -> Exchange:
    """A read of a video."""
    call = Call("video_get")
    return Exchange("x", number, call, "", "primary", "bearer", Request("GET", "", ()), None)


def null(name: str) -> Judgement:
    """The judgement of a field that is null."""
    return Judgement("video/fields", defect(Kind.VALUE, f"{name} is null").about("type", name))


def test_each_sort_of_defect_is_a_finding() -> None:
    """A response with several counts once; alike defects of two responses are one finding."""
    seen = Judgements()
    for number in range(2):
        for name in ("name", "createdAt"):
            seen.add(read(number), null(name))

    found = seen.findings("x")
    assert [(each.message, each.responses) for each in found] == [
        ("name is null", 2),
        ("createdAt is null", 0),
    ]
    assert {each.verdict for each in found} == {Verdict.FAIL}
    assert {each.exchanges for each in found} == {("x#0", "x#1")}


def test_the_names_of_a_target_do_not_decide_on_the_number_of_findings() -> None:
    """Others of one requirement are counted, and not told apart."""
    seen = Judgements()
    for number in range(MOST_SORTS + 5):
        seen.add(read(number), null(str(number)))
    found = seen.findings("x")
    assert len(found) == MOST_SORTS
    assert found[0].responses == MOST_SORTS + 5
