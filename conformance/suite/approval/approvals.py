"""Approvals as they are spent, each at the end of a trial.

Nothing but the listed or provisioned reviews is ever sent to `approve` with a right revision, and only with consent.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from conformance.contract.verdict import Inconclusive
from conformance.http.client import Sending
from conformance.http.exchange import Call, Exchange
from conformance.runner.session import Session
from conformance.suite.approval import plan
from conformance.suite.approval.attempts import STALE, ahead
from conformance.suite.approval.plan import Planned
from conformance.suite.approval.review_pool import (
    APPROVED,
    NEEDS,
    Pool,
    Record,
    Review,
    is_approved,
    is_withheld,
    revision_of,
    shows_status,
)
from conformance.suite.approval.trial import Attempt, Trial
from conformance.suite.callers.forged_credentials import NAMESPACE
from conformance.suite.lists.live import Live
from conformance.target.target import Credential

NEIGHBOURS = 4
KINDS = ("subjectType", "companyId")
TIES = ("subjectId", "videoId", "projectId")
CHANCES = 3
ENOUGH = 3
"""So many reviews may be spent by attempts of one kind: what a target lets through again and again would leave none for all else."""
CROWD = 4


class Approvals(Pool):
    """Spends approvable reviews, each once, and keeps the ledger of what was spent."""

    def __init__(self, session: Session, live: Live) -> None:
        super().__init__(session, live)
        self._trials: dict[str, Trial] = {}
        self._first: Trial | None = None
        self._spent_by: Counter[str] = Counter()
        self.flaws: tuple[str, ...] | None = None

    # --- sending ---------------------------------------------------------------------------------------------------

    def key(self, review: str, label: str) -> str:
        """An idempotency key: the same for the same seed, review and label, and different for any other."""
        made = uuid.uuid5(NAMESPACE, f"{self._session.seed}:{review}:{label}")
        return str(uuid.UUID(bytes=made.bytes, version=4))  # some take no UUID of another version

    def keyed(
        self, review: str, label: str, send: Callable[[str], Exchange]
    ) -> tuple[str, Exchange]:
        """The answer to what is sent with a new key, and that key: another one where a key may be stuck with what the weather spoiled."""
        for number in range(CHANCES):
            key = self.key(review, f"{label} {number}" if number else label)
            answer = send(key)
            if answer.status != 409 or not answer.is_repeated:
                break
        return key, answer

    def call(self, review: str, revision: Any, key: Any) -> Call:
        """The call that approves a review."""
        return Call("review_approve", {"reviewId": review}).carrying(
            {"expectedSubjectRevision": revision, "idempotencyKey": key}
        )

    def approve(
        self, review: Review, key: str, *, scheme: str | None = None, purpose: str = "approve"
    ) -> Exchange:
        """Approve a review as primary."""
        self.note(review, key)
        return self._live.send(
            self.call(review.id, review.revision, key), scheme=scheme, purpose=purpose
        )

    def note(self, review: Review, key: str) -> None:
        """Write into the ledger that a review is being spent."""
        self._session.observations.append(
            ("ledger", review.id, {"key": key, "revision": review.revision})
        )

    def attempt(
        self, call: Call, credential: Credential | None, scheme: str | None, purpose: str
    ) -> Attempt:
        """Send what ought to be refused, and read the review afterwards."""
        answer = self._live.send(call, credential, scheme, purpose=purpose)
        return Attempt(answer, self.look(call.path["reviewId"]))

    # --- the trial -------------------------------------------------------------------------------------------------

    def trial(self, scheme: str) -> Trial:
        """The trial of a review that is approved by this scheme; the first one made carries all the attempts."""
        if scheme not in self._trials:
            self._live.by("primary", scheme)
            self._trials[scheme] = self._run(scheme)
            self._first = self._first or self._trials[scheme]
        return self._trials[scheme]

    def first(self) -> Trial:
        """The trial with the attempts; the review was approved in the end, so that each refusal had its own reason."""
        if self._first is None:
            self.trial(self._live.credential("primary").schemes[0])
        assert self._first is not None
        return self._first

    def control(self, scheme: str | None = None) -> Trial:
        """The first trial; Inconclusive unless its approval succeeded, and the one by the scheme where primary has it."""
        self.consent()
        trials = [self.first()]
        if scheme is not None and scheme in self._live.credential("primary").schemes:
            # Where no review is left to show that the scheme works, the first trial has to do.
            with suppress(Inconclusive):
                trials.append(self.trial(scheme))
        for trial in trials:
            if trial.approval.status != 200:
                told = f"the approval by {trial.scheme} is answered {trial.approval.describe()}"
                raise Inconclusive(told, needs=NEEDS, exchanges=[trial.approval.id])
        return trials[0]

    def show_themselves(self) -> bool:
        """Whether every approval of a trial could be read, as far as reviews show a status; where not, that is judged once."""
        read = [
            self.first().after,
            *(trial.after for trial in self._trials.values() if trial.approval.status == 200),
        ]
        return all(
            after is not None and (is_approved(after) or not shows_status(after)) for after in read
        )

    def refusal(self, label: str, scheme: str | None = None) -> Attempt:
        """An attempt of the first trial; Inconclusive unless the same request without its defect succeeded, by the same scheme."""
        trial = self.control(scheme)
        if label not in trial.attempts:
            raise Inconclusive(
                f"no approvable review was left for the attempt {label}", needs=NEEDS
            )
        return trial.attempts[label]

    def refusals(self, label: str, scheme: str) -> list[Attempt]:
        """The attempt of the first trial, and the same on the review of the other trial, which is of another kind where there is one."""
        first = self.refusal(label, scheme)
        others = [
            trial
            for trial in self._trials.values()
            if trial is not self._first and trial.approval.status == 200
        ]
        return [first, *(trial.attempts[label] for trial in others if label in trial.attempts)]

    def stale(self) -> list[Attempt]:
        """Every attempt of any trial with a revision that was not the current one."""
        tried = [pair for trial in self._trials.values() for pair in trial.attempts.items()]
        return [
            attempt
            for label, attempt in tried
            if label.startswith("stale, ") or label.rpartition(" by ")[0] in STALE
        ]

    def _run(self, scheme: str) -> Trial:
        primary = self._live.credential("primary")
        if self._first is None:
            trial = self._attempted(plan.everything(self._session, primary))
            self._crowd(trial)
        else:
            trial = self._attempted(
                plan.few(self._session, primary, scheme), unlike=self._first.review
            )
        return self._finished(trial, scheme)

    def trials_but(self, scheme: str) -> list[Trial]:
        """The trials by other schemes that have been made."""
        return [trial for each, trial in self._trials.items() if each != scheme]

    def once_more(self, scheme: str) -> Trial:
        """The trial of yet another review, without attempts; Inconclusive where none is left."""
        return self._finished(Trial(self.take(self._telling(None)), "", ""), scheme)

    def _finished(self, trial: Trial, scheme: str) -> Trial:
        """A trial with its approval, and with what becomes of other reviews."""
        trial.scheme = scheme
        others = self._neighbours(trial.review)
        before = [self.look(id) for id in others]
        page = self._page()
        trial.answer = self._approved(trial)
        trial.after = (
            self.look_approved(trial.review.id)
            if trial.answer.status == 200
            else self.look(trial.review.id)
        )
        # By the same scheme, since what a review shows may depend on who reads it.
        trial.neighbours = [
            (one, self.look(id, one.scheme)) for one, id in zip(before, others, strict=True)
        ]
        known = {trial.review.id.lower(), *map(str.lower, others)}
        trial.neighbours += [
            (page, self.look(id))
            for id in _approved_since(page, self._page())
            if id.lower() not in known
        ]
        return trial

    def _page(self) -> Exchange:
        """The longest page of reviews, which tells of many others at once."""
        return self._live.send(
            Call("review_list").asking(limit="100"), purpose="the reviews beside it"
        )

    def _crowd(self, trial: Trial) -> None:
        """Send stale attempts in the same moment; another review goes on where they did not leave this one as it was."""
        primary, review = self._live.credential("primary"), trial.review
        keys = [self.key(review.id, f"stale at once {number}") for number in range(CROWD)]
        calls = [self.call(review.id, ahead(review.revision), key) for key in keys]
        sendings = [Sending(primary, primary.schemes[0], f"{CROWD} stale ones at once")] * CROWD
        answers = self._session.client.send_all(calls, sendings, together=True)
        after = self.look(review.id)
        trial.crowd = [Attempt(answer, after, review) for answer in answers]
        if self.is_spent(review.id, after):
            self.note(review, keys[0])
            trial.review = self.take()
        elif is_withheld(after):
            trial.review = self._another(review)

    def _approved(self, trial: Trial) -> Exchange:
        """The approval of a trial: with a key that differs from the one of the first trial in its last digit, or with a fresh one."""
        if self._first is not None:
            used = self._first.key
            trial.key = f"{used[:-1]}{'01'[used[-1] == '0']}"
            answer = self.approve(
                trial.review,
                trial.key,
                scheme=trial.scheme,
                purpose="a new key that resembles a used one",
            )
            if answer.status != 409:
                return answer
            trial.resembling = None if answer.is_repeated or self.moved(trial.review) else answer
        for number in range(CHANCES):
            label = f"approve at another revision {number}" if number else "approve"
            trial.key, answer = self.keyed(
                trial.review.id,
                label,
                lambda key: self.approve(trial.review, key, scheme=trial.scheme),
            )
            latest = self.moved(trial.review) if answer.status == 409 else None
            if latest is None:
                break
            trial.review = latest
        return answer

    def _telling(self, unlike: Review | None) -> Callable[[Record], int]:
        """What makes a review tell more: another kind and company than the one before, and reviews close to it that are not approved."""
        before = (
            unlike.read.data if unlike is not None and isinstance(unlike.read.data, dict) else {}
        )
        pending = [record for record in self.shown() if record.get("status") != APPROVED]
        close = [
            Counter(record[tie] for record in pending if isinstance(record.get(tie), str))
            for tie in TIES
        ]

        def worth(record: Record) -> int:
            unlike = len(
                [
                    name
                    for name in KINDS
                    if name in before and name in record and before[name] != record[name]
                ]
            )
            return 100 * unlike + sum(
                min(count[str(record.get(tie))], 9) for tie, count in zip(TIES, close, strict=True)
            )

        return worth

    def _neighbours(self, review: Review) -> list[str]:
        """Other reviews: the next of the pool, those that are closest to it, and some that are listed."""
        own = review.read.data if isinstance(review.read.data, dict) else {}
        records = self.shown()
        pending = [
            record
            for record in records
            if record.get("status") != APPROVED and record["id"].lower() != review.id.lower()
        ]
        close = [
            record["id"]
            for tie in TIES
            for record in pending
            if tie in own and record.get(tie) == own[tie]
        ]
        place = next(
            (
                number
                for number, record in enumerate(records)
                if record["id"].lower() == review.id.lower()
            ),
            0,
        )
        beside = [record["id"] for record in records[max(place - 1, 0) : place + 2]]
        ends = [record["id"] for record in (*records[:1], *records[-1:])]
        found = dict.fromkeys([*self._listed[:1], *beside, *close[:NEIGHBOURS], *ends])
        return [id for id in found if id.lower() != review.id.lower()]

    def _attempted(self, planned: Iterable[Planned], unlike: Review | None = None) -> Trial:
        """A review of the pool after attempts that ought to leave it as it was; another one where an attempt did not."""
        attempts: dict[str, Attempt] = {}
        review = self.take(self._telling(unlike))
        for each in planned:
            if self._spent_by[each.kind] >= ENOUGH:
                continue
            key, answer = self.keyed(review.id, each.label, partial(self._altered, review, each))
            attempts[each.label] = Attempt(answer, self.look(review.id), review)
            if self.is_spent(review.id, attempts[each.label].after):
                self.note(review, key)
                self._spent_by[each.kind] += 1
                review = self.take()
            elif each.kind == "stale" and is_withheld(attempts[each.label].after):
                self._spent_by[each.kind] += 1
                review = self._another(review)
            else:
                review = _as_it_is(review, attempts[each.label].after)
        return Trial(review, "", "", attempts)

    def _another(self, review: Review) -> Review:
        """Another review of the pool; the same one where none is left, which then shows whether it can be approved all the same."""
        with suppress(Inconclusive):
            return self.take()
        return review

    def _altered(self, review: Review, planned: Planned, key: str) -> Exchange:
        call = planned.change(self.call(review.id, review.revision, key), review.revision, key)
        sending = Sending(
            planned.credential, planned.scheme, planned.label, headers=planned.headers
        )
        return self._session.client.send(call, sending)


def _approved_since(before: Exchange, after: Exchange) -> list[str]:
    """The ids of the reviews that one page shows with another status than approved, and a later one as approved."""
    pending = {
        str(item.get("id")) for item in before.items if item.get("status", APPROVED) != APPROVED
    }
    return [
        str(item["id"])
        for item in after.items
        if item.get("status") == APPROVED and str(item.get("id")) in pending
    ]


def _as_it_is(review: Review, read: Exchange) -> Review:
    """The review of a later reading, since an attempt may have changed it, which is judged by a check."""
    try:
        return Review(review.id, revision_of(read), read)
    except Inconclusive:
        return review


def sending(credential: Credential | None, scheme: str | None, purpose: str) -> Sending:
    """How approvals that race each other are sent: once, whatever comes."""
    return Sending(credential, scheme, purpose, patient=False)
