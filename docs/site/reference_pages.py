"""The reference: commands with their options, keys of a profile, formats, exit codes."""

import argparse
import os
from collections.abc import Iterator, Mapping

from conformance.commands.command_line import parser
from conformance.commands.options.table import COMMANDS
from conformance.commands.outcome import explained
from conformance.contract import files
from conformance.report import artefacts
from conformance.target.profile_schema import PROFILE
from conformance.target.toml_schema import Array, Either, Leaf, Named, Schema

KINDS = {str: "string", int: "integer", float: "number", bool: "boolean"}
SCHEMAS = ("target", "fleet", "known-failures", "report", "journal", "events", "run", "snapshot",
           "load")  # fmt: skip


def pages() -> dict[str, str]:
    """The text of each page, by its place on the site."""
    return {
        "reference/commands.md": "\n".join(_commands()),
        "reference/profile.md": "\n".join(_profile()),
        "reference/formats.md": "\n".join(_formats()),
        "reference/exit-codes.md": "\n".join(_exit_codes()),
    }


def _commands() -> Iterator[str]:
    yield "# Commands"
    yield "\n`conformance COMMAND --help` prints the same; see also [exit codes](exit-codes.md).\n"
    chosen = _choices(parser())
    for name in COMMANDS:
        yield f"## {name}\n"
        yield from _command(chosen[name])


def _command(part: argparse.ArgumentParser, level: int = 3) -> Iterator[str]:
    yield f"{escaped(part.description or '')}\n"
    yield f"```text\n{_usage(part)}\n```\n"
    rows = [row for row in map(_row, getattr(part, "added", ())) if row]
    if rows:
        yield "| option | meaning |\n|---|---|"
        yield from rows
        yield ""
    for name, action in _choices(part).items():
        yield f"{'#' * level} {part.prog.removeprefix('conformance ')} {name}\n"
        yield from _command(action, level + 1)


def _choices(part: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """The commands, or actions, of a parser."""
    for action in getattr(part, "added", ()):
        if action.dest in ("command", "action") and isinstance(action.choices, Mapping):
            return action.choices
    return {}


def _usage(part: argparse.ArgumentParser) -> str:
    os.environ["COLUMNS"] = "100"  # which argparse wraps by
    return part.format_usage().removeprefix("usage: ").rstrip()


def _row(option: argparse.Action) -> str | None:
    if option.dest in ("command", "action", "help") or option.help == argparse.SUPPRESS:
        return None
    name = ", ".join(option.option_strings) or str(option.metavar or option.dest)
    value = f" {_value(option)}" if option.option_strings and option.nargs != 0 else ""
    stated = (option.help or "") % {"default": option.default}
    return f"| `{name}{value}` | {escaped(stated)} |".replace("|FILE", "\\|FILE")


def _value(option: argparse.Action) -> str:
    if option.metavar is not None:
        named = option.metavar
        return " ".join(named) if isinstance(named, tuple) else named.replace("|", "\\|")
    if option.choices is not None:
        return "\\|".join(map(str, option.choices))
    return option.dest.upper()


def _profile() -> Iterator[str]:
    yield "# The keys of a profile"
    yield "\nEvery key of `target.toml`; all but `base-url` are optional."
    yield "[Describe a target](../target.md)"
    yield 'explains them. Each string may be `"${NAME}"`, a variable of the environment.\n'
    yield "| key | type | what is right |\n|---|---|---|"
    yield from _keys(PROFILE, "")


def _keys(schema: Mapping[str, Schema], above: str) -> Iterator[str]:
    for name, value in schema.items():
        key = f'{above}"{name}"' if ":" in name else f"{above}{name}"
        yield from _key(key, value)


def _key(key: str, value: Schema) -> Iterator[str]:
    if isinstance(value, Leaf):
        kinds = " or ".join(KINDS[kind] for kind in value.types)
        yield f"| `{key}` | {kinds} | {escaped(value.remedy)} |"
    elif isinstance(value, Array):
        yield f"| `{key}` | array of strings | {escaped(value.item.remedy)} |"
    elif isinstance(value, Either):
        yield from _key(key, value.value)
        yield from _keys(value.table, f"{key}.")
    elif isinstance(value, Named):
        yield from _key(f"{key}.NAME", value.value)
    else:
        yield from _keys(value, f"{key}.")


def _formats() -> Iterator[str]:
    yield "# Formats"
    yield "\n## Of reports\n"
    yield "`--report NAME,…` chooses them; `report.json` and `exchanges.jsonl` are always there.\n"
    yield "| name | file | by default |\n|---|---|---|"
    for name, each in artefacts.FORMATS.items():
        yield f"| `{name}` | `{each.file}` | {'yes' if name in artefacts.DEFAULT else ''} |"
    yield "\n## JSON Schemas\n"
    yield "`conformance schema NAME` prints them.\n"
    yield "| name | file |\n|---|---|"
    for name in SCHEMAS:
        assert files.text(f"{name}.schema.json")
        yield f"| `{name}` | [{name}.schema.json](../spec/{name}.schema.json) |"


def _exit_codes() -> Iterator[str]:
    yield "# Exit codes"
    yield "\nThe same number means the same for every command.\n"
    for name, command in COMMANDS.items():
        yield f"## {name}\n"
        yield "| code | meaning |\n|---|---|"
        for line in explained(command.ends).splitlines()[1:]:
            code, _, meaning = line.strip().partition("  ")
            yield f"| {code} | {escaped(meaning)} |"
        yield ""


def escaped(plain: str) -> str:
    """A text as Markdown shows it unchanged, in a cell as well."""
    for mark in ("&", "<", "*", "_", "[", "|"):
        plain = plain.replace(mark, {"&": "&amp;", "<": "&lt;"}.get(mark, f"\\{mark}"))
    return plain
