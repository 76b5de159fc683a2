"""Approvals as they are spent: the pool of reviews that may be approved, and the trial that one of them goes through.

Nothing but the listed or provisioned reviews is ever sent to `approve` with a right revision, and only with consent.
"""

import json
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from conformance.client import Sending
from conformance.exchange import Call, Exchange
from conformance.session import Session, never_issued
from conformance.suite.attempts import MALFORMED, MISSPELT, STALE, Change, ahead, changed, unaltered
from conformance.suite.live import Live, is_uuid
from conformance.target import Credential
from conformance.verdict import Inconclusive, Violation

NEEDS = ("fixtures.approvable-reviews", "fixtures.provision.approvable-review")
REFUSED_CREDENTIALS = ("expired", "revoked", "lacking.reviews:approve", "outsider", "no-review-role")
NAMESPACE = uuid.UUID("6f0c1b9e-7a54-4e0e-9d38-52a4ab1f0c11")
PROVISION_SECONDS = 60
NEIGHBOURS = 4
TIES = ("subjectId", "videoId", "projectId")
APPROVED = "approved"
MOMENTS = (0.25, 0.25, 0.5, 0.5, 0.5, 1.0, 2.0, 3.0)
"""Seconds between readings that may lag behind an approval."""
CHANCES = 3


@dataclass(frozen=True)
class Review:
    """A review that could be approved when it was last read."""

    id: str
    revision: int
    read: Exchange


@dataclass(frozen=True)
class Attempt:
    """One request to approve that ought to be refused, and the review as it read afterwards; `revision` is what it was before."""

    answer: Exchange
    after: Exchange
    revision: int | None = None


@dataclass
class Trial:
    """What one review went through: attempts that ought to be refused, then its approval by `scheme`, then a reading.

    `neighbours` are readings of other reviews before and after. `resembling` is the refusal of a new key that is almost a used one.
    """

    review: Review
    scheme: str
    key: str
    attempts: dict[str, Attempt] = field(default_factory=dict)
    resembling: Exchange | None = None
    answer: Exchange | None = None
    after: Exchange | None = None
    neighbours: list[tuple[Exchange, Exchange]] = field(default_factory=list)

    @property
    def approval(self) -> Exchange:
        """The answer to the approval that ought to succeed."""
        assert self.answer is not None
        return self.answer


