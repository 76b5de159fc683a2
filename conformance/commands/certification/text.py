"""The result of a verification as lines for people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from conformance.assurance.certificate import bundle, dsse, environment, standing, trust
from conformance.assurance.certificate.verification import Verification
from conformance.assurance.registry.revocation import Revocations
from conformance.assurance.second.opinion import Opinion
from conformance.commands.certification.probing import Probed
from conformance.contract.quantity import quantity
from conformance.report import unexercised
from conformance.report.console.line import Copied
from conformance.report.document_types import Report
from conformance.report.text import word
from conformance.target.target import USUAL_LAG, Limits

SAME = "the installed suite comes to the same verdict on every requirement"
PROBED = """\
A read that is reproduced was not invented: the target at this address serves the same record now.
It says nothing of the other exchanges. One that differs may have changed since: read it again."""


def rejected(problems: Sequence[str]) -> Iterator[str]:
    """A certificate that is not what it claims to be."""
    yield "REJECTED:"
    yield from (f"  {problem}" for problem in problems)


def claims(stated: Mapping[str, Any], state: str) -> Iterator[str]:
    """What a certificate says, and its state."""
    product = stated["product"]
    named = " ".join(product[key] for key in ("vendor", "name", "version") if key in product)
    target, suite = stated["target"], stated["suite"]
    yield f"{named or 'no product named'}, at {target['base-url']}: {stated['verdict']}"
    if "reference" in target:
        yield f"  this is {target['reference']}, and nobody's product"
    yield f"  revision {stated['revision']}, {stated['started']} to {stated['finished']}"
    yield f"  {_validity(state)} {stated['expires']}"
    musts = stated["counts"]["must"]
    counted = ", ".join(f"{number} {verdict}" for verdict, number in musts.items())
    yield f"  must: {counted}"
    yield (
        f"  depth {suite['depth']}, seed {suite['seed']}, {stated['exchanges']:,} exchanges, "
        f"suite {suite['version']}"
    )
    if merged := stated.get("shards"):
        yield f"  merged from {quantity(len(merged), 'shard')}"
    yield from _exceptions(stated)


def shortcomings(stated: Mapping[str, Any], report: Mapping[str, Any]) -> Iterator[str]:
    """What a reader of a certificate should know first: warnings, and what the data lacked."""
    if warned := stated["warned"]:
        number = quantity(len(warned), "requirement")
        yield f"WARNINGS: {number} of the level should failed: {', '.join(warned)}"
    lacking = [subject for subject, _ in unexercised.of(cast(Report, report))]
    if lacking:
        yield "NOT EXERCISED, since the data that was read has none of it:"
        yield from (f"  {subject}" for subject in lacking)


def _validity(state: str) -> str:
    words = {standing.EXPIRED: "EXPIRED on", standing.EARLY: "NOT YET VALID on that day; until"}
    return words.get(state, f"{state}, valid until")


def _exceptions(stated: Mapping[str, Any]) -> Iterator[str]:
    """What does not count as passed, and what the registrar asked for."""
    for title, key in (("not checked", "notChecked"), ("contested", "contested")):
        if stated[key]:
            yield f"  {title}: {', '.join(stated[key])}"
    for known in stated["knownFailures"]:
        yield f"  known failure: {known['requirement']}: {known['reason']}"
    if asked := stated.get("challenge"):
        yield f"  challenge of {asked['issued']}, answered before {asked['deadline']}"
        yield f"    {_dated(asked['dates'])}; signed with the key {asked['key']}"


def _dated(number: int) -> str:
    if not number:
        return "the target sends no Date headers, so these times are the word of the signer"
    return f"{quantity(number, 'Date header')} of the target within them"


def outcome(found: bundle.Bundle, verification: Verification, *, current: bool) -> Iterator[str]:
    """Whether the verdict was recomputed, and how it can be."""
    yield f"  signed with the key {dsse.public_key(found.key, 'the signer').keyid}"
    if current:
        yield from verification.changes or (SAME,)
        if verification.on_trust:
            yield from _parts(verification)
    elif verification.is_other_suite:
        yield from _remedy(found)
    else:
        yield "VERIFIED: the evidence supports every statement."
        yield from dsse.MEANING.splitlines()
        yield "On the word of the signer, which nothing in the evidence proves:"
        yield from (f"  {each}" for each in trust.words(found.opened))
        yield from allowances(found.opened.target.limits)
    if verification.summary:
        registrar = verification.summary
        yield f"A registrar verified it on {registrar.verified}, and signed with {registrar.key}."


def allowances(limits: Limits) -> Iterator[str]:
    """What a vendor has asked for in the profile beyond what is usual, and was granted."""
    if limits.lag > USUAL_LAG:
        yield (
            f"READS MAY LAG {limits.lag:g} s, as the profile says, in place of {USUAL_LAG:g} s:"
            " what was stale for less is no failure."
        )


def unrevoked(revoked: Revocations) -> Iterator[str]:
    """How old the list is that does not have a certificate: only its owner knows a later one."""
    number, latest = quantity(len(revoked.entries), "certificate"), revoked.latest
    until = f"{number}, the latest of {latest}" if latest else "nothing"
    yield f"NOT REVOKED by a list with {until}: ask the registrar for one of today."


def _parts(verification: Verification) -> Iterator[str]:
    """What the installed suite has recomputed of a certificate of another one."""
    yield f"RECOMPUTED, and the same: {', '.join(verification.recomputed) or 'nothing'}"
    yield f"NOT RECOMPUTED, the word of the signer: {', '.join(verification.on_trust)}"
    yield "The suite that made it recomputes the rest: --then, without --with-current-suite."


def _remedy(found: bundle.Bundle) -> Iterator[str]:
    """How to verify a certificate of another suite."""
    python, packages = environment.read(found.evidence["environment.txt"])
    wanted = f"{environment.PACKAGE}=={packages[environment.PACKAGE]}"
    yield "NOT RECOMPUTED: signature and digests are valid; another suite made this certificate."
    yield "To recompute its verdict with the suite of then, --then does the following:"
    yield Copied("  unzip -p CERTIFICATE environment.txt > environment.txt")
    yield Copied(f"  uv venv --python {word(python)} then")
    yield Copied(f"  uv pip install --python then {word(wanted)} -c environment.txt")
    yield "  then/bin/conformance verify CERTIFICATE"
    yield "Where no index has that version, --find-links DIR names a folder with its wheel."
    yield "--with-current-suite lists what the installed suite would change."


def second(found: Opinion | None) -> Iterator[str]:
    """What the second judge says; None where nothing was recomputed."""
    if found is None:
        yield "NOT JUDGED AGAIN: the second judge needs a certificate that was recomputed."
        return
    judged = quantity(len(found.verdicts), "requirement")
    if found.differences:
        yield f"SECOND JUDGE: it judged {judged}, and differs from the certificate (see above)"
    else:
        yield f"SECOND JUDGE: it judged {judged}, and agrees with the certificate"
    yield f"  not judged by it: {', '.join(found.not_judged)}"


def probed(found: Sequence[Probed]) -> Iterator[str]:
    """Which recorded reads the live target gives again."""
    again = [each for each in found if not each.differences]
    yield f"PROBED: {len(again)} of {quantity(len(found), 'recorded read')} reproduced"
    for each in found:
        if each.differences:
            yield f"  differs: {each.request}, as {each.credential or 'nobody'} ({each.exchange})"
            yield from (f"    {difference}" for difference in each.differences)
    yield from PROBED.splitlines()
