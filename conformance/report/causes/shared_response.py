"""Responses that different callers got: the same request id to each, as from a shared cache."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from conformance.report.causes.severity import Severity, severity
from conformance.report.condition import status_of
from conformance.report.document_types import ExchangeEntry, FindingRecord
from conformance.report.recorded_body import text_of, value

OK = 200
MOST_CALLERS = 4
"""Callers that are named."""

NO_CREDENTIAL = "nobody"
SERVED = ("primary", "outsider", "colleague")
"""Callers who are served something: a response to another one was not made for it."""
SHARED_RESPONSE = "shared response"
"""The name of the trace that such responses leave."""


@dataclass(frozen=True)
class SharedResponses:
    """The exchanges whose response another caller got as well, and what they were about.

    `earlier` has for each but the first of a response one before it that another caller sent.
    """

    exchanges: frozenset[str] = frozenset()
    operations: frozenset[str] = frozenset()
    callers: tuple[str, ...] = ()
    earlier: Mapping[str, ExchangeEntry] = field(default_factory=dict)

    def are_shown_by(self, sightings: Iterable[FindingRecord]) -> bool:
        """Whether the evidence of a failure has such a response."""
        return any(not self.exchanges.isdisjoint(found["exchanges"]) for found in sightings)

    def explain(self, found: FindingRecord) -> bool:
        """Whether such a response is why a requirement fails.

        The evidence of a leak need not have the request of the caller whose response it was: there
        it is enough that the operation returned one response to different callers elsewhere.
        """
        defect = found.get("defect")
        is_leak = defect and severity(found["requirement"], defect["kind"]) is Severity.ACCESS
        is_elsewhere = found["operation"] in self.operations and not _is_of_tools(found)
        return self.are_shown_by([found]) or bool(is_leak and is_elsewhere)

    def traces(self, sightings: Iterable[FindingRecord]) -> Iterator[tuple[tuple[str], str | None]]:
        """The trace of those that show such a response, with their operations: it is one defect."""
        for found in sightings:
            if self.explain(found):
                yield (SHARED_RESPONSE,), found["operation"]

    def described(self, shown: str | None = None) -> str:
        """What was seen, in a sentence; with the earlier caller of the exchange that is shown."""
        callers = ", ".join(self.callers[:MOST_CALLERS])
        if len(self.callers) > MOST_CALLERS:
            callers += f" and {len(self.callers) - MOST_CALLERS} more"
        before = self.earlier.get(shown) if shown else None
        first = f"; the one below to {_caller(before)} before, in {before['id']}" if before else ""
        return (
            f"the same response (same requestId) was returned to different callers ({callers}), "
            f"as by a cache that ignores the credential{first}"
        )


def shared_responses(evidences: Mapping[str, ExchangeEntry]) -> SharedResponses:
    """The responses to reads over HTTP that several callers got.

    A target may number nothing: one id for responses that differ, or for all of them, shows
    nothing. Nor do error responses, which have nothing of a caller: they may be constant texts.
    """
    by_id: dict[str, list[ExchangeEntry]] = {}
    for exchange in evidences.values():
        is_read = exchange["request"]["method"] == "GET" and status_of(exchange) == OK
        if is_read and (id := _request_id(exchange)):
            by_id.setdefault(id, []).append(exchange)
    shared = [some for some in by_id.values() if _is_one_response(some)]
    if len(by_id) == 1:
        return SharedResponses()
    found = [exchange for some in shared for exchange in some]
    return SharedResponses(
        frozenset(each["id"] for each in found),
        frozenset(each["operation"] for each in found),
        _callers(found),
        dict(chain.from_iterable(map(_earlier, shared))),
    )


def _is_of_tools(found: FindingRecord) -> bool:
    return found["requirement"].startswith("tools/")


def _request_id(exchange: ExchangeEntry) -> str | None:
    body = value(exchange.get("response"), None)
    id = body.get("requestId") if isinstance(body, dict) else None
    return id if isinstance(id, str) else None


def _is_one_response(exchanges: list[ExchangeEntry]) -> bool:
    """Whether these have one body, and different callers."""
    responses = (each.get("response") for each in exchanges)
    texts = {text_of(response["body"]) for response in responses if response}
    return len(texts) == 1 and len(_callers(exchanges)) > 1


def _callers(exchanges: Iterable[ExchangeEntry]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_caller, exchanges)))


def _caller(exchange: ExchangeEntry) -> str:
    return exchange["credential"] or NO_CREDENTIAL


def _earlier(exchanges: Iterable[ExchangeEntry]) -> Iterator[tuple[str, ExchangeEntry]]:
    """Each exchange with one response, and the first before it of another caller.

    That is somebody who is served, where there is one.
    """
    in_order = sorted(exchanges, key=lambda each: each["started"])
    for number, each in enumerate(in_order):
        others = [one for one in in_order[:number] if _caller(one) != _caller(each)]
        if others:
            yield each["id"], min(others, key=lambda one: _caller(one) not in SERVED)
