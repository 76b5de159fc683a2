"""The reference implementation with edited sources, loaded beside the original."""

import builtins
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
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
from conformance.assurance.selftest import source

PACKAGE = reference.__name__
FOLDER = Path(str(reference.__file__)).parent


class EditError(ValueError):
    """An edit that does not apply; the message has the module, the text and its count."""


@dataclass(frozen=True)
class Edit:
    """A replacement in a module of the reference; `old` must occur in it exactly once."""

    module: str
    old: str
    new: str


def edited(edits: Sequence[Edit]) -> dict[str, str]:
    """The edited sources by module; edits of one module apply in their order. Raises EditError."""
    sources: dict[str, str] = {}
    for edit in edits:
        text = sources.get(edit.module) or _source(edit.module)
        count = text.count(edit.old) if edit.old else 0
        if count != 1:
            raise EditError(f"{edit.module}: {edit.old!r} must occur once, occurs {count} times")
        sources[edit.module] = text.replace(edit.old, edit.new)
    return sources


def changed(edits: Sequence[Edit]) -> frozenset[str] | None:
    """The functions that behave otherwise with these edits; None: it may be all of them."""
    after = edited(edits)
    try:
        return source.changed(_sources(), after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # as `ast.parse` raises them
        return None


@cache
def cached_functions() -> frozenset[str]:
    """The functions of the original that run once, whoever needs them first."""
    return frozenset().union(*(source.cached(*each) for each in _sources().items()))


def load(edits: Sequence[Edit], probe: Callable[[str], None] | None = None) -> ModuleType:
    """A second `conformance.reference` with the edits; `sys.modules` stays unchanged.

    Every module of the package is executed again. `probe` is called with the name of each function
    that begins. Raises EditError, and every exception of an edited module at its import.
    """
    finder = _Finder(edited(edits), probe)
    with _hidden_original():
        sys.meta_path.insert(0, finder)
        try:
            package = importlib.import_module(PACKAGE)
            finder.modules.update(
                {name: module for name, module in sys.modules.items() if _is_reference(name)}
            )
            return package
        finally:
            sys.meta_path.remove(finder)


@cache
def _sources() -> dict[str, str]:
    """The sources of the original by module."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.py"))}


def _source(module: str) -> str:
    if module not in _sources():
        raise EditError(f"{module}: unknown module of the reference")
    return _sources()[module]


@contextmanager
def _hidden_original() -> Iterator[None]:
    """Take the modules of the original out of `sys.modules`, and put them back at the end."""
    original = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_reference(name)}
    try:
        yield
    finally:
        for name in list(sys.modules):
            if _is_reference(name):
                del sys.modules[name]
        sys.modules.update(original)
        # The import has also set the attribute of the parent package.
        vars(conformance)["reference"] = original[PACKAGE]


def _is_reference(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")


class _Finder(MetaPathFinder):
    """Finds the modules of the reference; some have edited sources."""

    def __init__(self, sources: dict[str, str], probe: Callable[[str], None] | None) -> None:
        self._sources = sources
        self._probe = probe
        self.modules: dict[str, ModuleType] = {}

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        """The spec of a module of the reference; None for any other module."""
        if not _is_reference(fullname):
            return None
        name = fullname.removeprefix(PACKAGE).removeprefix(".") or "__init__"
        path, altered = str(FOLDER / f"{name}.py"), (self._sources.get(name), self.modules)
        loader = _Loader(fullname, path, altered, self._probe)
        return spec_from_file_location(fullname, loader.path, loader=loader)


class _Loader(SourceFileLoader):
    """Loads a module from an edited source, or from its file."""

    def __init__(
        self,
        fullname: str,
        path: str,
        altered: tuple[str | None, dict[str, ModuleType]],
        probe: Callable[[str], None] | None,
    ) -> None:
        super().__init__(fullname, path)
        self._edited, self._siblings = altered
        self._probe = probe

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module; later imports inside its functions find the edited package too."""
        replaced = {"__import__": self._import, source.PROBE: self._probe}
        vars(module)["__builtins__"] = {**vars(builtins), **replaced}
        super().exec_module(module)

    def _import(self, name: str, *context: Any) -> Any:
        return (
            self._siblings[name] if name in self._siblings else builtins.__import__(name, *context)
        )

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        """The code of the module; unedited modules are compiled once in a process."""
        if self._probe is not None:
            text = self._edited or Path(self.path).read_text(encoding="utf-8")
            probed = source.with_probes(Path(self.path).stem, text)
            return compile(probed, self.path, "exec", dont_inherit=True)
        return _compiled(self.path) if self._edited is None else _code(self._edited, self.path)


@cache
def _compiled(path: str) -> CodeType:
    return _code(Path(path).read_text(encoding="utf-8"), path)


def _code(source: str, path: str) -> CodeType:
    return compile(source, path, "exec", dont_inherit=True)
