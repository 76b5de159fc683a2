"""The file of a target profile: its text and its tables, or the problem with them."""

import re
from pathlib import Path
from typing import Any

from conformance.storage import toml_text
from conformance.target.toml_schema import Problem


class ProfileError(ValueError):
    """A profile that no run can start with; str() shows one problem a line."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def text_of(path: Path, kind: str = "profile") -> str:
    """The text of a profile, or of another kind of file. Raises ProfileError."""
    try:
        return path.read_text(
            encoding="utf-8-sig"
        )  # editors on Windows put a byte order mark there
    except OSError as error:
        raise _unreadable(
            path, f"cannot be read: {error.strerror}", f"give the path of a {kind}"
        ) from None
    except UnicodeDecodeError:
        raise _unreadable(path, "is not UTF-8 text", "save it as UTF-8") from None


def tables_of(path: Path, text: str) -> dict[str, Any]:
    """The tables of a profile, as TOML has them. Raises ProfileError."""
    try:
        return toml_text.parse(text)
    except ValueError as error:
        raise _unreadable(
            path, f"invalid TOML: {error}", "correct the file", _position(error, text)
        ) from None


def _unreadable(path: Path, what: str, remedy: str, line: int | None = None) -> ProfileError:
    return ProfileError((Problem(str(path), line, "", what, remedy),))


def _position(error: Exception, text: str) -> int | None:
    match = re.search(r"\(at (?:line (\d+)|end of document)", str(error))
    return int(match[1] or len(text.splitlines())) if match else None