class Approvals:
    """Spends approvable reviews, each once, and keeps the ledger of what was spent."""

    def __init__(self, session: Session, live: Live) -> None:
        self._session = session
        self._live = live
        self._listed = list(session.target.fixtures.approvable_reviews)
        self._repeated = list(session.provisioned or ())
        self._trials: dict[str, Trial] = {}
        self._first: Trial | None = None

    # --- the pool --------------------------------------------------------------------------------------------------

    def consent(self) -> None:
        """Inconclusive unless the profile allows approvals here."""
        if not self._session.target.consent.approve_reviews:
            raise Inconclusive("approving reviews here has not been consented to", needs=("consent.approve-reviews",))

    def pending(self) -> Review:
        """A review that could be approved now; it stays in the pool."""
        self.consent()
        while self._listed:
            review = self.read(self._listed[0])
            if review is not None:
                return review
            self._listed.pop(0)
        self._listed.append(self._provision())
        review = self.read(self._listed[0])
        if review is None:
            self._listed.clear()
            raise Inconclusive("the provisioned review cannot be approved", needs=("fixtures.provision.approvable-review",))
        return review

    def take(self) -> Review:
        """A review that could be approved now, out of the pool."""
        review = self.pending()
        self._listed.remove(review.id)
        return review

    def give_back(self, review: Review) -> None:
        """Put a review back whose approval was refused."""
        self._listed.append(review.id)

    def read(self, id: str) -> Review | None:
        """A review by its id, or None where it cannot be approved or is not to be seen."""
        answer = self.look(id)
        data = answer.data if isinstance(answer.data, dict) else {}
        if answer.status != 200 or is_approved(answer) or data.get("approvable") is False:
            return None
        return Review(id, revision_of(answer), answer)

    def look(self, id: str) -> Exchange:
        """Read a review as primary."""
        return self._live.send(Call("review_get", {"reviewId": id}), purpose="read the review")

    def look_approved(self, id: str) -> Exchange:
        """Read a review that has just been approved; readings may lag behind for a moment."""
        return self.look_until(id, lambda read: is_approved(read) or not shows_status(read))

    def look_until(self, id: str, holds: Callable[[Exchange], bool]) -> Exchange:
        """Read a review until something holds, for as long as readings may lag behind."""
        answer = self.look(id)
        for moment in MOMENTS:
            if holds(answer):
                break
            self._session.transport.wait(moment)
            answer = self.look(id)
        return answer

    def look_listed(self, id: str) -> Exchange | None:
        """The page that goes on showing an approved review with another status; None where the list has it right, or not at all."""
        listed = next((entry for entry in self._live.records("review_list") if entry.record["id"].lower() == id.lower()), None)
        if listed is None:
            return None
        for moment in MOMENTS:
            page = self._live.send(listed.call, purpose="the list after the approval")
            shown = [item.get("status", APPROVED) for item in page.items if str(item.get("id")).lower() == id.lower()]
            if shown in ([], [APPROVED]):
                return None
            self._session.transport.wait(moment)
        return page

    def _provision(self) -> str:
        """One more review: made by the profile's command, or, where a run is repeated, the one that it made then."""
        if self._session.provisioned is None:
            id = provisioned(self._session.target.fixtures.provision)
        elif self._repeated:
            id = self._repeated.pop(0)
        else:
            raise Inconclusive("no approvable review is left", needs=NEEDS)
        self._session.observations.append(("provisioned", id, id))
        return id

    # --- sending ---------------------------------------------------------------------------------------------------

    def key(self, review: str, label: str) -> str:
        """An idempotency key: the same for the same seed, review and label, and different for any other."""
        return str(uuid.uuid5(NAMESPACE, f"{self._session.seed}:{review}:{label}"))

    def keyed(self, review: str, label: str, send: Callable[[str], Exchange]) -> tuple[str, Exchange]:
        """The answer to what is sent with a new key, and that key: another one where a key may be stuck with what the weather spoiled."""
        for number in range(CHANCES):
            key = self.key(review, f"{label} {number}" if number else label)
            answer = send(key)
            if answer.status != 409 or not answer.is_repeated:
                break
        return key, answer

    def call(self, review: str, revision: Any, key: Any) -> Call:
        """The call that approves a review."""
        return Call("review_approve", {"reviewId": review}).carrying({"expectedSubjectRevision": revision, "idempotencyKey": key})

    def approve(self, review: Review, key: str, *, scheme: str | None = None, purpose: str = "approve") -> Exchange:
        """Approve a review as primary."""
        self.note(review, key)
        return self._live.send(self.call(review.id, review.revision, key), scheme=scheme, purpose=purpose)

    def note(self, review: Review, key: str) -> None:
        """Write into the ledger that a review is being spent."""
        self._session.observations.append(("ledger", review.id, {"key": key, "revision": review.revision}))

    def attempt(self, call: Call, credential: Credential | None, scheme: str | None, purpose: str) -> Attempt:
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

    def refusal(self, label: str, scheme: str | None = None) -> Attempt:
        """An attempt of the first trial; Inconclusive unless the same request without its defect succeeded, by the same scheme."""
        trial = self.control(scheme)
        if label not in trial.attempts:
            raise Inconclusive(f"no approvable review was left for the attempt {label}", needs=NEEDS)
        return trial.attempts[label]

    def _run(self, scheme: str) -> Trial:
        trial = self._attempted() if self._first is None else Trial(self.take(), scheme, "")
        trial.scheme = scheme
        others = self._neighbours(trial.review)
        before = [self.look(id) for id in others]
        trial.answer = self._approved(trial)
        trial.after = self.look_approved(trial.review.id) if trial.answer.status == 200 else self.look(trial.review.id)
        trial.neighbours = [(one, self.look(id)) for one, id in zip(before, others, strict=True)]
        return trial

    def _approved(self, trial: Trial) -> Exchange:
        """The approval of a trial: with a key that differs from the one of the first trial in its last digit, or with a fresh one."""
        if self._first is not None:
            used = self._first.key
            trial.key = f"{used[:-1]}{'01'[used[-1] == '0']}"
            answer = self.approve(trial.review, trial.key, scheme=trial.scheme, purpose="a new key that resembles a used one")
            if answer.status != 409:
                return answer
            trial.resembling = None if answer.is_repeated else answer
        trial.key, answer = self.keyed(trial.review.id, "approve", lambda key: self.approve(trial.review, key, scheme=trial.scheme))
        return answer

    def _neighbours(self, review: Review) -> list[str]:
        """Other reviews: the next of the pool, those that are closest to it, and some that are listed."""
        own = review.read.data if isinstance(review.read.data, dict) else {}
        records = [listed.record for listed in self._live.records("review_list")]
        pending = [record for record in records if record.get("status") != APPROVED and record["id"].lower() != review.id.lower()]
        close = [record["id"] for tie in TIES for record in pending if tie in own and record.get(tie) == own[tie]]
        some = [listed.record["id"] for listed in self._live.sample("review_list")]
        found = dict.fromkeys([*self._listed[:1], *close[:NEIGHBOURS], *some[:NEIGHBOURS]])
        return [id for id in found if id.lower() != review.id.lower()]

    def _attempted(self) -> Trial:
        """A review of the pool after every attempt that ought to leave it as it was; another one where an attempt did not."""
        attempts: dict[str, Attempt] = {}
        review = self.take()
        for label, credential, scheme, change in self._attempts():
            send = partial(self._altered, review, change, (credential, scheme, label))
            key, answer = self.keyed(review.id, label, send)
            attempts[label] = Attempt(answer, self.look(review.id), review.revision)
            if is_approved(attempts[label].after):
                self.note(review, key)
                review = self.take()
            else:
                review = _as_it_is(review, attempts[label].after)
        return Trial(review, "", "", attempts)

    def _altered(self, review: Review, change: Change, by: tuple[Credential | None, str | None, str], key: str) -> Exchange:
        credential, scheme, label = by
        call = change(self.call(review.id, review.revision, key), review.revision, key)
        return self._live.send(call, credential, scheme, purpose=label)

    def _attempts(self) -> Iterator[tuple[str, Credential | None, str | None, Change]]:
        """Label, caller, scheme, and what makes an attempt out of a right call, its revision and its key."""
        primary = self._live.credential("primary")
        yield "missing", None, None, unaltered
        for scheme in primary.schemes:
            yield f"unknown by {scheme}", made_up(self._session, scheme), scheme, unaltered
        for credential, scheme in self._callers():
            refused, label = credential.name in REFUSED_CREDENTIALS, f"{credential.name} by {scheme}"
            yield (label, credential, scheme, unaltered) if refused else (f"stale, {label}", credential, scheme, changed(revision=ahead))
        for label, revision in STALE.items():
            for scheme in primary.schemes:
                yield f"{label} by {scheme}", primary, scheme, changed(revision=revision)
        for label, change in (*MALFORMED.items(), *MISSPELT.items()):
            yield label, primary, None, change

    def _callers(self) -> Iterator[tuple[Credential, str]]:
        """Whoever may not approve, and whoever lacks a permission that approving does not need, by each of its schemes."""
        for name, credential in self._session.target.credentials.items():
            if name in REFUSED_CREDENTIALS or name.startswith("lacking."):
                yield from ((credential, scheme) for scheme in credential.schemes)


