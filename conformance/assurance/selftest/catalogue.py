"""The catalogue and what stands behind it: section, requirement, checks, mutants; the text of spec/COVERAGE.md."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from conformance import rules, suite
from conformance.assurance.selftest.population import Mutant, Subject
from conformance.contract import requirements
from conformance.contract.requirements import Requirement

HEADER = """\
# What is judged, by what, and what proves it

Generated from the catalogue, the checks and the mutants (`conformance selftest --coverage --also tests/population/*.toml`);
a test keeps it current.
A check named `rules/…` looks at every exchange of a run. A requirement that is not judged says why.

"""


def text(subjects: Iterable[Subject]) -> str:
    """The whole document, with the mutants among these."""
    return HEADER + "".join(f"{line}\n" for line in _lines(_breaking(subjects)))


def _lines(mutants: Mapping[str, Sequence[str]]) -> Iterator[str]:
    checks = judges()
    catalogue = requirements.load()
    for section in dict.fromkeys(entry.section for entry in catalogue.values()):
        yield f"## {section}"
        yield ""
        yield "| requirement | level | statement | judged by | mutants |"
        yield "|---|---|---|---|---|"
        for entry in catalogue.values():
            if entry.section == section:
                judged = entry.untested or ", ".join(
                    f"`{name}`" for name in checks.get(entry.id, ())
                )
                yield f"| `{entry.id}` | {entry.level} | {entry.statement} | {judged} | {_counted(entry, mutants.get(entry.id, []))} |"
        yield ""


def _counted(entry: Requirement, mutants: Sequence[str]) -> str:
    if not entry.is_checked:
        return ""
    shown = ", ".join(f"`{id}`" for id in mutants[:3])
    return f"{shown} … {len(mutants)} in all" if len(mutants) > 3 else shown


def _breaking(subjects: Iterable[Subject]) -> dict[str, list[str]]:
    """The mutants that break each requirement, by its id."""
    found: dict[str, list[str]] = {}
    for mutant in subjects:
        for id in sorted(mutant.breaks) if isinstance(mutant, Mutant) else ():
            found.setdefault(id, []).append(mutant.id)
    return found


def judges() -> dict[str, list[str]]:
    """The checks and the rules that judge each requirement, by its id."""
    found: dict[str, list[str]] = {}
    for id, name in (*_ruled(), *_checked()):
        names = found.setdefault(id, [])
        names += [name] if name not in names else []
    return found


def _ruled() -> Iterator[tuple[str, str]]:
    known = requirements.load()
    for path in _sources(rules):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield from ((id, f"rules/{path.stem}") for id in _spelled(node) if id in known)


def _checked() -> Iterator[tuple[str, str]]:
    for path in _sources(suite):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                name = f"{path.stem.removeprefix('test_')}::{node.name.removeprefix('test_')}"
                yield from (
                    (id, name)
                    for decorator in node.decorator_list
                    for part in ast.walk(decorator)
                    for id in _spelled(part)
                )


def _sources(package: object) -> list[Path]:
    return sorted(path for folder in package.__path__ for path in Path(folder).glob("*.py"))  # type: ignore[attr-defined]


def _spelled(node: ast.AST) -> Iterator[str]:
    """The requirement that a text names; those of resources are made of their name and an aspect."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "/" in node.value:
        yield node.value
    if (
        isinstance(node, ast.JoinedStr)
        and isinstance(node.values[-1], ast.Constant)
        and node.values[-1].value in ("/fields", "/required")
    ):
        yield from (
            id for id in requirements.load() if id.endswith(("/fields", "/required", "/closed"))
        )
