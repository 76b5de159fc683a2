"""The records and addresses of a profile, read as primary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.commands.diagnosis.complaint import Complaint
from conformance.commands.diagnosis.expectation import REVIEWS
from conformance.contract import api
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.runner.facts import fact_name
from conformance.suite.lists.live import Live
from conformance.suite.lists.published import fetch_description
from conformance.suite.tools.toolbox import Toolbox

MOST_APPROVABLE = 40
MOST_UNAPPROVABLE = 10
"""Reviews of each list that are read; the others are like them."""

OTHER = "write another review"


@dataclass(frozen=True)
class Reviews:
    """How many of the approvable reviews are `left`, of those `read`, and how many a run takes.

    `are_reset`: a run makes them approvable again before it begins.
    """

    left: int
    read: int
    taken: int = REVIEWS
    are_reset: bool = False


def reviews_left(live: Live) -> Reviews | None:
    """How many approvable reviews of the profile can be approved; None where it has none."""
    ids = live.session.target.fixtures.approvable_reviews
    if not ids or "primary" not in live.session.target.credentials:
        return None
    problems = [_flaw(each, approvable=True) for each in _listed_reviews(live, approvable=True)]
    return Reviews(problems.count(None), len(problems), are_reset=_resets(live))


def _listed_reviews(live: Live, *, approvable: bool) -> list[Exchange]:
    """The responses to the first reviews of a list, which are read once."""
    fixtures = live.session.target.fixtures
    if approvable:
        name, ids = "approvable", fixtures.approvable_reviews[:MOST_APPROVABLE]
    else:
        name, ids = "unapprovable", fixtures.unapprovable_reviews[:MOST_UNAPPROVABLE]
    return live.fact(fact_name("fixtures", name), lambda live: _read(live, "review", ids))


def complaints(live: Live) -> Iterator[Complaint]:
    """What is wrong with the fixtures, and with the addresses of the other interfaces."""
    target = live.session.target
    if "primary" in target.credentials:
        yield from _unreadable(live, "foreign", target.fixtures.foreign)
        yield from _unreadable(live, "ungranted", target.fixtures.ungranted)
        yield from _unapprovable_anyway(live)
        for approvable in (True, False):
            yield from _reviews(live, approvable=approvable)
        if target.tools_url is not None:
            yield from _tools(live)
    if target.description_url is not None:
        yield from _description(live)


def _read(live: Live, kind: str, ids: Sequence[str]) -> list[Exchange]:
    """The responses to reading records of a kind by their ids."""
    return live.callers.send_all(_calls(kind, ids), "is the fixture as it should be?")


def _calls(kind: str, ids: Sequence[str]) -> list[Call]:
    parameter = next(name for name, of in api.load().id_kinds.items() if of == kind)
    return [Call(api.load().readers[parameter], {parameter: id}) for id in ids]


def _unreadable(live: Live, group: str, ids: Mapping[str, str]) -> Iterator[Complaint]:
    """Records outside the grant of primary: it cannot read them."""
    for kind, id in ids.items():
        if kind not in api.load().id_kinds.values():
            continue  # a company has no operation
        for response in _read(live, kind, [id]):
            if response.status == 200:
                remedy = f"write a {kind} outside the grant of primary"
                yield Complaint(f"fixtures.{group}.{kind}", "primary can read it", remedy)


def _unapprovable_anyway(live: Live) -> Iterator[Complaint]:
    """A foreign review that nobody could approve: its rejection says nothing about the grant."""
    target = live.session.target
    id, outsider = target.fixtures.foreign.get("review"), target.credentials.get("outsider")
    if id is None or outsider is None:
        return
    sending = Sending(outsider, purpose="could its own caller approve the review?")
    (call,) = _calls("review", [id])
    flaw = _flaw(live.session.client.send(call, sending), approvable=True)
    if flaw is not None and flaw[1] == OTHER:
        problem = f"{flaw[0]}, so that its approval is rejected whoever asks"
        yield Complaint("fixtures.foreign.review", problem, "write one that can be approved")


def _reviews(live: Live, *, approvable: bool) -> Iterator[Complaint]:
    """Reviews that primary reads, and that say that they can, or cannot, be approved."""
    key = "approvable-reviews" if approvable else "unapprovable-reviews"
    places: dict[tuple[str, str], list[int]] = {}
    responses = _listed_reviews(live, approvable=approvable)
    for index, response in enumerate(responses):
        flaw = _flaw(response, approvable=approvable)
        is_restored = approvable and response.status == 200 and _resets(live)
        if flaw is not None and not is_restored:
            places.setdefault(flaw, []).append(index)
    for (problem, remedy), (first, *others) in places.items():
        also = f", as {len(others)} more of {len(responses)}" if others else ""
        yield Complaint(f"fixtures.{key}[{first}]", f"{problem}{also}", remedy)


def _resets(live: Live) -> bool:
    """Whether a run makes the approvable reviews so again before it begins."""
    target = live.session.target
    return bool(target.fixtures.reset) and target.consent.approve_reviews


def _flaw(response: Exchange, *, approvable: bool) -> tuple[str, str] | None:
    """What is wrong with a review of a list, and the remedy; None for nothing."""
    if response.status != 200:
        return f"review_get returns {response.describe()}", "write a review that primary can read"
    data = response.data if isinstance(response.data, dict) else {}
    stated = data.get("approvable")
    if stated is not None and stated is not approvable:
        spent = " (approved already)" if approvable and data.get("status") == "approved" else ""
        return f"has approvable {str(stated).lower()}{spent}", OTHER
    return None


def _tools(live: Live) -> Iterator[Complaint]:
    try:
        tools = Toolbox(live).tools
    except Inconclusive as problem:
        _require_budget(live, problem)
        yield Complaint("tools.url", problem.message, "write the address of the tool interface")
        return
    missing = [id for id in live.session.contract.operations if id not in tools]
    if missing:
        lacking = f"has no tool {', '.join(missing)}"
        yield Complaint("tools.url", lacking, "look whether it is the right interface")


def _require_budget(live: Live, problem: Inconclusive) -> None:
    """Raise the problem again where no request is left: that is no fault of the profile."""
    if live.session.session.budget.is_used_up:
        raise problem


def _description(live: Live) -> Iterator[Complaint]:
    try:
        response = fetch_description(live)
    except Inconclusive as problem:
        _require_budget(live, problem)
        yield Complaint("description.url", problem.message, "write its own address")
        return
    if response.status != 200:
        problem_text = f"returns {response.describe()}"
        yield Complaint("description.url", problem_text, "write the address of the document")