def provisioned(argv: tuple[str, ...]) -> str:
    """The id of a review that a command made and printed as JSON; Inconclusive where there is none."""
    if not argv:
        raise Inconclusive("no approvable review is left", needs=NEEDS)
    try:
        done = subprocess.run(argv, capture_output=True, timeout=PROVISION_SECONDS, check=True)
        id = json.loads(done.stdout)["id"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as problem:
        raise Inconclusive(f"the provision command failed: {type(problem).__name__}", needs=NEEDS) from problem
    if not is_uuid(id):
        raise Inconclusive("the provision command printed no review id", needs=NEEDS)
    return str(id)


def is_approved(read: Exchange) -> bool:
    """Whether a reading of a review shows it approved (States and transitions)."""
    return isinstance(read.data, dict) and read.data.get("status") == APPROVED


def shows_status(read: Exchange) -> bool:
    """Whether a reading of a review shows a status at all, which is not promised."""
    return isinstance(read.data, dict) and "status" in read.data


def revision_of(read: Exchange) -> int:
    """The subjectRevision of a reading; Inconclusive where it shows none, since its presence is not promised."""
    found = read.data.get("subjectRevision") if isinstance(read.data, dict) else None
    if isinstance(found, bool) or not isinstance(found, int | float) or int(found) != found:
        raise Inconclusive("the review shows no subjectRevision to expect", needs=("reviews with a subjectRevision",), exchanges=[read.id])
    return int(found)


def _as_it_is(review: Review, read: Exchange) -> Review:
    """The review with the revision of a later reading, since an attempt may have changed it, which is judged by a check."""
    try:
        return Review(review.id, revision_of(read), review.read)
    except Inconclusive:
        return review


def made_up(session: Session, scheme: str) -> Credential:
    """A credential that was never issued, of a form that no target can take for a mistake of spelling."""
    return never_issued("unknown", scheme, str(uuid.uuid5(NAMESPACE, f"{session.seed}:{scheme}")))


def unchanged(attempt: Attempt) -> None:
    """Violation where the review reads as approved after an attempt."""
    if is_approved(attempt.after):
        raise Violation(
            f"{attempt.answer.purpose}: answered {attempt.answer.describe()}, and the review is approved",
            expected="the review stays as it was",
            exchanges=[attempt.answer.id, attempt.after.id],
        )


def sending(credential: Credential | None, scheme: str | None, purpose: str) -> Sending:
    """How approvals that race each other are sent: once, whatever comes."""
    return Sending(credential, scheme, purpose, patient=False)
