"""What a profile has a run do beside sending requests: run commands, and send variables.

Whoever wrote the file decides both, and that need not be whoever runs it.
"""

import hashlib
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from conformance.contract.quantity import quantity
from conformance.target.profile_schema import ARGUMENT, PROFILE
from conformance.target.toml_schema import (
    Array,
    Either,
    Named,
    Place,
    Problem,
    Schema,
    dotted,
    line_of,
    lines,
    reference,
)

OWN = "LOCALIZATION_"
"""What the names of variables begin with that are meant for targets of this API."""
_REMEDY = "read the file, and add --trust if it may do that"
_USUAL = "read the file, and name it with --target, or add --trust, if it may do that"
_MOST_SHOWN = 3
"""Reviews in a question: more would take the commands off the screen."""

_IN_PLACE = ("socket", "host", "ca")
_CONSENT = "consent"
_KINDS = {
    "client-key": "a private key",
    "client-certificate": "a private key",
    "socket": "a Unix socket",
}
"""What the files are that a connection names."""


@dataclass(frozen=True)
class Origin:
    """Where tables come from: a file, its text, the place in it, and where its commands run."""

    file: Path
    text: str
    folder: Path = Path()
    within: Place = ()


@dataclass(frozen=True)
class Stated:
    """A key of a profile with its line, and a command's arguments or a variable's name."""

    key: str
    line: int | None
    words: tuple[str, ...]


