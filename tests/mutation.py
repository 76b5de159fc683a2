"""Compares the results of `mutmut run` with MUTATION.md: `python tests/mutation.py`.

It prints the table of scores. It fails where a surviving mutant has no reason in MUTATION.md, where
a reason is about a mutant that does not survive, and where the table differs.
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
    """The status of each mutant (function and number), from `mutmut results --all true`."""
    return {(match[1], int(match[2])): match[3] for match in map(RESULT.fullmatch, lines) if match}


def table(found: Mapping[Mutant, str]) -> Iterator[str]:
    """The rows of the table of scores, one for each module."""
    modules: dict[str, list[str]] = {}
    for (function, _), status in found.items():
        modules.setdefault(re.sub(r"\.x[_ǁ].*", "", function), []).append(status)
    for module, statuses in sorted(modules.items()):
        dead = sum(status in DEAD for status in statuses)
        yield f"| `{module}` | {len(statuses)} | {dead} | {len(statuses) - dead} |"


def explained(text: str) -> set[Mutant]:
    """The mutants that MUTATION.md gives a reason for."""
    return {
        (match[1], int(number)) for match in REASON.finditer(text) for number in match[2].split(",")
    }


def problems(found: Mapping[Mutant, str], record: str) -> Iterator[str]:
    """The differences between the results and MUTATION.md."""
    alive = {mutant for mutant, status in found.items() if status not in DEAD}
    reasons = explained(record)
    for function, number in sorted(alive - reasons):
        status = found[function, number]
        yield f"{function}__mutmut_{number}: {status}, without a reason in MUTATION.md"
    for function, number in sorted(reasons - alive):
        yield f"{function}__mutmut_{number}: does not survive, but has a reason in MUTATION.md"
    if rows := [row for row in table(found) if row not in record]:
        yield f"{len(rows)} rows of the table are missing in MUTATION.md"


def main() -> int:
    """0 where MUTATION.md has the same results, else 1."""
    printed = subprocess.run(
        ["mutmut", "results", "--all", "true"], check=True, capture_output=True, text=True
    ).stdout
    found = results(printed.splitlines())
    differences = list(problems(found, RECORD.read_text(encoding="utf-8")))
    sys.stdout.writelines(f"{line}\n" for line in [*table(found), *differences])
    return int(not found or bool(differences))


if __name__ == "__main__":
    sys.exit(main())
