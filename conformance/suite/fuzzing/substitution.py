"""Ids of existing records in place of generated ones.

Otherwise no generated request would get past an absent record.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call
from conformance.suite.fuzzing.generate import Mode
from conformance.suite.lists.live import PARENTS, Live, parameter_of

MAX_IDS = 8
KEPT_MADE_UP = 4
"""One in so many generated ids is not replaced."""


@dataclass(frozen=True)
class Substitution:
    """Makes generated calls of one operation fit the target: its names and its records.

    `baseline` is a valid call, `cursor` one that it returned. `most_ids` bounds the records whose
    ids are used.
    """

    operation: Operation
    mode: Mode
    live: Live
    baseline: Call
    cursor: str | None
    most_ids: int = MAX_IDS

    def apply(self, call: Call) -> Call:
        """The same call with the target's names and, for part of its ids, those of records."""
        path = {name: self._path_value(value) for name, value in call.path.items()}
        placed = replace(call, path=path)
        return replace(placed, query=tuple(self._query(placed)))

    @property
    def filtered(self) -> Call:
        """The baseline with the filters that the calls may have."""
        named = (
            (self.live.session.name(self.operation, role), values[0])
            for role, values in self._existing_values.items()
            if role in self.operation.filters and values
        )
        return self.baseline.asking(**{name: value for name, value in named if name is not None})

    def _path_value(self, value: str) -> str:
        return (self._existing("id", value) or value) if is_uuid(value) else value

    def _query(self, call: Call) -> Iterable[tuple[str, str]]:
        for parameter, value in call.query:
            name = self.live.session.name(self.operation, self._roles[parameter])
            substitute = self._argument(parameter, value, call)
            if name is not None and substitute is not None:
                yield name, substitute

    @cached_property
    def _roles(self) -> dict[str, str]:
        return {parameter.name: parameter.role for parameter in self.operation.parameters}

    def _argument(self, name: str, value: str, call: Call) -> str | None:
        """A value for a query parameter; None where it is better left out."""
        if not is_uuid(value):
            return value
        role = self._roles[name]
        if self.mode is Mode.NEGATIVE:
            # Only one argument may be wrong, and a made-up id or cursor may be rejected as well.
            return self._existing(role, value)
        if role == "cursor":
            # A made-up cursor may be rejected, and an issued one beside other arguments, or in
            # the list below another record.
            is_alone = len(call.query) == 1 and call.path == self.baseline.path
            return self._existing(role, value) if is_alone else None
        return self._existing(role, value) or value

    def _existing(self, role: str, value: str) -> str | None:
        """An existing value in place of a generated one, always the same.

        None for every fourth valid one, and where nothing exists.
        """
        number = int(value.replace("-", ""), 16)
        existing = self._existing_values[role]
        may_be_kept = self.mode is Mode.POSITIVE and not self.operation.writes
        is_kept = may_be_kept and number % KEPT_MADE_UP == KEPT_MADE_UP - 1
        if not existing or is_kept:
            return None
        return existing[number // KEPT_MADE_UP % len(existing)]

    @cached_property
    def _existing_values(self) -> dict[str, list[str]]:
        """Existing values by role."""
        values: dict[str, list[str]] = {
            "id": self._ids(),
            "cursor": [],
            **{role: [] for role in self.operation.filters},
        }
        if self.mode is Mode.POSITIVE and is_uuid(self.cursor):
            values["cursor"] = [str(self.cursor)]
        if "{" not in self.operation.path:
            values |= self._filter_values()
        return values

    def _ids(self) -> list[str]:
        """Ids for the path; for an approval only those of reviews that cannot be approved."""
        if self.operation.writes:
            made_up = [self.live.made_up(f"fuzz {number}") for number in range(2)]
            return [*made_up, *self.live.session.target.fixtures.unapprovable_reviews]
        if "{" not in self.operation.path:
            return []
        name = parameter_of(self.operation)
        parents = [listed.record["id"] for listed in self.live.records(PARENTS[name])]
        return [self.baseline.path[name], *parents][: self.most_ids]

    def _filter_values(self) -> dict[str, list[str]]:
        """The values of the first record of the list; none where the list shows no record."""
        records: list[dict[str, Any]] = []
        with suppress(Inconclusive):
            records = [listed.record for listed in self.live.records(self.operation.id)[:1]]
        return {
            role: [record[name] for record in records if is_uuid(record.get(name))]
            for role, name in self.operation.filters.items()
        }
