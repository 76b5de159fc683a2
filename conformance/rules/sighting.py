"""Records as responses show them: over HTTP or by tool, in a list or by their ids."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import orjson

from conformance.contract.identifiers import EXTREMES, is_uuid
from conformance.contract.pointer import Path
from conformance.http.exchange import MISSING
from conformance.rules.answer import Answer
from conformance.rules.records import Record

Key = tuple[str, str, str | None, str | None]
"""A resource, the id of a record in lower case, and the caller and the scheme it was shown to."""

Place = tuple[str, ...]
"""An interface, an operation, the id in the path if it is not in lower case, else "", and the names
of the arguments.
"""


@dataclass(frozen=True)
class Sighting:
    """A record as one response shows it, at a path in its data, or in those beside them."""

    answer: Answer
    path: Path
    record: Record
    part: int = 0

    @property
    def key(self) -> Key:
        """What it has in common with all other sightings of the record by the same caller."""
        way = self.answer.way
        return way.operation.resource, str(self.record["id"]).lower(), way.caller, way.scheme

    @property
    def place(self) -> Place:
        """Where it is shown: what may be shown otherwise there, by one defect."""
        way = self.answer.way
        spelling = way.subject if way.subject != (way.subject or "").lower() else None
        return f"{way.face}{self.part or ''}", way.operation.id, spelling or "", *way.names

    @property
    def digest(self) -> bytes:
        """Equal for records with equal properties and values."""
        try:
            text = orjson.dumps(self.record, option=orjson.OPT_SORT_KEYS)
        except (TypeError, RecursionError):  # integers past 64 bits, lone surrogates
            text = json.dumps(self.record, sort_keys=True).encode()
        return hashlib.blake2b(text, digest_size=8).digest()


def sightings(answer: Answer) -> Iterator[Sighting]:
    """The records that a response shows, apart from those without an id of their own.

    A sighting of a page over HTTP has no data but its record: many are kept for a whole run.
    """
    kept = answer if answer.result is not None else replace(answer, data=MISSING)
    for part, each in enumerate((answer, *answer.others)):
        for path, record in each.records:
            id = record.get("id")
            if is_uuid(id) and str(id).lower() not in EXTREMES:
                yield Sighting(kept, path, record, part)
