"""A file of known failures and gaps as text: entries are changed, and all else stays as it is."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.report import known_failures
from conformance.report.known_failures import TABLES, Known, KnownError
from conformance.report.share import Share
from conformance.storage import fresh_file, toml_text
from conformance.target import toml_schema
from conformance.target.toml_schema import Place, Problem

Key = tuple[str, int]
"""A table and the number of an entry in it, from 0."""


@dataclass(frozen=True)
class KnownFile:
    """The text of a file, and its entries by their place."""

    path: Path
    text: str = ""
    entries: Mapping[Key, Known] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "KnownFile":
        """The file of a path. Raises KnownError."""
        entries = known_failures.listed(path)
        keyed = {
            (name, number): entry
            for name, is_gap in TABLES.items()
            for number, entry in enumerate(each for each in entries if each.is_gap is is_gap)
        }
        return cls(path, toml_text.read(path, follow=True), keyed)

    def line(self, place: Place) -> int | None:
        """The line of an entry or of a key of it, from 1."""
        return toml_schema.line_of(self._lines, place)

    @cached_property
    def _lines(self) -> Mapping[Place, int]:
        return toml_schema.lines(self.text)

    def changed(
        self,
        added: Sequence[Known] = (),
        flaky: Mapping[Key, Share] | None = None,
        deleted: Collection[Key] = (),
    ) -> "KnownFile":
        """The file with other entries.

        Raises KnownError where its text is written in another way than with a header and a line for
        each key: a changed text has to have exactly the entries that are meant.
        """
        flaky = flaky or {}
        if not (added or flaky or deleted):
            return self
        try:
            text = _appended(_edited(self.text, flaky, deleted), added)
            is_meant = toml_text.parse(text) == _meant(self.text, added, flaky, deleted)
        except (ValueError, KeyError):
            is_meant = False
        if not is_meant:
            remedy = "write [[known]] above each entry, and each of its keys on a line"
            what = "cannot be changed by a command"
            raise KnownError([Problem(str(self.path), None, "", what, remedy)])
        return KnownFile(self.path, text)

    def write(self) -> None:
        """Write the file. Raises OSError."""
        fresh_file.write(self.path, self.text.encode())


def _edited(text: str, flaky: Mapping[Key, Share], deleted: Collection[Key]) -> str:
    found = toml_schema.lines(text)
    lines = text.split("\n")
    for key, share in flaky.items():
        stated = f'flaky = "{share}"'
        if (*key, "flaky") in found:
            lines[found[(*key, "flaky")] - 1] = stated
        else:
            lines[found[key] - 1] += f"\n{stated}"
    blocks = _blocks(found, lines)
    gone = {number for key in deleted for number in blocks[key]}
    return "\n".join(line for number, line in enumerate(lines) if number not in gone)


def _blocks(found: Mapping[Place, int], lines: Sequence[str]) -> dict[Place, range]:
    """The lines of each entry, from 0, with the comment right above it and the gap after it."""
    heads = {
        place: _commented(line - 1, lines)
        for place, line in found.items()
        if len(place) == len(("table", "number")) and isinstance(place[-1], int)
    }
    keys = sorted(heads, key=heads.__getitem__)
    ends = [*(heads[key] for key in keys[1:]), len(lines)]
    return {
        key: range(heads[key], _end(range(found[key] - 1, end), lines))
        for key, end in zip(keys, ends, strict=False)
    }


def _end(block: range, lines: Sequence[str]) -> int:
    """The line after an entry: a comment below it is about what follows."""
    last = max(number for number in block if lines[number].partition("#")[0].strip())
    while last + 1 < block.stop and not lines[last + 1].strip():
        last += 1
    return last + 1


def _commented(line: int, lines: Sequence[str]) -> int:
    while line and lines[line - 1].lstrip().startswith("#"):
        line -= 1
    return line


def _appended(text: str, added: Sequence[Known]) -> str:
    parts = [text.rstrip("\r\n"), *("\n".join(_entry(entry)) for entry in added)]
    written = "\n\n".join(filter(None, parts))
    return f"{written}\n" if written else ""


def _entry(entry: Known) -> Iterator[str]:
    yield "[[known]]"
    for key, value in _stated(entry).items():
        yield f"{key} = {toml_text.quoted(value)}"


def _stated(entry: Known) -> dict[str, str]:
    keys = ("requirement", "operation", "reason", "flaky")
    return {key: value for key in keys if (value := getattr(entry, key)) is not None}


def _meant(
    text: str, added: Sequence[Known], flaky: Mapping[Key, Share], deleted: Collection[Key]
) -> dict[str, Any]:
    tables: dict[str, Any] = {
        name: [
            {**entry, "flaky": str(flaky[name, number])} if (name, number) in flaky else entry
            for number, entry in enumerate(entries)
            if (name, number) not in deleted
        ]
        for name, entries in toml_text.parse(text).items()
    }
    tables["known"] = [*tables.get("known", []), *map(_stated, added)]
    return {name: entries for name, entries in tables.items() if entries}
