"""Valid arguments are accepted (Endpoints, Limits)."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import (
    Inconclusive,
    NotApplicable,
)
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending, repeated
from conformance.rules.arguments import REJECTIONS
from conformance.suite.callers import expect
from conformance.suite.callers.places import of_status
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.filters import ids_inside
from conformance.suite.lists.live import Live
from conformance.suite.lists.parameters import confirmed_name

IN_RANGE = ("1", "50", "99", "100")
"""Limits that the checks of pagination do not all send to each list."""
MOST_REPEATED = 6
"""Repetitions that tell a rule from chance."""
VERSIONS = "12345678"
FIRST_AND_LAST = "18"
"""The versions of a UUID that parsers of some versions leave out."""
VARIANTS = "89ab"


@requirement("arguments/accepted")
def test_valid_arguments_are_accepted(operation: Operation, live: Live) -> None:
    """Every limit in range, and UUIDs of every version in upper and lower case."""
    call = live.call(operation)
    live.callers.require_baseline(call)
    calls = [call.asking(limit=value) for value in IN_RANGE if operation.is_list]
    made_up = live.made_up(operation.id)
    for name, id in call.path.items():
        values = dict.fromkeys((*_other_forms(made_up), id.upper()))
        calls += [call.at(**{name: value}) for value in values]
    for role, name in _filter_names(operation, live):
        ids = [id for id in ids_inside(operation, operation.filters[role], live) if is_uuid(id)]
        _require_own_accepted(call, [call.asking(**{name: id}) for id in ids], live)
        versions = [_of_version(made_up, version) for version in FIRST_AND_LAST]
        # A target may compare texts: then an id in upper case is unknown as well.
        upper = [id.upper() for id in ids[:1]]
        _require_alike(call, name, made_up, [*versions, *upper], live)
    for response in live.callers.send_all(calls, "arguments within the contract"):
        expect.clear(response)
        _require_accepted(response, call, live)


def _other_forms(id: str) -> Iterator[str]:
    """A UUID in every version, and in every variant."""
    for version in VERSIONS:
        yield _of_version(id, version)
    for variant in VARIANTS:
        yield f"{id[:19]}{variant}{id[20:]}"


def _of_version(id: str, version: str) -> str:
    return f"{id[:14]}{version}{id[15:]}"


def _filter_names(operation: Operation, live: Live) -> Iterator[tuple[str, str]]:
    """The filters whose names this target knows for certain, by their role."""
    for role in operation.filters:
        with suppress(Inconclusive, NotApplicable):
            yield role, confirmed_name(operation, role, live)


def _require_own_accepted(call: Call, calls: Sequence[Call], live: Live) -> None:
    """Violation where a filter rejects an id that records of the list have."""
    for response in live.callers.send_all(calls, "a filter by an id of the list"):
        expect.clear(response)
        if response.status in REJECTIONS:
            plain = live.callers.send(call, scheme=response.scheme, purpose="without a filter")
            if plain.status == 200:
                _report_rejected(response, plain)
        _require_accepted(response, call, live)


def _require_alike(call: Call, name: str, made_up: str, others: Sequence[str], live: Live) -> None:
    """Violation where a filter rejects ids of other versions and letters, and not a made-up one.

    A target may reject every unknown id.
    """
    values = [made_up, *others]
    # By one scheme: what a filter by an unknown id returns may depend on it.
    primary = live.callers.credential("primary")
    sending = Sending(primary, primary.schemes[0], "a filter by an unknown id")
    calls = [call.asking(**{name: value}) for value in values]
    plain, *responses = live.callers.send_each([(each, sending) for each in calls])
    for response in responses:
        expect.clear(response)
        if plain.status not in REJECTIONS and response.status in REJECTIONS:
            _confirm_rejected(response, plain, live)
        _require_accepted(response, call, live)


def _confirm_rejected(response: Exchange, plain: Exchange, live: Live) -> None:
    """Violation where each repetition separates the two.

    An unknown id may be rejected, or match nothing, and need not meet the same every time.
    """
    for number in range(MOST_REPEATED):
        # In changing order, since servers that differ may take turns.
        order = (plain, response) if number % 2 else (response, plain)
        statuses = {each.id: _status_again(each, live) for each in order}
        if statuses[plain.id] in REJECTIONS or statuses[response.id] not in REJECTIONS:
            return
    _report_rejected(response, plain)


def _status_again(exchange: Exchange, live: Live) -> int | None:
    purpose = repeated(exchange.purpose)
    return live.callers.send(exchange.call, scheme=exchange.scheme, purpose=purpose).status


def _require_accepted(response: Exchange, call: Call, live: Live) -> None:
    """Violation where a request fails with valid arguments, and succeeds without them.

    For an id, every error response is allowed but 500; 400 and 422 violate a rule, or another check
    of this requirement.
    """
    is_limited = response.call == call.asking(limit=dict(response.call.query).get("limit"))
    is_open = response.status != 500 and not is_limited
    if response.status in {200, *REJECTIONS} or is_open:
        return
    purpose = f"{response.purpose}, once more"
    again = live.callers.send(response.call, scheme=response.scheme, purpose=purpose)
    plain = live.callers.send(call, scheme=response.scheme, purpose="without them")
    if again.status == 200 or plain.status != 200:
        return
    _report_rejected(response, plain)


def _report_rejected(response: Exchange, baseline: Exchange) -> None:
    expect.violated(
        of_status(
            response,
            "valid arguments returned {response}, the baseline request {baseline}",
            expected=f"{baseline.status}",
            baseline=baseline.describe(),
        ),
        response,
        baseline,
    )
