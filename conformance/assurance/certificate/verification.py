"""Verification of a certificate: every statement in it, recomputed from the evidence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from securesystemslib.signer import SSlibKey

from conformance.assurance.certificate import (
    chronology,
    dsse,
    eligibility,
    environment,
    lock_file,
    recomputation,
    scoring,
    shards,
    statement,
)
from conformance.assurance.certificate.bundle import Bundle
from conformance.assurance.certificate.evidence import Evidence, Malformed
from conformance.assurance.certificate.recomputation import Recomputed
from conformance.assurance.certificate.replaying import UNWATCHED, Replaying
from conformance.assurance.certificate.summary import Summary
from conformance.contract import files, revisions
from conformance.contract.revisions import Revision
from conformance.report import source
from conformance.report.exchange_log import EXCHANGES
from conformance.report.run import versions

CONTRACT = ("requirements.yaml", "openapi.yaml")
MOST_SHOWN = 20

BUILD = "suite"
"""The part of a report that names the build; no other build comes to it."""

OF_THE_BUILD = ("environment.txt", "revision.json")
"""What the build that made a certificate has added to its evidence."""


@dataclass(frozen=True)
class Verification:
    """The result of a verification; a valid certificate has no problems.

    `changes` are the verdicts on requirements that the installed suite gives differently, and `now`
    is its verdict under the revision of the certificate; only `current` verifications have them.
    `recomputed` and `on_trust` are the parts of a report of another suite that the installed one
    comes to as well, and those that it does not: they are the word of the signer.
    `is_other_suite`: the certificate is sound, and only the suite that made it can recompute its
    verdict. `summary` is that of a registrar.
    """

    problems: tuple[str, ...]
    changes: tuple[str, ...] = ()
    now: str | None = None
    is_other_suite: bool = False
    summary: Summary | None = None
    recomputed: tuple[str, ...] = ()
    on_trust: tuple[str, ...] = ()


def verify(
    bundle: Bundle,
    key: bytes | None,
    *,
    current: bool = False,
    how: Replaying = UNWATCHED,
) -> Verification:
    """Verify a certificate, against a pinned public key if there is one.

    With `current`, the installed suite is used, whichever version made the certificate. Raises
    KeyProblem, and Inconclusive where the replay takes too much.
    """
    signer = dsse.public_key(bundle.key, "the signer's key in the certificate")
    pinned = dsse.public_key(key, "the given key") if key is not None else signer
    evidence = bundle.opened
    problems = tuple(_sealed(bundle, pinned, evidence))
    if problems:
        return Verification(_bounded(problems))
    is_same = is_same_suite(evidence)
    if not current and not is_same:
        return Verification((), is_other_suite=True)
    try:
        again = _replayed(evidence, how)
        found = tuple(recomputation.differences(evidence, again))
    except Malformed as problem:  # another suite was asked for what this one does not know
        return Verification((str(problem),))
    if not current:
        return Verification(_bounded(found))
    was, now = (scoring.of(*each).verdict.value for each in _judged(evidence, again))
    changes = [f"the verdict was {was}, is {now}"] if was != now else []
    flips = _bounded([*changes, *_changes(evidence, again)])
    if is_same:
        return Verification(_bounded(found), flips, now)
    recomputed, on_trust = _divided(evidence, found)
    return Verification((), flips, now, recomputed=recomputed, on_trust=on_trust)


def _divided(evidence: Evidence, found: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parts of the report of another suite that the installed one comes to, and all others."""
    differing = {each.split("/")[1].partition(" ")[0] for each in found if each.startswith("/")}
    parts = dict.fromkeys([*evidence.report, *sorted(differing)])
    if any(not each.startswith(("/", "run.json/")) for each in found):
        differing.add(EXCHANGES)
    parts[EXCHANGES] = None
    on_trust = {*differing, BUILD}
    return (
        tuple(part for part in parts if part not in on_trust),
        (*(part for part in parts if part in on_trust), *OF_THE_BUILD),
    )


def _replayed(evidence: Evidence, how: Replaying) -> Recomputed:
    """What a replay finds. Another suite may divide its checks otherwise: it replays the whole."""
    is_divided = bool(evidence.shards) and is_same_suite(evidence)
    replay = shards.replay if is_divided else recomputation.replay
    return replay(evidence, how)


def _judged(evidence: Evidence, again: Recomputed) -> Iterator[tuple[Any, Revision]]:
    """The requirements and the revision of then and of now: a service release may differ."""
    stated = evidence.revision
    installed = revisions.load(stated.name) if stated.name in revisions.names() else stated
    yield evidence.report["requirements"], stated
    yield again.report["requirements"], installed


