"""`fleet.toml`: the targets of a fleet, and what their runs have in common.

All problems are reported at once, those of the profiles too.
"""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.contract import requirements, revisions
from conformance.fleet.targets import (
    Environment,
    Fleet,
    FleetProfile,
    FleetTarget,
    RunSettings,
    Schedule,
)
from conformance.reference import target as reference_profile
from conformance.report import known_failures
from conformance.report.known_failures import KnownError
from conformance.runner.option_types import LARGEST_SEED
from conformance.storage import toml_text
from conformance.target import demands, json_schema, profile
from conformance.target.demands import Demands, Origin
from conformance.target.profile_file import ProfileError, tables_of, text_of
from conformance.target.profile_schema import PROFILE, REQUIRED
from conformance.target.toml_schema import (
    Array,
    Either,
    Leaf,
    Named,
    Place,
    Problem,
    Reader,
    Schema,
)

DEPTHS = ("smoke", "quick", "standard", "deep")
MOST_RETRIES = 10
_UNSET = object()

_NAMED = "write a name in quotes, of letters, digits, dots, dashes and underscores"


def _name_flaw(value: str) -> str | None:
    allowed = value.replace("-", "").replace("_", "").replace(".", "")
    # A dash at the beginning makes an option of a name on the command line of a job.
    is_name = allowed.isalnum() and value.isascii() and not value.startswith((".", "-"))
    return None if is_name and len(value) <= 100 else "is not a name"


def _among(known: tuple[str, ...], kind: str) -> Leaf:
    def flaw(value: str) -> str | None:
        return None if value in known else f"is not a {kind}"

    return Leaf((str,), f"write one of {', '.join(known)}", flaw, {"enum": list(known)})


def _at_least(least: int) -> Leaf:
    return Leaf(
        (int,),
        f"write an integer ≥ {least}",
        lambda value: None if value >= least else f"is less than {least}",
        {"minimum": least},
    )


def _from_zero_to(most: int) -> Leaf:
    return Leaf(
        (int,),
        f"write an integer from 0 to {most}",
        lambda value: None if 0 <= value <= most else f"is not between 0 and {most}",
        {"minimum": 0, "maximum": most},
    )


def _seconds_flaw(value: float) -> str | None:
    return None if 0 < value < float("inf") else "is not above zero"


def _days_flaw(value: str) -> str | None:
    return None if re.fullmatch(r"[1-9][0-9]{0,4}d", value) else "is not a number of days"


_NAME = Leaf((str,), _NAMED, _name_flaw, {"pattern": "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$"})
_FILE = Leaf((str,), "write the path of a file, from the folder of this one")
_SECONDS = Leaf(
    (int, float), "write a number of seconds above zero", _seconds_flaw, {"exclusiveMinimum": 0}
)
_COUNT = _at_least(1)
_SETTINGS: dict[str, Schema] = {
    "labels": Array(_NAME),
    "needs": Array(_NAME),
    "retries": _from_zero_to(MOST_RETRIES),
    "depth": _among(DEPTHS, "depth"),
    "seed": _from_zero_to(LARGEST_SEED),
    "classes": Array(_among(tuple(requirements.CLASSES), "conformance class")),
    "known-failures": _FILE,
    "max-time": _SECONDS,
    "max-requests": _COUNT,
    "max-memory": _COUNT,
    "environment": Array(Leaf((str,), "write the name of an environment variable")),
}
"""What the defaults and each target may state."""

_TARGET: dict[str, Schema] = {
    "name": _NAME,
    "reference": Leaf((bool,), "write true, for the reference of this package"),
    **_SETTINGS,
    "schedule": {
        "priority": Leaf((int,), "write an integer; the highest is run first"),
        "duration": _SECONDS,
        "exclusive": _NAME,
    },
}
_REVISION = _among(revisions.names(), "revision of the requirements")
_DAYS = Leaf(
    (str,), 'write a number of days, such as "7d"', _days_flaw, {"pattern": "^[1-9][0-9]{0,4}d$"}
)
_ENVIRONMENT: dict[str, Schema] = {
    "require": Array(REQUIRED),
    "revision": _REVISION,
    "max-age": _DAYS,
    "evidence": Array(_NAME),
}
"""What has to be known of a version before it is deployed there."""

_TOP: dict[str, Schema] = {
    "name": _NAME,
    "defaults": _SETTINGS,
    "environments": Named(_NAME, _ENVIRONMENT),
}


class FleetError(ValueError):
    """A fleet that no run can start with; str() shows one problem a line."""

    def __init__(self, problems: list[Problem]) -> None:
        in_order = sorted(problems, key=lambda each: (each.file or "", each.line or 0, each.key))
        super().__init__("\n".join(map(str, in_order)))


def schema() -> dict[str, Any]:
    """The JSON Schema of a fleet file, for editors; made of what reads it."""
    whole: dict[str, Schema] = {**_TARGET, "profile": Either(_FILE, PROFILE)}
    target = json_schema.of(whole) | {"required": ["name"]}
    document = json_schema.document(_TOP, "fleet", "The targets of a fleet")
    document["properties"]["target"] = {"type": "array", "items": target, "minItems": 1}
    return document | {"required": ["target"]}


def load(path: Path, environ: Mapping[str, str] | None) -> Fleet:
    """The fleet of a file. Raises FleetError with every problem.

    `environ` has the variables that the profiles name; None: they may be set elsewhere.
    """
    try:
        text = text_of(path, "fleet file")
        data = tables_of(path, text)
    except ProfileError as problem:
        raise FleetError(list(problem.problems)) from None
    return _Read(path, text, data, environ).fleet()


