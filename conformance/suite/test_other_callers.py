"""Records that other callers than primary list (Endpoints)."""

from conformance.contract.openapi import Operation
from conformance.contract.verdict import NotApplicable
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import PARENTS, PAUSES, Live, parameter_of
from conformance.target.target import Credential

CALLERS = ("colleague", "outsider", "no-review-role")
ONE = "1"
NOT_FOUND = 404


@requirement("read/success")
def test_another_caller_reads_what_it_lists(operation: Operation, live: Live) -> None:
    """What a list shows to a caller first is found by its id, with the same credential."""
    if not operation.path.endswith("Id}"):
        raise NotApplicable(f"{operation.id} reads no record of a list")
    list_call = Call(PARENTS[parameter_of(operation)]).asking(limit=ONE)
    for caller in _callers(live):
        page = live.callers.send(list_call, caller, purpose=f"what {caller.name} lists")
        for item in page.items:
            if isinstance(item.get("id"), str):
                _check_found(operation, item["id"], page, live)


def _callers(live: Live) -> list[Credential]:
    known = live.session.target.credentials
    return [known[name] for name in CALLERS if name in known]


def _check_found(operation: Operation, id: str, page: Exchange, live: Live) -> None:
    """Violation where a record stays in the list of a caller and absent for it by its id."""
    caller = live.callers.credential(str(page.credential))
    call = Call(operation.id, {parameter_of(operation): id})
    purpose = f"a record that {caller.name} lists"
    response = live.callers.send(call, caller, page.scheme, purpose=purpose)
    for pause in PAUSES:
        if response.status != NOT_FOUND or not _is_listed(id, page, caller, live):
            return
        live.session.transport.wait(pause)
        response = live.callers.send(call, caller, page.scheme, purpose=purpose)
    if response.status == NOT_FOUND:
        expect.served(response)


def _is_listed(id: str, page: Exchange, caller: Credential, live: Live) -> bool:
    again = live.callers.send(page.call, caller, page.scheme, purpose="is it still listed?")
    return id in [item.get("id") for item in again.items]
