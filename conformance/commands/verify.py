"""`conformance verify`: checks a certificate without its target and without a network."""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from securesystemslib.signer import SSlibKey

from conformance.assurance.certificate import bundle, challenge, dsse, standing, summary, trust
from conformance.assurance.certificate.replaying import Replaying
from conformance.assurance.certificate.verification import Verification, verify
from conformance.assurance.registry import revocation
from conformance.assurance.registry.revocation import Revocations
from conformance.assurance.second import opinion
from conformance.assurance.second.opinion import Opinion
from conformance.commands import trusted
from conformance.commands.certification import environment_of_then, probing, text
from conformance.commands.certification.probing import Probed
from conformance.commands.certification.replay_progress import ReplayProgress
from conformance.commands.outcome import UsageError
from conformance.commands.signals import interrupting
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.report.console import output
from conformance.storage import fresh_file, regular_file
from conformance.target.profile import bare, load
from conformance.target.profile_file import ProfileError
from conformance.target.target import Target

UNPINNED = "The owner of the key is not verified: compare the id of the key, or pass --public-key."
UNREGISTERED = (
    "The challenge names no registrar that you trust: compare the id of its key, or pass"
    " --registrar."
)


def run(arguments: argparse.Namespace) -> int:
    """Check digests and signature, and recompute every statement from the evidence."""
    target = _target(arguments)
    try:
        found = bundle.read(arguments.file)
        revoked = _revocations(arguments)
        pinned = (
            regular_file.read(arguments.public_key, follow=True) if arguments.public_key else None
        )
        verification = _verified(found, pinned, arguments)
        if verification.is_other_suite and arguments.then:
            return environment_of_then.verify(found, _words(arguments), arguments.find_links)
        second = _second(found, verification) if arguments.second else None
        if second is not None:
            verification = replace(verification, problems=second.differences)
        if not verification.problems:
            verification = _registered(found, arguments, verification, revoked)
    except (bundle.BundleProblem, dsse.KeyProblem, dsse.SignatureProblem) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    probed: list[Probed] | None = None
    if target is not None and _is_good(verification):
        probed = probing.probe(found.opened, target, arguments.probe)
    return _report(found, verification, (revoked, probed, second), arguments)


def _verified(
    found: bundle.Bundle, pinned: bytes | None, arguments: argparse.Namespace
) -> Verification:
    """The verification, which leaves nothing behind where a signal ends it."""
    how = Replaying([ReplayProgress()], arguments.max_time)
    with interrupting():
        return verify(found, pinned, current=arguments.with_current_suite, how=how)


def _second(found: bundle.Bundle, verification: Verification) -> Opinion | None:
    """The opinion of the second judge, which needs what the suite has recomputed."""
    is_recomputed = not (verification.is_other_suite or verification.on_trust)
    if verification.problems or not is_recomputed:
        return None
    evidence = found.opened
    target = json.loads(found.evidence["target.json"])
    return opinion.of(evidence.report, target, found.evidence["exchanges.jsonl"])


def _words(arguments: argparse.Namespace) -> Iterator[str]:
    """The arguments that `verify` of every version of the suite has."""
    if arguments.json:
        yield "--json"
    if arguments.public_key:
        yield from ("--public-key", str(arguments.public_key.absolute()))
    yield str(arguments.file.absolute())


def _report(
    found: bundle.Bundle,
    verification: Verification,
    further: tuple[Revocations | None, list[Probed] | None, Opinion | None],
    arguments: argparse.Namespace,
) -> int:
    state = _state(found, verification, arguments)
    revoked, probed, second = further
    if arguments.json:
        document = _document(found, verification, state)
        if revoked is not None:
            document["revocations"] = {"number": len(revoked.entries), "latest": revoked.latest}
        if probed is not None:
            document["probe"] = list(map(asdict, probed))
        if second is not None:
            document["second"] = second.document
        output.document(document)
    else:
        lines = _lines(found, verification, arguments, state)
        listed = text.unrevoked(revoked) if revoked is not None and _is_good(verification) else ()
        again = text.second(second) if arguments.second else ()
        more = text.probed(probed) if probed is not None else _unprobed(arguments)
        output.lines((*lines, *listed, *again, *more))
    is_good = _is_good(verification) and state == standing.ACTIVE and _are_reproduced(probed)
    return CONFORMANT if is_good else NON_CONFORMANT


def _unprobed(arguments: argparse.Namespace) -> Iterator[str]:
    if arguments.probe is not None:
        yield "NOT PROBED: nothing is sent for a certificate that is not recomputed."


def _is_good(verification: Verification) -> bool:
    """Whether every statement was recomputed, and holds; nothing of another suite is all that."""
    is_whole = not (verification.is_other_suite or verification.on_trust)
    return is_whole and not (verification.problems or verification.changes)