@dataclass(frozen=True)
class Demands:
    """The commands of a profile, and the variables that it sends to its addresses.

    `folder` is where its commands run, `changes` are the keys of its consent, `files` those of this
    machine that it uses: a private key that it proves to have, and a Unix socket. `reviews` are
    those that its consent lets a run approve.
    """

    file: Path
    folder: Path
    commands: tuple[Stated, ...]
    variables: tuple[Stated, ...]
    addresses: tuple[str, ...]
    changes: tuple[str, ...]
    files: tuple[Stated, ...] = ()
    reviews: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it runs no command, sends no variable, and uses no file of this machine."""
        return not any((self.commands, self.variables, self.files))

    @property
    def is_usual(self) -> bool:
        """Whether it only sends variables that are meant for targets of this API."""
        own = all(each.words[0].startswith(OWN) for each in self.variables)
        return own and not self.commands

    @property
    def digest(self) -> str:
        """What stands for the file with exactly these demands, wherever its other keys change."""
        stated: dict[str, Any] = {
            "file": str(self.file.resolve()),
            "folder": str(self.folder) if self.commands else None,
            "commands": [(each.key, each.words) for each in self.commands],
            "variables": [(each.key, each.words) for each in self.variables],
            "addresses": self.addresses,
            "changes": self.changes,
        }
        if self.files:
            stated["keys"] = [(each.key, each.words) for each in self.files]
        if self.reviews:
            stated["reviews"] = sorted(self.reviews)
        return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()

    def with_environment(self, names: Sequence[str]) -> "Demands":
        """The same with further variables that its commands get; without a command, none does."""
        if not self.commands:
            return self
        further = tuple(Stated("environment", None, (name,)) for name in names)
        return replace(self, variables=(*self.variables, *further))

    def described(self) -> Iterator[str]:
        """What a person has to know who allows it, line by line; texts of the file as they are."""
        for each in self.commands:
            yield f"runs   {shlex.join(each.words)}  ({each.key}, in {self.folder})"
        for each in self.variables:
            yield f"sends  the variable {each.words[0]}  ({each.key})"
        for each in self.files:
            yield f"uses   {_KINDS[each.key.rpartition('.')[2]]} {each.words[0]}  ({each.key})"
        if not self.is_empty:
            yield f"to     {', '.join(map(_spelled, self.addresses))}"
            yield from (f"with   {key} = true" for key in self.changes)
        if self.reviews and not self.is_empty:
            more = ", …" if len(self.reviews) > _MOST_SHOWN else ""
            shown = f"{', '.join(self.reviews[:_MOST_SHOWN])}{more}"
            yield f"may    approve {quantity(len(self.reviews), 'review')}: {shown}"

    def problems(self) -> Iterator[Problem]:
        """The demands as problems of the file, for whoever did not allow them."""
        for each in self.commands:
            what = "is a command, and this file is not trusted"
            yield Problem(str(self.file), each.line, each.key, what, _REMEDY)
        if self.variables:
            first = self.variables[0]
            names = ", ".join(dict.fromkeys(each.words[0] for each in self.variables))
            what = f"sends {names} to an address of this file, and this file is not trusted"
            remedy = _USUAL if self.is_usual else _REMEDY
            yield Problem(str(self.file), first.line, first.key, what, remedy)
        for each in self.files:
            what = f"names {_KINDS[each.key.rpartition('.')[2]]}, and this file is not trusted"
            yield Problem(str(self.file), each.line, each.key, what, _REMEDY)


def _spelled(address: str) -> str:
    """An address, with its host in ASCII beside it where letters may only look like others."""
    if address.isascii():
        return address
    try:
        host = (urlsplit(address).hostname or "").encode("idna").decode()
    except ValueError:
        host = ""
    return f"{address} ({host or address.encode('ascii', 'backslashreplace').decode()})"


def of(tables: Mapping[str, Any], origin: Origin, base_url: str | None = None) -> Demands:
    """The demands of sound tables, before variables are replaced by their values."""
    places = lines(origin.text)

    def stated(place: Place, words: tuple[str, ...]) -> Stated:
        whole = (*origin.within, *place)
        return Stated(dotted(whole), line_of(places, whole), words)

    return Demands(
        origin.file,
        origin.folder.absolute(),
        tuple(stated(*each) for each in _commands(PROFILE, tables)),
        tuple(stated(*each) for each in _variables(tables)),
        tuple(_addresses(tables, base_url)),
        tuple(f"{_CONSENT}.{key}" for key, given in tables.get(_CONSENT, {}).items() if given),
        tuple(stated(*each) for each in _files(tables)),
        tuple(_reviews(tables)),
    )


def _commands(
    schema: Schema, value: Any, place: Place = ()
) -> Iterator[tuple[Place, tuple[str, ...]]]:
    """What stands where the schema has the arguments of a command, whichever key that is."""
    if isinstance(schema, Either):
        schema = schema.table if isinstance(value, Mapping) else schema.value
    if isinstance(schema, Array) and schema.item is ARGUMENT:
        yield place, tuple(value)
    elif isinstance(schema, Named):
        yield from _commands(dict.fromkeys(value, schema.value), value, place)
    elif isinstance(schema, Mapping):
        for key, inner in value.items():
            yield from _commands(schema[key], inner, (*place, key))


def _variables(value: Any, place: Place = ()) -> Iterator[tuple[Place, tuple[str, ...]]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _variables(inner, (*place, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _variables(inner, (*place, index))
    elif name := reference(value):
        yield place, (name,)


def _files(tables: Mapping[str, Any]) -> Iterator[tuple[Place, tuple[str, ...]]]:
    connection = tables.get("connection", {})
    # Without a file of the key, that of the certificate holds it.
    key = next((name for name in ("client-key", "client-certificate") if name in connection), None)
    for name in filter(None, (key, "socket" if "socket" in connection else None)):
        yield ("connection", name), (connection[name],)


def _reviews(tables: Mapping[str, Any]) -> Iterable[str]:
    is_allowed = tables.get(_CONSENT, {}).get("approve-reviews", False)
    return tables.get("fixtures", {}).get("approvable-reviews", ()) if is_allowed else ()


def _addresses(tables: Mapping[str, Any], base_url: str | None) -> Iterator[str]:
    """The addresses that get requests with credentials, what is there in their place, and whom
    an authority may put there.
    """
    yield base_url or tables["base-url"]
    connection = tables.get("connection", {})
    yield from (f"{key} {connection[key]}" for key in _IN_PLACE if key in connection)
    yield from (tables[name]["url"] for name in ("tools", "description") if tables.get(name))
