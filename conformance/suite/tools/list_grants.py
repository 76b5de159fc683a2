"""Lists by tool stay within the grant of their caller (Authentication)."""

from collections import ChainMap
from functools import partial
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.pointer import pointer
from conformance.contract.verdict import Inconclusive, Kind, Location, Part, defect
from conformance.http.exchange import followed
from conformance.rules.tool_result import ToolResult
from conformance.suite.callers import expect
from conformance.suite.callers.forged_credentials import other_headers
from conformance.suite.lists.live import Live, reading_of
from conformance.suite.lists.pagination import PAGE
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.filters import filters_of
from conformance.suite.tools.results import by_id
from conformance.suite.tools.toolbox import Arguments, Toolbox
from conformance.target.target import Credential

DENIED = (403, 404)
PURPOSE = "a page that may show nothing from outside"
WITHOUT = "a caller without the permission"
SHOWN_BESIDE = "beside the outsider's credential, the tool shows a record that neither may read"


def check_list(operation: Operation, toolbox: Toolbox) -> None:
    """The longest pages show nothing from outside, also under a filter by something outside.

    A rule judges what primary and the outsider are shown of what the profile names.
    """
    live = toolbox.live
    groups = (live.session.target.fixtures.foreign, live.session.target.fixtures.ungranted)
    outsider = live.session.target.credentials.get("outsider")
    if not any(groups) and outsider is None:
        raise Inconclusive(
            "nothing outside the grant is known", needs=("fixtures.foreign", "fixtures.ungranted")
        )
    for arguments in _of_primary(operation, toolbox):
        _check_within(operation, toolbox, arguments)
    if outsider is not None:
        for arguments in ({"limit": PAGE}, {}):
            _read_apart(operation, toolbox, outsider, arguments)
        for arguments in with_primarys_cursor(operation, toolbox, {}):
            toolbox.call(operation, arguments, outsider, purpose="primary's cursor")
        _check_beside(operation, toolbox, outsider)


def _of_primary(operation: Operation, toolbox: Toolbox) -> list[dict[str, Any]]:
    """The longest page, and pages under a filter by what is the caller's, and by what is not.

    Under the former the page behind a cursor too: its query may be another one.
    """
    fixtures = toolbox.live.session.target.fixtures
    requests: list[dict[str, Any]] = [{"limit": PAGE}]
    for name, _, own in filters_of(operation, toolbox):
        role = toolbox.live.session.roles(operation)[name]
        named = [group[role] for group in (fixtures.foreign, fixtures.ungranted) if role in group]
        spelled = (*named, *(id.upper() for id in named[-1:]))
        later = with_primarys_cursor(operation, toolbox, {name: own})
        requests += [{name: own}, *({**each, "limit": PAGE} for each in later)]
        requests += [{"limit": PAGE, name: id} for id in spelled]
    return requests


def _check_within(operation: Operation, toolbox: Toolbox, arguments: Arguments) -> None:
    """Violation for a record that HTTP keeps from primary."""
    live = toolbox.live
    result = toolbox.call_as_primary(operation, arguments, PURPOSE)
    whole = live.listing(operation.id)
    unlisted = _items(result).keys() - set(whole.ids) if whole.is_whole else set()
    for pause in live.session.lag.pauses:  # a list may lag behind a grant
        if not unlisted:
            return
        live.session.transport.wait(pause)
        result = toolbox.call_as_primary(operation, arguments, f"{PURPOSE}, once more")
        shown = unlisted & _items(result).keys()
        unlisted = {id for id in shown if _is_denied(id, operation, live)}
    _check_shows_none(result, unlisted, "the tool shows primary a record from outside the grant")


def _is_denied(id: str, operation: Operation, live: Live) -> bool:
    """Whether primary cannot read a record of a list by its id, by any scheme."""
    call, schemes = reading_of(operation.id, id), live.callers.credential("primary").schemes
    if call is None:
        return False
    purpose = "may primary read it?"
    reads = (live.callers.send(call, scheme=scheme, purpose=purpose) for scheme in schemes)
    return all(response.status in DENIED for response in reads)


def _read_apart(
    operation: Operation, toolbox: Toolbox, outsider: Credential, arguments: Arguments
) -> None:
    """Read as the outsider right after primary: a rule judges what it is shown."""
    toolbox.call_as_primary(operation, arguments, "primary's page")
    toolbox.call(operation, arguments, outsider, purpose="the outsider's page")
    purpose = "the outsider, after primary's handshake"
    toolbox.call_as_guest(operation, arguments, Caller.of(outsider), purpose)


def _check_beside(operation: Operation, toolbox: Toolbox, outsider: Credential) -> None:
    """Who lacks the permission is not shown what primary may read beside the outsider's credential.

    Of two credentials, one may say whose records are reached, and the other one what may be done.
    """
    lacking = toolbox.live.session.target.lacking(operation.permission)
    ask = partial(toolbox.call, operation, {"limit": PAGE})
    for scheme in lacking.schemes if lacking is not None else ():
        headers = other_headers(outsider, scheme)
        both = [({"limit": PAGE}, Caller(lacking, scheme, headers))] if headers else []
        for page in toolbox.call_together(operation, both, f"{WITHOUT}, beside outsider"):
            listed = by_id(toolbox.live.listing(operation.id).records)
            shared = listed.keys() & _items(page).keys()
            if shared and not _items(ask(lacking, scheme, purpose=WITHOUT)):
                shared -= _items(ask(outsider, purpose="the outsider's page")).keys()
                _check_shows_none(page, shared, SHOWN_BESIDE)


def with_primarys_cursor(
    operation: Operation, toolbox: Toolbox, given: Arguments
) -> list[dict[str, Any]]:
    """The arguments of the page after primary's first record; [] where there is none."""
    name = toolbox.live.session.name(operation, "cursor") if operation.is_list else None
    argument = toolbox.argument_name(operation, name) if name is not None else None
    if argument is None:
        return []
    first = {**given, "limit": 1}
    page = toolbox.call_as_primary(operation, first, "primary's page of one")
    cursor = followed(page.data, page.exchange.id)
    return [] if cursor is None else [{**first, argument: cursor}]


def _items(result: ToolResult) -> dict[str, Any]:
    """The records on a page by tool, those of its text included."""
    pages = [data.get("items") for data in result.shown if isinstance(data, dict)]
    records = [by_id(items) for items in pages if isinstance(items, list)]
    return dict(ChainMap(*records))


def _check_shows_none(result: ToolResult, ids: set[str], text: str) -> None:
    violation = defect(
        Kind.FOREIGN,
        text,
        expected="records within the grant of the caller",
        actual=min(ids, default=None),
    ).on("id")
    items = pointer(("result", "structuredContent", "data", "items"))
    expect.that(
        not ids, violation.at(Location(Part.BODY, items, result.exchange.id)), result.exchange
    )
