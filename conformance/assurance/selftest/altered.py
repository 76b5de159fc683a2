"""The reference implementation with edited sources, beside the untouched one."""

import builtins
import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import conformance
from conformance import reference

PACKAGE = reference.__name__
FOLDER = Path(str(reference.__file__)).parent


class EditError(ValueError):
    """An edit that cannot be made; says which module, what was looked for, and how often it is there."""


@dataclass(frozen=True)
class Edit:
    """A replacement in one module of the reference; `old` occurs exactly once in it, so that the edit is certain to be made."""

    module: str
    old: str
    new: str


def edited(edits: Sequence[Edit]) -> dict[str, str]:
    """The sources of the modules that the edits name, edited one after the other. Raises EditError."""
    sources: dict[str, str] = {}
    for edit in edits:
        text = sources.get(edit.module) or _source(edit.module)
        times = text.count(edit.old) if edit.old else 0
        if times != 1:
            raise EditError(f"{edit.module}: {edit.old!r} occurs {times} times, not once")
        sources[edit.module] = text.replace(edit.old, edit.new)
    return sources


def load(edits: Sequence[Edit]) -> ModuleType:
    """A second `conformance.reference` with the edits in it; every module of it is executed anew, `sys.modules` stays as it was.

    Raises EditError, and whatever the edited modules raise while they are executed.
    """
    finder = _Finder(edited(edits))
    with _set_aside():
        sys.meta_path.insert(0, finder)
        try:
            package = importlib.import_module(PACKAGE)
            finder.modules.update(
                {name: module for name, module in sys.modules.items() if _is_ours(name)}
            )
            return package
        finally:
            sys.meta_path.remove(finder)


def _source(module: str) -> str:
    path = FOLDER / f"{module}.py"
    if not module.isidentifier() or not path.is_file():
        raise EditError(f"{module}: the reference has no such module")
    return path.read_text(encoding="utf-8")


@contextmanager
def _set_aside() -> Iterator[None]:
    """Nobody inside finds the modules of the untouched reference, nobody outside finds those that were imported inside."""
    ours = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_ours(name)}
    try:
        yield
    finally:
        for name in list(sys.modules):
            if _is_ours(name):
                del sys.modules[name]
        sys.modules.update(ours)
        # An import also sets the name in the package above.
        vars(conformance)["reference"] = ours[PACKAGE]


def _is_ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")


class _Finder(MetaPathFinder):
    """Finds the modules of the reference, some of them with other sources than their files."""

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources
        self.modules: dict[str, ModuleType] = {}

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        """The spec of a module of the reference; None for all others."""
        if not _is_ours(fullname):
            return None
        name = fullname.removeprefix(PACKAGE).removeprefix(".") or "__init__"
        loader = _Loader(
            fullname, str(FOLDER / f"{name}.py"), (self._sources.get(name), self.modules)
        )
        return spec_from_file_location(fullname, loader.path, loader=loader)


class _Loader(SourceFileLoader):
    """Loads one module from the given source, or from its file where there is none."""

    def __init__(
        self, fullname: str, path: str, altered: tuple[str | None, dict[str, ModuleType]]
    ) -> None:
        super().__init__(fullname, path)
        self._edited, self._siblings = altered

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module. What its functions import later, when the untouched reference is back in place, are its siblings too."""
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": self._import}
        super().exec_module(module)

    def _import(self, name: str, *context: Any) -> Any:
        return (
            self._siblings[name] if name in self._siblings else builtins.__import__(name, *context)
        )

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        """The code of the module; that of unedited ones is compiled once."""
        return _compiled(self.path) if self._edited is None else _code(self._edited, self.path)


@cache
def _compiled(path: str) -> CodeType:
    return _code(Path(path).read_text(encoding="utf-8"), path)


def _code(source: str, path: str) -> CodeType:
    return compile(source, path, "exec", dont_inherit=True)
