"""Texts of a target made visible: no character hides, moves others, or acts on a terminal."""

import json
import re
import shlex
from unicodedata import combining, is_normalized

INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Printable characters, as Python has it, that show nothing."""


WORKFLOW_COMMAND = re.compile(r"##(?=\w*\[)")
"""CI systems obey what follows it anywhere in a line of output; `::` at the start of one.

`##[` is GitHub Actions, `##vso[` Azure Pipelines, `##teamcity[` TeamCity.
"""


def visible(text: str) -> str:
    r"""The text with control, invisible and bidirectional characters escaped, as in `\u202e`.

    So are the marks of decomposed characters, which look like composed ones.
    """
    shown = text
    if not is_normalized("NFC", text):
        shown = "".join(_as_json(each) if _is_mark(each) else each for each in shown)
    if not _is_visible(shown):
        shown = "".join(each if _is_visible(each) else _as_json(each) for each in shown)
    return WORKFLOW_COMMAND.sub(r"\\u0023#", shown)


def short(text: str, longest: int) -> str:
    """The text, or the beginning of one that is too long."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def short_with_length(text: str, longest: int) -> str:
    """The text, or the beginning of one that is too long and the number of its characters."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"


def command(line: str) -> str:
    r"""A command with such characters as `$'\x1b'`, which bash and zsh read as the same bytes.

    They occur only within single quotes, as nothing else in a recorded command is from outside.
    """
    return line if _is_visible(line) else "".join(map(_quoted, line))


def word(value: object) -> str:
    """A value as one word of a command that people paste, whatever it consists of."""
    return command(shlex.quote(str(value)))


def _is_visible(text: str) -> bool:
    return text.isprintable() and not INVISIBLE.search(text)


def _is_mark(character: str) -> bool:
    return combining(character) > 0 or not is_normalized("NFC", character)


def _as_json(character: str) -> str:
    return json.dumps(character)[1:-1]


def _quoted(character: str) -> str:
    if _is_visible(character):
        return character
    octets = character.encode("utf-8", "surrogatepass")
    escapes = "".join(f"\\x{octet:02x}" for octet in octets)
    return f"'$'{escapes}''"
