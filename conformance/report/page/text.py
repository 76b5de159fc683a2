"""Texts of a target as they may be shown: no character in them hides itself, moves others about, or acts on a terminal."""

import json
import re

UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that count as printable and yet show nothing."""


def visible(text: str) -> str:
    r"""The text with control characters, invisible ones and those that turn the direction of writing spelled as `\u202e`."""
    return text if _is_plain(text) else "".join(map(_spelled, text))


def short(text: str, longest: int) -> str:
    """The beginning of a text that is too long, and how long it was."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"


def command(line: str) -> str:
    r"""A shell command with such characters spelled as `$'\x1b'`, which bash and zsh read as the very same bytes.

    All of them stand within single quotes, since nothing else in a recorded command is taken from outside.
    """
    return line if _is_plain(line) else "".join(map(_quoted, line))


def _is_plain(text: str) -> bool:
    return text.isprintable() and not UNSEEN.search(text)


def _spelled(character: str) -> str:
    return character if _is_plain(character) else json.dumps(character)[1:-1]


def _quoted(character: str) -> str:
    if _is_plain(character):
        return character
    spelled = "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    return f"'$'{spelled}''"
