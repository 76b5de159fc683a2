"""What the findings without a verdict say is needed, and which of it are alternatives."""

from collections.abc import Iterator

from conformance.report.document_types import FindingEntry, NeedEntry

TABLES = ("credentials.lacking", "fixtures.foreign", "fixtures.ungranted")
"""Keys of a profile that say enough without the permission or the record that they name."""

Alternatives = tuple[str, ...]
"""Keys of a profile, or conditions, one of which suffices."""


def of(found: FindingEntry) -> Iterator[Alternatives]:
    """All that a finding needs. A check asks for alternatives; where none ran, each is needed."""
    keys = tuple(dict.fromkeys(map(_table, found["needs"])))
    if found["items"]:
        yield from [keys] if keys else []
    else:
        yield from ((key,) for key in keys)


def described(found: FindingEntry) -> str:
    """What a finding needs, in one text."""
    keys = found["needs"]
    return (" or " if found["items"] else ", ").join(keys)


def label(need: NeedEntry) -> str:
    """A need with its alternatives."""
    return " or ".join([need["key"], *need.get("alternatives", ())])


def _table(key: str) -> str:
    for table in TABLES:
        if key.startswith(f"{table}."):
            return table
    return key
