"""Verification of a certificate: signature, digests, and the verdict recomputed by replay."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from conformance.assurance.certificate import dsse
from conformance.assurance.certificate.bundle import Bundle, digest, statement
from conformance.contract import api, files
from conformance.contract.requirements import CLASSES
from conformance.http.replay import Recording, content
from conformance.http.trace import TRACEPARENT
from conformance.report.document import is_checked
from conformance.report.run import versions
from conformance.runner import examination, pytest_run
from conformance.target import snapshot
from conformance.target.target import Target

DEPTHS = ("standard", "deep")


@dataclass(frozen=True)
class Verification:
    """The result of a verification; a valid certificate has no problems.

    `changes` are the verdicts that the installed suite gives differently.
    """

    problems: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


def refusals(report: Mapping[str, Any]) -> Iterator[str]:
    """The reasons why a run cannot be certified."""
    suite = report["suite"]
    reasons = {
        f"the verdict of the run is {report['verdict']}": report["verdict"] != "conformant",
        "the run was interrupted": report["interrupted"],
        f"the depth of the run is {suite['depth']}; standard or deep is required": suite["depth"]
        not in DEPTHS,
        "the run did not check every conformance class": set(suite["classes"]) != set(CLASSES),
        "the run used several processes, whose recording is incomplete": suite["workers"] != 1,
        "the run used a file of known failures": "known-failures" in report,
    }
    yield from (reason for reason, applies in reasons.items() if applies)
    for entry in report["requirements"]:
        if (
            entry["level"] == "must"
            and entry["verdict"] not in ("pass", "not-applicable")
            and is_checked(entry)
        ):
            yield f"{entry['id']} is {entry['verdict']}"


def verify(bundle: Bundle, key: bytes | None, *, current: bool = False) -> Verification:
    """Verify a certificate, against a pinned public key if there is one.

    With `current`, the installed suite is used, whichever version made the certificate.
    """
    signer = dsse.public_key(bundle.key, "the signer's key in the certificate")
    pinned = dsse.public_key(key, "the given key") if key is not None else signer
    problems = list(_signed(bundle, pinned)) or list(_malformed(bundle))
    if problems:
        return Verification(tuple(problems))
    report = json.loads(bundle.evidence["report.json"])
    problems += refusals(report)
    problems += _consents(bundle, report)
    same = report["suite"]["versions"] == versions() and _same_contract(bundle)
    if not same and not current:
        required = ", ".join(
            f"{name} {version}" for name, version in report["suite"]["versions"].items()
        )
        problems.append(
            f"another suite is installed than the one of the run: install {required},"
            " or use --with-current-suite"
        )
    if problems:
        return Verification(tuple(problems))
    return _recomputed(bundle, report, current=current)


def _signed(bundle: Bundle, key: Ed25519PublicKey) -> Iterator[str]:
    try:
        stated = dsse.opened(bundle.envelope, key)
    except dsse.SignatureProblem as problem:
        yield str(problem)
        return
    try:
        described = {
            entry["name"]: entry["digest"]["sha256"]
            for entry in stated["predicate"]["configuration"]
        }
    except (KeyError, TypeError):
        yield "the statement has no digests of the evidence"
        return
    for name, data in bundle.evidence.items():
        if described.get(name) != digest(data):
            yield f"{name} is not the signed one"
    if set(described) == set(bundle.evidence) and stated != _restated(bundle):
        yield "the statement contradicts the report"


def _malformed(bundle: Bundle) -> Iterator[str]:
    """The parts of the signed evidence that are malformed."""
    schema = files.document("report.schema.json")
    exchanges = {"type": "array", "items": {"$ref": "#/$defs/exchange"}, "$defs": schema["$defs"]}
    readers: dict[str, Callable[[], object]] = {
        "report.json": lambda: jsonschema_rs.validate(
            schema, json.loads(bundle.evidence["report.json"])
        ),
        "target.json": lambda: _stated(bundle),
        "exchanges.jsonl": lambda: jsonschema_rs.validate(exchanges, _exchanges(bundle)),
    }
    for name, read in readers.items():
        try:
            read()
        except (ValueError, LookupError, TypeError, AttributeError) as problem:
            yield f"{name} is malformed: {str(problem).partition(chr(10))[0]}"


def _restated(bundle: Bundle) -> dict[str, Any] | None:
    try:
        return statement(bundle.evidence)
    except (ValueError, KeyError, TypeError):
        return None


def _same_contract(bundle: Bundle) -> bool:
    return all(
        bundle.evidence[name] == files.text(name).encode()
        for name in ("requirements.yaml", "openapi.yaml")
    )


def _consents(bundle: Bundle, report: Mapping[str, Any]) -> Iterator[str]:
    """Writes without consent, and approved reviews that the profile does not list."""
    target, provisioned = _stated(bundle)
    writes = [line["id"] for line in _exchanges(bundle) if _writes(line, target.tools_url)]
    consent = target.consent
    if writes and not (consent.approve_reviews or consent.fuzz_writes or consent.oversized_bodies):
        shown = ", ".join(writes[:3])
        yield f"the profile has no consent for writes, but the run has some: {shown}"
    allowed = {*target.fixtures.approvable_reviews, *provisioned}
    if foreign := sorted({entry["review"] for entry in report["ledger"]} - allowed):
        yield f"reviews were approved that the profile does not list: {', '.join(foreign[:3])}"


def _writes(line: Mapping[str, Any], tools_url: str | None) -> bool:
    """Whether a recorded request may change something; tools are also read by POST."""
    request = line["request"]
    if request["method"] == "GET":
        return False
    if request["url"] != tools_url:
        return True
    message = json.loads(content(request["body"])) if request["body"] else {}
    is_call = message.get("method") == "tools/call"
    return bool(is_call and message["params"]["name"] == api.load().approval.id)


def _stated(bundle: Bundle) -> tuple[Target, tuple[str, ...]]:
    """The target, and the reviews that the provision command created."""
    stated = json.loads(bundle.evidence["target.json"])
    return snapshot.target(stated), tuple(stated["fixtures"]["provisioned"])


def _exchanges(bundle: Bundle) -> list[dict[str, Any]]:
    return [json.loads(line) for line in bundle.evidence["exchanges.jsonl"].splitlines()]


def _recomputed(bundle: Bundle, report: Mapping[str, Any], *, current: bool) -> Verification:
    """Run the suite on the recording, and compare verdicts and exchanges with the certificate."""
    target, provisioned = _stated(bundle)
    recorded = {line["id"]: line for line in _exchanges(bundle)}
    recording = Recording(recorded.values())
    traced = any(_is_traced(line) for line in recorded.values())
    subject = examination.Subject(target, recording, provisioned, traced)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        options = pytest_run.options(
            directory, report["suite"]["depth"], report["suite"]["seed"], report["suite"]["classes"]
        )
        pytest_run.execute(options, [examination.Substitute(lambda: subject)])
        again = json.loads((directory / "report.json").read_bytes())
        repeated = [
            json.loads(line) for line in (directory / "exchanges.jsonl").read_bytes().splitlines()
        ]
    changes = tuple(_changes(report, again))
    if current:
        return Verification((), (), changes)
    problems = [f"the replay differs: {change}" for change in changes]
    problems += _unlike(recorded, repeated, recording.unused)
    return Verification(tuple(problems))


def _is_traced(line: Mapping[str, Any]) -> bool:
    return any(name == TRACEPARENT for name, _ in line["request"]["headers"])


def _changes(report: Mapping[str, Any], again: Mapping[str, Any]) -> Iterator[str]:
    """The verdicts that differ between the report and the replay."""
    now = {entry["id"]: entry for entry in again["requirements"]}
    for entry in report["requirements"]:
        other = now.pop(entry["id"], None)
        if other is None or (other["verdict"], other["operations"]) != (
            entry["verdict"],
            entry["operations"],
        ):
            verdict = other["verdict"] if other else "missing"
            yield f"{entry['id']} was {entry['verdict']}, is {verdict}"
    for id in now:
        yield f"{id} is new"
    if report["verdict"] != again["verdict"]:
        yield f"the verdict was {report['verdict']}, is {again['verdict']}"
    if report["exchanges"]["count"] != again["exchanges"]["count"]:
        reported, replayed = report["exchanges"]["count"], again["exchanges"]["count"]
        yield f"the report has {reported} exchanges, the replay {replayed}"


def _unlike(
    recorded: Mapping[str, Any], repeated: Sequence[Mapping[str, Any]], unused: Sequence[str]
) -> Iterator[str]:
    """Exchanges that were added, removed or altered."""
    if unused:
        yield f"{len(unused)} recorded exchanges belong to no check: {', '.join(unused[:3])}"
    for line in repeated:
        if _essence(recorded.get(line["id"], {})) != _essence(line):
            yield f"the exchange {line['id']} was removed or altered"


def _essence(line: Mapping[str, Any]) -> dict[str, Any]:
    """An exchange without its times."""
    return {name: value for name, value in line.items() if name not in {"started", "elapsed"}}
