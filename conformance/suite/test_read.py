"""Read: a valid request returns the requested data (Endpoints, Resources and their fields)."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Defect, Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.arguments import REJECTIONS
from conformance.runner.context import Context
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, in_item
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.calls import others
from conformance.suite.lists.changing_lists import desynchronize
from conformance.suite.lists.limits import with_all_limits
from conformance.suite.lists.live import PARENTS, PAUSES, READING, Live, parameter_of
from conformance.suite.lists.pagination import Listed, record_key
from conformance.suite.lists.records import changes, differing, of_contract, suits
from conformance.target.target import Credential

OTHER_ACCOUNTS = ("outsider", "no-review-role")
AT_ONCE = 4
"""Requests for different records, or from each of two callers, that are sent concurrently."""


@requirement("base/version-segment")
def test_the_base_address_ends_with_the_version(session: Context) -> None:
    """The version of the API is carried in the base address."""
    base_url = session.target.base_url
    expect.that(
        base_url.endswith("/v1"),
        defect(
            Kind.ADDRESS,
            "the base URL is {base_url}",
            expected="a base URL that ends with /v1",
            actual=base_url,
            base_url=base_url,
        ),
    )


# --- success ---


@requirement("read/success")
def test_a_valid_request_is_served(operation: Operation, live: Live) -> None:
    """Every read operation responds 200 for data that the caller may see."""
    if operation.path.endswith("Id}"):
        for listed, response in live.readings(operation):
            if response.status != 404 or _is_listed(live, listed):
                expect.served(response)
        return
    # Below a record first: without a parent that is served, such a list has no valid request.
    if "{" in operation.path:
        _require_lists_below(operation, live)
    expect.served(live.callers.send(live.call(operation), purpose="a valid request"))
    if operation.id == "account_get":
        _require_other_accounts(operation, live)


def _is_listed(live: Live, listed: Listed) -> bool:
    """Whether a record is still in its list: otherwise it was deleted."""
    page = live.callers.send(listed.call, purpose="is it still listed?")
    return record_key(listed.record) in map(record_key, page.items)


def _require_lists_below(operation: Operation, live: Live) -> None:
    """The list below each sampled record is served, however few records it has."""
    for listed, response in live.lists_below(operation.id):
        if response.status == 200:
            continue
        call = Call(operation.id, response.call.path)
        plain = live.callers.send(call, purpose="the list below a record")
        if plain.status != 404 or _is_listed(live, listed):
            expect.served(plain)


def _require_other_accounts(operation: Operation, live: Live) -> None:
    """Other accounts may be rejected here, but no request fails; the rules check their data."""
    credentials = live.session.target.credentials
    for name in OTHER_ACCOUNTS:
        if name not in credentials:
            continue
        purpose = f"the account of {name}"
        response = live.callers.send(Call(operation.id), credentials[name], purpose=purpose)
        if response.status == 500:
            expect.status(response, 200)


# --- identity ---


@requirement("read/identity")
def test_the_requested_record_is_returned(operation: Operation, live: Live) -> None:
    """A record read by its id has that id, and the account is the caller's own."""
    if "{" not in operation.path:
        _require_own_account(operation, live)
        return
    read = _records(operation, live)
    for id, response in read:
        _require_id(response, id, "{id} was requested, {found} returned")
    for id, response in _at_once(operation, [id for id, _ in read][:AT_ONCE], live):
        text = "of several concurrent requests, {id} was requested, {found} returned"
        _require_id(response, id, text)


def _records(operation: Operation, live: Live) -> list[tuple[str, Exchange]]:
    """The sampled records that were read by their ids."""
    responses = live.readings(operation)
    records = [
        (listed.record["id"], response)
        for listed, response in responses
        if isinstance(response.data, dict)
    ]
    if not records:
        raise Inconclusive(f"{operation.id} returned no record", needs=("data in the target",))
    return records


def _require_id(response: Exchange, id: str, text: str) -> None:
    """The record of a response has the requested id, if it has an id at all."""
    found = response.data.get("id", id) if isinstance(response.data, dict) else id
    expect.that(
        isinstance(found, str) and found.lower() == id.lower(),
        defect(
            Kind.FOREIGN, text, expected=f"the record {id}", actual=found, id=id, found=repr(found)
        )
        .on("id")
        .at(in_data(response, "id")),
        response,
    )


