"""Which runs can be certified: complete ones whose evidence can be replayed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.assurance.certificate import scoring
from conformance.assurance.certificate.evidence import Evidence
from conformance.contract import api
from conformance.contract.requirements import CLASSES
from conformance.contract.revisions import Revision
from conformance.contract.verdict import Conclusion, Level
from conformance.http.exchange import MISSING, parse
from conformance.report.document import has_error
from conformance.rules import tool_call
from conformance.target.target import Fixtures

GOOD = ("pass", "not-applicable")


def obstacles(report: Mapping[str, Any], revision: Revision) -> Iterator[str]:
    """The reasons why a run, merged or not, cannot be certified under a revision."""
    suite, depths = report["suite"], " or ".join(revision.depths)
    known = report.get("known-failures")
    is_accepted = known is not None and not known["unknown"] and not known["stale"]
    verdict = scoring.of(report["requirements"], revision).verdict
    reasons = {
        f"the verdict under revision {revision.name} is {verdict}": verdict
        is not Conclusion.CONFORMANT
        and not is_accepted,
        f"the depth of the run is {suite['depth']}; {revision.name} requires {depths}": suite[
            "depth"
        ]
        not in revision.depths,
        "the run had an internal error": any(map(has_error, report["requirements"])),
        "the run did not check every conformance class": set(suite["classes"]) != set(CLASSES),
        "the run was narrowed": "only" in suite,
        "the report is that of a shard: merge it with the others": "shard" in suite,
        "some known failures are out of date": known is not None and not is_accepted,
    }
    yield from (reason for reason, applies in reasons.items() if applies)
    yield from unrepeatable(report)
    for entry in report["requirements"]:
        if _is_missing(entry, revision, is_accepted=is_accepted):
            yield f"{entry['id']} is {entry['verdict']}"


def unrepeatable(report: Mapping[str, Any]) -> Iterator[str]:
    """The reasons why the recording of a run, or of a shard, cannot be replayed."""
    suite = report["suite"]
    runs = len(suite["shards"]["merged"]) if "shards" in suite else 1
    reasons = {
        "the run was interrupted": report["interrupted"],
        "the run used several processes, whose recording is incomplete": suite.get("workers")
        != runs,
        "the run was resumed, so that some of its requests were sent twice": "resumed" in suite,
        "secrets were masked in the recording, which cannot be replayed": "masked" in report,
    }
    yield from (reason for reason, applies in reasons.items() if applies)


def _is_missing(entry: Mapping[str, Any], revision: Revision, *, is_accepted: bool) -> bool:
    """Whether a requirement that counts has no verdict that a certificate may have."""
    accepted = (*GOOD, "fail") if is_accepted else GOOD
    is_must = revision.level(entry["id"]) is Level.MUST and "untested" not in entry
    return is_must and entry["verdict"] not in accepted


def consents(evidence: Evidence) -> Iterator[str]:
    """Writes without consent, and approved reviews that the profile does not list."""
    target = evidence.target
    exchanges = evidence.exchanges
    writes = [
        line.id
        for number, line in enumerate(exchanges.outlines)
        if line.method != "GET" and _writes(exchanges[number], target.tools_url)
    ]
    consent = target.consent
    if writes and not (consent.approve_reviews or consent.fuzz_writes or consent.oversized_bodies):
        shown = ", ".join(writes[:3])
        yield f"the profile has no consent for writes, but the run has some: {shown}"
    named = {id.lower() for id in (*_named(target.fixtures), *evidence.provisioned)}
    ledger: Sequence[Mapping[str, Any]] = evidence.report["ledger"]
    if foreign := sorted({entry["review"].lower() for entry in ledger} - named):
        yield f"reviews were approved that the profile does not list: {', '.join(foreign[:3])}"


def connections(evidence: Evidence) -> Iterator[str]:
    """Certificates of TLS in a run none of whose addresses uses it; a replay has no connections."""
    addresses = (evidence.target.base_url, evidence.target.tools_url or "")
    secured = any(address.lower().startswith("https:") for address in addresses)
    if evidence.run.get("certificates") and not secured:
        yield "run.json has certificates of TLS, which no address of the target uses"


def _named(fixtures: Fixtures) -> Iterator[str]:
    """The reviews that a profile names: those that may not be approved are tried as well."""
    yield from (*fixtures.approvable_reviews, *fixtures.unapprovable_reviews)
    for group in (fixtures.foreign, fixtures.ungranted):
        if "review" in group:
            yield group["review"]


def _writes(line: Mapping[str, Any], tools_url: str | None) -> bool:
    """Whether a recorded request may change something; tools are also read by POST."""
    request = line["request"]
    if request["method"] == "GET":
        return False
    if request["url"] != tools_url:
        return True
    message, _ = parse((request["body"] or {}).get("text", "{}"))
    if message is MISSING or not isinstance(message, dict):
        return False
    called = message.get("params")
    name = called.get("name") if isinstance(called, dict) else None
    return message.get("method") == tool_call.METHOD and name == api.load().approval.id
