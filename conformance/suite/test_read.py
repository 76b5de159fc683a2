"""Read: a valid request returns the requested data (Endpoints, Resources and their fields)."""

from urllib.parse import urlsplit

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.rules.arguments import REJECTIONS
from conformance.runner.context import Context
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.limits import lists, with_all_limits
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.lists.pagination import Listed
from conformance.suite.reading.absence import absent_ids, probe_beside_arguments, shows_existence
from conformance.suite.reading.identity import (
    AT_ONCE,
    OTHER_ACCOUNTS,
    at_once,
    read_records,
    require_own_account,
)
from conformance.suite.reading.parents import (
    with_cursor_of_another,
)


@requirement("base/version-segment")
def test_the_base_address_ends_with_the_version(session: Context) -> None:
    """The version of the API is carried in the base address."""
    base_url = session.target.base_url
    expect.that(
        urlsplit(base_url).path.endswith("/v1"),
        defect(
            Kind.ADDRESS,
            "the base URL is {base_url}",
            expected="a base URL that ends with /v1",
            actual=base_url,
            base_url=base_url,
        ),
    )


@requirement("read/success")
def test_a_valid_request_is_served(operation: Operation, live: Live) -> None:
    """Every read operation responds 200 for data that the caller may see."""
    if operation.path.endswith("Id}"):
        for listed, response in live.readings(operation):
            page = live.page_with(listed, response.scheme) if response.status == 404 else None
            if response.status != 404 or page is not None:
                expect.served(response, before=page)
        return
    # Below a record first: without a parent that is served, such a list has no valid request.
    if "{" in operation.path:
        _require_lists_below(operation, live)
    response = live.callers.send(live.call(operation), purpose="a valid request")
    if response.status != 404 or _is_parent_listed(operation, response, live):
        expect.served(response)
    if operation.id == "account_get":
        _require_other_accounts(operation, live)


def _is_parent_listed(operation: Operation, response: Exchange, live: Live) -> bool:
    """Whether the record above a list is still listed, or has never been."""
    pages = live.lists_below(operation.id) if "{" in operation.path else []
    parents = {listed.record["id"]: listed for listed, _ in pages}
    above = [parents[id] for id in response.call.path.values() if id in parents]
    return all(live.is_listed(listed, response.scheme) for listed in above)


def _require_lists_below(operation: Operation, live: Live) -> None:
    """The list below each sampled record is served, however few records it has.

    An empty one is served by each scheme, with and without a limit.
    """
    pages = live.lists_below(operation.id)
    for listed, page in pages:
        if page.status != 200:
            _require_list_below(listed, page.call.asking(limit=None), page.scheme, live)
        if page.status == 404:
            _require_list_below(listed, page.call, page.scheme, live)
    empty = [(listed, page) for listed, page in pages if page.status == 200 and not page.items]
    for listed, page in empty[:1]:
        for scheme in live.callers.credential("primary").schemes:
            _require_list_below(listed, page.call.asking(limit=None), scheme, live)
            if scheme != page.scheme:
                _require_list_below(listed, page.call, scheme, live)


def _require_list_below(listed: Listed, call: Call, scheme: str | None, live: Live) -> None:
    """The list below a record is served by a scheme by which the record is listed."""
    response = live.callers.send(call, scheme=scheme, purpose="the list below a record")
    is_unreached = response.status in (403, 404)
    page = live.page_with(listed, scheme) if is_unreached else None
    if not is_unreached or page is not None:
        expect.served(response, before=page)


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


@requirement("read/identity")
def test_the_requested_record_is_returned(operation: Operation, live: Live) -> None:
    """A rule compares every record with the requested id; the account is the caller's own."""
    if "{" not in operation.path:
        require_own_account(operation, live)
        return
    at_once(operation, [id for id, _ in read_records(operation, live)][:AT_ONCE], live)


@requirement("read/agreement")
def test_a_record_agrees_with_its_list(operation: Operation, live: Live) -> None:
    """Records are read by their ids; the rule on all sightings of a record compares them."""
    read_records(operation, live)


@requirement("read/parent")
def test_an_item_names_its_parent(operation: Operation, live: Live) -> None:
    """Rules compare every item with the id in the path, and with itself below other records."""
    name = parameter_of(operation)
    pages = list(live.children(operation.id).items())
    for call in lists(operation, live):
        for pagination in with_all_limits(call, live):
            pages += [(call.path[name], page) for page in pagination.pages]
    pages += with_cursor_of_another(operation, live)
    pages += at_once(operation, live.parents(operation.id)[:AT_ONCE], live)
    if not any(page.items for _, page in pages):
        raise Inconclusive(f"{operation.id} shows no record", needs=("data in the target",))


@requirement("read/absent")
def test_a_record_that_does_not_exist_is_not_found(operation: Operation, live: Live) -> None:
    """An id without a record returns 404, or 403 where the target hides what exists."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    made_up, name = live.made_up(operation.id), parameter_of(operation)
    ids = absent_ids(operation, made_up, live)
    probes = {f"the id of no record, {id}": call.at(**{name: id}) for id in ids}
    responses = live.callers.probe_all(probes, call)
    for id, response in zip(ids, responses, strict=True):
        # The rules check whether a form of UUID is rejected; a record that no list shows may exist.
        is_open = response.status in REJECTIONS or shows_existence(response, live)
        if id == made_up or not is_open:
            expect.status(response, 404, 403, because="the id of no record")
    # What the plain requests show is plainer.
    probe_beside_arguments(operation, made_up, live)
