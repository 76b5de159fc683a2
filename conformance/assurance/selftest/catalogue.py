"""The catalogue with the checks and mutants of each requirement: the text of spec/COVERAGE.md."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from conformance import rules, suite
from conformance.assurance.selftest.population import Mutant, Subject
from conformance.contract import requirements
from conformance.contract.requirements import Requirement

HEADER = """\
# Requirements, their checks and their mutants

Generated from the catalogue, the checks and the mutants with `tox -e generate`; a test keeps it
up to date. A check named `rules/…` applies to every exchange of a run; `rules/client` applies to
what a client sends, and its mutants are faulty clients (`conformance/assurance/clients`). For a
requirement that is not checked, the reason stands in place of the checks.

"""
SHOWN = 3
"""Mutants named in a row; the rest are counted."""

Names = dict[str, list[str]]
"""Names of checks or mutants, by requirement."""


def text(subjects: Iterable[Subject]) -> str:
    """The whole document, with these mutants."""
    return HEADER + "".join(f"{line}\n" for line in _lines(_mutants(subjects)))


def checks() -> Names:
    """The checks and the rules of each requirement."""
    found: Names = {}
    for id, name in (*_rules(), *_checks()):
        names = found.setdefault(id, [])
        names += [name] if name not in names else []
    return found


def _lines(mutants: Mapping[str, Sequence[str]]) -> Iterator[str]:
    names = checks()
    catalogue = requirements.every().values()
    for section in dict.fromkeys(entry.section for entry in catalogue):
        yield f"## {section}"
        yield ""
        yield "| requirement | level | statement | checks | mutants |"
        yield "|---|---|---|---|---|"
        for entry in catalogue:
            if entry.section == section:
                yield _row(entry, names.get(entry.id, ()), mutants.get(entry.id, ()))
        yield ""


def _row(entry: Requirement, checks: Sequence[str], mutants: Sequence[str]) -> str:
    checked_by = entry.untested or ", ".join(f"`{name}`" for name in checks)
    killed = _counted(mutants) if entry.is_checked else ""
    cells = (f"`{entry.id}`", entry.level, entry.statement, checked_by, killed)
    return f"| {' | '.join(cells)} |"


def _counted(mutants: Sequence[str]) -> str:
    shown = ", ".join(f"`{id}`" for id in mutants[:SHOWN])
    return f"{shown} … {len(mutants)} in total" if len(mutants) > SHOWN else shown


def _mutants(subjects: Iterable[Subject]) -> Names:
    found: Names = {}
    for subject in subjects:
        for id in sorted(subject.breaks) if isinstance(subject, Mutant) else ():
            found.setdefault(id, []).append(subject.id)
    return found


def _rules() -> Iterator[tuple[str, str]]:
    for module, ids in sorted(rules.REQUIREMENTS.items()):
        yield from ((id, f"rules/{module}") for id in sorted(ids))


def _checks() -> Iterator[tuple[str, str]]:
    for path in _sources(suite):
        module = path.stem.removeprefix("test_")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                name = f"{module}::{node.name.removeprefix('test_')}"
                yield from ((id, name) for id in _decorated(node))


def _decorated(function: ast.FunctionDef) -> Iterator[str]:
    for decorator in function.decorator_list:
        for node in ast.walk(decorator):
            yield from _ids(node)


def _sources(package: ModuleType) -> list[Path]:
    return sorted(path for folder in package.__path__ for path in Path(folder).glob("*.py"))


def _ids(node: ast.AST) -> Iterator[str]:
    """The requirement that a decorator names."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "/" in node.value:
        yield node.value
