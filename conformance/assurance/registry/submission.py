"""A submission: what a vendor hands in, and every fault in it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

from conformance.assurance.certificate import bundle, dsse, standing, summary
from conformance.assurance.certificate.verification import verify
from conformance.assurance.registry import answers, settings
from conformance.assurance.registry.answers import Answers
from conformance.assurance.registry.revocation import Revocations
from conformance.contract.verdict import Inconclusive
from conformance.storage import regular_file, toml_text

PRODUCT, CERTIFICATE, KEY = "PRODUCT.toml", "certificate.zip", "signer.pub"
SUMMARY = "summary.json"
"""What the registrar signed when it verified the certificate (`verify --countersign`)."""

SUMMARY_LARGEST = regular_file.MIB

REGISTRAR = "registrar.pub"
"""The registrar's public key, in the folder of the registry."""

REQUIRED = ("vendor", "name", "version", "website")
OPTIONAL = ("contact", "documentation")
LONGEST = 200
MOST_KEYS = 50
"""Keys of a product that are looked at: few are known."""

FOLDER = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
OF_A_SITE = (".html", ".json", ".pub")
"""What files of a site end with: a folder of this name would take the place of one."""

MISNAMED = "misnamed-"
"""The beginning of the names that a site gives to folders whose own names it cannot have."""


@dataclass(frozen=True)
class Submission:
    """A folder of the registry: the product file, the claims of the certificate, and the faults.

    `claims` are there where signature and digests are valid. `digest` is that of the certificate's
    file, `statement` that of what its signer has signed.
    """

    name: str
    product: Mapping[str, str]
    claims: Mapping[str, Any] | None
    digest: str
    statement: str
    faults: tuple[str, ...]

    def status(self, today: date, revocations: Revocations) -> str:
        """What the certificate is worth: revoked, rejected, expired or active."""
        reason = revocations.reason(self.statement, self.digest)
        if reason is None and (self.faults or self.claims is None):
            return "rejected"
        return standing.of(self.claims or {}, today, reason)


def certificates(registry: Path) -> Iterator[Path]:
    """The certificates of all submissions of a registry."""
    yield from sorted(registry.glob(f"*/{CERTIFICATE}"))


def check(folder: Path, known: Answers | None = None) -> Submission:
    """Read and verify a submission; takes as long as `conformance verify`.

    `known` are the answers to challenges in its registry, if they were read before.
    """
    product, faults = _product(folder / PRODUCT)
    faults += _misnamed(folder.name)
    certificate = _certificate(folder)
    faults += certificate.faults
    if certificate.claims is not None:
        faults += _contradictions(product, certificate.claims)
        faults += _nobodys(folder.parent, certificate.claims)
        others = answers.of(certificates(folder.parent)) if known is None else known
        shared = answers.shared(folder.name, certificate.claims, others)
        faults += (f"{CERTIFICATE}: {fault}" for fault in shared)
    return replace(certificate, product=product, faults=tuple(faults))


def is_folder_of_a_site(name: str) -> bool:
    """Whether a site can have a folder of this name beside its own files."""
    is_another = Path(name).suffix in OF_A_SITE or name.startswith(MISNAMED)
    return FOLDER.fullmatch(name) is not None and not is_another


def _misnamed(name: str) -> Iterator[str]:
    """A fault of a folder whose name is no folder of a site, or one of its files."""
    if not is_folder_of_a_site(name):
        yield (
            f"the folder {name!r} needs a name of lower-case letters, digits, dots, dashes and"
            f" underscores, that does not end like a file of the site ({', '.join(OF_A_SITE)}),"
            f" nor begins with {MISNAMED}"
        )


def _product(path: Path) -> tuple[dict[str, str], list[str]]:
    try:
        stated = toml_text.parse(toml_text.read(path))
    except OSError as problem:
        return {}, [f"{path.name}: {problem.strerror}"]
    except ValueError as problem:
        return {}, [f"{path.name}: invalid TOML: {problem}"]
    faults = [f"{PRODUCT}: {key} is missing" for key in REQUIRED if key not in stated]
    product = {}
    for key, value in islice(stated.items(), MOST_KEYS):
        flaw = _flaw(key, value)
        if flaw:
            faults.append(f"{PRODUCT}: {key} {flaw}")
        else:
            product[key] = value
    return product, faults


def _flaw(key: str, value: object) -> str | None:
    if key not in (*REQUIRED, *OPTIONAL):
        return f"is an unknown key; the keys are {', '.join((*REQUIRED, *OPTIONAL))}"
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
        return f"must be a text of 1 to {LONGEST} characters"
    if not value.isprintable():
        return "has a control character"
    if key in ("website", "documentation") and not value.startswith("https://"):
        return "must be an address that begins with https://"
    return None


def _certificate(folder: Path) -> Submission:
    """A submission of its certificate alone."""
    nothing = Submission(folder.name, {}, None, "", "", ())
    try:
        archive = regular_file.read(folder / CERTIFICATE, bundle.LARGEST_ARCHIVE)
        key = regular_file.read(folder / KEY, bundle.LIMITS[bundle.KEY].bytes)
        found = bundle.parsed(archive, CERTIFICATE)
        digests = (bundle.digest(archive), found.digest)
        verification = verify(found, key)
    except OSError as problem:
        return replace(nothing, faults=(f"{Path(problem.filename).name}: {problem.strerror}",))
    except (bundle.BundleProblem, dsse.KeyProblem, dsse.SignatureProblem, Inconclusive) as problem:
        return replace(nothing, faults=(str(problem),))
    faults = [f"{CERTIFICATE}: {problem}" for problem in verification.problems]
    claims = None if verification.problems else dsse.claims(found.envelope)
    if verification.is_other_suite:
        faults += _unsigned(folder, found)
    return Submission(folder.name, {}, claims, *digests, tuple(faults))


def _unsigned(folder: Path, found: bundle.Bundle) -> Iterator[str]:
    """A fault where no registrar has verified the certificate of an earlier suite."""
    try:
        registrar = dsse.public_key(regular_file.read(folder.parent / REGISTRAR), REGISTRAR)
        summary.read(regular_file.read(folder / SUMMARY, SUMMARY_LARGEST), found, registrar)
    except OSError:
        yield f"{CERTIFICATE}: another suite made it, and no {SUMMARY} says that it was verified"
    except (dsse.KeyProblem, dsse.SignatureProblem) as problem:
        yield f"{SUMMARY}: {problem}"


def _contradictions(product: Mapping[str, str], claims: Mapping[str, Any]) -> Iterator[str]:
    """What the certificate says otherwise than the product file."""
    for key in ("vendor", "name", "version"):
        stated, certified = product.get(key), claims["product"].get(key)
        if stated is not None and stated != certified:
            was = f"names {certified!r}" if certified else "names none ([product] of the profile)"
            yield f"{PRODUCT}: {key} is {stated!r}, and the certificate {was}"


def _nobodys(registry: Path, claims: Mapping[str, Any]) -> Iterator[str]:
    """A fault where the reference was certified, unless the registry is one of examples."""
    try:
        is_accepted = settings.load(registry).accepts_reference
    except settings.SettingsProblem as problem:
        yield str(problem)
        return
    if "reference" in claims["target"] and not is_accepted:
        yield f"{CERTIFICATE}: it is about {claims['target']['reference']}: nobody's product"
