"""The web site of a registry: static files, a matrix of products and classes, a page for each."""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from conformance.assurance.registry.revocation import Revocations
from conformance.assurance.registry.submission import CERTIFICATE, KEY, Submission
from conformance.contract.requirements import CLASSES

COLOURS = {"active": "brightgreen", "expired": "lightgrey", "revoked": "red", "rejected": "red"}


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

    def cell(self, name: str) -> str:
        """How many requirements of a class passed, of those that are applicable."""
        counted = self.claims.get("classes", {}).get(name, {})
        applicable = sum(counted.values()) - counted.get("not-applicable", 0)
        return f"{counted.get('pass', 0)}/{applicable}" if applicable else "–"


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
    note = revocations.reason(submission.digest) or "; ".join(submission.faults)
    return Entry(submission.name, title or submission.name, status, note, submission)


def build(registry: Path, site: Path, found: Sequence[Entry], today: date) -> list[str]:
    """Write the site; the names of its files."""
    site.mkdir(parents=True, exist_ok=True)
    written = [_write(site / "index.html", _page("index", entries=found, today=today))]
    document = [_document(entry) for entry in found]
    written.append(_write(site / "registry.json", json.dumps(document, indent=2)))
    for entry in found:
        folder = site / entry.slug
        folder.mkdir(exist_ok=True)
        written.append(_write(folder / "index.html", _page("product", entry=entry, today=today)))
        written.append(_write(folder / "badge.json", json.dumps(_badge(entry))))
        for name in (CERTIFICATE, KEY):
            source = registry / entry.slug / name
            if source.is_file():
                shutil.copyfile(source, folder / name)
                written.append(str(folder / name))
    return written


def _write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def _document(entry: Entry) -> dict[str, Any]:
    return {
        "product": dict(entry.submission.product),
        "status": entry.status,
        "note": entry.note,
        "certificate": entry.submission.digest,
        "claims": dict(entry.claims),
    }


def _badge(entry: Entry) -> dict[str, Any]:
    """The response for an endpoint badge of shields.io."""
    message = f"{entry.status} {entry.claims.get('revision', '')}".strip()
    colour = COLOURS[entry.status]
    return {"schemaVersion": 1, "label": "conformance", "message": message, "color": colour}


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
