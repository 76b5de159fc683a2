"""Approval of reviews that cannot be approved, and of other ids (Review, Errors)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.contract.identifiers import EXTREMES, is_uuid
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.judgement import shown
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import ON_APPROVED, as_record, conflict
from conformance.suite.approval.bystanders import TIES
from conformance.suite.approval.review import APPROVED, record_of, revision_or_first
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, status_line
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.covering import covering
from conformance.suite.lists.live import Live
from conformance.target.target import Credential

MOST_REVIEWS = 4
STATED = ("approvalUnavailableReason", "status")
"""What tells why a review cannot be approved."""
BY_COLLEAGUE, IN_CAPITALS, AS_RECORD = 1, 2, 3
"""Attempts of the colleague, by the id in upper case, and with the whole record in the body."""
NEEDS = ("fixtures.unapprovable-reviews",)


@dataclass(frozen=True)
class StatusChange:
    """A review that got another status with an attempt to approve it."""

    before: object
    response: Exchange
    read: Exchange

    @property
    def after(self) -> object:
        """Its new status."""
        return _status(self.read)


@requirement("approval/unapprovable")
def test_what_cannot_be_approved_is_not(
    scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """An approval of a review whose `approvable` is false is rejected, and leaves its status."""
    trials.require_consent()
    live.callers.credential_with("primary", scheme)
    _check_withheld(scheme, approvals)
    shared = approvals.reader.shared
    named = live.session.target.fixtures.unapprovable_reviews
    ids = [id for id in named if id.lower() in shared] or [*named]
    ids = _unlike_first(ids, approvals)[:MOST_REVIEWS]
    if not ids:
        raise Inconclusive("the profile names no unapprovable review", needs=NEEDS)
    trials.entitled(scheme)
    changes = list(_attempted(ids, scheme, live, approvals))
    if len(changes) == 1:  # it may be another client's
        raise Inconclusive(
            f"the status of a review changed from {shown(changes[0].before)} to "
            f"{shown(changes[0].after)}, by the attempt or by itself",
            needs=NEEDS,
            exchanges=[changes[0].response.id],
        )
    if changes:
        otherwise = defect(
            Kind.EFFECT,
            "attempts that were rejected change the status of reviews that cannot be approved",
            expected="the status stays",
            actual=changes[0].after,
        )
        where = (in_data(change.read, "status") for change in changes)
        evidence = (each for change in changes for each in (change.response, change.read))
        expect.violated(otherwise.on("status").at(*where), *evidence)


def _check_withheld(scheme: str, approvals: Approvals) -> None:
    """A review of the pool that repeatedly reads as not approvable is not approved either."""
    for review in approvals.pool.withheld()[:1]:
        # By the same scheme: one of the caller's credentials may approve less than the other.
        again = approvals.reader.read(review.id, scheme)
        if record_of(again).get("approvable") is not False:
            continue
        key = approvals.key(review.id, f"withheld {scheme}")
        purpose = "approve a review that says it cannot be approved"
        response = approvals.approve(review, key, scheme=scheme, purpose=purpose)
        otherwise = defect(
            Kind.ACCEPTED,
            "approvable is false, and the approval returned 200",
            expected="400, 403, 409 or 422",
            actual=response.status,
        )
        where = (in_data(again, "approvable"), status_line(response))
        expect.that(response.status != 200, otherwise.at(*where), again, response)


def _unlike_first(ids: Sequence[str], approvals: Approvals) -> list[str]:
    """The reviews, first some with every status and every reason: each may have its own branch."""

    def parts(id: str) -> list[tuple[str, str]]:
        listed = approvals.reader.find_listed(id)
        record = {} if listed is None else listed.record
        return [(name, str(record.get(name))) for name in STATED]

    return list(dict.fromkeys([*covering(ids, parts), *ids]))


def _attempted(
    ids: Sequence[str], scheme: str, live: Live, approvals: Approvals
) -> Iterator[StatusChange]:
    """Attempt to approve each of some reviews; the changes of their status that attempts left."""
    before = _still_unapprovable(ids, approvals)
    ids = [read.call.path["reviewId"] for read in before]
    reads = [(id, None) for id in ids]
    keys = [approvals.key(id, f"unapprovable {scheme}") for id in ids]
    # By the second scheme the ways begin with the last one: a profile may name one review alone.
    ways = _ways(scheme, live)
    calls = [_made(approvals, *each) for each in zip(before, keys, ways, strict=False)]
    purpose = "approve a review that cannot be approved"
    callers = _callers(scheme, live)
    sendings = [Sending(callers[way], scheme, purpose) for way in ways]
    responses = live.callers.send_each(list(zip(calls, sendings, strict=False)))
    after = approvals.reader.read_each(reads)
    for id, *exchanges in zip(ids, before, responses, after, strict=True):
        change = _change(*exchanges)
        # A status that goes on changing does so by itself.
        if change is not None and _status(approvals.reader.read(id)) == change.after:
            yield change


def _callers(scheme: str, live: Live) -> list[Credential]:
    """A caller for each attempt: primary, and one time the colleague if there is one."""
    primary = live.callers.credential_with("primary", scheme)
    colleague = live.session.target.credentials.get("colleague", primary)
    callers = [primary] * MOST_REVIEWS
    callers[BY_COLLEAGUE] = colleague if scheme in colleague.schemes else primary
    return callers


def _ways(scheme: str, live: Live) -> list[int]:
    is_first = scheme == live.callers.credential("primary").schemes[0]
    ways = [*range(MOST_REVIEWS)]
    return ways if is_first else [AS_RECORD, *ways[:AS_RECORD]]


def _made(approvals: Approvals, read: Exchange, key: str, way: int) -> Call:
    id = read.call.path["reviewId"]
    spelled = id.upper() if way == IN_CAPITALS else id
    call = approvals.call(spelled, revision_or_first(read), key)
    return as_record(call, record_of(read)) if way == AS_RECORD else call


def _change(before: Exchange, response: Exchange, after: Exchange) -> StatusChange | None:
    """The change of status that an attempt left. Raises Violation where it was not rejected."""
    status = _status(before)
    # For the colleague, or by its id in capitals, the review may be absent.
    is_primarys = response.credential == before.credential and (
        response.call.path == before.call.path
    )
    absent = frozenset() if is_primarys else frozenset({404})
    if response.status == after.status == 404:
        raise Inconclusive("a review of the profile is no longer found", needs=NEEDS)
    if status == APPROVED:
        expect.status(response, *ON_APPROVED, *absent)
        return None
    expect.status(response, 400, 403, 409, 422, *absent)
    check_not_approved(response, after)
    change = StatusChange(status, response, after)
    is_changed = None not in (status, change.after) and change.after != status
    return change if is_changed else None


def _still_unapprovable(ids: Sequence[str], approvals: Approvals) -> list[Exchange]:
    """The reads of those reviews of the profile that are not approvable by now.

    Raises Inconclusive where one cannot be read, or each has become approvable.
    """
    reads = approvals.reader.read_each([(id, None) for id in ids])
    for read in reads:
        expect.clear(read)
        if not isinstance(read.data, dict):
            id = read.call.path["reviewId"]
            problem = f"review {id} returned {read.describe()}"
            raise Inconclusive(problem, needs=NEEDS, exchanges=[read.id])
    still = [read for read in reads if record_of(read).get("approvable") is not True]
    if not still:
        problem = f"review {ids[0]} is approvable"
        raise Inconclusive(problem, needs=NEEDS, exchanges=[read.id for read in reads])
    return still


def _status(read: Exchange) -> object:
    return record_of(read).get("status")


@requirement("approval/absent")
def test_an_approval_of_no_review_is_absent(
    scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """A well-formed id without a review returns 404, or 403 where a target hides what exists."""
    primary = live.callers.credential_with("primary", scheme)
    trials.entitled(scheme)
    id = live.made_up("no review")

    def send(key: str) -> Exchange:
        call = approvals.call(id, 1, key)
        return live.callers.send(
            call, primary, scheme, purpose="approve a review that does not exist"
        )

    _, response = approvals.with_new_key(id, f"absent {scheme}", send)
    expect.status(response, 403, 404)
    if scheme == primary.schemes[0]:
        _check_similar_ids(live, approvals, trials)


def _check_similar_ids(live: Live, approvals: Approvals, trials: Trials) -> None:
    """An id that a careless look-up takes for that of the trial's review is not found either."""
    review = trials.first().review
    revision = review.revision + 1
    ids = (*_similar_ids(review.id, live), *_related_ids(review.record), *EXTREMES)
    ids = _ids_of_no_review(ids, approvals)
    calls = [approvals.call(id, revision, approvals.key(id, "near")) for id in ids]
    responses = live.callers.send_all(calls, "approve an id that resembles that of a review")
    for id, response in zip(ids, responses, strict=True):
        # A revision beyond a number type, or an id of no version, may be malformed.
        may_be_malformed = id in EXTREMES or 400 in conflict(revision)
        allowed = (403, 404, 400, 422) if may_be_malformed else (403, 404)
        key_is_unusable = response.status == 409 and response.is_repeated
        if response.status in allowed or key_is_unusable:
            continue
        if approvals.reader.read(id).status != 200:
            expect.status(response, 403, 404)


def _similar_ids(id: str, live: Live) -> Iterator[str]:
    made_up = live.made_up("no review")
    yield f"{id[:-1]}{'01'[id[-1] == '0']}"
    yield f"{made_up[:14]}7{made_up[15:]}"


def _ids_of_no_review(ids: Sequence[str], approvals: Approvals) -> tuple[str, ...]:
    """The UUIDs among the ids that no listed review has: that one might have the revision."""
    listed = {record["id"].lower() for record in approvals.reader.listed()}
    return tuple(id for id in ids if is_uuid(id) and id.lower() not in listed)


def _related_ids(record: dict[str, object]) -> Iterator[str]:
    """The ids of the subject, the video and the project of a review."""
    yield from (str(record[tie]) for tie in TIES if is_uuid(record.get(tie)))