class _Read:
    """One file while it is read: problems of several files come together."""

    def __init__(
        self, path: Path, text: str, data: Mapping[str, Any], environ: Mapping[str, str] | None
    ) -> None:
        self._path, self._text, self._data, self._environ = path, text, data, environ
        self._reader = Reader(str(path), text, {})
        self._others: list[Problem] = []

    def fleet(self) -> Fleet:
        """The fleet. Raises FleetError."""
        top = self._reader.read(_TOP, {k: v for k, v in self._data.items() if k != "target"})
        entries = self._entries()
        targets = [
            self._target(number, entry, top.get("defaults", {}))
            for number, entry in enumerate(entries)
        ]
        self._check_names(entries)
        problems = [*self._reader.problems, *self._others]
        if problems:
            raise FleetError(problems)
        environments = {
            name: _environment(name, stated) for name, stated in top.get("environments", {}).items()
        }
        return Fleet(top.get("name", self._path.stem), tuple(targets), environments)

    def _entries(self) -> list[Any]:
        stated = self._data.get("target")
        if isinstance(stated, list) and stated:
            return stated
        self._reader.report(("target",), "is missing", "write a table [[target]] for each target")
        return []

    def _check_names(self, entries: list[Any]) -> None:
        names = [entry.get("name") for entry in entries if isinstance(entry, Mapping)]
        counted = Counter(name for name in names if isinstance(name, str))
        for number, name in enumerate(names):
            if name is None:
                self._reader.report(("target", number), "has no name", f"name: {_NAMED}")
            elif isinstance(name, str) and counted[name] > 1 and names.index(name) != number:
                first = names.index(name)
                remedy = "give each target a name of its own"
                self._reader.report(("target", number, "name"), f"repeats target[{first}]", remedy)

    def _target(self, number: int, entry: Any, defaults: Mapping[str, Any]) -> FleetTarget:
        place: Place = ("target", number)
        is_table = isinstance(entry, Mapping)
        plain = {k: v for k, v in entry.items() if k != "profile"} if is_table else entry
        read = {**defaults, **self._reader.read(_TARGET, plain, place)}
        return FleetTarget(
            name=read.get("name", ""),
            profile=self._profile(place, entry, read) if is_table else None,
            labels=tuple(dict.fromkeys((*defaults.get("labels", ()), *read.get("labels", ())))),
            needs=tuple(sorted(set(read.get("needs", ())))),
            retries=read.get("retries", 1),
            settings=self._settings(place, read),
            schedule=Schedule(**read.get("schedule", {})),
        )

    def _settings(self, place: Place, read: Mapping[str, Any]) -> RunSettings:
        return RunSettings(
            depth=read.get("depth", "standard"),
            seed=read.get("seed", 1),
            classes=tuple(read.get("classes", ())),
            known_failures=self._known(place, read.get("known-failures")),
            max_time=read.get("max-time"),
            max_requests=read.get("max-requests"),
            max_memory=read.get("max-memory"),
            environment=tuple(read.get("environment", ())),
        )

    def _known(self, place: Place, stated: str | None) -> str | None:
        if stated is None:
            return None
        path = self._path.parent / stated
        try:
            known_failures.listed(path)
            return toml_text.read(path, follow=True)
        except KnownError as problem:
            remedy = "correct the file"
            self._reader.report((*place, "known-failures"), f"is invalid: {problem}", remedy)
            return None

    def _profile(
        self, place: Place, entry: Mapping[str, Any], read: Mapping[str, Any]
    ) -> FleetProfile | None:
        stated = entry.get("profile", _UNSET)
        if (stated is not _UNSET) == (read.get("reference") is True):
            remedy = "write profile, or reference = true for the reference of this package"
            what = "names no target" if stated is _UNSET else "names two targets"
            self._reader.report(place, what, remedy)
            return None
        if stated is _UNSET:
            return None
        if isinstance(stated, Mapping):
            return self._inline((*place, "profile"), stated, read.get("name", ""))
        found = self._reader.read(_FILE, stated, (*place, "profile"))
        return None if found is None else self._from_file(self._path.parent / found)

    def _inline(self, place: Place, stated: Mapping[str, Any], name: str) -> FleetProfile | None:
        reader = Reader(None, None, self._environ)
        tables = profile.examine(reader, stated)
        self._reader.adopt(reader, place)
        if reader.problems:
            return None
        demanded = demands.of(stated, Origin(self._path, self._text, self._path.parent, place))
        text = reference_profile.toml(stated)
        return _profile(text, f"{name}.toml", demanded, stated, tables)

    def _from_file(self, path: Path) -> FleetProfile | None:
        try:
            text = text_of(path)
            data = tables_of(path, text)
        except ProfileError as problem:
            self._others += problem.problems
            return None
        reader = Reader(str(path), text, self._environ)
        tables = profile.examine(reader, data)
        self._others += reader.problems
        if reader.problems:
            return None
        return _profile(
            text, path.name, demands.of(data, Origin(path, text, path.parent)), data, tables
        )


def _environment(name: str, stated: Mapping[str, Any]) -> Environment:
    days = stated.get("max-age")
    return Environment(
        name,
        require=stated.get("require", ()),
        revision=stated.get("revision"),
        max_age=int(days.removesuffix("d")) if days else None,
        evidence=stated.get("evidence", ()),
    )


def _profile(
    text: str,
    name: str,
    demanded: Demands,
    stated: Mapping[str, Any],
    tables: Mapping[str, Any],
) -> FleetProfile:
    return FleetProfile(
        text=text,
        name=name,
        folder=str(demanded.folder),
        variables=profile.variables(stated),
        spends=tables.get("consent", {}).get("approve-reviews", False),
        demands=demanded,
    )