def _at_once(operation: Operation, ids: Sequence[str], live: Live) -> list[tuple[str, Exchange]]:
    """Responses to concurrent requests of primary for these ids, or for the lists below them."""
    name, primary = parameter_of(operation), live.callers.credential("primary")
    calls = [Call(operation.id, {name: id}) for id in ids]
    sendings = [Sending(primary, None, f"{len(ids)} at once") for _ in ids]
    responses = live.session.client.send_all(calls, sendings, together=True)
    return list(zip(ids, responses, strict=True))


def _require_own_account(operation: Operation, live: Live) -> None:
    """Of concurrent requests of two callers, none returns the account of the other."""
    primary = live.callers.credential("primary")
    credentials = live.session.target.credentials
    candidates = [credentials[name] for name in OTHER_ACCOUNTS if name in credentials]
    own, *theirs = [_account_id(operation, caller, live) for caller in (primary, *candidates)]
    pairs = zip(candidates, theirs, strict=True)
    different = [(caller, id) for caller, id in pairs if is_uuid(id) and id != own]
    if not is_uuid(own) or not different:
        raise NotApplicable("no credential of another account")
    other, foreign = different[0]
    requests = [(primary, foreign), (other, own)] * AT_ONCE
    sendings = [
        Sending(caller, caller.schemes[0], f"{len(requests)} at once, as {caller.name}")
        for caller, _ in requests
    ]
    calls = [Call(operation.id)] * len(requests)
    responses = live.session.client.send_all(calls, sendings, together=True)
    for (caller, foreign_id), response in zip(requests, responses, strict=True):
        is_foreign = isinstance(response.data, dict) and response.data.get("id") == foreign_id
        expect.that(not is_foreign, _foreign_account(caller, response), response)


def _account_id(operation: Operation, caller: Credential, live: Live) -> object:
    response = live.callers.send(
        Call(operation.id), caller, caller.schemes[0], purpose="asking alone"
    )
    return response.data.get("id") if isinstance(response.data, dict) else None


def _foreign_account(caller: Credential, response: Exchange) -> Defect:
    place = in_data(response, "id")
    foreign = defect(
        Kind.FOREIGN,
        "of several concurrent requests, that of {caller} returned the account of another caller",
        expected="the caller's own account",
        caller=caller.name,
    )
    return foreign.on("id").at(place)


# --- a record and its list ---


@dataclass(frozen=True)
class Shown:
    """A page and a response by id that were requested to compare one record."""

    page: Exchange
    reading: Exchange


@requirement("read/agreement")
def test_a_record_agrees_with_its_list(operation: Operation, live: Live) -> None:
    """A record is the same in its list and by its id, in every property that both have."""
    unlike = [
        (listed, response)
        for listed, response in live.readings(operation)
        if response.status == 200
        and _is_same_record(listed, response.data)
        and _differences(live, operation, listed.record, response.data)
    ]
    if unlike:
        _confirm_differing(live, operation, unlike)


def _confirm_differing(
    live: Live, operation: Operation, unlike: Sequence[tuple[Listed, Exchange]]
) -> None:
    """Violation where neither side changes, and they differ repeatedly."""
    # All records after one pause: a pause for each would take minutes where all of them change.
    contract = live.session.contract
    rounds = [_both_again(unlike, number, live) for number in range(len(PAUSES))]
    for (listed, _), shown in zip(unlike, zip(*rounds, strict=True), strict=True):
        listings = [
            of_contract(contract, operation.resource, item)
            for each in shown
            for item in _occurrences(listed, each.page)
        ]
        reads = [
            of_contract(contract, operation.resource, each.reading.data)
            for each in shown
            if _is_same_record(listed, each.reading.data)
        ]
        # A single read of a side does not show whether it changes.
        if min(len(listings), len(reads)) < 2:
            continue
        stable = [
            name
            for name in _differences(live, operation, listings[-1], reads[-1])
            if not changes(name, listings) and not changes(name, reads)
        ]
        if stable:
            _report_differing(listed, shown[-1], stable)


def _both_again(unlike: Sequence[tuple[Listed, Exchange]], number: int, live: Live) -> list[Shown]:
    """The page of each record and the record itself, after the pause of this number."""
    live.session.transport.wait(PAUSES[number])
    desynchronize(unlike[0][0].call, number, live)
    # By one scheme on both sides: the values may depend on who reads them.
    primary = live.callers.credential("primary")
    lists = [
        (listed.call, Sending(primary, response.scheme, "the list again"))
        for listed, response in unlike
    ]
    records = [
        (response.call, Sending(primary, response.scheme, "the record again"))
        for _, response in unlike
    ]
    pages, reads = live.callers.send_each(lists), live.callers.send_each(records)
    return [Shown(page, record) for page, record in zip(pages, reads, strict=True)]


