"""The result of one item of a run, ready to be written: without secrets, and bounded in size."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from conformance.contract.verdict import Defect, Finding, Verdict
from conformance.http import serialization
from conformance.http.exchange import Exchange
from conformance.http.redaction import CUT, Redactor

MOST_EVIDENCE = 3
"""Exchanges that are shown for one finding."""

LONGEST_SHOWN = 256 * 1024
"""Bytes of the body of a response in a report; the log of the exchanges has more of it."""

MOST_OBSERVED = 500
"""Observed values of one subject."""

LONGEST_VALUE = 2_000
"""Characters of a value of the target in a finding; the exchange has the whole of it."""


@dataclass(frozen=True)
class ItemResult:
    """The result of one item; it crosses process borders as plain JSON.

    `methods` counts the requests by HTTP method, `elapsed` has the seconds of each response by
    operation, `started` the second of the run at which each request was sent. `is_finished` is
    False where the run ended meanwhile: then it is performed again when the run is resumed.
    `flawed` names the facts that a check needed and that show a violation.
    """

    item: str
    findings: tuple[Finding, ...]
    observations: tuple[tuple[str, str, Any], ...]
    evidence: Mapping[str, serialization.Document]
    exchanges: int
    methods: Mapping[str, int]
    elapsed: Mapping[str, list[float]]
    started: Sequence[float] = ()
    is_finished: bool = True
    flawed: tuple[str, ...] = ()


def documents(
    findings: Iterable[Finding], exchange: Callable[[str], Exchange | None], redactor: Redactor
) -> dict[str, serialization.Document]:
    """The exchanges that these findings show, by id; a pass shows none."""
    shown: dict[str, serialization.Document] = {}
    for finding in findings:
        if finding.verdict is Verdict.PASS:
            continue
        for id in finding.exchanges[:MOST_EVIDENCE]:
            found = exchange(id)
            if found is not None:
                shown[id] = serialization.document(found, redactor, LONGEST_SHOWN)
    return shown


def redacted(finding: Finding, item: str, redactor: Redactor) -> Finding:
    """The finding of an item without secrets: a target may echo a credential."""
    if finding.verdict is Verdict.PASS and finding.item:
        return finding  # nothing of the target is in it
    return replace(
        finding,
        message=redactor.text(finding.message),
        expected=redactor.text(finding.expected),
        needs=tuple(map(redactor.text, finding.needs)),
        item=finding.item or item,
        defect=finding.defect and _redacted_defect(finding.defect, redactor),
    )


def _redacted_defect(defect: Defect, redactor: Redactor) -> Defect:
    where = (replace(place, name=redactor.text(place.name)) for place in defect.where)
    values = {name: _bounded(redactor.value(value)) for name, value in defect.values.items()}
    return replace(
        defect,
        text=redactor.text(defect.text),
        expected=redactor.text(defect.expected),
        actual=_bounded(redactor.value(defect.actual)),
        where=tuple(where),
        fields=tuple(map(redactor.text, defect.fields)),
        values=values,
    )


def observed(value: Any, redactor: Redactor) -> Any:
    """An observed value without secrets: the first of many, and the beginnings of long texts."""
    if isinstance(value, list):
        return [observed(each, redactor) for each in value[:MOST_OBSERVED]]
    return redactor.value(_bounded(value) if isinstance(value, str) else value)


def _bounded(value: Any) -> Any:
    """The value, its beginning where it is a long text, or None where it is another long value."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_VALUE else value[:LONGEST_VALUE] + CUT
    if isinstance(value, dict | list) and len(orjson.dumps(value)) > LONGEST_VALUE:
        return None
    return value


def based_on(finding: Finding, exchanges: Sequence[Exchange]) -> Finding:
    """The finding of a check, with the schemes and faces of its exchanges."""
    schemes = {exchange.scheme for exchange in exchanges if exchange.scheme}
    faces = {"tool" if _is_of_tools(exchange) else "http" for exchange in exchanges}
    return replace(finding, schemes=tuple(sorted(schemes)), faces=tuple(sorted(faces)))


def _is_of_tools(exchange: Exchange) -> bool:
    return not exchange.in_contract and b'"jsonrpc"' in (exchange.request.body or b"")


def traffic(exchanges: Iterable[Exchange]) -> tuple[dict[str, int], dict[str, list[float]]]:
    """The number of requests by method, and the seconds of each response by operation."""
    methods: dict[str, int] = {}
    elapsed: dict[str, list[float]] = {}
    for exchange in exchanges:
        methods[exchange.request.method] = methods.get(exchange.request.method, 0) + 1
        if exchange.response is not None:
            seconds = round(exchange.elapsed, 6)  # as in the log, from which they can be recomputed
            elapsed.setdefault(exchange.operation, []).append(seconds)
    return methods, elapsed
