"""Writes the generated files of `spec/`: `python tests/support/generate.py`."""

from pathlib import Path

import subjects

from conformance.assurance.selftest import catalogue
from conformance.contract import arazzo

SPEC = Path(__file__).parents[2] / "spec"


def main() -> None:
    """Write the documents; tests compare them with what is generated."""
    documents = {"COVERAGE.md": catalogue.text(subjects.SUBJECTS), "arazzo.yaml": arazzo.text()}
    for name, text in documents.items():
        (SPEC / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
