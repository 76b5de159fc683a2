"""The exchanges of a finding in the order of showing them: the offending request comes first."""

from dataclasses import dataclass

from conformance.contract import api
from conformance.contract.verdict import Kind
from conformance.report.causes import location
from conformance.report.document_types import DefectEntry, ExchangeEntry, FindingEntry


@dataclass(frozen=True)
class Exhibits:
    """`decisive` exchanges show what is wrong, the offending one first; `others` led to them."""

    decisive: tuple[ExchangeEntry, ...]
    others: tuple[ExchangeEntry, ...]

    @property
    def all(self) -> tuple[ExchangeEntry, ...]:
        """The decisive ones before the others."""
        return self.decisive + self.others


def of(found: FindingEntry) -> Exhibits:
    """The exchanges of a finding; without a defect, the last one is decisive."""
    decisive = _decisive(found)
    shown = {exchange["id"] for exchange in decisive}
    others = [each for each in reversed(found["exchanges"]) if each["id"] not in shown]
    return Exhibits(decisive, tuple(others))


def _decisive(found: FindingEntry) -> tuple[ExchangeEntry, ...]:
    exchanges, defect = found["exchanges"], found.get("defect")
    if "responses" in found:  # a rule: each of them shows the same
        return tuple(exchanges[:1])
    located = [each for each in exchanges if defect and _is_located(each, defect, exchanges)]
    shown = located or exchanges[-1:]
    if not shown:
        return ()
    cause = shown[-1]
    if defect and defect["kind"] == Kind.EFFECT:
        before = exchanges[: exchanges.index(cause) + 1]
        cause = next(filter(_writes, reversed(before)), cause)
    return (cause, *(each for each in shown if each is not cause))


def _is_located(
    exchange: ExchangeEntry, defect: DefectEntry, exchanges: list[ExchangeEntry]
) -> bool:
    """Whether the defect has a place in this exchange."""
    is_last = exchange is exchanges[-1]
    return any(location.places(defect, exchange["id"], is_last=is_last))


def _writes(exchange: ExchangeEntry) -> bool:
    """Whether a request may have had an effect, over HTTP or by tool."""
    return exchange["operation"] == api.load().approval.id
