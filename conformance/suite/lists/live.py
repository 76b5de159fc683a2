"""The living data of a target: what its lists hold, read once, and the valid calls that can be made of it."""

import random
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from conformance.contract import api
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.http.exchange import Call, Exchange
from conformance.runner.session import Session
from conformance.suite.callers.callers import DEFAULT, Callers
from conformance.suite.lists.walk import (
    BEGINNING,
    PAGE,
    WIDEST_GAP,
    Listed,
    Route,
    Trail,
    Walk,
    enough,
    length,
)

LISTS = api.load().lists
PARENTS = api.load().parents
READING = api.load().readers
SHORTER = 25
FARTHER = 40
"""Parents beyond a sample that are looked at where it has none with several records below it."""
OWNERS = {"id": "", "companyId": "company", "projectId": "project"}
"""The members that say what a record is, and what it belongs to, each with the kind of which it holds an id; none for its own."""


class Live(Callers):
    """Reads a target as its primary caller; what it found is kept for the whole run of this process."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._longest: dict[str, int] = {}
        self._inside: dict[str, tuple[Walk, list[Listed]]] = {}
        self._readings: dict[str, list[tuple[Listed, Exchange]]] = {}
        self._below: dict[str, list[tuple[Listed, Exchange]]] = {}
        self._walks: dict[tuple[object, ...], Walk] = {}
        self._outside: dict[str, list[tuple[str, set[str]]]] = {}
        self.others: dict[str, list[Call]] = {}

    # --- data ------------------------------------------------------------------------------------------------------

    def operation(self, id: str) -> Operation:
        """An operation of the contract."""
        return self.session.contract.operation(id)

    def listing(self, operation: str) -> Walk:
        """A list without path parameters, in the longest pages; Inconclusive where it is refused."""
        if operation not in self._longest:
            self.control(Call(operation))
            # Where the longest page is refused, which the rules judge, what else there is to say takes shorter ones.
            longest = self.send(Call(operation).asking(limit=str(PAGE)), purpose="the longest page")
            self._longest[operation] = PAGE if longest.status == 200 else SHORTER
        return self.walk(Call(operation), self._longest[operation])

    def is_outside(self, record: Mapping[str, Any], operation: str) -> bool:
        """Whether a record of a list is, or belongs to, what the profile names as outside of primary's grant."""
        outside = self._outside_of(operation)
        return any(str(record.get(name)).lower() in ids for name, ids in outside)

    def _outside_of(self, operation: str) -> list[tuple[str, set[str]]]:
        """The ids outside of primary's grant that each property of a list's records may not have."""
        if operation not in self._outside:
            own = self.operation(operation).resource.lower()
            groups = (self.session.target.fixtures.foreign, self.session.target.fixtures.ungranted)
            kinds = {name: kind or own for name, kind in OWNERS.items()}
            ids = {
                name: {group[kind].lower() for group in groups if kind in group}
                for name, kind in kinds.items()
            }
            self._outside[operation] = [(name, named) for name, named in ids.items() if named]
        return self._outside[operation]

    def records(self, operation: str) -> list[Listed]:
        """The records of a list that have a usable id and may be there; Inconclusive where there are none.

        That one from outside the grant is shown is judged by the checks of authorization, and by no other one.
        """
        walk = self.listing(operation)
        if self._inside.get(operation, (None, []))[0] is not walk:
            self._inside[operation] = (
                walk,
                [listed for listed in walk.listed if not self.is_outside(listed.record, operation)],
            )
        found = self._inside[operation][1]
        if not found:
            raise Inconclusive(f"{operation} shows no record", needs=("data in the target",))
        return found

    def sample(self, operation: str) -> list[Listed]:
        """Some records of a list: the first, the last, the second, and others that the seed chooses."""
        records, most = self.records(operation), self.session.depth.records
        if len(records) <= most:
            return records
        chosen = random.Random(f"{self.session.seed}:{operation}").sample(records[2:-1], most - 3)
        return [records[0], records[-1], records[1], *chosen]

    def readings(self, operation: Operation) -> list[tuple[Listed, Exchange]]:
        """A sample of the records that a list shows, each with the answer to reading it by its id."""
        if operation.id not in self._readings:
            name = parameter_of(operation)
            sample = self.sample(PARENTS[name])
            answers = self.send_all(
                [Call(operation.id, {name: listed.record["id"]}) for listed in sample], "read by id"
            )
            self._readings[operation.id] = list(zip(sample, answers, strict=True))
        return self._readings[operation.id]

    def call(self, operation: Operation) -> Call:
        """A valid call of a reading operation, on something that primary sees."""
        if "{" not in operation.path:
            return Call(operation.id)
        name = parameter_of(operation)
        if operation.is_list:
            return Call(operation.id, {name: self.parents(operation.id)[0]})
        return Call(operation.id, {name: self.records(PARENTS[name])[0].record["id"]})

    def lists_below(self, operation: str) -> list[tuple[Listed, Exchange]]:
        """For a list below a record: a sample of the parents, each with the first page below it; more where none has two records."""
        if operation not in self._below:
            parents = PARENTS[parameter_of(self.operation(operation))]
            found = self._look_below(operation, self.sample(parents))
            if not any(len(answer.items) > 1 for _, answer in found):
                looked = {listed.record["id"] for listed, _ in found}
                found += self._look_below(
                    operation,
                    [each for each in self.records(parents) if each.record["id"] not in looked][
                        :FARTHER
                    ],
                )
            self._below[operation] = found
        return self._below[operation]

    def _look_below(
        self, operation: str, parents: Sequence[Listed]
    ) -> list[tuple[Listed, Exchange]]:
        name = parameter_of(self.operation(operation))
        calls = [Call(operation, {name: listed.record["id"]}) for listed in parents]
        answers = self.send_all(
            [call.asking(limit=str(PAGE)) for call in calls], "look for records"
        )
        if not any(answer.status == 200 for answer in answers):
            answers = self.send_all(calls, "look for records, in pages of any length")
        return list(zip(parents, answers, strict=True))

    def children(self, operation: str) -> dict[str, Exchange]:
        """The pages below those of the sampled parents whose list is served, by the id of the parent."""
        return {
            listed.record["id"]: answer
            for listed, answer in self.lists_below(operation)
            if answer.status == 200
        }

    def parents(self, operation: str) -> list[str]:
        """The parents of a list below a record, those with the most records first."""
        found = self.children(operation)
        if not found:
            raise Inconclusive(
                f"no answer of {operation} to look at", needs=("data in the target",)
            )
        return sorted(found, key=lambda id: -len(found[id].items))

    def learn_filter(self, operation: Operation, role: str) -> None:
        """Find out whether the target knows the name of a filter: it heeds a value that nothing has, and refuses what is no UUID."""
        name = self.session.name(operation, role)
        assert name is not None
        plain = self.control(Call(operation.id))
        nothing = self.send(
            plain.call.asking(**{name: self.made_up(role)}), purpose=f"is {name} a parameter?"
        )
        nonsense = self.send(
            plain.call.asking(**{name: "not-a-uuid"}), purpose=f"is {name} a parameter?"
        )
        heeded = nothing.status == 200 and not nothing.items and bool(plain.items)
        if heeded or (nothing.status in {200, 403, 404} and nonsense.status in {400, 422}):
            self.session.proven.add((operation.id, role))

    def learn_cursor(self, operation: Operation, call: Call) -> None:
        """Find out whether the target knows the name of a cursor: it leads on, or one is heeded and nonsense is refused."""
        name = self.session.name(operation, "cursor")
        assert name is not None
        self._walked(Trail(Route(call, 1, self.credential("primary"), None, most=2), name))
        issued = self.control(call.asking(limit="1")).cursor
        if (
            issued is not None
            and self.send(call.asking(**{name: issued}), purpose=f"is {name} a parameter?").status
            == 200
        ):
            nonsense = self.send(
                call.asking(**{name: "not-a-uuid"}), purpose=f"is {name} a parameter?"
            )
            if nonsense.status in {400, 422}:
                self.session.proven.add((operation.id, "cursor"))

    def made_up(self, label: str) -> str:
        """A UUID that nothing has; the same for the same seed and label."""
        return str(
            uuid.UUID(int=random.Random(f"{self.session.seed}:{label}").getrandbits(128), version=4)
        )

    # --- walks -----------------------------------------------------------------------------------------------------

    def walk(
        self, call: Call, limit: int, credential: Any = DEFAULT, scheme: str | None = None
    ) -> Walk:
        """Walk a list along its cursors, as far as the depth of the run allows; what was walked before is not walked again."""
        who = self.credential("primary") if credential is DEFAULT else credential
        route = Route(call, limit, who, scheme, self.session.depth.pages)
        if route.key not in self._walks:
            self._walks[route.key] = self._walked(self._trail(route))
        return self._walks[route.key]

    def again(self, walk: Walk, scheme: str | None = None, records: int = 0) -> Walk:
        """Make a walk of primary's once more, by the same scheme unless one is named, as far as before or as so many records take."""
        pages = len(walk.pages) if walk.end == "bound" else self.session.depth.pages
        route = Route(
            walk.call,
            walk.limit,
            self.credential("primary"),
            scheme,
            max(pages, enough(records, walk.limit)),
        )
        by = replace(route, scheme=scheme or walk.pages[0].scheme)
        # Where somebody is about to be blamed, what looks like the end of the list may be a gap that is wider than usual.
        self._walks[route.key] = self._walked(self._trail(by, WIDEST_GAP))
        return self._walks[route.key]

    def route(self, call: Call, limit: int, records: int = 0) -> Route:
        """A walk as primary of a list of so many records: to its end, or some pages where the depth of the run does not allow that."""
        pages = self.session.depth.pages
        most = pages if records <= length(limit) * pages else BEGINNING
        return Route(call, limit, self.credential("primary"), None, most)

    def has_walked(self, call: Call, limit: int) -> bool:
        """Whether a walk as primary has been made, by any scheme."""
        return self.route(call, limit).key in self._walks

    def walk_ahead(self, routes: Iterable[Route]) -> None:
        """Make walks as primary side by side that will be asked for.

        What cannot be walked is left to whoever asks for it, and is then tried again.
        """
        new = {route.key: route for route in routes if route.key not in self._walks}.values()
        trails = [
            self._trail(route)
            for route in new
            if self.session.name(self.operation(route.call.operation), "cursor") is not None
        ]
        with suppress(Inconclusive):
            self._follow(trails)
        self._walks |= {trail.route.key: trail.walk for trail in trails if trail.walk is not None}

    def _trail(self, route: Route, least: int = 1) -> Trail:
        operation = self.operation(route.call.operation)
        name = self.session.name(operation, "cursor")
        if name is None:
            raise NotApplicable(f"{operation.id} has no cursor")
        return Trail(route, name, least)

    def _walked(self, trail: Trail) -> Walk:
        self._follow([trail])
        if trail.problem is not None:
            raise trail.problem
        assert trail.walk is not None
        return trail.walk

    def _follow(self, trails: Sequence[Trail]) -> None:
        """Read the next page of every trail, until all of them are over."""
        while under_way := [trail for trail in trails if not trail.is_over]:
            for trail, page in zip(
                under_way, self.send_each([trail.request for trail in under_way]), strict=True
            ):
                trail.take(page)
                if trail.leads_on:
                    self.session.proven.add((page.operation, "cursor"))


def parameter_of(operation: Operation) -> str:
    """The name of the path parameter of an operation."""
    return operation.path[operation.path.index("{") + 1 : operation.path.index("}")]
