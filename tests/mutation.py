"""The score of the judge's own code under mutation, held against what MUTATION.md records: `python tests/mutation.py`.

It reads what `mutmut run` has found, prints the table, and fails where a mutant lives without a reason, where a reason has lost its
mutant, or where the table is another one than that of MUTATION.md.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

RECORD = Path(__file__).with_name("MUTATION.md")
RESULT = re.compile(r"\s*(conformance\.\S+)__mutmut_(\d+): (.*)")
REASON = re.compile(r"^- `(conformance\.[^`]+)` ([\d, ]+):", re.MULTILINE)
DEAD = ("killed", "timeout", "caught by type check")
Mutant = tuple[str, int]


def results(lines: Iterable[str]) -> dict[Mutant, str]:
    """What became of each mutant, by its function and its number in it, out of what `mutmut results --all true` prints."""
    return {(match[1], int(match[2])): match[3] for match in map(RESULT.fullmatch, lines) if match}


def table(found: Mapping[Mutant, str]) -> Iterator[str]:
    """The rows of the score, one for each module."""
    modules: dict[str, list[str]] = {}
    for (function, _), status in found.items():
        modules.setdefault(re.sub(r"\.x[_ǁ].*", "", function), []).append(status)
    for module, statuses in sorted(modules.items()):
        dead = sum(status in DEAD for status in statuses)
        yield f"| `{module}` | {len(statuses)} | {dead} | {len(statuses) - dead} |"


def explained(text: str) -> set[Mutant]:
    """The mutants that the record gives a reason for."""
    return {
        (match[1], int(number)) for match in REASON.finditer(text) for number in match[2].split(",")
    }


def problems(found: Mapping[Mutant, str], record: str) -> Iterator[str]:
    """What the record does not say, or says no longer."""
    alive, reasons = (
        {mutant for mutant, status in found.items() if status not in DEAD},
        explained(record),
    )
    for function, number in sorted(alive - reasons):
        yield f"{function}__mutmut_{number}: {found[function, number]}, and MUTATION.md gives no reason"
    for function, number in sorted(reasons - alive):
        yield f"{function}__mutmut_{number}: has a reason in MUTATION.md, and does not live"
    if rows := [row for row in table(found) if row not in record]:
        yield f"MUTATION.md does not have {len(rows)} of the rows above"


def main() -> int:
    """0 where the record is true."""
    printed = subprocess.run(
        ["mutmut", "results", "--all", "true"], check=True, capture_output=True, text=True
    ).stdout
    found = results(printed.splitlines())
    said = [*table(found), *problems(found, RECORD.read_text(encoding="utf-8"))]
    sys.stdout.writelines(f"{line}\n" for line in said)
    return int(not found or len(said) > len(list(table(found))))


if __name__ == "__main__":
    sys.exit(main())
