"""The second signature: a registrar's word that it has verified a certificate under a policy.

It is a verification summary of SLSA (https://slsa.dev/verification_summary/v1) over the first
signature, in an envelope of its own, so that a certificate stays as its vendor signed it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from securesystemslib.signer import CryptoSigner, SSlibKey

from conformance import __version__
from conformance.assurance.certificate import bundle, dsse, strict_json
from conformance.assurance.certificate.bundle import Bundle
from conformance.assurance.certificate.statement import STATEMENT_TYPE
from conformance.contract import files, revisions

PREDICATE_TYPE = "https://slsa.dev/verification_summary/v1"
VERIFIER = "urn:localization-api-conformance:verifier"
POLICY = "urn:localization-api-conformance:revision:"
LEVEL = "CONFORMANT_"


@dataclass(frozen=True)
class Summary:
    """What a registrar has signed: when it verified the certificate, and under which revision."""

    verified: str
    revision: str
    key: str


def of(certificate: Bundle, when: datetime) -> dict[str, Any]:
    """The statement of a registrar about a certificate that it has verified."""
    claims = dsse.claims(certificate.envelope)
    name = claims["revision"]
    policy = files.text(f"{revisions.FOLDER}/{name}.yaml").encode()
    first = bundle.digest(strict_json.written(certificate.envelope))
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": bundle.STATEMENT, "digest": {"sha256": first}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "verifier": {"id": VERIFIER, "version": {claims["suite"]["name"]: __version__}},
            "timeVerified": when.astimezone(UTC).isoformat(timespec="seconds"),
            "resourceUri": claims["target"]["base-url"],
            "policy": {"uri": POLICY + name, "digest": {"sha256": bundle.digest(policy)}},
            "inputAttestations": [{"uri": bundle.STATEMENT, "digest": {"sha256": first}}],
            "verificationResult": "PASSED" if claims["result"] == "PASSED" else "FAILED",
            "verifiedLevels": [LEVEL + name],
        },
    }


def sign(certificate: Bundle, signer: CryptoSigner, when: datetime) -> bytes:
    """The signed summary, as a file beside the certificate."""
    return strict_json.written(dsse.sign(of(certificate, when), signer))


def read(content: bytes, certificate: Bundle, key: SSlibKey) -> Summary:
    """A summary of this certificate by this key. Raises SignatureProblem."""
    try:
        envelope = strict_json.parse(content)
    except strict_json.NotStrict as problem:
        raise dsse.SignatureProblem(f"the summary: {problem}") from None
    if not isinstance(envelope, Mapping):
        raise dsse.SignatureProblem("the summary is not an envelope")
    stated = dsse.opened(envelope, key)
    try:
        when = datetime.fromisoformat(stated["predicate"]["timeVerified"])
        expected = of(certificate, when)
    except (KeyError, TypeError, ValueError):
        raise dsse.SignatureProblem("the summary has no time of its verification") from None
    # A registrar may have used another version, and an earlier state of the revision.
    expected["predicate"]["verifier"] = stated["predicate"].get("verifier")
    expected["predicate"]["policy"]["digest"] = stated["predicate"].get("policy", {}).get("digest")
    if stated != expected:
        raise dsse.SignatureProblem("the summary is not about this certificate")
    revision = str(stated["predicate"]["policy"]["uri"]).removeprefix(POLICY)
    return Summary(stated["predicate"]["timeVerified"], revision, key.keyid)
