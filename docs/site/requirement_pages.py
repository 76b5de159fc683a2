"""A page for each requirement: what it means, what is sent, what proves it, and how it fails."""

import ast
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from reference_pages import escaped

from conformance import suite
from conformance.assurance.clients import edited
from conformance.assurance.selftest import catalogue
from conformance.assurance.selftest.population import Mutant, Subject, Variant, shipped
from conformance.commands.explain import LEVELS, NOTHING
from conformance.contract import interpretations, requirements
from conformance.contract.interpretations import Interpretation
from conformance.contract.requirements import Requirement

FAILURES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "failures.json").read_text(encoding="utf-8")
)
"""How each requirement fails on a mutant: `tests/support/generate_failures.py` writes it."""

FOLDER = "reference/requirements"
REFERENCE = "the reference implementation"


def pages() -> dict[str, str]:
    """The text of each page, by its place on the site."""
    known, checks = requirements.every(), catalogue.checks()
    subjects = (*shipped(), *edited.as_mutants())
    made = {
        f"{FOLDER}/{id}.md": "\n".join(_page(stated, checks.get(id, ()), subjects))
        for id, stated in known.items()
    }
    return {f"{FOLDER}/index.md": "\n".join(_index(known.values())), **made}


def _index(every: Any) -> Iterator[str]:
    yield "# Requirements\n"
    yield "`conformance explain ID` prints the same as each of these pages.\n"
    classes = dict.fromkeys(each.conformance_class for each in every)
    for name in classes:
        yield f"## {name}\n"
        yield "| requirement | level | statement |\n|---|---|---|"
        for each in every:
            if each.conformance_class == name:
                yield f"| [{each.id}]({each.id}.md) | {each.level} | {escaped(each.statement)} |"
        yield ""


def _page(stated: Requirement, checks: Sequence[str], subjects: Sequence[Subject]) -> Iterator[str]:
    yield f"# {stated.id}\n"
    yield f"**{escaped(stated.statement)}**\n"
    whole = "the client" if _is_of_client(stated) else "the deployment as a whole"
    operations = ", ".join(f"`{each}`" for each in stated.operations) or whole
    yield "| | |\n|---|---|"
    yield f"| section of the specification | {escaped(stated.section)} |"
    yield f"| class | {stated.conformance_class} |"
    yield f"| level | {escaped(LEVELS[stated.level])} |"
    yield f"| on | {operations} |"
    if stated.needs:
        yield f"| needs, in the profile | {', '.join(f'`{each}`' for each in stated.needs)} |"
    yield ""
    found = interpretations.of(stated.id)
    yield from _interpretations(found)
    yield from _sent(stated, checks)
    yield from _proofs(stated, found, subjects)
    yield from _failure(stated.id)


def _is_of_client(stated: Requirement) -> bool:
    return stated.conformance_class == requirements.CLIENT


def _interpretations(found: Sequence[Interpretation]) -> Iterator[str]:
    if found:
        yield "## What is accepted\n"
        yield "| point | accepted | never | because |\n|---|---|---|---|"
    for each in found:
        cells = (each.point, each.accepted, each.rejected, each.reason)
        yield f"| {' | '.join('' if cell == NOTHING else cell for cell in cells)} |"
    yield ""


def _sent(stated: Requirement, checks: Sequence[str]) -> Iterator[str]:
    yield "## What is sent\n"
    if stated.untested is not None:
        yield f"Nothing: {escaped(stated.untested)}\n"
    for name in checks:
        if name.startswith("rules/"):
            sent = "what the client sends" if _is_of_client(stated) else "every exchange of a run"
            yield f"- Nothing of its own: the rule `{name}` applies to {sent}."
        else:
            yield f"- {escaped(_purposes().get(name, ''))} (`{name}`)"
    yield ""


@cache
def _purposes() -> dict[str, str]:
    """What each check does, by its name: the first line of its docstring."""
    found = {}
    for folder in suite.__path__:
        for path in Path(folder).glob("test_*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    name = f"{path.stem.removeprefix('test_')}::{node.name.removeprefix('test_')}"
                    found[name] = (ast.get_docstring(node) or "").partition("\n")[0]
    return found


def _proofs(
    stated: Requirement, found: Sequence[Interpretation], subjects: Sequence[Subject]
) -> Iterator[str]:
    id, whole = stated.id, "the client of this package" if _is_of_client(stated) else REFERENCE
    readings = {each.reading for each in found if each.reading is not None}
    mutants = [each for each in subjects if isinstance(each, Mutant) and id in each.breaks]
    variants = [each for each in subjects if isinstance(each, Variant) and each.reading in readings]
    if mutants:
        yield "## What proves the check\n"
        yield f"It fails on each of these changes of {whole}:\n"
        yield from (f"- `{each.id}`: {escaped(each.about)}" for each in mutants)
        yield ""
    if variants:
        yield "It passes on each of these:\n"
        yield from (f"- `{each.id}`: {escaped(each.about)}" for each in variants)
        yield ""


def _failure(id: str) -> Iterator[str]:
    if id in FAILURES:
        shown = FAILURES[id]
        yield "## A failure\n"
        yield f"Of `{shown['mutant']}`, as a run shows it:\n"
        yield "```text"
        yield from (line.replace("```", "'''") for line in shown["lines"])
        yield "```"
