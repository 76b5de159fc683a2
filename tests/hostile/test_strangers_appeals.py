"""Appeals by a stranger's report: its texts are literals, and nothing runs unasked."""

import ast
import json
import tomllib
from pathlib import Path
from typing import Any

import orjson
import pytest
from barriers import accept
from process import conformance_here
from sample_reports import a_report

from conformance.assurance.selftest import confined, population
from conformance.contract.exit_codes import CONFORMANT, USAGE_ERROR

PLAIN = "budget"
"""The property in the report that no record may have."""

TEXTS = [
    "'); open('owned', 'w') #",
    '"); import os; os.system("touch owned") #',
    "'''\n[[mutant]]\nid = 'x'\n",
    '"""\nraise SystemExit\n"""',
    "{__import__('os').system('touch owned')}",
    "\\",
    "x\\N{DIGIT ONE}\r\u2028\x00\x1b[2J",
]
"""What would be code of the edit, or syntax of the file, in the place of a text."""


def appealed(folder: Path, text: str) -> tuple[str, dict[str, Any]]:
    """The file of an appeal by the report with this text for the property, and its tables."""
    report = orjson.dumps(replaced(a_report(), text))
    theirs = folder / "theirs"
    theirs.mkdir(exist_ok=True)
    (theirs / "report.json").write_bytes(report)
    file = folder / "appeal.toml"
    file.unlink(missing_ok=True)
    said = ("--words", text, "--description", text, "--out", file.name)
    ended = conformance_here(folder, "appeal", "read/names", "--report", "theirs", *said)
    assert ended.returncode == CONFORMANT, ended.stderr
    assert "\x1b" not in ended.stdout
    content = file.read_text(encoding="utf-8")
    return content, tomllib.loads(content)


def replaced(value: Any, text: str) -> Any:
    """A report with another name, and another value, of the property."""
    if isinstance(value, dict):
        return {key: replaced(each, text) for key, each in value.items()}
    if isinstance(value, list):
        return [replaced(each, text) for each in value]
    if not isinstance(value, str) or PLAIN not in value:
        return value
    if not value.startswith("{"):
        return value.replace(PLAIN, text)
    body = json.loads(value)
    body["data"] = {text: text, "id": body["data"]["id"]}
    return json.dumps(body)


def shape(tables: dict[str, Any]) -> list[object]:
    """What a file consists of, and the code of its edits without their literals."""
    (variant,) = tables["variant"]
    # The text ends with the head of a class.
    trees = [ast.parse(edit["new"].rstrip() + "\n    pass") for edit in variant["edits"][1:]]
    code = [ast.dump(Masked().visit(tree)) for tree in trees]
    return [list(tables), list(tables["appeal"]), list(variant), code]


class Masked(ast.NodeTransformer):
    """A tree without the values of its literals."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        """Its kind alone: a number is a text as well."""
        return ast.Constant(isinstance(node.value, str | int))


@pytest.mark.parametrize("text", TEXTS)
def test_texts_of_a_report_are_literals_of_an_appeal(text: str, tmp_path: Path) -> None:
    """The file and its edits have the structure that they have with a plain text."""
    _, plain = appealed(tmp_path, PLAIN)
    content, found = appealed(tmp_path, text)
    assert shape(found) == shape(plain)
    assert found["appeal"]["words"] == text
    assert not set(content) & {"\x1b", "\x00", "\u2028"}


def test_an_appeal_runs_confined_once_somebody_agrees(tmp_path: Path) -> None:
    """Without a terminal nothing runs; with consent it runs without access to the folder."""
    _, tables = appealed(tmp_path, TEXTS[0])
    (variant,) = tables["variant"]
    words = ("selftest", "--also", "appeal.toml", "--only", variant["id"])
    ended = conformance_here(tmp_path, *words)
    assert ended.returncode == USAGE_ERROR
    assert "read its edits, and add --trust" in ended.stderr

    (row,) = confined.rows(population.load([tmp_path / "appeal.toml"]), 1, accept)
    assert row.subject.id == variant["id"]
    assert not (tmp_path / "owned").exists()
