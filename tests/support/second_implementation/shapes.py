"""The JSON form of records: their properties, the case of ids, the form of integers."""

import itertools
import re
import uuid
from typing import Any

from second_implementation.choices import Choices
from second_implementation.world import Record

UUID = re.compile(
    "[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    "|0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12}",
    re.IGNORECASE | re.ASCII,
)
FEW = {
    "videos": {"id"},
    "reviews": {"id", "subjectRevision"},
    "comments": {"body"},
    "activity": {"status"},
}
CLOSED = ("account", "projects")
INTEGERS = {
    "subjectRevision",
    "durationUs",
    "startUs",
    "endUs",
    "videoCount",
    "localizationCount",
    "completedLocalizationCount",
}
signatures = itertools.count()


def shape(kind: str, record: Record, choices: Choices, *, listed: bool) -> Record:
    """The JSON form of a record; `listed` if it is an item of a list."""
    rendered = dict(record)
    if kind not in CLOSED:
        rendered = _selected(kind, rendered, choices)
        if choices.forms.extras:
            rendered |= {
                "_links": {"self": {"href": f"/{next(signatures)}"}},
                "é": None,
                "version": 1.5,
                "etag": str(listed),
            }
    if kind == "reviews" and choices.forms.signed_urls and "url" in rendered:
        rendered["url"] += f"?signature={next(signatures)}"
    if kind == "reviews" and choices.forms.reason == "absent" and rendered.get("approvable"):
        rendered.pop("approvalUnavailableReason", None)
    if kind == "videos" and "localizations" in rendered and listed and choices.paging.shuffled:
        rendered["localizations"] = [
            {name: entry[name] for name in ("language", "id")}
            for entry in reversed(rendered["localizations"])
        ]
    converted: Record = _converted(rendered, choices, listed=listed)
    return converted


def spelled(id: str, choices: Choices, *, listed: bool) -> str:
    """A UUID in the case that the deployment uses."""
    upper = choices.forms.letters == "upper" or (choices.forms.letters == "mixed" and listed)
    return id.upper() if upper else id


def request_id(choices: Choices) -> str:
    """A requestId; with odd words it is not unique."""
    return "" if choices.forms.odd_words else uuid.uuid4().hex


def _selected(kind: str, record: Record, choices: Choices) -> Record:
    few = FEW.get(kind, set(record))
    names = {"all": set(record), "few": few, "none": set()}[choices.forms.fields]
    return {name: value for name, value in record.items() if name in names}


def _converted(value: Any, choices: Choices, *, listed: bool, name: str = "") -> Any:
    if isinstance(value, dict):
        return {
            key: _converted(entry, choices, listed=listed, name=key) for key, entry in value.items()
        }
    if isinstance(value, list):
        return [_converted(entry, choices, listed=listed) for entry in value]
    if isinstance(value, str) and UUID.fullmatch(value):
        return spelled(value, choices, listed=listed)
    return float(value) if choices.forms.floats and name in INTEGERS else value
