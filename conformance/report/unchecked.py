"""What a run did not check: what is needed to check it, and what the target did that blocked it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from conformance.contract import api
from conformance.contract.requirements import CLASSES
from conformance.contract.verdict import Verdict
from conformance.report import needs, profile_hints, subject
from conformance.report.document import NARROW, is_undecided, silent
from conformance.report.document_types import (
    BlockerEntry,
    FindingEntry,
    NeedEntry,
    RejectionEntry,
    RemainderEntry,
    Report,
    RequirementEntry,
    SuiteEntry,
    UncheckedEntry,
)
from conformance.report.needs import Alternatives
from conformance.report.rejections import Rejection, grouped, rejection

CONSENT = "consent.approve-reviews"
PRIMARY = "credentials.primary"
OCCASION = "a response that it applies to"
WHOLE_RUN = "a run to its end"
ALL_CLASSES = "a run of all classes"
WHOLE_CHOICE = "a run that is not narrowed"
WIDER = "a run at depth standard"


def of(report: Report) -> RemainderEntry:
    """The remainder in a report; computed for a report of an older version."""
    stated = report.get("unchecked")
    if stated is not None:
        return stated
    return remainder(report["requirements"], report["suite"], interrupted=report["interrupted"])


def remainder(
    requirements: Iterable[RequirementEntry],
    suite: SuiteEntry,
    stated: Collection[str] = (),
    *,
    interrupted: bool,
) -> RemainderEntry:
    """The requirements without a verdict, by what they need and what blocked them, most first.

    `stated` are the tables and keys that the profile has.
    """
    entries = [entry for entry in requirements if is_undecided(entry)]
    waiting = _by_need(entries, _cut_short(suite, interrupted=interrupted))
    needed = _needed(waiting)
    alone = {each: sum(_provides(each, some) for some in needed.values()) for each in waiting}
    ordered = sorted(waiting, key=lambda each: (-alone[each], -len(waiting[each])))
    settings = [each for key, *_ in ordered for each in profile_hints.settings(key, stated)]
    return {
        "count": len(entries),
        "needs": [
            _need(each, alone[each], waiting[each], needed, _lines(each, stated))
            for each in ordered
        ],
        "rejections": _rejections(entries),
        "blocked-by": _blockers(entries),
        "lines": list(profile_hints.toml(settings, stated)),
    }


def _cut_short(suite: SuiteEntry, *, interrupted: bool) -> str | None:
    """What the run itself left out: then a missing exchange says nothing about the target."""
    if interrupted:
        return WHOLE_RUN
    if exercised := subject.needed(suite):
        return exercised
    if "only" in suite:
        return WHOLE_CHOICE
    if len(suite["classes"]) < len(CLASSES):
        return ALL_CLASSES
    return WIDER if suite["depth"] in NARROW else None


def _by_need(
    entries: Sequence[RequirementEntry], cut_short: str | None
) -> Mapping[Alternatives, list[RequirementEntry]]:
    waiting: dict[Alternatives, list[RequirementEntry]] = {}
    without_key = []
    for entry in entries:
        found = _needs(entry, cut_short)
        for each in found:
            waiting.setdefault(each, []).append(entry)
        if not found:
            without_key.append(entry)
    known = frozenset(key for each in waiting for key in each)
    for entry in without_key:
        waiting.setdefault((_assumed(entry, known),), []).append(entry)
    return waiting


def _needs(entry: RequirementEntry, cut_short: str | None) -> list[Alternatives]:
    """What the checks of a requirement asked for; `cut_short` where none of them ran.

    Where one of the alternatives is needed anyway, the others do not matter.
    """
    open_findings = _open(entry)
    ran = any(finding["needs"] and finding["items"] for finding in open_findings)
    if cut_short and not ran:
        return [(cut_short,)]
    found = dict.fromkeys(each for finding in open_findings for each in _of_finding(finding))
    return [each for each in found if not any(set(other) < set(each) for other in found)]


def _of_finding(finding: FindingEntry) -> Iterable[Alternatives]:
    """The needs of a finding; not those lines of the profile that are there and were rejected."""
    rejected = rejection(finding)
    if rejected is not None and rejected.credential:
        return [(f"a credential {rejected.credential} that is not rejected",)]
    return needs.of(finding)


def _assumed(entry: RequirementEntry, known: frozenset[str]) -> str:
    """What a rule on every response needs, where there was no response to check."""
    if PRIMARY in known:
        return PRIMARY
    if CONSENT in known and silent(entry) == [api.load().approval.id]:
        return CONSENT
    return OCCASION


def _needed(
    waiting: Mapping[Alternatives, Sequence[RequirementEntry]],
) -> dict[str, set[Alternatives]]:
    """All that each requirement needs."""
    needed: dict[str, set[Alternatives]] = {}
    for each, entries in waiting.items():
        for entry in entries:
            needed.setdefault(entry["id"], set()).add(each)
    return needed


def _provides(need: Alternatives, all_needs: Collection[Alternatives]) -> bool:
    """Whether the lines of one of the alternatives are all that a requirement needs."""
    return need in all_needs and any(not _beside(key, all_needs) for key in need)


def _beside(key: str, all_needs: Iterable[Alternatives]) -> list[Alternatives]:
    """What the lines of a key leave to be provided."""
    provided = {key, *profile_hints.COMPANIONS.get(key, ())}
    return [each for each in all_needs if provided.isdisjoint(each)]


def _need(
    need: Alternatives,
    alone: int,
    entries: Sequence[RequirementEntry],
    needed: Mapping[str, set[Alternatives]],
    lines: Iterable[str],
) -> NeedEntry:
    key, *alternatives = need
    beside = [set(_beside(key, needed[entry["id"]])) for entry in entries]
    entry: NeedEntry = {
        "key": key,
        "adds": alone,
        "requirements": list(map(_named, entries)),
        "lines": list(lines),
    }
    if alternatives:
        entry["alternatives"] = alternatives
    if common := set.intersection(*beside):
        entry["beside"] = sorted(" or ".join(each) for each in common)
    return entry


def _lines(need: Alternatives, stated: Collection[str]) -> Iterator[str]:
    """The lines of a profile for each of the alternatives."""
    texts = [list(profile_hints.toml(profile_hints.settings(key, stated), stated)) for key in need]
    for number, lines in enumerate(filter(None, texts)):
        yield from ("", "# or", "") if number else ()
        yield from lines


def _rejections(entries: Sequence[RequirementEntry]) -> list[RejectionEntry]:
    """The responses to a credential, or to anybody, that blocked checks: the first to correct."""
    found: dict[Rejection, list[str]] = {}
    for entry in entries:
        for finding in _open(entry):
            rejected = rejection(finding)
            if rejected is not None:
                found.setdefault(rejected, []).append(entry["id"])
    return [
        {"message": message, "remedy": remedy, "requirements": ids}
        for message, remedy, ids in grouped(found)
    ]


def _blockers(entries: Sequence[RequirementEntry]) -> list[BlockerEntry]:
    """The other responses that blocked a check."""
    blocked: dict[str, list[UncheckedEntry]] = {}
    for entry in entries:
        blocking = (found for found in _open(entry) if found["exchanges"])
        messages = (found["message"] for found in blocking if rejection(found) is None)
        for message in dict.fromkeys(messages):
            blocked.setdefault(message, []).append(_named(entry))
    ordered = sorted(blocked, key=lambda message: -len(blocked[message]))
    return [{"message": message, "requirements": blocked[message]} for message in ordered]


def _open(entry: RequirementEntry) -> list[FindingEntry]:
    return [finding for finding in entry["findings"] if finding["verdict"] == Verdict.INCONCLUSIVE]


def _named(entry: RequirementEntry) -> UncheckedEntry:
    operations = silent(entry)
    everywhere = len(operations) == len(entry["operations"])
    return {"requirement": entry["id"], "operations": [] if everywhere else operations}
