"""Where in the files of the user something stands that an annotation is about."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from conformance.storage import toml_text
from conformance.target import toml_schema

Entry = tuple[str, str | None]
"""An entry of the known failures: a requirement, and an operation or None."""


@dataclass(frozen=True)
class Place:
    """A line of a file, from 1."""

    file: str
    line: int


@dataclass(frozen=True)
class Places:
    """The lines of the keys of a profile, by their dotted names, and of the known failures."""

    keys: Mapping[str, Place] = field(default_factory=dict)
    entries: Mapping[Entry, Place] = field(default_factory=dict)

    @classmethod
    def of(cls, profile: Path | None, known: Path | None) -> "Places":
        """The places in these files; none of a file that is not there any more."""
        return cls(dict(_keys(profile)), dict(_entries(known)))


def _keys(path: Path | None) -> Iterator[tuple[str, Place]]:
    for place, line in toml_schema.lines(_text(path)).items():
        yield toml_schema.dotted(place), Place(str(path), line)


def _entries(path: Path | None) -> Iterator[tuple[Entry, Place]]:
    text = _text(path)
    found = toml_schema.lines(text)
    # The run has rejected it, or somebody has edited it since.
    with suppress(ValueError, LookupError, TypeError, AttributeError):
        for table, entries in toml_text.parse(text).items():
            for number, entry in enumerate(entries):
                named = entry["requirement"], entry.get("operation")
                yield named, Place(str(path), found[(table, number)])


def _text(path: Path | None) -> str:
    """The text of a file; nothing where no run can have read it."""
    try:
        text = "" if path is None else toml_text.read(path, follow=True)
        toml_text.parse(text)
    except (OSError, ValueError):
        return ""
    return text
