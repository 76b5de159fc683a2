"""The checker with an edited function: what a mistake in the suite would do."""

import ast
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def edited(name: str, old: str, new: str) -> Iterator[None]:
    """Replace a text that occurs once in a module, for as long as this context lasts.

    The functions that the edit changes run in the module itself, beside all others.
    """
    module = importlib.import_module(name)
    file = Path(str(module.__file__))
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{name}: {old!r} occurs {text.count(old)} times"
    before = {ast.dump(node) for node in ast.parse(text).body}
    changed = [
        node for node in ast.parse(text.replace(old, new)).body if ast.dump(node) not in before
    ]
    assert changed
    with pytest.MonkeyPatch.context() as patch:
        for node in changed:
            assert isinstance(node, ast.FunctionDef)
            made: dict[str, object] = {}
            exec(compile(ast.Module([node], []), str(file), "exec"), vars(module), made)
            patch.setattr(module, node.name, made[node.name])
        yield
