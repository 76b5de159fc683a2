"""Tenants: nobody is shown what belongs to a company or project of others alone (Authentication).

A caller's grant shows in the list of projects that it has read to the end. A record is from outside
where its project, or company, is missing there, and stands in the list of another caller.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.contract.verdict import Defect, Kind, defect
from conformance.rules.ruling import Ruling, Rulings
from conformance.rules.sighting import Sighting
from conformance.rules.walks import LIMIT, Walk

COMPANY, PROJECT = "companyId", "projectId"
Reader = tuple[str | None, str | None]
"""A caller, and the scheme that it used."""


@dataclass(frozen=True)
class Grant:
    """The projects and companies that a caller lists, by their ids in lower case."""

    projects: frozenset[str]
    companies: frozenset[str]


def examine(walks: Sequence[Walk], sightings: Iterable[Sighting]) -> Rulings:
    """Whether the records that each caller was shown are within the grant that it lists."""
    grants = _grants(walks)
    for sighting in sightings:
        reader = sighting.key[2:]
        own = grants.get(reader)
        if own is None or not own.projects or sighting.answer.way.operation.id == "project_list":
            continue
        others = [grant for each, grant in grants.items() if each[0] != reader[0]]
        if others:
            yield _ruling(sighting, own, others)


def _ruling(sighting: Sighting, own: Grant, others: Sequence[Grant]) -> Ruling:
    answer = sighting.answer
    outside = next(_outside(sighting, own, others), None)
    name = outside[0] if outside else COMPANY
    requirement = {COMPANY: "authorization/company", PROJECT: "authorization/project"}[name]
    if answer.way.operation.is_list and "{" not in answer.way.operation.path:
        requirement = "authorization/lists"
    otherwise = _defect(sighting, *outside) if outside else None
    return Ruling(requirement, answer.way.operation.id, (answer.exchange.id,), otherwise)


def _outside(sighting: Sighting, own: Grant, others: Sequence[Grant]) -> Iterator[tuple[str, str]]:
    """The property that shows that a record is from outside, and its value."""
    company, project = (_id(sighting, name) for name in (COMPANY, PROJECT))
    if company not in own.companies and any(company in each.companies for each in others):
        yield COMPANY, company
    if project not in own.projects and any(project in each.projects for each in others):
        yield PROJECT, project


def _id(sighting: Sighting, name: str) -> str:
    is_own = name == PROJECT and sighting.answer.way.operation.resource == "Project"
    return str(sighting.record.get("id" if is_own else name)).lower()


def _defect(sighting: Sighting, name: str, id: str) -> Defect:
    return (
        defect(
            Kind.FOREIGN,
            "{name} {id} is shown to a caller whose list of projects lacks it, and has ended",
            expected="403 or 404, or nothing of it",
            actual=id,
            name=name,
            id=id,
        )
        .on(name)
        .at(sighting.answer.located(*sighting.path, name))
    )


def _grants(walks: Sequence[Walk]) -> Mapping[Reader, Grant]:
    """What each caller lists, where it has read the list of projects to its end at least once."""
    listed: dict[Reader, list[Sighting]] = defaultdict(list)
    whole: set[Reader] = set()
    for walk in walks:
        way = walk.way
        if way.operation.id == "project_list" and set(way.names) <= {LIMIT}:
            listed[way.caller, way.scheme] += walk.sightings
            whole |= {(way.caller, way.scheme)} if walk.is_whole else set()
    return {
        reader: Grant(
            frozenset(each.key[1] for each in own),
            frozenset(_id(each, COMPANY) for each in own),
        )
        for reader, own in listed.items()
        if reader in whole
    }
