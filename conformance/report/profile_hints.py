"""What a run could not judge, and the lines of a target profile that would settle it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.contract import api
from conformance.contract.requirements import CLASSES

CONSENT = "consent.approve-reviews"
CREDENTIALS = ("primary", "expired", "revoked", "outsider", "no-review-role", "throttled")
RECORDS = {
    "foreign": ("company", "project", "video", "review"),
    "ungranted": ("project", "video", "review"),
}
STATED = {  # keys whose lines cannot be derived from their names
    "fixtures.approvable-reviews": (
        "fixtures",
        'approvable-reviews = ["${APPROVABLE_REVIEW}"] # as many as can be had, each is spent',
    ),
    "fixtures.unapprovable-reviews": (
        "fixtures",
        'unapprovable-reviews = ["${UNAPPROVABLE_REVIEW}"]',
    ),
    "fixtures.provision.approvable-review": (
        "fixtures.provision",
        'approvable-review = ["./make-review"] # prints {"id": "…"}',
    ),
    "limits.max-body-bytes": ("limits", "max-body-bytes = 1048576 # your number"),
    "limits.rate-limit": ("limits", "rate-limit = { requests = 100, seconds = 60 } # your numbers"),
    "limits.requests-per-second": (
        "limits",
        "requests-per-second = 5 # slow enough for the target",
    ),
    "limits.connections": ("limits", "connections = 4 # requests that may be under way at once"),
    "tools.url": ("tools", 'url = "${TOOLS_URL}"'),
    "description.url": ("description", 'url = "${DESCRIPTION_URL}"'),
    "consent.approve-reviews": (
        "consent",
        "approve-reviews = true # spends the approvable reviews",
    ),
    "consent.exhaust-rate-limit": (
        "consent",
        "exhaust-rate-limit = true # drives `throttled` into 429",
    ),
    "consent.oversized-bodies": (
        "consent",
        "oversized-bodies = true # sends bodies past max-body-bytes",
    ),
    "consent.fuzz-writes": (
        "consent",
        "fuzz-writes = true # sends random approvals, never of the approvable reviews",
    ),
}
COMPANIONS = {  # what is of use only together
    "consent.approve-reviews": ("fixtures.approvable-reviews",),
    "consent.exhaust-rate-limit": ("credentials.throttled", "limits.rate-limit"),
    "consent.oversized-bodies": ("limits.max-body-bytes",),
}
TABLES = ("credentials", "fixtures", "limits", "parameters", "tools", "description", "consent")


@dataclass(frozen=True)
class Setting:
    """One line of a profile, and the table that it stands in."""

    table: str
    line: str


@dataclass(frozen=True)
class Want:
    """A profile key or a condition, the requirements that wait for it, and the lines that would settle them: none for a condition."""

    key: str
    requirements: tuple[str, ...]
    lines: tuple[str, ...]


def wants(report: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> list[Want]:
    """What the undecided entries of a report wait for, that for which the most wait first."""
    waiting: dict[str, dict[str, None]] = {}
    silence = _silence(report)
    for entry in entries:
        for key in _keys(entry) or [silence or _unseen(entry)]:
            waiting.setdefault(key, {})[entry["id"]] = None
    found = [Want(key, tuple(ids), tuple(toml(settings(key)))) for key, ids in waiting.items()]
    return sorted(found, key=lambda want: -len(want.requirements))


def _keys(entry: Mapping[str, Any]) -> list[str]:
    needs = dict.fromkeys(
        key
        for found in entry["findings"]
        if found["verdict"] == "inconclusive"
        for key in found["needs"]
    )
    # One permission, one record: told once, under the table.
    return list(
        dict.fromkeys(
            re.sub(r"^(credentials\.lacking|fixtures\.foreign|fixtures\.ungranted)\..*", r"\1", key)
            for key in needs
        )
    )


def _silence(report: Mapping[str, Any]) -> str | None:
    """Why the run itself did not send what would have shown more."""
    if report["interrupted"]:
        return "a run to its end"
    return "a run of all classes" if len(report["suite"]["classes"]) < len(CLASSES) else None


def _unseen(entry: Mapping[str, Any]) -> str:
    silent = [
        operation for operation, verdict in entry["operations"].items() if verdict == "inconclusive"
    ]
    return CONSENT if silent == [api.load().approval.id] else "data in the target"


def settings(key: str) -> tuple[Setting, ...]:
    """The lines of a profile that give a key, and what it is of no use without; none where it is no key of a profile."""
    return tuple(setting for each in (key, *COMPANIONS.get(key, ())) for setting in _settings(each))


def _settings(key: str) -> Iterator[Setting]:
    if key in STATED:
        yield Setting(*STATED[key])
    area, _, rest = key.partition(".")
    yield from {"credentials": _credential, "fixtures": _records, "parameters": _parameter}.get(
        area, _nothing
    )(rest)


def _nothing(_: str) -> Iterator[Setting]:
    yield from ()


def _credential(rest: str) -> Iterator[Setting]:
    name, _, scheme = rest.partition(".")
    if name == "lacking":
        for permission in _permissions(scheme):
            yield Setting(
                f'credentials.lacking."{permission}"',
                f'api-key = "${{{_variable("without", permission)}}}"',
            )
    elif name in CREDENTIALS and scheme in ("", "api-key", "bearer"):
        yield Setting(
            f"credentials.{name}",
            f'{scheme or "api-key"} = "${{{_variable(name, scheme or "api-key")}}}"',
        )


def _permissions(name: str) -> list[str]:
    """The permission of this name; all of them for no name."""
    return [each for each in api.load().permissions if name in ("", each)]


def _records(rest: str) -> Iterator[Setting]:
    group, _, kind = rest.partition(".")
    for known in RECORDS.get(group, ()):
        if kind in ("", known):
            yield Setting(f"fixtures.{group}", f'{known} = "${{{_variable(group, known)}}}"')


def _parameter(rest: str) -> Iterator[Setting]:
    operation, _, role = rest.partition(".")
    name = api.load().open_names.get((operation, role))
    if name:
        yield Setting(
            f"parameters.{operation}",
            f'{role} = "{name}" # its name here, or false where there is none',
        )


def _variable(*words: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", "_".join(words).upper())


def toml(stated: Iterable[Setting]) -> Iterator[str]:
    """The settings as lines of TOML, each table once, with a blank line between two."""
    tables: dict[str, dict[str, None]] = {}
    for setting in sorted(
        stated, key=lambda setting: TABLES.index(setting.table.partition(".")[0])
    ):
        tables.setdefault(setting.table, {})[setting.line] = None
    for number, (table, lines) in enumerate(tables.items()):
        yield from [""] * (number > 0)
        yield f"[{table}]"
        yield from lines
