"""The pool of reviews that may be approved: the listed ones, then those that a command makes, each of them once."""

import json
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.runner.session import Session
from conformance.suite.lists.live import Live

NEEDS = ("fixtures.approvable-reviews", "fixtures.provision.approvable-review")
PROVISION_SECONDS = 60
APPROVED = "approved"
MOMENTS = (0.25, 0.25, 0.5, 0.5, 0.5, 1.0, 2.0, 3.0)
"""Seconds between readings that may lag behind an approval."""
Record = dict[str, Any]


@dataclass(frozen=True)
class Review:
    """A review that could be approved when it was last read."""

    id: str
    revision: int
    read: Exchange


class Pool:
    """Reviews that may be approved, and readings of reviews."""

    def __init__(self, session: Session, live: Live) -> None:
        self._session = session
        self._live = live
        self._listed = list(session.target.fixtures.approvable_reviews)
        self._repeated = list(session.provisioned or ())
        self.withheld: list[Review] = []

    def consent(self) -> None:
        """Inconclusive unless the profile allows approvals here."""
        if not self._session.target.consent.approve_reviews:
            raise Inconclusive(
                "approving reviews here has not been consented to",
                needs=("consent.approve-reviews",),
            )

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
            raise Inconclusive(
                "the provisioned review cannot be approved",
                needs=("fixtures.provision.approvable-review",),
            )
        return review

    @property
    def is_nearly_spent(self) -> bool:
        """Whether one review is left at most, and no command makes more."""
        return len(self._listed) <= 1 and not self._session.target.fixtures.provision

    def take(self, worth: Callable[[Record], int] | None = None) -> Review:
        """A review that could be approved now, out of the pool: one whose record in the list is worth the most, where that is asked for."""
        if worth is not None:
            shown = {record["id"].lower(): record for record in self.shown()}
            self._listed.sort(key=lambda id: -worth(shown.get(id.lower(), {})))
        review = self.pending()
        self._listed.remove(review.id)
        return review

    def shown(self) -> list[Record]:
        """The reviews that the list shows; none where it cannot be read, since approving takes no list."""
        with suppress(Inconclusive):
            return [listed.record for listed in self._live.records("review_list")]
        return []

    def give_back(self, review: Review) -> None:
        """Put a review back whose approval was refused."""
        self._listed.append(review.id)

    def read(self, id: str) -> Review | None:
        """A review by its id, or None where it cannot be approved or is not to be seen."""
        answer = self.look(id)
        if answer.status != 200 or self.is_spent(id, answer):
            return None
        review = Review(id, revision_of(answer), answer)
        if is_withheld(answer):
            self.withheld.append(review)
            return None
        return review

    def is_spent(self, id: str, read: Exchange) -> bool:
        """Whether a review is approved, as far as can be told: where it shows no status, an approval that was answered 200 has to do."""
        return is_approved(read) or (
            not shows_status(read) and id.lower() in self._session.approved
        )

    def moved(self, review: Review) -> Review | None:
        """The review where it reads with another revision than before, because somebody else has changed its subject; None where not."""
        with suppress(Inconclusive):
            latest = self.read(review.id)
            return latest if latest is not None and latest.revision != review.revision else None
        return None

    def is_restless(self, readings: int) -> bool:
        """Whether a review that nobody tries to approve gets another revision, or is withheld, while it is read so many times."""
        with suppress(Inconclusive):
            review = self.pending()
            return any(
                self.moved(review) is not None or is_withheld(self.look(review.id))
                for _ in range(readings)
            )
        return False

    def others_approve(self, beside: str, readings: int) -> bool:
        """Whether reviews on the page of a listed one become approved while nobody here approves any, in so many readings of it."""
        page = next(
            listed.call
            for listed in self._live.records("review_list")
            if listed.record["id"] == beside
        )
        pending: set[str] = set()
        for _ in range(readings):
            answer = self._live.send(page, purpose="does anybody else approve?")
            shown = {str(item.get("id")): item.get("status") for item in answer.items}
            if any(shown.get(id) == APPROVED for id in pending):
                return True
            pending |= {id for id, status in shown.items() if status != APPROVED}
        return False

    def look(self, id: str, scheme: str | None = None) -> Exchange:
        """Read a review as primary."""
        return self._live.send(
            Call("review_get", {"reviewId": id}), scheme=scheme, purpose="read the review"
        )

    def look_approved(self, id: str, scheme: str | None = None) -> Exchange:
        """Read a review that has just been approved; readings may lag behind for a moment."""
        return self.look_until(id, lambda read: is_approved(read) or not shows_status(read), scheme)

    def look_until(
        self, id: str, holds: Callable[[Exchange], bool], scheme: str | None = None
    ) -> Exchange:
        """Read a review until something holds, for as long as readings may lag behind."""
        answer = self.look(id, scheme)
        for moment in MOMENTS:
            if holds(answer):
                break
            self._session.transport.wait(moment)
            answer = self.look(id, scheme)
        return answer

    def look_listed(self, id: str, scheme: str) -> Exchange | None:
        """The page that goes on showing an approved review with another status, by one scheme; None where the list has it right, or not."""
        listed = next(
            (
                entry
                for entry in self._live.records("review_list")
                if entry.record["id"].lower() == id.lower()
            ),
            None,
        )
        if listed is None:
            return None
        own = [
            Call("review_list").asking(limit="100", **{name: listed.record["projectId"]})
            for name in self._filters(listed.record)
        ]
        return next(
            (
                page
                for call in (listed.call, *own)
                if (page := self._lagging(id, call, scheme)) is not None
            ),
            None,
        )

    def _filters(self, record: Record) -> list[str]:
        """The name of the project filter of reviews, where it is certain and the record says its project."""
        roles = self._session.roles(self._live.operation("review_list"))
        return [
            name
            for name, role in roles.items()
            if role == "project" and is_uuid(record.get("projectId"))
        ]

    def _lagging(self, id: str, call: Call, scheme: str) -> Exchange | None:
        """The page of a call that goes on showing a review with another status than approved."""
        for moment in MOMENTS:
            page = self._live.send(call, scheme=scheme, purpose="the list after the approval")
            shown = [
                item.get("status", APPROVED)
                for item in page.items
                if str(item.get("id")).lower() == id.lower()
            ]
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


