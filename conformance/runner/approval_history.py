"""All approvals that a process has sent, and what the rule on replays says of them at the end."""

from collections.abc import Iterable, Iterator, Sequence

from conformance.contract.api import Api
from conformance.contract.verdict import Finding, Verdict
from conformance.http.exchange import FACT, MISSING, Exchange
from conformance.http.redaction import Redactor
from conformance.rules import replay
from conformance.rules.replay import Attempt, Replay
from conformance.runner.result import ItemResult, documents, redacted

ITEM = f"{FACT}replays"


class ApprovalHistory:
    """The requests to approve reviews, of every check and fact, in the order of their ends."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._attempts: list[Attempt] = []
        self._adopted: frozenset[str] = frozenset()

    def adopt(self, reviews: frozenset[str]) -> None:
        """Know of reviews that another run was to approve, whose history this one takes."""
        self._adopted = reviews

    def add(self, exchange: Exchange) -> None:
        """Keep an exchange of the approval, by either interface."""
        for read in (replay.by_tool, replay.over_http):
            attempt = read(exchange, self._api.approval, self._api.approved_id)
            if attempt is not None:
                self._attempts.append(attempt)
                return

    def result(self, redactor: Redactor) -> ItemResult | None:
        """The replays that the target has got wrong; None where there are none."""
        attempts = list(self._attempts)
        replays = replay.examine(attempts)
        findings = tuple(
            redacted(found, ITEM, redactor)
            for requirement in (replay.OVER_HTTP, replay.BY_TOOL)
            for found in _findings(requirement, replays, self._api.approval.id)
        )
        if not findings:
            return None
        exchanges = {each.exchange.id: each.exchange for each in attempts}
        evidence = documents(findings, exchanges.get, redactor)
        return ItemResult(ITEM, findings, (), evidence, 0, {}, {})

    def reviews(self) -> frozenset[str]:
        """The reviews that were to be approved, by their ids in lower case, whatever came of it."""
        return self._adopted.union(each.review.lower() for each in list(self._attempts))

    def begun(self) -> dict[str, float]:
        """When the first approval of each review began that has a result, in seconds of the run.

        Attempts that are rejected are sent beside reads, and approvals are not. Reviews that
        compete for one key are left out: in each schedule it may be another one that is approved.
        """
        attempts = list(self._attempts)
        raced = _competing(attempts)
        begun: dict[str, float] = {}
        for each in attempts:
            start, review = each.exchange.started, each.review.lower()
            if each.data is not MISSING and review not in raced:
                begun[review] = min(start, begun.get(review, start))
        return begun


def _competing(attempts: Iterable[Attempt]) -> frozenset[str]:
    """The reviews, in lower case, for which one key was sent in the same moment."""
    reviews: dict[str, set[str]] = {}
    for each in attempts:
        if each.exchange.at_once and each.body is not None:
            reviews.setdefault(each.body[1], set()).add(each.review.lower())
    return frozenset().union(*(each for each in reviews.values() if len(each) > 1))


def _findings(requirement: str, replays: Sequence[Replay], operation: str) -> Iterator[Finding]:
    """The first wrong replay, after the approval that it repeats."""
    own = [each for each in replays if each.attempt.requirement == requirement]
    wrong = [each for each in own if each.defect is not None]
    if not wrong:
        return
    first = wrong[0]
    assert first.defect is not None
    exchanges = (first.approval.exchange, first.attempt.exchange)
    yield Finding(
        requirement,
        Verdict.FAIL,
        operation,
        f"{first.defect.sentence} ({len(wrong)} of {len(own)} replays of this run)",
        first.defect.expected,
        exchanges=tuple(exchange.id for exchange in exchanges),
        item=ITEM,
        defect=first.defect,
        schemes=tuple(sorted({each.scheme for each in exchanges if each.scheme})),
        faces=("tool" if requirement == replay.BY_TOOL else "http",),
    )
