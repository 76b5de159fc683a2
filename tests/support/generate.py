"""Writes the generated files of `spec/`: `python tests/support/generate.py`."""

import json
from pathlib import Path
from typing import Any

import subjects

from conformance.assurance.clients import edited
from conformance.assurance.selftest import catalogue
from conformance.contract import arazzo, revisions
from conformance.fleet import fleet_file
from conformance.report import known_failures
from conformance.target import profile_schema

SPEC = Path(__file__).parents[2] / "spec"


def as_json(schema: dict[str, Any]) -> str:
    """The text of a JSON file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the documents; tests compare them with what is generated."""
    documents = {
        "COVERAGE.md": catalogue.text([*subjects.SUBJECTS, *edited.as_mutants()]),
        "arazzo.yaml": arazzo.text(),
        "target.schema.json": as_json(profile_schema.schema()),
        "fleet.schema.json": as_json(fleet_file.schema()),
        "known-failures.schema.json": as_json(known_failures.schema()),
        **unpublished(),
    }
    for name, text in documents.items():
        (SPEC / name).write_text(text, encoding="utf-8")


def unpublished() -> dict[str, str]:
    """The revision that is being prepared; one that is published never changes here."""
    known = revisions.NEXT in revisions.names()
    former = revisions.load(revisions.NEXT) if known else None
    if former is not None and former.published:
        return {}
    readings = (subject.reading for subject in subjects.VARIANTS)
    text = revisions.text(revisions.NEXT, readings, former)
    return {f"{revisions.FOLDER}/{revisions.NEXT}.yaml": text}


if __name__ == "__main__":
    main()
