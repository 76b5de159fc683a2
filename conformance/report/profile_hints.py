"""The lines of a target profile that provide what a run lacked."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from conformance.contract import api
from conformance.target.profile import VARIABLES

CREDENTIALS = ("primary", "expired", "revoked", "outsider", "no-review-role", "throttled")
SCHEMES = ("", "api-key", "bearer")
SECRETS = {"api-key": "key", "bearer": "token"}
"""The end of a variable by scheme, as the profile that `init` writes has it."""
RECORDS = {
    "foreign": ("company", "project", "video", "review"),
    "ungranted": ("project", "video", "review"),
}


@dataclass(frozen=True)
class Setting:
    """One line of a profile, and the table that it belongs to."""

    table: str
    line: str


STATED: Mapping[str, Setting] = {  # keys whose lines do not follow from their names
    "fixtures.approvable-reviews": Setting(
        "fixtures",
        'approvable-reviews = ["${LOCALIZATION_APPROVABLE_REVIEW}"] # each is spent',
    ),
    "fixtures.unapprovable-reviews": Setting(
        "fixtures", 'unapprovable-reviews = ["${LOCALIZATION_UNAPPROVABLE_REVIEW}"]'
    ),
    "fixtures.provision.approvable-review": Setting(
        "fixtures.provision", 'approvable-review = ["./make-review"] # prints {"id": "…"}'
    ),
    "limits.max-body-bytes": Setting("limits", "max-body-bytes = 1048576 # your number"),
    "limits.rate-limit": Setting(
        "limits", "rate-limit = { requests = 100, seconds = 60 } # your numbers"
    ),
    "limits.requests-per-second": Setting(
        "limits", "requests-per-second = 5 # slow enough for the target"
    ),
    "limits.connections": Setting(
        "limits", "connections = 4 # requests that may be under way at once"
    ),
    "tools.url": Setting("tools", 'url = "${LOCALIZATION_TOOLS_URL}"'),
    "description.url": Setting("description", 'url = "${LOCALIZATION_DESCRIPTION_URL}"'),
    "consent.approve-reviews": Setting(
        "consent", "approve-reviews = true # spends the approvable reviews"
    ),
    "consent.exhaust-rate-limit": Setting(
        "consent", "exhaust-rate-limit = true # sends requests as `throttled` until 429"
    ),
    "consent.oversized-bodies": Setting(
        "consent", "oversized-bodies = true # sends bodies larger than max-body-bytes"
    ),
    "consent.fuzz-writes": Setting(
        "consent",
        "fuzz-writes = true # sends approvals of other reviews",
    ),
}
LACKING = "credentials.lacking"
MADE_BY = {"fixtures.approvable-reviews": "fixtures.provision.approvable-review"}
"""What may stand in a profile instead of a key."""
COMPANIONS = {  # keys that are of use only together
    "consent.approve-reviews": ("fixtures.approvable-reviews",),
    "consent.exhaust-rate-limit": ("credentials.throttled", "limits.rate-limit"),
    "consent.oversized-bodies": ("limits.max-body-bytes",),
}
TABLES = ("credentials", "fixtures", "limits", "parameters", "tools", "description", "consent")


def settings(key: str, stated: Collection[str] = ()) -> tuple[Setting, ...]:
    """The lines for a key and for the keys that it needs; none if it is not a key of a profile.

    `stated` are the tables and keys that the profile has: only what is missing is shown.
    """
    companions = (each for each in COMPANIONS.get(key, ()) if not _is_stated(each, stated))
    found = (setting for each in (key, *companions) for setting in _settings(each))
    return tuple(each for each in found if key != LACKING or each.table not in stated)


def _is_stated(key: str, stated: Collection[str]) -> bool:
    return key in stated or (key in MADE_BY and MADE_BY[key] in stated)


def _settings(key: str) -> Iterator[Setting]:
    if key in STATED:
        yield STATED[key]
    table, _, rest = key.partition(".")
    if table in OF_TABLES:
        yield from OF_TABLES[table](rest)


def _credential(rest: str) -> Iterator[Setting]:
    name, _, detail = rest.partition(".")
    if name == "lacking":
        for permission in api.load().permissions:
            if detail in ("", permission):
                yield _lacking(permission)
    elif name in CREDENTIALS and detail in SCHEMES:
        scheme = detail or "api-key"
        own = _variable(name, SECRETS[scheme])
        variable = VARIABLES[scheme] if name == "primary" else own
        yield Setting(f"credentials.{name}", f'{scheme} = "${{{variable}}}"')


def _lacking(permission: str) -> Setting:
    variable = _variable("without", permission)
    return Setting(f'credentials.lacking."{permission}"', f'api-key = "${{{variable}}}"')


def _records(rest: str) -> Iterator[Setting]:
    group, _, kind = rest.partition(".")
    for known in RECORDS.get(group, ()):
        if kind in ("", known):
            yield Setting(f"fixtures.{group}", f'{known} = "${{{_variable(group, known)}}}"')


def _parameter(rest: str) -> Iterator[Setting]:
    operation, _, role = rest.partition(".")
    name = api.load().open_names.get((operation, role))
    if name:
        line = f'{role} = "{name}" # its name here, or false if there is none'
        yield Setting(f"parameters.{operation}", line)


OF_TABLES: Mapping[str, Callable[[str], Iterator[Setting]]] = {
    "credentials": _credential,
    "fixtures": _records,
    "parameters": _parameter,
}


def _variable(*words: str) -> str:
    name = re.sub(r"[^A-Z0-9]+", "_", "_".join(words).upper())
    return f"LOCALIZATION_{name}"  # what is meant for this needs no question


def toml(wanted: Iterable[Setting], stated: Collection[str] = ()) -> Iterator[str]:
    """The settings as lines of TOML, each table once, with a blank line between tables.

    TOML allows a table once: of one that is `stated`, a comment says where the lines belong.
    """
    tables: dict[str, dict[str, None]] = {}
    for setting in sorted(wanted, key=_rank):
        tables.setdefault(setting.table, {})[setting.line] = None
    for number, (table, lines) in enumerate(tables.items()):
        if number:
            yield ""
        yield _header(table, lines, stated)
        yield from lines


def _header(table: str, lines: Iterable[str], stated: Collection[str]) -> str:
    if table not in stated:
        return f"[{table}]"
    replaces = any(f"{table}.{line.partition(' = ')[0]}" in stated for line in lines)
    manner = ", in place of what is there" if replaces else ""
    return f"# in [{table}] of the profile{manner}:"


def _rank(setting: Setting) -> int:
    return TABLES.index(setting.table.partition(".")[0])