def _are_reproduced(probed: Sequence[Probed] | None) -> bool:
    """Whether nothing differs; that nothing could be sent is no success."""
    if probed is None:
        return True
    return bool(probed) and not any(each.differences for each in probed)


def _target(arguments: argparse.Namespace) -> Target | None:
    """The live target to probe; None without --probe. UsageError where it cannot be had."""
    if arguments.probe is None:
        return None
    if arguments.with_current_suite:
        # Only a recomputed certificate shows that the suite itself has sent its requests.
        raise UsageError("--probe needs the suite of the run, not --with-current-suite")
    if arguments.target is None and arguments.base_url is None:
        raise UsageError("--probe needs the target: --base-url URL, and --target for credentials")
    try:
        if arguments.target is None:
            return bare(arguments.base_url, os.environ)
        allow = trusted.profile(arguments.target, arguments)
        return load(arguments.target, base_url=arguments.base_url, allow=allow)
    except ProfileError as problem:
        raise UsageError(str(problem)) from None


def _registered(
    found: bundle.Bundle,
    arguments: argparse.Namespace,
    verification: Verification,
    revoked: Revocations | None,
) -> Verification:
    """The verification with that of a registrar's words; writes a summary if asked for one."""
    problems = (*_revoked(found, revoked), *_unasked(found, arguments))
    if problems:
        return replace(verification, problems=problems)
    if arguments.countersign and _is_good(verification):
        key, file = arguments.countersign
        fresh_file.write(file, summary.sign(found, dsse.private_key(key), datetime.now(UTC)))
    if not arguments.summary:
        return verification
    file, key = arguments.summary
    try:
        signed = summary.read(regular_file.read(file, follow=True), found, _key(key))
    except dsse.SignatureProblem as problem:
        return replace(verification, problems=(f"{file}: {problem}",))
    return replace(verification, summary=signed)


def _revocations(arguments: argparse.Namespace) -> Revocations | None:
    if not arguments.revocations:
        return None
    listed, key = arguments.revocations
    return revocation.read(listed, _key(key))


def _revoked(found: bundle.Bundle, revoked: Revocations | None) -> Iterator[str]:
    if revoked is not None:
        reason = revoked.reason(found.digest, bundle.digest(found.archive))
        if reason is not None:
            yield f"revoked: {reason}"


def _unasked(found: bundle.Bundle, arguments: argparse.Namespace) -> Iterator[str]:
    """Why the evidence does not answer a challenge of the registrar."""
    if not arguments.registrar:
        return
    content = found.evidence.get(challenge.FILE)
    if content is None:
        yield "it answers no challenge of a registrar"
        return
    try:
        challenge.verified(content, _key(arguments.registrar))
    except challenge.ChallengeProblem as problem:
        yield f"{challenge.FILE}: {problem}"


def _key(path: Path) -> SSlibKey:
    return dsse.public_key(regular_file.read(path, follow=True), str(path))


def _state(
    found: bundle.Bundle, verification: Verification, arguments: argparse.Namespace
) -> str | None:
    """Active, expired or revoked; None for a certificate that is not sound."""
    reasons = [problem for problem in verification.problems if problem.startswith("revoked: ")]
    if verification.problems and not reasons:
        return None
    claims = dsse.claims(found.envelope)
    return standing.of(claims, arguments.on or datetime.now(UTC).date(), *reasons[:1])


def _document(
    found: bundle.Bundle, verification: Verification, state: str | None
) -> dict[str, Any]:
    """The result as JSON values; the claims of a rejected certificate are not repeated."""
    return {
        "verified": _is_good(verification),
        "status": state,
        "problems": list(verification.problems),
        "otherSuite": verification.is_other_suite,
        "changes": list(verification.changes),
        "recomputed": list(verification.recomputed),
        "onTrust": list(verification.on_trust),
        "wordOfSigner": [] if verification.problems else trust.words(found.opened),
        "signer": dsse.public_key(found.key, "the signer").keyid,
        "registrar": verification.summary and asdict(verification.summary),
        "claims": None if verification.problems else dsse.claims(found.envelope),
    }


def _lines(
    found: bundle.Bundle,
    verification: Verification,
    arguments: argparse.Namespace,
    state: str | None,
) -> Iterator[str]:
    if verification.problems or state is None:
        yield from text.rejected(verification.problems)
        return
    claims = dsse.claims(found.envelope)
    yield from text.claims(claims, state)
    yield from text.shortcomings(claims, found.opened.report)
    yield from text.outcome(found, verification, current=arguments.with_current_suite)
    if verification.is_other_suite and not arguments.with_current_suite:
        return
    if "challenge" in claims and not arguments.registrar:
        yield UNREGISTERED
    if arguments.public_key is None:
        yield UNPINNED
