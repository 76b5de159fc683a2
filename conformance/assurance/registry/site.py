"""The web site of a registry: static files, a matrix of products and classes, a page for each."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from conformance.assurance.certificate.bundle import LARGEST_ARCHIVE
from conformance.assurance.certificate.dsse import LARGEST_KEY
from conformance.assurance.registry.revocation import FILE as REVOKED
from conformance.assurance.registry.revocation import Revocations
from conformance.assurance.registry.settings import Settings
from conformance.assurance.registry.submission import (
    CERTIFICATE,
    KEY,
    MISNAMED,
    REGISTRAR,
    SUMMARY,
    SUMMARY_LARGEST,
    Submission,
    is_folder_of_a_site,
)
from conformance.contract import requirements
from conformance.contract.requirements import CLASSES
from conformance.report.formats.badge import LABEL, picture
from conformance.storage import fresh_file, regular_file
from conformance.storage.folder import inner

LARGEST = {
    CERTIFICATE: LARGEST_ARCHIVE,
    SUMMARY: SUMMARY_LARGEST,
    REVOKED: regular_file.LARGEST,
}
"""Bytes of a file that a site offers to download, beside keys; a larger one is not read either."""

FLAWED = "flawed"
"""The shade of an active certificate with failures, or with an open appeal."""

COLOURS = {
    "active": "brightgreen",
    FLAWED: "yellow",
    "early": "lightgrey",
    "expired": "lightgrey",
    "revoked": "red",
    "rejected": "red",
}
FILLS = {
    "active": "#17692f",
    FLAWED: "#7a5200",
    "early": "#5b5b5b",
    "expired": "#5b5b5b",
    "revoked": "#a11",
    "rejected": "#a11",
}

CONTESTED = "†"
"""The mark of a class with a requirement whose appeal is open."""


@dataclass(frozen=True)
class Entry:
    """One product of the site; `note` is the reason of its status, if there is one."""

    slug: str
    title: str
    status: str
    note: str
    submission: Submission

    @property
    def claims(self) -> Mapping[str, Any]:
        """The claims of the certificate; {} where it has none that count."""
        return self.submission.claims or {}

    @property
    def verdict(self) -> str:
        """The verdict under the revision of the certificate; "" without a certificate."""
        return str(self.claims.get("verdict", ""))

    @property
    def age(self) -> str:
        """The day of the run; "" without a certificate."""
        return str(self.claims.get("finished", ""))[:10]

    @property
    def failures(self) -> Sequence[str]:
        """The failed requirements, those of the level must first."""
        return [*self.claims.get("failed", ()), *self.claims.get("warned", ())]

    @property
    def message(self) -> str:
        """The text of the badge."""
        parts = (self.status, self.claims.get("revision", ""), self._exception())
        return " · ".join(part for part in parts if part)

    def _exception(self) -> str:
        if self.status != "active":
            return ""
        contested = f"{len(self.claims['contested'])} contested" if self.is_contested else ""
        return self.verdict if self.verdict != "conformant" else contested

    @property
    def shade(self) -> str:
        """The class of the status in a style sheet: an active one with a flaw is not green."""
        has_flaw = self.verdict != "conformant" or self.is_contested
        return FLAWED if self.status == "active" and has_flaw else self.status

    @property
    def is_contested(self) -> bool:
        """Whether an appeal against a requirement that counts was open at the time."""
        return bool(self.claims.get("contested"))

    def cell(self, name: str) -> str:
        """How many requirements of a class passed, of those that are applicable."""
        counted = self.claims.get("classes", {}).get(name, {})
        applicable = sum(counted.values()) - counted.get("not-applicable", 0)
        mark = f" {CONTESTED}" if name in self._contested_classes() else ""
        return f"{counted.get('pass', 0)}/{applicable}{mark}" if applicable else "–"

    def fails(self, name: str) -> bool:
        """Whether a requirement of a class failed."""
        return "fail" in self.claims.get("classes", {}).get(name, {})

    def _contested_classes(self) -> set[str]:
        known = requirements.load()
        contested = self.claims.get("contested", {})
        return {known[id].conformance_class for id in contested if id in known}


def entries(
    submissions: Iterable[Submission], today: date, revocations: Revocations
) -> list[Entry]:
    """The products in the order of the matrix: active ones first, then by name."""
    found = [_entry(each, today, revocations) for each in submissions]
    order = list(COLOURS)
    return sorted(found, key=lambda entry: (order.index(entry.status), entry.title.lower()))


def _entry(submission: Submission, today: date, revocations: Revocations) -> Entry:
    product = submission.product
    title = " ".join(product.get(key, "") for key in ("vendor", "name", "version")).strip()
    status = submission.status(today, revocations)
    revoked = revocations.reason(submission.statement, submission.digest)
    note = revoked or "; ".join(submission.faults)
    return Entry(_slug(submission.name), title or submission.name, status, note, submission)


def _slug(name: str) -> str:
    """The folder of a product on the site: no vendor decides on what it replaces."""
    if is_folder_of_a_site(name):
        return name
    return f"{MISNAMED}{hashlib.sha256(os.fsencode(name)).hexdigest()[:12]}"


@dataclass(frozen=True)
class Source:
    """The folder of a registry, what it says of itself, and the day of its state."""

    folder: Path
    settings: Settings
    today: date


def build(source: Source, site: Path, found: Sequence[Entry]) -> list[str]:
    """Write the site; the names of its files."""
    site.mkdir(parents=True, exist_ok=True)
    signed = list(_copied(source.folder, site, (REGISTRAR, REVOKED)))
    values = {"settings": source.settings, "today": source.today, "signed": _names(signed)}
    written = [*signed, _write(site / "index.html", _page("index", entries=found, **values))]
    document = [_document(entry) for entry in found]
    written.append(_write(site / "registry.json", json.dumps(document, indent=2)))
    for entry in found:
        folder = inner(site, entry.slug)
        evidence = list(
            _copied(source.folder / entry.submission.name, folder, (CERTIFICATE, KEY, SUMMARY))
        )
        page = _page("product", entry=entry, evidence=_names(evidence), **values)
        written += [
            _write(folder / "index.html", page),
            _write(folder / "badge.json", json.dumps(_badge(entry))),
            _write(folder / "badge.svg", _picture(entry)),
            *evidence,
        ]
    return written


def _copied(source: Path, folder: Path, names: Iterable[str]) -> Iterator[str]:
    """Copy the files that there are; what an earlier build had copied goes with its source."""
    for name in names:
        path = source / name
        try:
            # What a link leads to is not the vendor's, and what is larger is read by nobody.
            content = regular_file.read(path, LARGEST.get(name, LARGEST_KEY))
        except OSError:
            (folder / name).unlink(missing_ok=True)
        else:
            fresh_file.write(folder / name, content)
            yield str(folder / name)


def _names(paths: Iterable[str]) -> set[str]:
    return {Path(path).name for path in paths}


def _picture(entry: Entry) -> str:
    """The badge of a product, which links to its page."""
    return picture(entry.message, FILLS[entry.shade], "index.html").decode()


def _write(path: Path, text: str) -> str:
    fresh_file.write(path, text.encode())
    return str(path)


def _document(entry: Entry) -> dict[str, Any]:
    return {
        "product": dict(entry.submission.product),
        "status": entry.status,
        "verdict": entry.verdict,
        "contested": entry.is_contested,
        "note": entry.note,
        "certificate": entry.submission.digest,
        "statement": entry.submission.statement,
        "claims": dict(entry.claims),
    }


def _badge(entry: Entry) -> dict[str, Any]:
    """The response for an endpoint badge of shields.io."""
    colour = COLOURS[entry.shade]
    return {"schemaVersion": 1, "label": LABEL, "message": entry.message, "color": colour}


def _page(name: str, **values: Any) -> str:
    return _environment().get_template(f"{name}.html.jinja").render(classes=CLASSES, **values)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _text(name: str) -> str:
    return (resources.files("conformance.assurance.registry") / name).read_text(encoding="utf-8")
