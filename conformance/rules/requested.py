"""Whether a response shows what was asked for: its record, its parent, its filter, its limit.

A rule on the success of a read by either interface, whichever check has sent the request.
"""

from collections.abc import Iterator, Mapping

from conformance.contract.identifiers import EXTREMES, is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Defect, Kind, defect
from conformance.rules import arguments, issued, page
from conformance.rules.answer import HTTP, Answer
from conformance.rules.arguments import Fitness
from conformance.rules.issued import Cursors
from conformance.rules.judgement import Judgement, Judgements

IDENTITY, PARENT, FILTER = "read/identity", "read/parent", "pagination/filter"
LIMIT, ONCE = "pagination/limit", "pagination/once"
BY_TOOL = "tools/data"

_ANOTHER = "{wanted} was requested, {found} returned"
_STRAY = "an item has another {name} than the record that it was requested below"
_UNFILTERED = "an item has another {name} than the filter"


def examine(answer: Answer) -> Judgements:
    """Check what needs no knowledge of the target beyond the exchange."""
    if answer.way.operation.is_list:
        yield from _of_parent(answer)
        yield from _of_length(answer)
        yield from _once(answer)
    else:
        yield from _of_identity(answer)


def examine_filters(answer: Answer, roles: Mapping[str, str], cursors: Cursors) -> Judgements:
    """Check that a page shows what passes its filters, whose names are certain on this target.

    `roles` are those of `arguments`. A cursor may stand for the filter that it was issued under.
    """
    filters, sent = answer.way.operation.filters, [name for name, _ in answer.way.arguments]
    behind = [value for name, value in answer.way.arguments if roles.get(name) == "cursor"]
    if not all(issued.goes_on(answer.way, cursor, cursors) for cursor in behind):
        return
    for name, wanted in answer.way.arguments:
        # A target may read `companyId[]` as another spelling of `companyId`.
        is_alone = [letters(each) for each in sent].count(letters(name)) == 1
        if roles.get(name) in filters and is_uuid(wanted) and is_alone:
            yield from _property(answer, FILTER, filters[roles[name]], wanted, _UNFILTERED)


def letters(name: str) -> str:
    """A name as a lenient reader may take it: `companyId[]` for `companyId`."""
    return "".join(filter(str.isalnum, name)).lower()


def _of_identity(answer: Answer) -> Judgements:
    wanted = answer.way.subject
    if wanted is not None and is_uuid(wanted):
        yield from _property(answer, IDENTITY, "id", wanted, _ANOTHER)


def _of_parent(answer: Answer) -> Judgements:
    wanted = answer.way.subject
    if wanted is not None and is_uuid(wanted):
        yield from _property(answer, PARENT, _parameter(answer.way.operation), wanted, _STRAY)


def _parameter(operation: Operation) -> str:
    return next(each.name for each in operation.parameters if each.location == "path")


def _property(answer: Answer, requirement: str, name: str, wanted: str, text: str) -> Judgements:
    """Whether every record that has a property has this id in it."""
    having = [(path, record[name]) for path, record in answer.records if is_uuid(record.get(name))]
    if not having:
        return
    others = (
        _foreign(text, name, wanted, id).at(answer.where(*path, name))
        for path, id in having
        if id.lower() != wanted.lower()
    )
    yield Judgement(_named(requirement, answer), next(others, None))


def _foreign(text: str, name: str, wanted: str, found: str) -> Defect:
    values = {"name": name, "wanted": wanted, "found": found}
    expected = f"{name} {wanted}"
    return defect(Kind.FOREIGN, text, expected=expected, actual=found, **values).on(name)


def _of_length(answer: Answer) -> Judgements:
    """By tool; over HTTP, the length is a rule on every page."""
    stated = answer.way.argument("limit")
    if answer.way.face == HTTP or stated is None:
        return
    if arguments.limit(stated) is not Fitness.VALID:
        return
    limit, length = int(stated), sum(1 for _ in answer.records)
    if length < limit:
        return
    otherwise = page.too_long(length, limit).at(answer.where("items"))
    yield Judgement(_named(LIMIT, answer), otherwise if length > limit else None)


def _once(answer: Answer) -> Judgements:
    """Whether a page shows no record twice."""
    repeated = dict(_repeated(answer))
    for id, path in list(repeated.items())[:1]:
        twice = defect(Kind.REPEATED, "a page shows {id} twice", expected="each record once", id=id)
        yield Judgement(_named(ONCE, answer), twice.on("id").at(answer.where(*path, "id")))


def _repeated(answer: Answer) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    seen: set[str] = set()
    for path, record in answer.records:
        id = str(record.get("id")).lower()
        if not is_uuid(id) or id in EXTREMES:
            continue
        if id in seen:
            yield id, path
        seen.add(id)


def _named(requirement: str, answer: Answer) -> str:
    return requirement if answer.way.face == HTTP else BY_TOOL
