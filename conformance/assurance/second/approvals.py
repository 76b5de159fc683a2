"""Approvals in the order in which they were sent: results, replays, revisions and keys."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from conformance.assurance.second.exchange import UNREADABLE, Exchange, is_uuid
from conformance.assurance.second.history import History
from conformance.assurance.second.ruling import Rulings, meets

REVISION, KEY = "expectedSubjectRevision", "idempotencyKey"
RESULT = ("id", "status", "subjectRevision")
"""The properties of the result of an approval; further ones may differ each time."""

ELSEWHERE = frozenset({401, 403, 404})
"""Statuses that an attempt may get for another reason: its caller has lost access by then."""
APPROVED = "approved"
CONFLICT, TOO_LARGE = 409, 413
MOST = 500
"""Requests of each kind about one review that are held beside each other."""
RACES = ("approval/one-key-at-once", "approval/model", "approval/new-key")
OF_KEYS = ("approval/replay", "approval/key-other-review")


@dataclass(frozen=True)
class Attempt:
    """A request to approve a review with a revision and a key, and nothing else."""

    exchange: Exchange
    revision: int
    key: str

    @property
    def is_success(self) -> bool:
        """Whether it was served."""
        return self.exchange.is_success

    def repeats(self, other: "Attempt") -> bool:
        """Whether it is the same request of the same caller, after the other one has succeeded."""
        one, two = self.exchange, other.exchange
        same = (one.caller, one.subject, one.sent) == (two.caller, two.subject, two.sent)
        return same and other.is_success and two.ended <= one.began


@dataclass(frozen=True)
class Read:
    """What a read of a review shows: whether it is approved, its revision, and `approvable`.

    Each is None where it is not shown, or is another kind of value.
    """

    began: float
    ended: float
    is_approved: bool | None
    revision: int | None
    approvable: bool | None


@dataclass(frozen=True)
class Review:
    """All that was sent to one review: what writes, the well-formed attempts, and the reads.

    `elsewhere` is when the id was first sent to another address; nobody knows what came of that.
    """

    id: str
    sent: Sequence[Exchange]
    attempts: Sequence[Attempt]
    reads: Sequence[Read]
    elsewhere: float

    @property
    def is_small(self) -> bool:
        """Whether every attempt can be held beside every other one."""
        return max(len(self.sent), len(self.reads)) <= MOST

    def before(self, exchange: Exchange) -> Sequence[Read]:
        """The reads whose responses were there before a request was sent."""
        return [each for each in self.reads if each.ended <= exchange.began]

    def after(self, exchange: Exchange) -> Sequence[Read]:
        """The reads that were sent after its response."""
        return [each for each in self.reads if each.began >= exchange.ended]

    def is_alone(self, began: float, ended: float) -> bool:
        """Whether no more than one request to approve it was under way within a time."""
        return sum(other.began < ended and other.ended > began for other in self.sent) < 2

    def has_become_approved(self, exchange: Exchange) -> bool:
        """Whether the reads around a request say that it was approved by that."""
        before, after = self.before(exchange)[-1:], self.after(exchange)[:1]
        is_changed = [each.is_approved for each in (*before, *after)] == [False, True]
        return is_changed and self.is_alone(before[0].began, after[0].ended)


def rulings(history: History) -> Rulings:
    """The rulings on every approval."""
    for review in _reviews(history):
        for exchange in review.sent:
            if exchange.is_plain and not exchange.is_transient:
                yield from _request(exchange, history)
        for number, attempt in enumerate(review.attempts if review.is_small else ()):
            if attempt.exchange.is_transient:
                continue
            earlier = review.attempts[:number]
            yield from _result(attempt, review)
            if not review.is_alone(attempt.exchange.began, attempt.exchange.ended):
                continue
            yield from _again(attempt, earlier)
            yield from _used(attempt, earlier)
            done = any(each.is_success for each in earlier)
            if not done and review.elsewhere > attempt.exchange.began:
                yield from _stale(attempt, review)
                yield from _unapprovable(attempt, review, history)


def _reviews(history: History) -> Iterator[Review]:
    sent: dict[str, list[Exchange]] = {}
    reads: dict[str, list[Read]] = {}
    for each in sorted(history.exchanges, key=lambda each: each.began):
        id = str(each.subject).lower()
        if not each.operation.is_read:
            sent.setdefault(id, []).append(each)
        elif each.operation.id == "review_get" and each.status == 200:
            reads.setdefault(id, []).append(_read(each))
    for id, found in sent.items():
        attempts = list(filter(None, map(_attempt, found)))
        yield Review(id, found, attempts, reads.get(id, ()), history.elsewhere.get(id, inf))


def _read(exchange: Exchange) -> Read:
    is_object, data = isinstance(exchange.data, dict), exchange.data
    shown = data if is_object else {}
    revision, approvable = shown.get("subjectRevision"), shown.get("approvable")
    return Read(
        exchange.began,
        exchange.ended,
        shown.get("status") == APPROVED if is_object else None,
        revision if type(revision) is int else None,
        approvable if isinstance(approvable, bool) else None,
    )


def _revisions(reads: Iterable[Read]) -> set[int]:
    """The revisions that some reads show."""
    return {each.revision for each in reads if each.revision is not None}


def _attempt(exchange: Exchange) -> Attempt | None:
    body = exchange.sent.value if exchange.sent else None
    if not exchange.is_plain or exchange.query or not isinstance(body, dict):
        return None
    if body.keys() != {REVISION, KEY} or not _is_well_formed(body):
        return None
    return Attempt(exchange, body[REVISION], body[KEY])


def _is_well_formed(body: Mapping[str, Any]) -> bool:
    return type(body[REVISION]) is int and isinstance(body[KEY], str)


def _request(exchange: Exchange, history: History) -> Rulings:
    """Requests that are no approvals: malformed ids and bodies, and bodies that are too large."""
    status, sent = f"status {exchange.status}", exchange.sent
    most = history.target["limits"]["max_body_bytes"]
    if sent is None:
        return
    if not is_uuid(exchange.subject):
        if exchange.is_success or exchange.status in {400, 404, 422}:
            yield meets("arguments/approval-id", exchange, not exchange.is_success, status)
    elif most is not None and sent.length > most:
        if exchange.is_success or exchange.status == TOO_LARGE:
            yield meets("limits/body", exchange, not exchange.is_success, status)
    elif _is_malformed(sent.value) and (exchange.is_success or exchange.status in {400, 422}):
        yield meets("arguments/body", exchange, not exchange.is_success, status)


def _is_malformed(body: Any) -> bool:
    if not isinstance(body, dict):
        return body is not UNREADABLE
    is_whole = isinstance(body.get(REVISION), float) and body[REVISION].is_integer()
    return {REVISION, KEY} <= body.keys() and not is_whole and not _is_well_formed(body)


def _result(attempt: Attempt, review: Review) -> Rulings:
    exchange, data = attempt.exchange, attempt.exchange.data
    if not isinstance(data, dict) or not is_uuid(data.get("id")) or not is_uuid(exchange.subject):
        return
    is_own = data["id"].lower() == str(exchange.subject).lower()
    is_approved = data.get("status") == APPROVED
    flaw = f"the result is of {data['id']}, with the status {data.get('status')!r:.40}"
    yield meets("approval/result-status", exchange, is_own and is_approved, flaw, *OF_KEYS)
    revision = data.get("subjectRevision")
    known = {attempt.revision} | _revisions(review.reads)
    if type(revision) is int and (revision in known or review.after(exchange)):
        flaw = f"the result has the revision {revision!r:.40}, which no read shows"
        yield meets("approval/result-revision", exchange, revision in known, flaw, *OF_KEYS)


def _again(attempt: Attempt, earlier: Sequence[Attempt]) -> Rulings:
    """The same request once more, after its success."""
    first = next((each for each in earlier if attempt.repeats(each)), None)
    exchange = attempt.exchange
    if first is None or exchange.status in ELSEWHERE or exchange.document is UNREADABLE:
        return
    is_same = exchange.status == 200 and _plain(exchange.data) == _plain(first.exchange.data)
    flaw = f"status {exchange.status}, or other data than {first.exchange.id}"
    yield meets("approval/replay", exchange, is_same, flaw, *RACES)


def _plain(data: Any) -> Any:
    """What the contract names of data, with ids in lower case: both spellings are one id."""
    if not isinstance(data, dict):
        return data
    named = {name: data[name] for name in RESULT if name in data}
    return {name: value.lower() if is_uuid(value) else value for name, value in named.items()}


def _used(attempt: Attempt, earlier: Sequence[Attempt]) -> Rulings:
    """A key that was used for one revision, with another revision."""
    exchange, uses = attempt.exchange, [each for each in earlier if each.key == attempt.key]
    is_own = any(each.is_success and each.exchange.caller == exchange.caller for each in uses)
    is_new = all(each.revision != attempt.revision for each in uses)
    if is_own and is_new and (exchange.is_success or exchange.status == CONFLICT):
        flaw = f"status {exchange.status} to a key that was used for another revision"
        yield meets("approval/key-other-revision", exchange, not exchange.is_success, flaw)


def _stale(attempt: Attempt, review: Review) -> Rulings:
    """A revision that was not the current one: revisions grow by themselves, and never fall."""
    exchange = attempt.exchange
    before, after = _revisions(review.before(exchange)), _revisions(review.after(exchange))
    if not before or not (exchange.is_success or exchange.status == CONFLICT):
        return
    is_ahead = bool(after) and attempt.revision > min(after)
    if attempt.revision < max(before) or is_ahead:
        has_effect = exchange.is_success or review.has_become_approved(exchange)
        flaw = f"status {exchange.status} to the revision {attempt.revision}, which approved it"
        others = "approval/model", "approval/key-other-revision"
        yield meets("approval/stale-revision", exchange, not has_effect, flaw, *others)


def _unapprovable(attempt: Attempt, review: Review, history: History) -> Rulings:
    """A review that, in the words of the profile and of its reads, nobody can approve."""
    exchange = attempt.exchange
    stated = {each.lower() for each in history.target["fixtures"]["unapprovable-reviews"]}
    shown = [each.approvable for each in review.reads if each.is_approved is not None]
    is_told = exchange.is_success or exchange.status in {400, 403, CONFLICT, 422}
    if is_told and review.id in stated and shown and True not in shown:
        has_effect = exchange.is_success or review.has_become_approved(exchange)
        flaw = f"status {exchange.status}, and it was approved"
        yield meets("approval/unapprovable", exchange, not has_effect, flaw)
