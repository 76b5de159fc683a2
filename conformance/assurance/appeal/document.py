"""An appeal as a TOML file: six fields for whoever decides it, and a variant that runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.assurance.appeal.derivation import Derived
from conformance.assurance.selftest import catalogue
from conformance.assurance.selftest.altered import Edit
from conformance.contract import interpretations, revisions
from conformance.report.document_types import (
    ExchangeEntry,
    FindingEntry,
    Report,
    RequirementEntry,
)
from conformance.storage import toml_text

WORDS = "QUOTE the words of the specification that allow it."
DESCRIPTION = "SAY why the check is wrong, and what the right behaviour is."
IMPLEMENTATION = "NAME the vendor, the product and its version."
BY_HAND = """\
# No edit follows from the report: {reason}.
# Write the edits by hand: `old` occurs exactly once in a module of conformance/reference.
# edits = [{{module = "service", old = "…", new = "…"}}]
edits = []
"""
HEAD = """\
# An appeal against {requirement}; docs/appeals.md has the process.
#
# `conformance selftest --also {file} --only {id}`
# runs the suite on the variant below. As long as the appeal is open, it has to fail
# {requirement} and nothing else.
"""


@dataclass(frozen=True)
class Appeal:
    """What is appealed against, what the vendor says, and what follows from the report.

    `derived` is a reason instead where no edit follows.
    """

    report: Report
    entry: RequirementEntry
    found: FindingEntry
    exchange: ExchangeEntry
    derived: Derived | str
    words: str = WORDS
    description: str = DESCRIPTION

    @property
    def id(self) -> str:
        """The id of the variant."""
        return f"appeal-{self.entry['id'].replace('/', '-')}"


def text(appeal: Appeal, file: str, *, rejected: bool = False) -> str:
    """The file; a rejected appeal has become a mutant."""
    head = HEAD.format(requirement=appeal.entry["id"], file=file, id=appeal.id)
    subject = _mutant(appeal) if rejected else _variant(appeal)
    lines = ([] if rejected else [*head.splitlines(), *_fields(appeal), ""], subject)
    return "".join(f"{line}\n" for part in lines for line in part)


FIELDS = {
    "specification": "1. the part of the specification",
    "test": "2. the test that is challenged",
    "suite": "3. the suite, and what the revision has left out already",
    "implementation": "4. the implementation",
    "description": "5. why the test is wrong, and what is right; the words that allow it",
    "finding": "6. what supports it: the finding, and the exchange in exchanges.jsonl",
}
"""The six fields of a challenge in the process of Jakarta EE, above the first key of each."""


def _fields(appeal: Appeal) -> Iterator[str]:
    yield "[appeal]"
    for name, value in _stated(appeal).items():
        if name in FIELDS:
            yield f"# {FIELDS[name]}"
        yield f"{name} = {_list(value) if isinstance(value, list) else _text(value)}"


def _stated(appeal: Appeal) -> dict[str, str | list[str]]:
    report, entry, suite = appeal.report, appeal.entry, appeal.report["suite"]
    checks = ", ".join(catalogue.checks().get(entry["id"], ()))
    place = appeal.found["operation"] or "the deployment"
    return {
        "specification": f"{entry['section']}: {entry['statement']}",
        "test": f"{entry['id']} on {place}: {checks}",
        "suite": f"{suite['name']} {suite['version']}, {_state(suite.get('revision'))}",
        "implementation": _product(report),
        "description": appeal.description,
        "words": appeal.words,
        "interpretations": _accepted(entry["id"]),
        "finding": appeal.found["message"],
        "exchange": appeal.exchange["id"],
        "request": _request(appeal.exchange),
        "response": _response(appeal.exchange),
    }


def _state(stated: str | None) -> str:
    revision = revisions.load(stated) if stated in revisions.names() else revisions.latest()
    return f"revision {revision.name}, excluded: {', '.join(revision.excluded) or 'nothing'}"


def _product(report: Report) -> str:
    product: Mapping[str, Any] = report["target"].get("product", {})
    named = [str(product[key]) for key in ("vendor", "name", "version") if key in product]
    return " ".join(named) or IMPLEMENTATION


def _accepted(requirement: str) -> list[str]:
    return [f"{each.point}: {each.accepted}" for each in interpretations.of(requirement)]


def _request(exchange: ExchangeEntry) -> str:
    return exchange.get("curl", f"{exchange['request']['method']} {exchange['request']['url']}")


def _response(exchange: ExchangeEntry) -> str:
    response = exchange.get("response")
    if not response:
        return f"none: {exchange.get('failure')}"
    return f"{response['status']} {response['body'].get('text', '')}"


def _variant(appeal: Appeal) -> Iterator[str]:
    yield "[[variant]]"
    yield f"id = {_text(appeal.id)}"
    yield f"about = {_text(_about(appeal))}"
    yield f"reading = {_text(appeal.words)}"
    yield from _edits(appeal.derived)


def _mutant(appeal: Appeal) -> Iterator[str]:
    yield "[[mutant]]"
    yield f"id = {_text(appeal.id)}"
    yield f"about = {_text(_about(appeal))}"
    yield f"breaks = {_list([appeal.entry['id']])}"
    yield from _edits(appeal.derived)


def _about(appeal: Appeal) -> str:
    named = _product(appeal.report)
    name = "the product under appeal" if named == IMPLEMENTATION else named
    return f"As {name} does: {appeal.found['message']}."


def _edits(derived: Derived | str) -> Iterator[str]:
    if isinstance(derived, str):
        yield from BY_HAND.format(reason=derived).splitlines()
        return
    yield f"# {derived.caution}."
    yield "edits = ["
    for edit in derived.edits:
        yield from _edit(edit)
    yield "]"


def _edit(edit: Edit) -> Iterator[str]:
    parts = {"module": edit.module, "old": edit.old, "new": edit.new}
    shown = ", ".join(f"{name} = {_text(value)}" for name, value in parts.items())
    yield from f"  {{{shown}}},".splitlines()


def _list(values: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(value: str) -> str:
    """A TOML string: over several lines where the value has several."""
    is_plain = all(each.isprintable() or each == "\n" for each in value)
    if "\n" in value and "'''" not in value and is_plain:
        return f"'''\n{value}'''"
    return toml_text.quoted(value)
