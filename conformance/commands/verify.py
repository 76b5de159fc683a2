"""`conformance verify`: checks a certificate without its target and without a network."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, date, datetime
from typing import Any

from conformance.assurance.certificate import bundle, dsse, environment, summary
from conformance.assurance.certificate.verification import Verification, verify
from conformance.assurance.registry import revocation
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT

SAME = "the installed suite comes to the same verdict on every requirement"


def run(arguments: argparse.Namespace) -> int:
    """Check digests and signature, and recompute every statement from the evidence."""
    try:
        found = bundle.read(arguments.file)
        pinned = arguments.public_key.read_bytes() if arguments.public_key else None
        verification = verify(found, pinned, current=arguments.with_current_suite)
        if not verification.problems:
            verification = _registered(found, arguments, verification)
    except (bundle.BundleProblem, dsse.KeyProblem, dsse.SignatureProblem) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    if arguments.json:
        sys.stdout.write(json.dumps(_document(found, verification), indent=2) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(found, verification, arguments))
    return CONFORMANT if _is_good(verification) else NON_CONFORMANT


def _is_good(verification: Verification) -> bool:
    return not verification.problems and not verification.is_other_suite


def _registered(
    found: bundle.Bundle, arguments: argparse.Namespace, verification: Verification
) -> Verification:
    """The verification with that of a registrar's summary; writes one where that is asked for."""
    if arguments.revocations:
        listed, key = arguments.revocations
        registrar = dsse.public_key(key.read_bytes(), str(key))
        digest = bundle.digest(arguments.file.read_bytes())
        reason = revocation.read(listed, registrar).reason(digest)
        if reason is not None:
            return replace(verification, problems=(f"revoked: {reason}",))
    if arguments.countersign and _is_good(verification):
        key, file = arguments.countersign
        file.write_bytes(summary.sign(found, dsse.private_key(key), datetime.now(UTC)))
    if not arguments.summary:
        return verification
    file, key = arguments.summary
    registrar = dsse.public_key(key.read_bytes(), str(key))
    try:
        signed = summary.read(file.read_bytes(), found, registrar)
    except dsse.SignatureProblem as problem:
        return replace(verification, problems=(f"{file}: {problem}",))
    return replace(verification, summary=signed)


def _document(found: bundle.Bundle, verification: Verification) -> dict[str, Any]:
    """The result as JSON values; the claims of a rejected certificate are not repeated."""
    return {
        "verified": _is_good(verification),
        "problems": list(verification.problems),
        "otherSuite": verification.is_other_suite,
        "changes": list(verification.changes),
        "signer": dsse.public_key(found.key, "the signer").keyid,
        "registrar": verification.summary and asdict(verification.summary),
        "claims": None if verification.problems else dsse.claims(found.envelope),
    }


def _lines(
    found: bundle.Bundle, verification: Verification, arguments: argparse.Namespace
) -> Iterator[str]:
    if verification.problems:
        yield "REJECTED:"
        yield from (f"  {problem}" for problem in verification.problems)
        return
    claims = dsse.claims(found.envelope)
    yield from _summary(claims)
    yield f"  signed with the key {dsse.public_key(found.key, 'the signer').keyid}"
    if arguments.with_current_suite:
        yield from verification.changes or (SAME,)
    elif verification.is_other_suite:
        yield from _remedy(found)
        return
    else:
        yield "VERIFIED: the evidence supports every statement."
        yield dsse.MEANING
    if verification.summary:
        registrar = verification.summary
        yield f"A registrar verified it on {registrar.verified}, and signed with {registrar.key}."
    if arguments.public_key is None:
        yield (
            "The owner of the key is not verified: compare the id of the key, or pass --public-key."
        )


def _summary(claims: Mapping[str, Any]) -> Iterator[str]:
    product = claims["product"]
    named = " ".join(product[key] for key in ("vendor", "name", "version") if key in product)
    target, suite = claims["target"], claims["suite"]
    yield f"{named or 'no product named'}, at {target['base-url']}: {claims['verdict']}"
    if "reference" in target:
        yield f"  this is {target['reference']}, and nobody's product"
    yield f"  revision {claims['revision']}, {claims['started']} to {claims['finished']}"
    expired = date.fromisoformat(claims["expires"]) < datetime.now(UTC).date()
    yield f"  {'EXPIRED on' if expired else 'valid until'} {claims['expires']}"
    musts = claims["counts"]["must"]
    counted = ", ".join(f"{number} {verdict}" for verdict, number in musts.items())
    yield f"  must: {counted}"
    yield (
        f"  depth {suite['depth']}, seed {suite['seed']}, {claims['exchanges']} exchanges, "
        f"suite {suite['version']}"
    )
    for title, key in (("not checked", "notChecked"), ("contested", "contested")):
        if claims[key]:
            yield f"  {title}: {', '.join(claims[key])}"
    for known in claims["knownFailures"]:
        yield f"  known failure: {known['requirement']}: {known['reason']}"


def _remedy(found: bundle.Bundle) -> Iterator[str]:
    """How to verify a certificate of another suite."""
    python, _ = environment.read(found.evidence["environment.txt"])
    yield "NOT RECOMPUTED: signature and digests are valid; another suite made this certificate."
    yield "To recompute its verdict with the suite of then, in a folder of its own:"
    yield "  unzip -p CERTIFICATE environment.txt > environment.txt"
    yield f"  uv venv --python {python} then && uv pip install --python then -r environment.txt"
    yield "  then/bin/conformance verify CERTIFICATE"
    yield "--with-current-suite lists what the installed suite would change."
