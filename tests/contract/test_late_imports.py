"""Slow modules are imported late, in whatever thread a check runs: by one thread at a time."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import conformance

PACKAGE = Path(conformance.__file__).parent
ROOMS = ("contract", "http", "rules", "suite")
"""The rooms whose functions several checks call at the same time."""
FILES = [path for room in ROOMS for path in sorted((PACKAGE / room).rglob("*.py"))]
Import = ast.Import | ast.ImportFrom


def late(node: ast.AST, *, is_alone: bool = False, is_inside: bool = False) -> Iterator[Import]:
    """The imports inside of functions that nothing keeps apart."""
    if isinstance(node, Import):
        if is_inside and not is_alone:
            yield node
        return
    inside = is_inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    alone = is_alone or (isinstance(node, ast.With) and _holds_lock(node))
    for child in ast.iter_child_nodes(node):
        yield from late(child, is_alone=alone, is_inside=inside)


def _holds_lock(node: ast.With) -> bool:
    names = [each.context_expr for each in node.items]
    return any(isinstance(name, ast.Name) and name.id == "ALONE" for name in names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_late_imports_are_performed_alone(path: Path) -> None:
    """Each of them holds the lock: a race of two would end a check in an internal error."""
    assert [ast.unparse(each) for each in late(ast.parse(path.read_text("utf-8")))] == []


def test_an_import_without_the_lock_is_found() -> None:
    """At the top of a module, none is needed."""
    source = "import a\ndef f():\n    import b\n    with ALONE:\n        import c\n"
    assert [ast.unparse(each) for each in late(ast.parse(source))] == ["import b"]
