"""Columns of texts that anybody may have written: whatever they hold, it can be stored.

PostgreSQL has no place for U+0000, neither database for half a surrogate pair, and PostgreSQL
rejects what is longer than its column. A text of a key is changed in a way that keeps different
texts different.
"""

import hashlib
import re
from typing import Any

from sqlalchemy import String, Text, TypeDecorator

UNSTORABLE = re.compile("[\0\ud800-\udfff]")
REPLACEMENT = "\ufffd"

LONGEST = 100_000
"""Characters of a text that is no key; the files of a run have all of it."""

DIGITS = 32
"""Hexadecimal digits that tell a changed key from others with the same beginning."""
CHANGED = re.compile(rf"~[0-9a-f]{{{DIGITS}}}\Z")
"""The end of a changed key, and of a text that only looks like one: it is changed as well."""


class StoredText(TypeDecorator[str]):
    """A text to read, without what cannot be stored, and cut at its end."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Any) -> str | None:
        """The text as it is stored."""
        return None if value is None else _cut(UNSTORABLE.sub(REPLACEMENT, value), LONGEST)


class Key(TypeDecorator[str]):
    """A text to find a row by; a changed one ends with the digest of what it was."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Any) -> str | None:
        """The text as it is stored."""
        longest = self.impl_instance.length  # type: ignore[attr-defined]
        if value is None or _is_plain(value, longest):
            return value
        digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
        return f"{_cut(UNSTORABLE.sub(REPLACEMENT, value), longest - DIGITS - 1)}~{digest}"


def _is_plain(text: str, longest: int) -> bool:
    return len(text) <= longest and not UNSTORABLE.search(text) and not CHANGED.search(text)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
