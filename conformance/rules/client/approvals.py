"""Approvals: the revision that was read, and the key of each (States and transitions)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from conformance.contract.openapi import Contract
from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import Exchange
from conformance.http.retry import FAILED
from conformance.rules import answer, attempt
from conformance.rules.arguments import KEY, REVISION
from conformance.rules.attempt import Attempt
from conformance.rules.client.asked import ID, Asked
from conformance.rules.client.recording import Recording, ruling
from conformance.rules.judgement import shown
from conformance.rules.ruling import Rulings

READ, KEPT, NEW = "client/revision", "client/key-kept", "client/key-new"
REQUIREMENTS = frozenset({READ, KEPT, NEW})

UNKNOWN = frozenset({None, FAILED, 502})
"""Statuses, and a lost response, after which nobody knows whether a review is approved.

After 503 or 429 the service has said that it does nothing now.
"""


@dataclass(frozen=True)
class Approval:
    """A request to approve a review, with its revision and its key."""

    call: Asked
    revision: int
    key: str
    attempt: Attempt | None

    @property
    def exchange(self) -> Exchange:
        """Its exchange."""
        return self.call.exchange

    @property
    def subject(self) -> tuple[str, int]:
        """What it approves: the review, and its revision."""
        return self.call.subject, self.revision

    @cached_property
    def is_open(self) -> bool:
        """Whether nobody knows what became of it."""
        return self.exchange.status in UNKNOWN

    @property
    def may_count(self) -> bool:
        """Whether its key may belong to an approval now."""
        is_approved = self.attempt is not None and isinstance(self.attempt.data, dict)
        return self.is_open or is_approved


@dataclass(frozen=True)
class Shown:
    """A revision of a review that a response has shown, by when."""

    review: str
    revision: int
    exchange: Exchange

    @property
    def since(self) -> float:
        """When the response was sent, in seconds."""
        return self.exchange.started + self.exchange.elapsed


def examine(recording: Recording) -> Rulings:
    """What the requests to approve show beside each other, and beside what was read."""
    approvals = list(_approvals(recording.calls))
    seen = list(_shown(recording, approvals))
    for index, approval in enumerate(approvals):
        own = [each for each in seen if each.review == approval.call.subject]
        earlier = approvals[:index]
        yield from _of_revision(approval, own, whole=recording.whole)
        yield from _of_new_key(approval, earlier)
        yield from _of_kept_key(approval, earlier, own)


def _approvals(calls: Sequence[Asked]) -> Iterator[Approval]:
    for call in calls:
        body = call.body if call.operation.writes and isinstance(call.body, dict) else {}
        revision, key = body.get(REVISION), body.get(KEY)
        if isinstance(revision, int) and isinstance(key, str):
            yield Approval(call, revision, key, _attempt(call))


def _attempt(call: Asked) -> Attempt | None:
    names = [each.name for each in call.arguments if each.role == ID]
    return attempt.read(call.exchange, call.operation, names[0]) if names else None


def _shown(recording: Recording, approvals: Sequence[Approval]) -> Iterator[Shown]:
    """Every revision that reads, and the results of approvals, have shown."""
    for call in recording.calls:
        found = answer.of(call.exchange, recording.contract)
        if found is not None and _is_of_reviews(call, recording.contract):
            records = [record for _, record in found.records]
            yield from _revisions(records, call.exchange)
    for each in approvals:
        if each.attempt is not None and isinstance(each.attempt.data, dict):
            yield from _revisions([each.attempt.data], each.exchange)


def _is_of_reviews(call: Asked, contract: Contract) -> bool:
    return call.operation.resource == contract.operation("review_get").resource


def _revisions(records: Sequence[object], exchange: Exchange) -> Iterator[Shown]:
    for record in records:
        if isinstance(record, dict) and isinstance(record.get("subjectRevision"), int | float):
            yield Shown(str(record.get("id")).lower(), record["subjectRevision"], exchange)


def _of_revision(approval: Approval, own: Sequence[Shown], *, whole: bool) -> Rulings:
    """Whether a revision was read; nothing where the review was read elsewhere, if at all."""
    read = [each for each in own if each.since <= approval.call.began]
    found = next((each for each in read if each.revision == approval.revision), None)
    if found is not None:
        yield ruling(READ, found.exchange, approval.exchange)
    elif read:
        known = ", ".join(map(str, dict.fromkeys(each.revision for each in read)))
        otherwise = _unread(approval, f"the caller has read {known}")
        yield ruling(READ, read[-1].exchange, approval.exchange, otherwise=otherwise)
    elif whole:
        otherwise = _unread(approval, "the caller has not read the review")
        yield ruling(READ, approval.exchange, otherwise=otherwise)


def _unread(approval: Approval, why: str) -> Defect:
    return defect(
        Kind.VALUE,
        "the expectedSubjectRevision is {revision}, and {why}",
        expected="a subjectRevision that was read of this review",
        actual=approval.revision,
        revision=approval.revision,
        why=why,
    ).on(REVISION)


def _of_new_key(approval: Approval, earlier: Sequence[Approval]) -> Rulings:
    """Whether the key belongs to no other approval of this caller.

    Whether that of a rejected one can be used again is not specified.
    """
    caller = approval.exchange.credential
    others = [each for each in earlier if each.exchange.credential == caller and each.may_count]
    of_others = [each for each in others if each.subject != approval.subject]
    used = next((each for each in of_others if each.key == approval.key), None)
    if used is not None:
        otherwise = defect(
            Kind.VALUE,
            "the idempotencyKey {key} is that of the approval of {review}, revision {revision}",
            expected="a key of its own for each approval",
            actual=approval.key,
            key=shown(approval.key),
            review=used.call.subject,
            revision=used.revision,
        ).on(KEY)
        yield ruling(NEW, used.exchange, approval.exchange, otherwise=otherwise)
    elif of_others:
        yield ruling(NEW, of_others[-1].exchange, approval.exchange)


def _of_kept_key(approval: Approval, earlier: Sequence[Approval], own: Sequence[Shown]) -> Rulings:
    """Whether a repetition has the key of the request that it repeats.

    Whoever has read the review since knows what became of it, and decides anew.
    """
    repeated = [each for each in earlier if each.subject == approval.subject]
    if not repeated or not repeated[-1].is_open:
        return
    before = repeated[-1]
    ended = min((each.since for each in own if each.since > before.call.ended), default=inf)
    if approval.key == before.key:
        yield ruling(KEPT, before.exchange, approval.exchange)
    elif ended > approval.call.began:
        otherwise = defect(
            Kind.VALUE,
            "the approval was sent again with the idempotencyKey {key} after {outcome}",
            expected=f"the key {shown(before.key)} of the request that it repeats",
            actual=approval.key,
            key=shown(approval.key),
            outcome=before.exchange.describe(),
        ).on(KEY)
        yield ruling(KEPT, before.exchange, approval.exchange, otherwise=otherwise)
