"""The file of a target profile: its text and its tables, or the problem with them."""

import errno
import os
import re
from pathlib import Path
from typing import Any

from conformance.storage import regular_file, toml_text
from conformance.target.toml_schema import Problem

LISTS = ("approvable-reviews", "unapprovable-reviews")
"""The keys of `[fixtures]` that may name a file instead: { file = "reviews.txt" }."""
LONGEST_LIST = 10_000_000
"""Bytes of such a file."""


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
        return toml_text.read(path, follow=True)
    except OSError as error:
        raise _unreadable(
            path, f"cannot be read: {error.strerror}", f"give the path of a {kind}"
        ) from None
    except UnicodeDecodeError:
        raise _unreadable(path, "is not UTF-8 text", "save it as UTF-8") from None


def tables_of(path: Path, text: str) -> dict[str, Any]:
    """The tables of a profile, as TOML has them, with ids in place of the files that list them.

    Raises ProfileError.
    """
    try:
        tables = toml_text.parse(text)
    except ValueError as error:
        raise _unreadable(
            path, f"invalid TOML: {error}", "correct the file", _position(error, text)
        ) from None
    fixtures = tables.get("fixtures")
    if isinstance(fixtures, dict):
        for key in LISTS:
            named = fixtures.get(key)
            if isinstance(named, dict) and isinstance(named.get("file"), str):
                fixtures[key] = _listed(path, f"fixtures.{key}.file", named["file"])
    return tables


def _listed(profile: Path, key: str, name: str) -> list[str]:
    """The ids in a file beside the profile: one a line, without comments and empty lines."""
    try:
        content = regular_file.read(_beside(profile, name), LONGEST_LIST, follow=True)
        lines = content.decode("utf-8-sig").splitlines()
    except OSError as error:
        problem = f"names a file that cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        problem = "names a file that is not UTF-8 text"
    except ValueError:
        problem = "is not a path"
    else:
        ids = (line.partition("#")[0].strip() for line in lines)
        return [id for id in ids if id]
    remedy = "write the path of a file with one id a line, from the folder of the profile"
    raise ProfileError((Problem(str(profile), None, key, problem, remedy),))


def _beside(profile: Path, name: str) -> Path:
    """A file in the folder of a profile, or below it, wherever links lead.

    Raises OSError for another one: whoever wrote a profile would have its content sent.
    """
    folder = os.path.realpath(profile.parent)
    file = Path(os.path.realpath(Path(folder, name)))
    if not file.is_relative_to(folder):
        raise OSError(errno.EACCES, "it has to be in the folder of the profile")
    return file


def _unreadable(path: Path, what: str, remedy: str, line: int | None = None) -> ProfileError:
    return ProfileError((Problem(str(path), line, "", what, remedy),))


def _position(error: Exception, text: str) -> int | None:
    match = re.search(r"\(at (?:line (\d+)|end of document)", str(error))
    return int(match[1] or len(text.splitlines())) if match else None
