"""A deployment that its address alone does not reach: its `[connection]` has a file of its own."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.commands import trusted
from conformance.commands.outcome import UsageError
from conformance.storage import toml_text
from conformance.target import demands, profile
from conformance.target.demands import Origin
from conformance.target.profile_file import tables_of, text_of
from conformance.target.target import Target
from conformance.target.toml_schema import Reader, reference

TABLE = "connection"


@dataclass(frozen=True)
class Connected:
    """A file that has `[connection]` alone: its text, and its tables."""

    path: Path
    text: str
    tables: Mapping[str, Any]


def read(path: Path, base_url: str) -> Connected:
    """What a file says of a deployment.

    Raises ProfileError, and UsageError where it has another table, or a secret.
    """
    text = text_of(path)
    tables = tables_of(path, text)
    if [*tables] != [TABLE] or not isinstance(tables[TABLE], dict):
        others = ", ".join(name for name in tables if name != TABLE)
        found = f"has {others}" if others else "has no such table"
        raise UsageError(f"{path} {found}: write the table [{TABLE}] alone; init finds the rest")
    if secrets := _stated_secrets(tables[TABLE]):
        remedy = 'write "${NAME}", and set that environment variable'
        raise UsageError(f"{path}: {secrets[0]} holds the secret itself: {remedy}")
    profile.sound(Reader(str(path), text, None), tables, base_url)
    return Connected(path, text, tables)


def _stated_secrets(connection: Mapping[str, Any]) -> list[str]:
    """The headers whose values stand in the file: no file that is written may have them."""
    headers = connection.get("headers")
    values = headers.items() if isinstance(headers, dict) else ()
    written = [name for name, each in values if isinstance(each, str) and reference(each) is None]
    return [f"{TABLE}.headers.{name}" for name in written]


def target(
    base_url: str, stated: Connected, environ: Mapping[str, str], *, is_trusted: bool
) -> Target:
    """The deployment, with the secrets of the environment.

    Raises ProfileError, and UsageError where the user does not allow what the file demands.
    """
    demanded = demands.of(stated.tables, Origin(stated.path, stated.text), base_url)
    if not is_trusted:
        trusted.demanded([demanded])
    return profile.parse(
        {**stated.tables, **profile.of_environment(environ)},
        source=str(stated.path),
        text=stated.text,
        base_url=base_url,
        environ=environ,
    )


def filled(template: str, connected: Connected) -> str:
    """The template of a profile with this connection; what it says of each key stays."""
    text = template.replace(f"#[{TABLE}]", f"[{TABLE}]", 1)
    for key, value in connected.tables[TABLE].items():
        stated = re.compile(rf"^#{re.escape(key)} = .*?(?= # |$)", re.MULTILINE).search(text)
        if stated is None:
            raise ValueError(f"the template has no {key!r}")
        text = f"{text[: stated.start()]}{key} = {_toml(value)}{text[stated.end() :]}"
    return text


def _toml(value: Any) -> str:
    """A value in one line of TOML, whose numbers are those of JSON."""
    if isinstance(value, str):
        return toml_text.quoted(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if not isinstance(value, Mapping):
        return json.dumps(value)
    inner = ", ".join(f"{_toml(key)} = {_toml(each)}" for key, each in value.items())
    return f"{{ {inner} }}"
