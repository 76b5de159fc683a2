"""Read: a valid request is answered with what was asked for (Endpoints, Resources and their fields)."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.runner.session import Session
from conformance.suite.callers import expect
from conformance.suite.callers.calls import others
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import PARENTS, READING, Live, parameter_of
from conformance.suite.lists.records import changes, differing, suits
from conformance.suite.lists.walk import Listed, record_key
from conformance.suite.lists.walk_comparison import shift, sized

OTHER_ACCOUNTS = ("outsider", "no-review-role")
PAUSES = (0.2, 0.8, 3.0)
"""Seconds after which both sides are read again; a list may lag behind the record."""
AT_ONCE = 4


@requirement("base/version-segment")
def test_the_base_address_ends_with_the_version(session: Session) -> None:
    """The version of the API is carried in the base address."""
    kept = session.target.base_url.endswith("/v1")
    expect.that(
        kept,
        defect(
            Kind.UNSORTED,
            f"the base URL is {session.target.base_url}",
            expected="a base URL that ends with /v1",
        ),
    )


@requirement("read/success")
def test_a_valid_request_is_served(operation: Operation, live: Live) -> None:
    """Every reading operation answers 200 for what the caller may see."""
    if not operation.path.endswith("Id}"):
        _children_served(
            operation, live
        )  # first, since a list that no parent is served tells nothing of itself otherwise
        expect.served(live.send(live.call(operation), purpose="a valid request"))
        _shown_to_others(operation, live)
        return
    for listed, answer in live.readings(operation):
        if answer.status == 404 and not _is_listed(live, listed):
            continue
        expect.served(answer)


@requirement("read/identity")
def test_the_record_is_the_one_asked_for(operation: Operation, live: Live) -> None:
    """A record read by its id has that id, and the account is that of the caller."""
    if "{" not in operation.path:
        _own_account(operation, live)
        return
    for asked, answer in _records(operation, live):
        found = answer.data.get("id", asked)
        kept = isinstance(found, str) and found.lower() == asked.lower()
        expect.that(
            kept,
            defect(
                Kind.UNSORTED, f"asked for {asked}, got {found!r}", expected=f"the record {asked}"
            ),
            answer,
        )
    for id, answer in _at_once(
        operation, [id for id, _ in _records(operation, live)][:AT_ONCE], live
    ):
        found = answer.data.get("id", id) if isinstance(answer.data, dict) else id
        kept = isinstance(found, str) and found.lower() == id.lower()
        expect.that(
            kept,
            defect(
                Kind.UNSORTED,
                f"of several at once, asked for {id}, got {found!r}",
                expected=f"the record {id}",
            ),
            answer,
        )


@requirement("read/agreement")
def test_a_record_agrees_with_its_list(operation: Operation, live: Live) -> None:
    """A record is the same in its list and by its id, in every member that both have."""
    read = [
        (listed, answer)
        for listed, answer in live.readings(operation)
        if answer.status == 200 and _is_of(listed, answer.data)
    ]
    if differ := [
        (listed, answer)
        for listed, answer in read
        if _unlike(live, operation, listed.record, answer.data)
    ]:
        _confirm_differing(live, operation, differ)


@requirement("read/parent")
def test_what_lies_below_a_record_names_it(operation: Operation, live: Live) -> None:
    """Comments name their review and activity its project, on every page."""
    name = parameter_of(operation)
    pages = [(parent, page) for parent, page in live.children(operation.id).items()]
    walks = [
        (id, walk)
        for id in live.parents(operation.id)[:2]
        for walk in sized(Call(operation.id, {name: id}), live)
    ]
    pages += [(id, page) for id, walk in walks for page in walk.pages]
    pages += _beside_other_cursors(operation, live)
    pages += _at_once(operation, live.parents(operation.id)[:AT_ONCE], live)
    if not any(page.items for _, page in pages):
        raise Inconclusive(f"{operation.id} shows no record", needs=("data in the target",))
    for parent, page in pages:
        strays = [
            item[name]
            for item in page.items
            if name in item and str(item[name]).lower() != parent.lower()
        ]
        expect.that(
            not strays,
            defect(
                Kind.UNSORTED,
                f"an item below {parent} has {name} {strays[:1]}",
                expected=f"{name} {parent}",
            ),
            page,
        )
    _below_one(pages, name)


@requirement("read/absent")
def test_what_does_not_exist_is_absent(operation: Operation, live: Live) -> None:
    """A well-formed id of nothing is answered 404; 403 is as good where a target does not tell what exists."""
    call = live.call(operation)
    live.controlled(call)
    made_up, name = live.made_up(operation.id), parameter_of(operation)
    taken = {listed.record["id"].lower() for listed in live.records(PARENTS[name])}
    extremes = {str(uuid.UUID(int=0)), str(uuid.UUID(int=2**128 - 1))} - taken
    ids = dict.fromkeys(
        (
            made_up,
            made_up[:14] + "7" + made_up[15:],
            *sorted(extremes),
            *_near(operation, live, taken),
        )
    )
    answers = live.probe_all({f"an id of nothing, {id}": call.at(**{name: id}) for id in ids}, call)
    for served in (other for other in others(operation, live) if operation.is_list and other.query):
        nothing = served.at(**{name: made_up}).asking(cursor=None)
        expect.status(live.probe(nothing, served, "beside a limit, an id of nothing"), 404, 403)
    for id, answer in zip(ids, answers, strict=True):
        if id == made_up or (
            answer.status not in (400, 422) and not _exists(answer, live)
        ):  # a refused kind of id is judged by the rules
            expect.status(answer, 404, 403, because="an id of nothing")


@requirement("read/reason")
def test_a_review_that_cannot_be_approved_gives_the_reason(live: Live) -> None:
    """Where it shows a reason at all, in the list or by itself."""
    calls = [
        Call("review_get", {"reviewId": id})
        for id in live.session.target.fixtures.unapprovable_reviews[:2]
    ]
    read = [answer for _, answer in live.readings(live.operation("review_get"))] + live.send_all(
        calls, "why can it not be approved?"
    )
    shown = [
        *(answer.data for answer in read),
        *(listed.record for listed in live.records("review_list")),
    ]
    told = [
        record for record in shown if isinstance(record, dict) and record.get("approvable") is False
    ]
    if not told:
        raise Inconclusive(
            "no review says that it cannot be approved", needs=("data in the target",)
        )
    for record in [
        record for record in told if _lacks_reason(record) and is_uuid(record.get("id"))
    ][:1]:
        again = live.send(
            Call("review_get", {"reviewId": record["id"]}), purpose="why can it not be approved?"
        )
        lacking = isinstance(again.data, dict) and _lacks_reason(again.data)
        expect.that(
            not lacking,
            defect(
                Kind.UNSORTED,
                f"review {record['id']} cannot be approved for an empty reason",
                expected="a reason",
            ),
            again,
        )


def _lacks_reason(record: Mapping[str, object]) -> bool:
    """Whether a review that cannot be approved shows a reason that says nothing; one that shows none need not."""
    return record.get("approvable") is False and record.get("approvalUnavailableReason") == ""


def _near(operation: Operation, live: Live, taken: set[str]) -> list[str]:
    """Ids that differ from a living one in their first or their last digit, and those of records of other kinds."""
    name = parameter_of(operation)
    if not live.listing(PARENTS[name]).is_whole:
        return []
    id = live.call(operation).path[name].lower()
    near = [f"{'01'[id[0] == '0']}{id[1:]}", f"{id[:-1]}{'01'[id[-1] == '0']}"]
    for kind, listing in PARENTS.items():
        try:
            near += [live.records(listing)[0].record["id"].lower()] if kind != name else []
        except Inconclusive:
            continue
    return [other for other in near if other not in taken]


def _exists(answer: Exchange, live: Live) -> bool:
    """Whether an answer is the record of the id that was asked for, or of what lies below it: it may exist, although no list shows it."""
    name, id = next(iter(answer.call.path.items()))
    if answer.status == 200 and live.operation(answer.operation).is_list:
        answer = live.send(Call(READING[name], {name: id}), purpose="does it exist after all?")
    return isinstance(answer.data, dict) and str(answer.data.get("id")).lower() == id.lower()


def _beside_other_cursors(operation: Operation, live: Live) -> list[tuple[str, Exchange]]:
    """Pages below one record, asked for with a cursor of the list below another; the target may refuse that."""
    name, cursor = parameter_of(operation), live.session.name(operation, "cursor")
    first, *others = live.parents(operation.id)
    issued = live.send(
        Call(operation.id, {name: first}).asking(limit="1"), purpose="a cursor for another parent"
    )
    if issued.cursor is None or cursor is None:
        return []
    calls = [
        Call(operation.id, {name: other}).asking(**{cursor: issued.cursor}) for other in others[:1]
    ]
    return [
        (
            call.path[name],
            live.send(call, scheme=issued.scheme, purpose="the cursor of another parent"),
        )
        for call in calls
    ]


def _at_once(operation: Operation, ids: list[str], live: Live) -> list[tuple[str, Exchange]]:
    """What is asked for in the same moment, by primary, below or by each of these ids."""
    name, primary = parameter_of(operation), live.credential("primary")
    calls = [Call(operation.id, {name: id}) for id in ids]
    sendings = [Sending(primary, None, f"{len(ids)} at once") for _ in ids]
    return list(zip(ids, live.session.client.send_all(calls, sendings, together=True), strict=True))


def _own_account(operation: Operation, live: Live) -> None:
    """Of two callers who ask in the same moment none is told of the account of the other."""
    known = live.session.target.credentials
    callers = [
        live.credential("primary"),
        *(known[name] for name in OTHER_ACCOUNTS if name in known),
    ]
    alone = [
        live.send(Call(operation.id), caller, caller.schemes[0], purpose="asking alone")
        for caller in callers
    ]
    own, *theirs = [
        answer.data.get("id") if isinstance(answer.data, dict) else None for answer in alone
    ]
    other = next((id for id in theirs if is_uuid(own) and is_uuid(id) and id != own), None)
    if other is None:
        raise NotApplicable("nobody of another account is known")
    asked = [(callers[0], other), (callers[1 + theirs.index(other)], own)] * AT_ONCE
    sendings = [
        Sending(caller, caller.schemes[0], f"{len(asked)} at once, as {caller.name}")
        for caller, _ in asked
    ]
    answers = live.session.client.send_all(
        [Call(operation.id)] * len(asked), sendings, together=True
    )
    for (caller, foreign), answer in zip(asked, answers, strict=True):
        strange = isinstance(answer.data, dict) and answer.data.get("id") == foreign
        expect.that(
            not strange,
            defect(
                Kind.UNSORTED,
                f"of several at once, {caller.name} is told of account {foreign}",
                expected="its own account",
            ),
            answer,
        )


def _below_one(pages: list[tuple[str, Exchange]], name: str) -> None:
    """Violation where one record stands below two others, and says of each that it is the one."""
    seen: dict[str, tuple[str, Exchange]] = {}
    for parent, page in pages:
        for item in page.items:
            if name in item and is_uuid(item.get("id")):
                other, earlier = seen.setdefault(record_key(item), (parent, page))
                told = f"{item['id']} stands below {other} and below {parent}, and has the {name} of each"
                expect.that(
                    other.lower() == parent.lower(),
                    defect(Kind.UNSORTED, told, expected=f"one {name}"),
                    earlier,
                    page,
                )


def _is_listed(live: Live, listed: Listed) -> bool:
    """Whether a record is still in its list, so that its absence is no deletion."""
    return any(
        record_key(item) == record_key(listed.record)
        for item in live.send(listed.call, purpose="is it still listed?").items
    )


def _records(operation: Operation, live: Live) -> list[tuple[str, Exchange]]:
    found = [
        (listed.record["id"], answer)
        for listed, answer in live.readings(operation)
        if isinstance(answer.data, dict)
    ]
    if not found:
        raise Inconclusive(f"{operation.id} answered with no record", needs=("data in the target",))
    return found


def _confirm_differing(
    live: Live, operation: Operation, differ: Sequence[tuple[Listed, Exchange]]
) -> None:
    """Blame a difference only where both sides stay as they are: what changes, or is made anew for each answer, is explained."""
    # All of them after one pause: where each record changes with each reading, a pause for each would take minutes.
    rounds = [_both_again(differ, number, live) for number in range(len(PAUSES))]
    for (listed, _), shown in zip(differ, zip(*rounds, strict=True), strict=True):
        listings = [
            item
            for page, _ in shown
            for item in page.items
            if record_key(item) == record_key(listed.record)
        ]
        readings = [answer.data for _, answer in shown if _is_of(listed, answer.data)]
        if (
            min(len(listings), len(readings)) < 2
        ):  # with one reading of either side nobody can tell what changes with each
            continue
        unlike = _unlike(live, operation, listings[-1], readings[-1])
        stable = [
            name for name in unlike if not changes(name, listings) and not changes(name, readings)
        ]
        expect.that(
            not stable,
            defect(
                Kind.UNSORTED,
                f"list and record differ in {', '.join(stable)}",
                expected="the same values",
            ),
            *shown[-1],
        )


def _both_again(
    differ: Sequence[tuple[Listed, Exchange]], number: int, live: Live
) -> list[tuple[Exchange, Exchange]]:
    """The page of each record and the record itself, after the pause of this number."""
    live.session.transport.wait(PAUSES[number])
    shift(differ[0][0].call, number, live)
    # By one scheme, and each time by the same: what a record shows may depend on who reads it.
    primary = live.credential("primary")
    pages = live.send_each(
        [
            (listed.call, Sending(primary, answer.scheme, "the list again"))
            for listed, answer in differ
        ]
    )
    again = live.send_each(
        [(answer.call, Sending(primary, answer.scheme, "the record again")) for _, answer in differ]
    )
    return list(zip(pages, again, strict=True))


def _is_of(listed: Listed, data: object) -> bool:
    """Whether data is a record, and names no other id than the list does; another record has nothing to agree with."""
    return (
        isinstance(data, dict)
        and str(data.get("id", listed.record["id"])).lower() == listed.record["id"].lower()
    )


def _unlike(
    live: Live, operation: Operation, one: Mapping[str, Any], other: Mapping[str, Any]
) -> list[str]:
    """The members of the contract in which two readings of a record differ; what is malformed is judged by the rules."""
    contract = live.session.contract
    named = [
        name
        for name in differing(one, other)
        if name in contract.schema(operation.resource)["properties"]
    ]
    return [
        name
        for name in named
        if all(suits(contract, operation.resource, name, shown) for shown in (one, other))
    ]


def _shown_to_others(operation: Operation, live: Live) -> None:
    """Let the rules see what other accounts are shown of themselves; whether these may see it is judged elsewhere, but no call fails."""
    for name in OTHER_ACCOUNTS if operation.id == "account_get" else ():
        credential = live.session.target.credentials.get(name)
        if credential is not None:
            answer = live.send(Call(operation.id), credential, purpose=f"the account of {name}")
            expect.that(
                answer.status != 500,
                defect(Kind.UNSORTED, f"{answer.purpose}: {answer.describe()}", expected="200"),
                answer,
            )


def _children_served(operation: Operation, live: Live) -> None:
    """The list below a record is served like the record, however little is in it."""
    for listed, answer in live.lists_below(operation.id) if "{" in operation.path else ():
        if answer.status == 200:
            continue
        plain = live.send(Call(operation.id, answer.call.path), purpose="the list below a record")
        if plain.status == 404 and not _is_listed(live, listed):
            continue
        expect.served(plain)