def provisioned(argv: tuple[str, ...]) -> str:
    """The id of a review that a command made and printed as JSON; Inconclusive where there is none."""
    if not argv:
        raise Inconclusive("no approvable review is left", needs=NEEDS)
    try:
        done = subprocess.run(argv, capture_output=True, timeout=PROVISION_SECONDS, check=True)
        id = json.loads(done.stdout)["id"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as problem:
        raise Inconclusive(
            f"the provision command failed: {type(problem).__name__}", needs=NEEDS
        ) from problem
    if not is_uuid(id):
        raise Inconclusive("the provision command printed no review id", needs=NEEDS)
    return str(id)


def is_approved(read: Exchange) -> bool:
    """Whether a reading of a review shows it approved (States and transitions)."""
    return isinstance(read.data, dict) and read.data.get("status") == APPROVED


def is_withheld(read: Exchange) -> bool:
    """Whether a reading of a review that is not approved says that it cannot be approved (Review)."""
    return (
        isinstance(read.data, dict)
        and read.data.get("approvable") is False
        and not is_approved(read)
    )


def shows_status(read: Exchange) -> bool:
    """Whether a reading of a review shows a status at all, which is not promised."""
    return isinstance(read.data, dict) and "status" in read.data


def revision_to_refuse(read: Exchange) -> int:
    """The subjectRevision of a reading, or the first one where it shows none: who may approve at no revision has to be refused at any."""
    with suppress(Inconclusive):
        return revision_of(read)
    return 1


def revision_of(read: Exchange) -> int:
    """The subjectRevision of a reading; Inconclusive where it shows none, since its presence is not promised."""
    found = read.data.get("subjectRevision") if isinstance(read.data, dict) else None
    if isinstance(found, bool) or not isinstance(found, int | float) or int(found) != found:
        raise Inconclusive(
            "the review shows no subjectRevision to expect",
            needs=("reviews with a subjectRevision",),
            exchanges=[read.id],
        )
    return int(found)
