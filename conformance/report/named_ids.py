"""The ids of the profile that the requests of failures name, with their keys."""

import re
from collections.abc import Iterable, Iterator, Mapping

from conformance.contract.verdict import Verdict
from conformance.report.document_types import ExchangeEntry, RequirementEntry
from conformance.report.recorded_body import text_of
from conformance.target.target import Fixtures

ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def add(entries: Iterable[RequirementEntry], fixtures: Fixtures) -> None:
    """Say in the condition of each failure which ids of its last request are from the profile."""
    keys = dict(_keys(fixtures))
    for entry in entries:
        for found in entry["findings"]:
            if found["verdict"] != Verdict.FAIL or not found["exchanges"]:
                continue
            named = _named(found["exchanges"][-1], keys)
            if named:
                found["condition"]["ids"] = named


def _keys(fixtures: Fixtures) -> Iterator[tuple[str, str]]:
    """Each id of the fixtures in lower case, and its key."""
    for id in fixtures.approvable_reviews:
        yield id.lower(), "fixtures.approvable-reviews"
    for id in fixtures.unapprovable_reviews:
        yield id.lower(), "fixtures.unapprovable-reviews"
    for kind, id in fixtures.foreign.items():
        yield id.lower(), f"fixtures.foreign.{kind}"
    for kind, id in fixtures.ungranted.items():
        yield id.lower(), f"fixtures.ungranted.{kind}"


def _named(exchange: ExchangeEntry, keys: Mapping[str, str]) -> dict[str, str]:
    request = exchange["request"]
    text = f"{request['url']} {text_of(request['body']) or ''}"
    ids = dict.fromkeys(ID.findall(text))
    return {id: keys[id.lower()] for id in ids if id.lower() in keys}
