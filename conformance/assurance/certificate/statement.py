"""The signed statement: everything that a certificate claims, derived from its evidence."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from conformance.assurance.certificate import challenge, chronology, scoring, trust
from conformance.assurance.certificate.evidence import Evidence
from conformance.contract.verdict import Conclusion
from conformance.reference.marker import SERVER
from conformance.runner.examination import IN_PROCESS

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:localization-api-conformance:certificate:3"
SECOND_TYPE = "urn:localization-api-conformance:certificate:2"
"""That of certificates which do not say that the base URL is the word of the signer."""
FIRST_TYPE = "urn:localization-api-conformance:certificate:1"
"""That of certificates which state no sizes, and not what is the word of the signer."""

REFERENCE = "the bundled reference implementation of localization-api-conformance"
RESULTS = {Conclusion.CONFORMANT: "PASSED", Conclusion.NON_CONFORMANT: "WARNED"}


def of(evidence: Evidence, kind: object = PREDICATE_TYPE) -> dict[str, Any]:
    """The in-toto statement; its subjects are the files of the evidence. Raises Malformed.

    `kind` is that of an earlier suite, where one has made the certificate.
    """
    kind = kind if kind in (FIRST_TYPE, SECOND_TYPE) else PREDICATE_TYPE
    return {
        "_type": STATEMENT_TYPE,
        "subject": subjects(evidence),
        "predicateType": kind,
        "predicate": _predicate(evidence) | ({} if kind == FIRST_TYPE else _bounds(evidence, kind)),
    }


def _bounds(evidence: Evidence, kind: object) -> dict[str, Any]:
    """How much there is to read, and what reading it cannot prove."""
    words = trust.words(evidence)
    return {
        "sizes": {name: size for name, (_, size) in evidence.digests.items()},
        "wordOfSigner": [word for word in words if kind != SECOND_TYPE or word != trust.ADDRESS],
    }


def subjects(evidence: Evidence) -> list[dict[str, Any]]:
    """The files of the evidence with their digests."""
    return [
        {"name": name, "digest": {"sha256": digest}}
        for name, (digest, _) in evidence.digests.items()
    ]


def _predicate(evidence: Evidence) -> dict[str, Any]:
    report, run, suite = evidence.report, evidence.run, evidence.report["suite"]
    revision = evidence.revision
    score = scoring.of(report["requirements"], revision)
    finished = _finished(evidence)
    return {
        "product": dict(evidence.target.product.stated),
        "target": _target(evidence),
        "revision": revision.name,
        "verdict": score.verdict.value,
        "result": RESULTS.get(score.verdict, "FAILED"),
        "started": evidence.started.isoformat(timespec="seconds"),
        "finished": finished.isoformat(timespec="seconds"),
        "expires": (finished + timedelta(days=revision.valid_days)).date().isoformat(),
        "suite": {
            **{name: suite[name] for name in ("name", "version", "depth", "seed", "versions")},
            "source": run["source"],
        },
        "contract": {
            name: {"sha256": evidence.digests[name][0]}
            for name in ("openapi.yaml", "requirements.yaml")
        },
        "exchanges": report["exchanges"]["count"],
        "approvals": len(report["ledger"]),
        "counts": score.counts,
        "classes": score.classes,
        "passed": score.passed,
        "failed": score.failed,
        "warned": score.warned,
        "notApplicable": score.not_applicable,
        "notChecked": score.not_checked,
        "contested": score.contested,
        "notScored": score.not_scored,
        "knownFailures": run["known-failures"] or [],
        **_builds(report),
        **_merged(evidence),
        **_challenged(evidence),
    }


def _builds(report: Mapping[str, Any]) -> dict[str, Any]:
    """What identified the builds of the target, where it became another one during the run."""
    met = report.get("circumstances", {})
    return {"builds": met["builds"]} if "builds" in met else {}


def _merged(evidence: Evidence) -> dict[str, Any]:
    """The shards of the run: how many requests each has sent, and when."""
    shards = [
        {
            "number": number,
            "started": shard.started.isoformat(timespec="seconds"),
            "finished": _finished(shard).isoformat(timespec="seconds"),
            "exchanges": shard.report["exchanges"]["count"],
        }
        for number, shard in evidence.shards.items()
    ]
    return {"shards": shards} if shards else {}


def _finished(evidence: Evidence) -> datetime:
    return evidence.started + timedelta(seconds=int(evidence.run["duration"]))


def _challenged(evidence: Evidence) -> dict[str, Any]:
    """What a registrar asked for, and whether the target's own clock confirms it."""
    found = evidence.challenge
    if found is None:
        return {}
    dates = chronology.circumstances(evidence).dates
    return {
        "challenge": {
            "sha256": evidence.digests[challenge.FILE][0],
            "key": found.key,
            "issued": found.issued.isoformat(),
            "deadline": found.deadline.isoformat(),
            "dates": len(dates),
            **({} if found.vendor is None else {"vendor": found.vendor}),
        }
    }


def _target(evidence: Evidence) -> dict[str, Any]:
    target = {
        "base-url": evidence.target.base_url,
        "certificates": list(evidence.run.get("certificates", ())),
    }
    return {**target, "reference": REFERENCE} if is_reference(evidence) else target


def is_reference(evidence: Evidence) -> bool:
    """Whether the bundled reference was checked: it conforms, and is nobody's product."""
    return evidence.target.base_url == IN_PROCESS or any(
        SERVER in value for line in evidence.exchanges.outlines for value in line.servers
    )