def is_same_suite(evidence: Evidence) -> bool:
    """Whether the installed suite and contract are those of the run."""
    same_contract = all(evidence.files[name] == files.text(name).encode() for name in CONTRACT)
    same_versions = evidence.report["suite"].get("versions") == versions()
    same_suite = same_versions and evidence.run["source"] == source.digest()
    return same_contract and same_suite and _is_installed(evidence.revision)


def _is_installed(revision: Revision) -> bool:
    return revision.name in revisions.names() and revision == revisions.load(revision.name)


def _sealed(bundle: Bundle, key: SSlibKey, evidence: Evidence) -> Iterator[str]:
    """What is wrong with a certificate before anything is recomputed."""
    try:
        stated = dsse.opened(bundle.envelope, key)
    except dsse.SignatureProblem as problem:
        yield str(problem)
        return
    altered = list(_altered(stated, evidence))
    if altered:
        yield from altered
        return
    try:
        evidence.check()
        if is_same_suite(evidence):
            evidence.validate()
            yield from environment.strangers(packages_of(evidence))
        yield from _unsound(evidence)
        yield from _by_another(evidence, key)
        expected = statement.of(evidence, stated.get("predicateType"))
        yield from recomputation.different(stated, expected, "the statement")
    except (Malformed, environment.NoEnvironment) as problem:
        yield str(problem)
    except (LookupError, TypeError, AttributeError, ValueError) as problem:
        # Evidence of another suite is held to no schema.
        yield f"the evidence or the statement is malformed ({type(problem).__name__}: {problem})"


def _altered(stated: Mapping[str, Any], evidence: Evidence) -> Iterator[str]:
    expected = statement.subjects(evidence)
    if stated.get("subject") == expected:
        return
    try:
        digests = {entry["name"]: entry["digest"]["sha256"] for entry in stated["subject"]}
    except (KeyError, TypeError):
        yield "the statement has no digests of the evidence"
        return
    flaws = [
        f"{entry['name']} is not the signed one"
        for entry in expected
        if digests.pop(entry["name"], None) != entry["digest"]["sha256"]
    ]
    flaws += (f"the statement is about {name!r:.80}, which is missing" for name in digests)
    yield from flaws or ("the statement has other subjects than the evidence",)


def packages_of(evidence: Evidence) -> Mapping[str, str]:
    """The versions of the packages of a run. Raises NoEnvironment."""
    return environment.read(evidence.files["environment.txt"])[1]


def _by_another(evidence: Evidence, key: SSlibKey) -> Iterator[str]:
    """A challenge that was issued to another key than that of the signer."""
    asked = evidence.challenge
    if asked is not None and asked.vendor not in (None, key.keyid):
        yield f"the challenge is for the key {asked.vendor}, and {key.keyid} signed"


def _unsound(evidence: Evidence) -> Iterator[str]:
    """Evidence that no certifiable run can have."""
    if evidence.revision.name not in revisions.names():
        yield f"unknown revision {evidence.revision.name!r:.40}: this suite has none of that name"
    if revisions.is_relaxed(evidence.revision):
        yield f"revision.json is not the published revision {evidence.revision.name}"
    yield from chronology.problems(evidence)
    yield from eligibility.obstacles(evidence.report, evidence.revision)
    yield from eligibility.consents(evidence)
    yield from eligibility.connections(evidence)
    yield from shards.problems(evidence)
    packages = packages_of(evidence)
    if lock_file.FILE in evidence.files:
        yield from lock_file.problems(evidence.files[lock_file.FILE], packages)
    suite = evidence.report["suite"]
    for name, version in suite.get("versions", {}).items():
        if packages.get(name) != version:
            yield f"environment.txt has another version of {name} than the report"


def _changes(evidence: Evidence, again: Recomputed) -> Iterator[str]:
    """The verdicts that the installed suite gives differently."""
    before = {entry["id"]: entry for entry in evidence.report["requirements"]}
    now = {entry["id"]: entry for entry in again.report["requirements"]}
    for id in {**before, **now}:
        one, other = before.get(id), now.get(id)
        was = one["verdict"] if one else "not there"
        is_now = other["verdict"] if other else "not there"
        if was != is_now:
            yield f"{id} was {was}, is {is_now}"


def _bounded(problems: Iterable[str]) -> tuple[str, ...]:
    found = list(problems)
    if len(found) <= MOST_SHOWN:
        return tuple(found)
    return (*found[:MOST_SHOWN], f"… and {len(found) - MOST_SHOWN} more")
