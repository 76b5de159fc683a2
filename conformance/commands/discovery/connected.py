"""A deployment that its address alone does not reach: its `[connection]` has a file of its own."""

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.commands import trusted
from conformance.commands.outcome import UsageError
from conformance.target import demands, profile
from conformance.target.demands import Origin
from conformance.target.profile_file import ProfileError, tables_of, text_of
from conformance.target.target import Target

TABLE = "connection"
Tables = Mapping[str, Any]


def read(path: Path) -> Tables:
    """The tables of a file that has `[connection]` alone. Raises ProfileError and UsageError."""
    tables = tables_of(path, text_of(path))
    if [*tables] != [TABLE]:
        others = ", ".join(name for name in tables if name != TABLE)
        found = f"has {others}" if others else "is empty"
        raise UsageError(f"{path} {found}: write the table [{TABLE}] alone; init finds the rest")
    return tables


def target(
    arguments: argparse.Namespace, tables: Tables | None, environ: Mapping[str, str]
) -> Target:
    """The deployment, with the secrets of the environment. Raises UsageError."""
    base_url, path = arguments.base_url, arguments.connection
    try:
        if tables is None:
            return profile.bare(base_url, environ)
        text = text_of(path)
        data = {**tables, **profile.of_environment(environ)}
        stated = demands.of(tables, Origin(path, text), base_url)
        if not arguments.trust:
            trusted.demanded([stated])
        return profile.parse(data, source=str(path), text=text, base_url=base_url, environ=environ)
    except ProfileError as problem:
        raise UsageError(str(problem)) from None


def filled(template: str, tables: Tables) -> str:
    """The template of a profile with this connection; what it says of each key stays.

    Raises UsageError for an unknown key.
    """
    text = template.replace(f"#[{TABLE}]", f"[{TABLE}]", 1)
    for key, value in tables[TABLE].items():
        stated = re.compile(rf"^#{re.escape(key)} = .*?(?= # |$)", re.MULTILINE).search(text)
        if stated is None:
            raise UsageError(f"{TABLE}.{key} is an unknown key: `init --template` shows all")
        text = f"{text[: stated.start()]}{key} = {_toml(value)}{text[stated.end() :]}"
    return text


def _toml(value: Any) -> str:
    """A value in one line of TOML, whose texts, numbers and arrays are those of JSON."""
    if not isinstance(value, Mapping):
        return json.dumps(value)
    inner = ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items())
    return f"{{ {inner} }}"