def _occurrences(listed: Listed, page: Exchange) -> Iterator[dict[str, Any]]:
    """A record as a page shows it."""
    key = record_key(listed.record)
    return (item for item in page.items if record_key(item) == key)


def _report_differing(listed: Listed, shown: Shown, names: Sequence[str]) -> None:
    items = list(_occurrences(listed, shown.page))[:1]
    list_places = [in_item(shown.page, item, name) for item in items for name in names]
    record_places = [in_data(shown.reading, name) for name in names]
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "list and record differ in {properties}",
            expected="the same values",
            properties=", ".join(names),
        )
        .on(*names)
        .at(*list_places, *record_places),
        shown.page,
        shown.reading,
    )


def _is_same_record(listed: Listed, data: object) -> bool:
    """Whether data is a record with the id of a listed one, or without an id."""
    id = listed.record["id"]
    return isinstance(data, dict) and str(data.get("id", id)).lower() == id.lower()


def _differences(
    live: Live, operation: Operation, one: Mapping[str, Any], other: Mapping[str, Any]
) -> list[str]:
    """The properties of the contract in which two valid reads of a record differ."""
    contract, resource = live.session.contract, operation.resource
    named, other_named = (of_contract(contract, resource, record) for record in (one, other))
    return [
        name
        for name in differing(named, other_named)
        if all(suits(contract, resource, name, shown) for shown in (one, other))
    ]


# --- lists below a record ---


@requirement("read/parent")
def test_an_item_names_its_parent(operation: Operation, live: Live) -> None:
    """Comments have the id of their review, activity items that of their project, on every page."""
    name = parameter_of(operation)
    pages = list(live.children(operation.id).items())
    for id in live.parents(operation.id)[:2]:
        for pagination in with_all_limits(Call(operation.id, {name: id}), live):
            pages += [(id, page) for page in pagination.pages]
    pages += _with_cursor_of_another(operation, live)
    pages += _at_once(operation, live.parents(operation.id)[:AT_ONCE], live)
    if not any(page.items for _, page in pages):
        raise Inconclusive(f"{operation.id} shows no record", needs=("data in the target",))
    for parent, page in pages:
        _require_parent(page, name, parent)
    _require_one_parent(pages, name)


def _with_cursor_of_another(operation: Operation, live: Live) -> list[tuple[str, Exchange]]:
    """The list below a record with a cursor of the list below another, which may be rejected."""
    name, cursor = parameter_of(operation), live.session.name(operation, "cursor")
    first, *others = live.parents(operation.id)
    call = Call(operation.id, {name: first}).asking(limit="1")
    issued = live.callers.send(call, purpose="a cursor for another parent")
    if issued.cursor is None or cursor is None or not others:
        return []
    below_other = Call(operation.id, {name: others[0]}).asking(**{cursor: issued.cursor})
    purpose = "the cursor of another parent"
    page = live.callers.send(below_other, scheme=issued.scheme, purpose=purpose)
    return [(others[0], page)]


def _require_parent(page: Exchange, name: str, parent: str) -> None:
    """Every item of a page has the id of the record that it was requested below."""
    for item in page.items:
        if str(item.get(name, parent)).lower() == parent.lower():
            continue
        place = in_item(page, item, name)
        foreign = defect(
            Kind.FOREIGN,
            "an item has another {name} than the record that it was requested below",
            expected=f"{name} {parent}",
            actual=item[name],
            name=name,
        )
        expect.violated(foreign.on(name).at(place), page)


def _require_one_parent(pages: Sequence[tuple[str, Exchange]], name: str) -> None:
    """Violation where one record is listed below two others, and names each as its parent."""
    seen: dict[str, tuple[str, Exchange]] = {}
    for parent, page in pages:
        for item in page.items:
            if name not in item or not is_uuid(item.get("id")):
                continue
            other, earlier = seen.setdefault(record_key(item), (parent, page))
            if other.lower() != parent.lower():
                _report_two_parents(name, earlier, page)


def _report_two_parents(name: str, *pages: Exchange) -> None:
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "one record is listed below two records, with the {name} of each",
            expected=f"one {name}",
            name=name,
        ).on(name),
        *pages,
    )


# --- absence ---


