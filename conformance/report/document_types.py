"""The types of report.json; a test compares them with spec/report.schema.json."""

from typing import Any, NotRequired, TypedDict


class BodyEntry(TypedDict, total=False):
    """A recorded body: `text` where it is UTF-8, otherwise `base64`; see http.serialization."""

    text: str
    base64: str
    padding: int
    length: int
    sha256: str


class RequestEntry(TypedDict):
    """A request as it was sent; headers are pairs of a name in lower case and a value."""

    method: str
    url: str
    headers: list[list[str]]
    body: BodyEntry | None


class ResponseEntry(TypedDict):
    """A response as it was received."""

    status: int
    headers: list[list[str]]
    body: BodyEntry


class ExchangeEntry(TypedDict):
    """A recorded exchange, with either `response` or `failure`; times are in seconds."""

    id: str
    item: str
    operation: str
    purpose: str
    credential: str | None
    scheme: str | None
    request: RequestEntry
    response: NotRequired[ResponseEntry | None]
    failure: NotRequired[str | None]
    superseded: NotRequired[bool]
    started: float
    elapsed: float
    curl: NotRequired[str]


class LocationEntry(TypedDict):
    """A place in a response; see contract.verdict.Location."""

    part: str
    name: str
    exchange: str


class DefectEntry(TypedDict):
    """What is wrong; see contract.verdict.Defect."""

    kind: str
    text: str
    values: dict[str, Any]
    actual: Any
    where: list[LocationEntry]
    keyword: str
    fields: list[str]


class ConditionEntry(TypedDict):
    """The circumstances of the last exchange of a finding; `face` is "http" or "tool".

    `ids` are the ids of the profile that the request names, each with its key.
    """

    caller: str | None
    scheme: str | None
    face: str
    ids: NotRequired[dict[str, str]]
    limit: NotRequired[str]
    cursor: NotRequired[str]


class ShareEntry(TypedDict):
    """How many of the responses that a rule checked on one operation violate it."""

    wrong: int
    checked: int


class FindingRecord(TypedDict):
    """A finding as an item of the run records it; `exchanges` are the ids of its evidence."""

    requirement: str
    verdict: str
    operation: str | None
    message: str
    expected: str
    needs: list[str]
    exchanges: list[str]
    item: str
    defect: NotRequired[DefectEntry | None]
    responses: NotRequired[int]
    schemes: NotRequired[list[str]]
    faces: NotRequired[list[str]]


class ReproductionEntry(TypedDict):
    """What became of the requests of a failure that were sent again; see report.reproduction.

    The failure was seen in `seen` of `attempts`, the run itself included. `again` is the command
    that shows it again where the commands of its exchanges do not.
    """

    outcome: str
    seen: int
    attempts: int
    reason: str
    exchanges: list[str]
    again: str


class CompletionEntry(TypedDict):
    """When the evidence of a failure was complete; see report.needed_budget.

    `request` is the number of requests that the run had sent by then, `second` counts from its
    start.
    """

    request: int
    second: float


class NeededBudgetEntry(TypedDict):
    """When the last failure of a run was complete, of how many."""

    failures: int
    request: int
    second: float


class FindingEntry(TypedDict):
    """A finding of the report, once for all its occurrences.

    `checks` are some of those that needed the facts among its `items`.
    """

    verdict: str
    operation: str | None
    message: str
    expected: str
    needs: list[str]
    items: list[str]
    checks: NotRequired[list[str]]
    occurrences: int
    exchanges: list[ExchangeEntry]
    defect: NotRequired[DefectEntry]
    condition: NotRequired[ConditionEntry]
    responses: NotRequired[ShareEntry]
    reproduction: NotRequired[ReproductionEntry]
    complete: NotRequired[CompletionEntry]
    known: NotRequired[str]
    flaky: NotRequired[str]


class CoverageEntry(TypedDict):
    """The operations of a requirement with a verdict, of how many, by which schemes and faces."""

    checked: int
    operations: int
    schemes: list[str]
    faces: list[str]


class TotalCoverageEntry(TypedDict):
    """How many requirements were checked, whole and in part; `share` is from 0 to 1."""

    requirements: int
    whole: int
    part: int
    share: float


RequirementEntry = TypedDict(
    "RequirementEntry",
    {
        "id": str,
        "level": str,
        "class": str,
        "section": str,
        "statement": str,
        "verdict": str,
        "operations": dict[str, str],
        "findings": list[FindingEntry],
        "coverage": NotRequired[CoverageEntry],
        "seconds": NotRequired[dict[str, float]],
        "untested": NotRequired[str],
        "unscored": NotRequired[str],
        "contested": NotRequired[str],
    },
)


class AlsoEntry(TypedDict):
    """Another requirement that a cause violates, with the operations."""

    requirement: str
    operations: list[str]


class CauseEntry(TypedDict):
    """A failed requirement, and those that fail for the same reason; `reason` where it is known."""

    requirement: str
    operations: list[str]
    also: list[AlsoEntry]
    exchange: str | None
    reason: NotRequired[str]


class UncheckedEntry(TypedDict):
    """A requirement without a verdict, with the operations that lack one where others have one."""

    requirement: str
    operations: list[str]


