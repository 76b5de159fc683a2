"""Writes spec/CONDITIONS.md from a run: `python tests/support/generate_conditions.py`."""

from pathlib import Path

from conformance.assurance.selftest import condition_matrix

SPEC = Path(__file__).parents[2] / "spec"


def main() -> None:
    """Check the reference, and write under which conditions that was."""
    reasons = condition_matrix.reasons((SPEC / "unexercised.toml").read_text(encoding="utf-8"))
    text = condition_matrix.text(condition_matrix.measure(), reasons)
    (SPEC / "CONDITIONS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
