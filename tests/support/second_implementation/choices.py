"""The choices that the specification leaves open, and the tested combinations of them."""

from dataclasses import dataclass

Names = tuple[tuple[str, str], ...]
USUAL: Names = (("cursor", "cursor"), ("company", "companyId"), ("project", "projectId"))
RENAMED: Names = (("cursor", "after"), ("company", "company"), ("project", "in_project"))


@dataclass(frozen=True)
class Errors:
    """The status of an error if the specification allows several.

    `permission_last` checks arguments first and the permission last.
    """

    malformed: int = 422
    malformed_id: int = 422
    outside: int = 404
    absent: int = 404
    outside_filter: int = 200
    unissued_cursor: int = 400
    unapprovable: int = 409
    approved: int = 409
    far_revision: int = 409
    strict: bool = False
    both_credentials: bool = True
    permission_last: bool = False


@dataclass(frozen=True)
class Forms:
    """The form of records; `reason` is that of approvable reviews.

    `fields` is all, few or none; `letters` is lower, upper or mixed.
    """

    fields: str = "all"
    floats: bool = False
    extras: bool = False
    letters: str = "lower"
    versions: str = "4"
    extremes: bool = False
    reason: str | None = ""
    odd_words: bool = False
    signed_urls: bool = False
    plain_errors: bool = False


@dataclass(frozen=True)
class Paging:
    """The pages of lists; `gaps` is the number of successive empty pages.

    `end` is null, absent, empty or endless; `cursors` are stable, fresh, single or scroll.
    Their `owner` is account, credential or nobody.
    """

    end: str = "null"
    short: bool = False
    gaps: int = 0
    cursors: str = "stable"
    owner: str = "account"
    shuffled: bool = False
    names: Names = USUAL


@dataclass(frozen=True)
class Approving:
    """Approvals; the `scope` of a key is account, review or credential.

    `delay` is the time in seconds before reads return an approval.
    """

    scope: str = "account"
    stuck: bool = False
    bump: int = 0
    first_revision: int = 3
    delay: float = 0.0


@dataclass(frozen=True)
class Wire:
    """HTTP; `framing` is length, chunked, close or http10.

    Every `hiccup`-th request gets a 503; every `drop`-th one gets no response.
    """

    content_type: str = "application/json"
    framing: str = "length"
    letters: str = "usual"
    gzip: bool = False
    interim: bool = False
    latency: float = 0.0
    hiccup: int = 0
    drop: int = 0
    abrupt: bool = False
    chunked_requests: bool = True
    maximum: int = 65536


@dataclass(frozen=True)
class Rate:
    """The rate limit of the throttled caller, or of everybody.

    With `dated`, Retry-After is a date.
    """

    requests: int = 40
    seconds: float = 1.0
    everybody: bool = False
    dated: bool = False


@dataclass(frozen=True)
class Profile:
    """The target profile; `extent` is full, or bare: one API key only."""

    extent: str = "full"
    schemes: tuple[str, ...] = ("api-key", "bearer")
    names: bool = True


@dataclass(frozen=True)
class Choices:
    """All choices of one conforming deployment; `data` is full, tiny or empty."""

    data: str = "full"
    errors: Errors = Errors()
    forms: Forms = Forms()
    paging: Paging = Paging()
    approving: Approving = Approving()
    wire: Wire = Wire()
    rate: Rate = Rate()
    profile: Profile = Profile()


CONFIGURATIONS = {
    "other-statuses": Choices(
        errors=Errors(
            malformed=400,
            malformed_id=404,
            outside=403,
            absent=403,
            outside_filter=403,
            unissued_cursor=200,
            approved=200,
            unapprovable=422,
            far_revision=422,
            both_credentials=False,
            permission_last=True,
        ),
        paging=Paging(end="absent", owner="nobody"),
        approving=Approving(scope="review", bump=1, first_revision=1),
    ),
    "odd-forms": Choices(
        forms=Forms(
            floats=True,
            extras=True,
            letters="mixed",
            versions="1678",
            extremes=True,
            reason=None,
            odd_words=True,
            signed_urls=True,
            plain_errors=True,
        ),
        errors=Errors(
            malformed=400,
            outside_filter=404,
            unissued_cursor=404,
            approved=422,
            unapprovable=400,
            far_revision=400,
        ),
        paging=Paging(end="empty", names=RENAMED),
        approving=Approving(stuck=True, first_revision=1),
        wire=Wire(
            content_type="Application/JSON; charset=utf-8",
            framing="chunked",
            letters="lower",
            gzip=True,
        ),
    ),
    "odd-paging": Choices(
        paging=Paging(
            end="endless", short=True, gaps=5, cursors="single", owner="credential", shuffled=True
        ),
        approving=Approving(scope="credential", delay=0.2),
        errors=Errors(approved=403, unapprovable=403, unissued_cursor=422),
        wire=Wire(chunked_requests=False),
    ),
    "scrolling": Choices(
        paging=Paging(end="absent", cursors="scroll"),
        forms=Forms(letters="upper", reason="absent"),
        wire=Wire(framing="close", letters="upper"),
    ),
    "few-fields": Choices(
        forms=Forms(fields="few"),
        errors=Errors(strict=True, approved=400),
        paging=Paging(names=(("cursor", "page"), ("project", "project"))),
        wire=Wire(abrupt=True),
    ),
    "no-ids": Choices(forms=Forms(fields="none"), wire=Wire(interim=True)),
    "unknown-names": Choices(
        errors=Errors(strict=True), paging=Paging(names=RENAMED), profile=Profile(names=False)
    ),
    "ignored-names": Choices(
        paging=Paging(cursors="fresh", names=RENAMED), profile=Profile(names=False)
    ),
    "tiny": Choices(data="tiny", profile=Profile(schemes=("bearer",)), wire=Wire(framing="http10")),
    "empty": Choices(data="empty", wire=Wire(latency=0.005)),
    "unstable": Choices(
        data="tiny",
        rate=Rate(requests=150, everybody=True, dated=True),
        wire=Wire(hiccup=17, drop=41),
    ),
    "bare": Choices(profile=Profile(extent="bare", schemes=("api-key",))),
}
"""Deployments that conform to the contract, by name."""