class NeedEntry(TypedDict):
    """A profile key or a condition, what needs it, and the lines of a profile for it.

    `adds` is the number of requirements that need nothing else. One of the `alternatives` does
    instead of `key`; `beside` is what all of the requirements need as well.
    """

    key: str
    alternatives: NotRequired[list[str]]
    beside: NotRequired[list[str]]
    adds: NotRequired[int]
    requirements: list[UncheckedEntry]
    lines: list[str]


class RejectionEntry(TypedDict):
    """A credential that was rejected, or a target that was not available; how to correct it."""

    message: str
    remedy: str
    requirements: list[str]


class BlockerEntry(TypedDict):
    """The behaviour of the target that blocked requirements."""

    message: str
    requirements: list[UncheckedEntry]


RemainderEntry = TypedDict(
    "RemainderEntry",
    {
        "count": int,
        "needs": list[NeedEntry],
        "rejections": NotRequired[list[RejectionEntry]],
        "blocked-by": list[BlockerEntry],
        "lines": list[str],
    },
)


class ObservationEntry(TypedDict):
    """The distinct values that were seen where the specification is silent."""

    id: str
    subject: str
    values: list[Any]


class LatencyEntry(TypedDict):
    """Response times of one operation, in seconds."""

    count: int
    median: float
    p25: NotRequired[float]
    p75: NotRequired[float]
    p95: float
    max: float


class ShardEntry(TypedDict):
    """The part of a run; `plan` is one digest for all shards that belong together."""

    number: int
    of: int
    plan: str


class MergedEntry(TypedDict):
    """The shards that a report was merged from, and how many there are."""

    of: int
    merged: list[int]


class SuiteEntry(TypedDict):
    """The checker that checked the target; see report.subject for `subject`."""

    name: str
    version: str
    seed: int
    depth: str
    revision: NotRequired[str]
    workers: NotRequired[int | str]
    versions: NotRequired[dict[str, str]]
    classes: list[str]
    only: NotRequired[list[str]]
    shard: NotRequired[ShardEntry]
    shards: NotRequired[MergedEntry]
    resumed: NotRequired[list[str]]
    rounds: NotRequired[int]
    subject: NotRequired[str]


class ProductEntry(TypedDict, total=False):
    """The product that was checked."""

    vendor: str
    name: str
    version: str


TargetEntry = TypedDict(
    "TargetEntry",
    {"base-url": str, "profile": str | None, "product": NotRequired[ProductEntry]},
)


class TrafficEntry(TypedDict):
    """How many exchanges there were, and the file that has all of them."""

    count: int
    methods: dict[str, int]
    file: str


class StaleEntry(TypedDict):
    """An entry of the known failures that is out of date."""

    requirement: str
    operation: str | None
    problem: str


class KnownFailuresEntry(TypedDict):
    """The failures (requirement, operation) without an entry, and the outdated entries.

    `accepted` are what could not be checked and has an entry for it.
    """

    unknown: list[list[str | None]]
    stale: list[StaleEntry]
    accepted: NotRequired[list[list[str | None]]]


class GapEntry(TypedDict):
    """A required requirement that could not be checked, with the operations; [] for all of it.

    `known` is the reason why the gap is accepted.
    """

    requirement: str
    operations: list[str]
    reason: str
    known: NotRequired[str]


class GateEntry(TypedDict):
    """The classes and requirements that had to be checked, [] for the default, and the gaps."""

    required: list[str]
    gaps: list[GapEntry]


class LedgerEntry(TypedDict):
    """An approval that was sent."""

    review: str
    key: str
    revision: Any


class BudgetEntry(TypedDict):
    """A budget of the run that cut something: its name, and how often."""

    budget: str
    count: int


class AbsenceEntry(TypedDict):
    """A time without a response of the target: seconds after the start of the run, and how many."""

    since: float
    seconds: float


CircumstancesEntry = TypedDict(
    "CircumstancesEntry",
    {
        "rejected": int,
        "requests-per-second": float,
        "absences": list[AbsenceEntry],
        "builds": list[dict[str, str]],
    },
    total=False,
)
"""What the run met that is no verdict; see report.circumstances."""


class AboutEntry(TypedDict):
    """What is known of a run before it begins."""

    suite: SuiteEntry
    target: TargetEntry
    started: str


Report = TypedDict(
    "Report",
    {
        "format": int,
        "verdict": str,
        "interrupted": bool,
        "suite": SuiteEntry,
        "target": TargetEntry,
        "started": str,
        "duration": float,
        "counts": dict[str, dict[str, int]],
        "coverage": NotRequired[TotalCoverageEntry],
        "exchanges": TrafficEntry,
        "latencies": NotRequired[dict[str, LatencyEntry]],
        "requirements": list[RequirementEntry],
        "causes": NotRequired[list[CauseEntry]],
        "needed-budget": NotRequired[NeededBudgetEntry],
        "unchecked": NotRequired[RemainderEntry],
        "observations": list[ObservationEntry],
        "ledger": list[LedgerEntry],
        "known-failures": NotRequired[KnownFailuresEntry],
        "gate": NotRequired[GateEntry],
        "masked": NotRequired[list[str]],
        "whole": NotRequired[list[str]],
        "budgets": NotRequired[list[BudgetEntry]],
        "circumstances": NotRequired[CircumstancesEntry],
    },
)