@requirement("read/absent")
def test_a_record_that_does_not_exist_is_not_found(operation: Operation, live: Live) -> None:
    """An id without a record returns 404, or 403 where the target hides what exists."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    made_up, name = live.made_up(operation.id), parameter_of(operation)
    ids = _absent_ids(operation, made_up, live)
    probes = {f"the id of no record, {id}": call.at(**{name: id}) for id in ids}
    responses = live.callers.probe_all(probes, call)
    _probe_beside_arguments(operation, made_up, live)
    for id, response in zip(ids, responses, strict=True):
        # The rules check whether a form of UUID is rejected; a record that no list shows may exist.
        is_open = response.status in REJECTIONS or _exists(response, live)
        if id == made_up or not is_open:
            expect.status(response, 404, 403, because="the id of no record")


def _absent_ids(operation: Operation, made_up: str, live: Live) -> list[str]:
    """Ids without a record: made up, of another version, the extremes, and close to a real id."""
    records = live.records(PARENTS[parameter_of(operation)])
    existing = {listed.record["id"].lower() for listed in records}
    extremes = {str(uuid.UUID(int=0)), str(uuid.UUID(int=2**128 - 1))} - existing
    other_version = made_up[:14] + "7" + made_up[15:]
    near = _near_ids(operation, live, existing)
    return list(dict.fromkeys([made_up, other_version, *sorted(extremes), *near]))


def _near_ids(operation: Operation, live: Live, existing: set[str]) -> list[str]:
    """Ids that differ from a real one in the first or last digit, and those of other resources."""
    name = parameter_of(operation)
    if not live.listing(PARENTS[name]).is_whole:
        return []
    id = live.call(operation).path[name].lower()
    near = [f"{'01'[id[0] == '0']}{id[1:]}", f"{id[:-1]}{'01'[id[-1] == '0']}"]
    for parameter, listing in PARENTS.items():
        if parameter == name:
            continue
        try:
            near.append(live.records(listing)[0].record["id"].lower())
        except Inconclusive:
            continue
    return [other for other in near if other not in existing]


def _probe_beside_arguments(operation: Operation, made_up: str, live: Live) -> None:
    name = parameter_of(operation)
    for served in others(operation, live):
        if operation.is_list and served.query:
            probe = served.at(**{name: made_up}).asking(cursor=None)
            purpose = "the id of no record, beside a limit"
            expect.status(live.callers.probe(probe, served, purpose), 404, 403)


def _exists(response: Exchange, live: Live) -> bool:
    """Whether a response shows the requested record, or that the parent of a list exists."""
    name, id = next(iter(response.call.path.items()))
    if response.status == 200 and live.operation(response.operation).is_list:
        response = live.callers.send(Call(READING[name], {name: id}), purpose="does it exist?")
    return isinstance(response.data, dict) and str(response.data.get("id")).lower() == id.lower()


# --- reasons ---


@requirement("read/reason")
def test_a_review_that_cannot_be_approved_has_the_reason(live: Live) -> None:
    """A reason that is present is not empty, in the list and by id."""
    ids = live.session.target.fixtures.unapprovable_reviews[:2]
    calls = [Call("review_get", {"reviewId": id}) for id in ids]
    purpose = "why can it not be approved?"
    responses = [response for _, response in live.readings(live.operation("review_get"))]
    responses += live.callers.send_all(calls, purpose)
    listed = [each.record for each in live.records("review_list")]
    reviews = [*(response.data for response in responses), *listed]
    closed = [
        each for each in reviews if isinstance(each, dict) and each.get("approvable") is False
    ]
    if not closed:
        raise Inconclusive(
            "no review says that it cannot be approved", needs=("data in the target",)
        )
    suspects = [each for each in closed if _has_empty_reason(each) and is_uuid(each.get("id"))]
    for review in suspects[:1]:
        call = Call("review_get", {"reviewId": review["id"]})
        again = live.callers.send(call, purpose=purpose)
        if isinstance(again.data, dict) and _has_empty_reason(again.data):
            _report_empty_reason(again)


def _has_empty_reason(review: Mapping[str, object]) -> bool:
    """Whether a review that cannot be approved has an empty reason; an absent one is allowed."""
    return review.get("approvable") is False and review.get("approvalUnavailableReason") == ""


def _report_empty_reason(response: Exchange) -> None:
    name = "approvalUnavailableReason"
    expect.violated(
        defect(
            Kind.VALUE,
            "a review that cannot be approved has an empty reason",
            expected="a reason",
            actual="",
        )
        .on(name)
        .at(in_data(response, name)),
        response,
    )
