"""All approvals that a process has sent, and what the model says of them at the end."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from conformance.contract.api import Api
from conformance.contract.verdict import Finding, Verdict
from conformance.http.exchange import FACT, MISSING, Exchange
from conformance.http.redaction import Redactor
from conformance.rules import attempt as attempts
from conformance.rules import timeline
from conformance.rules.approvals import BY_TOOL, Approvals
from conformance.rules.attempt import HTTP, TOOL, Attempt
from conformance.rules.circumstances import Circumstances
from conformance.rules.lag import Lag
from conformance.rules.ruling import Ruling
from conformance.rules.sighting import Sighting
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
        attempt = attempts.read(exchange, self._api.approval, self._api.approved_id)
        if attempt is not None:
            self._attempts.append(attempt)

    def result(
        self, redactor: Redactor, seen: Sequence[Sighting] = (), lag: Lag | None = None
    ) -> ItemResult | None:
        """The attempts that no order explains, and the reviews that went back; None without any.

        `seen` are reads of reviews.
        """
        sent = list(self._attempts)
        exchanges = {each.exchange.id: each.exchange for each in sent}
        exchanges |= {each.answer.exchange.id: each.answer.exchange for each in seen}
        rulings: dict[str, list[Ruling]] = defaultdict(list)
        back = timeline.examine(_shown(sent, seen), seen, lag or Lag())
        for ruling in chain(Approvals(Circumstances(sent)).examine(), back):
            rulings[ruling.requirement].append(ruling)
        found = (_finding(own, exchanges) for own in rulings.values())
        findings = tuple(redacted(each, ITEM, redactor) for each in found if each is not None)
        if not findings:
            return None
        evidence = documents(findings, exchanges.get, redactor)
        return ItemResult(ITEM, findings, (), evidence, 0, {}, {})

    def reviews(self) -> frozenset[str]:
        """The reviews that were to be approved, by their ids in lower case, whatever came of it."""
        return self._adopted.union(each.review.lower() for each in list(self._attempts))

    def made(self) -> list[tuple[Exchange, int]]:
        """The approvals over HTTP that were the first of their reviews, with their revisions.

        Those whose key had been used for another review are left out, as it may be rejected; so are
        those at once: which of them is the first depends on the schedule.
        """
        first: dict[str, Attempt] = {}
        keys: dict[str | None, str] = {}
        for each in sorted(self._attempts, key=lambda each: (each.ends, each.exchange.id)):
            review = each.review.lower()
            if each.has_result and keys.setdefault(each.key, review) == review:
                first.setdefault(review, each)
        found = (each for each in first.values() if each.face == HTTP and not each.exchange.at_once)
        return [(each.exchange, each.body[0]) for each in found if each.body is not None]

    def is_left_alone(self, review: str) -> bool:
        """Whether nothing but an approval and its replays was sent for a review since it succeeded.

        The review is named by its id in lower case.
        """
        own = [each for each in list(self._attempts) if each.review.lower() == review]
        approvals = sorted((each for each in own if each.has_result), key=lambda each: each.ends)
        later = (each for each in own for first in approvals[:1] if each.ends > first.ends)
        return bool(approvals) and all(each.subject == approvals[0].subject for each in later)

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


def _shown(attempts: Sequence[Attempt], seen: Iterable[Sighting]) -> Iterator[Attempt]:
    """The attempts of which it is certain that they have approved their review.

    It was read as approved, and no other request for it has succeeded: a success that approves
    nothing is reported by other checks.
    """
    approved = {each.key[1] for each in seen if each.record.get("status") == timeline.APPROVED}
    bodies: dict[str, set[object]] = defaultdict(set)
    for each in attempts:
        if each.has_result:
            bodies[each.review.lower()].add(each.body)
    sole = {review for review, own in bodies.items() if len(own) == 1 and None not in own}
    yield from (each for each in attempts if each.review.lower() in sole & approved)


def _competing(attempts: Iterable[Attempt]) -> frozenset[str]:
    """The reviews, in lower case, for which one key was sent in the same moment."""
    reviews: dict[str, set[str]] = {}
    for each in attempts:
        if each.exchange.at_once and each.body is not None:
            reviews.setdefault(each.body[1], set()).add(each.review.lower())
    return frozenset().union(*(each for each in reviews.values() if len(each) > 1))


def _finding(own: Sequence[Ruling], exchanges: Mapping[str, Exchange]) -> Finding | None:
    """What the first wrong attempt shows of a requirement; None where there is none."""
    wrong = [each for each in own if each.defect is not None]
    if not wrong:
        return None
    first = wrong[0]
    assert first.defect is not None
    schemes = {exchanges[id].scheme for id in first.exchanges}
    return Finding(
        first.requirement,
        Verdict.FAIL,
        first.operation,
        f"{first.defect.sentence} ({len(wrong)} of {len(own)} such requests of this run)",
        first.defect.expected,
        exchanges=first.exchanges,
        item=ITEM,
        defect=first.defect,
        schemes=tuple(sorted(filter(None, schemes))),
        faces=(TOOL if first.requirement == BY_TOOL else HTTP,),
    )
