"""Walks of one list in pages of several sizes, and what they may not disagree on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.lists.records import differing, suits
from conformance.suite.lists.walk import GROWING, UNSTATED, Walk, record_key

SIZES = (100, GROWING, 50, 25, 10, 7, 3, 1, UNSTATED)
ROUNDS = 2
RESTLESS = 8
"""Walks of a list that moves before anybody is blamed: in one where much moves, many a record comes twice, or not at all, by chance."""


def lists(operation: Operation, live: Live) -> list[Call]:
    """The list itself, or those below the records that have the most."""
    if "{" not in operation.path:
        return [Call(operation.id)]
    return [
        Call(operation.id, {parameter_of(operation): id}) for id in live.parents(operation.id)[:2]
    ]


def sized(call: Call, live: Live) -> list[Walk]:
    """Walks of one list in pages of several sizes; the longest pages come first."""
    if not _is_walked(call, live):
        live.control(call.asking(limit="1"))
        _walk_ahead(call, live)
    longest = live.walk(call, SIZES[0])
    return [longest, *(live.walk(call, size) for size in _shorter(longest))]


def _is_walked(call: Call, live: Live) -> bool:
    return live.has_walked(call, SIZES[0]) and all(
        live.has_walked(call, size) for size in _shorter(live.walk(call, SIZES[0]))
    )


def _walk_ahead(call: Call, live: Live) -> None:
    """Walk a list and all others side by side in all sizes: over a network, each walk alone takes as long as it has pages."""
    fellows = [call]
    for operation in live.session.contract.operations.values():
        with suppress(Inconclusive, NotApplicable):
            fellows += (
                [each for each in lists(operation, live) if each != call]
                if operation.is_list
                else []
            )
    answers = live.send_all([fellow.asking(limit="1") for fellow in fellows], "control")
    served = [
        fellow for fellow, answer in zip(fellows, answers, strict=True) if answer.status == 200
    ]
    live.walk_ahead(live.route(fellow, SIZES[0]) for fellow in served)
    longest = [
        live.walk(fellow, SIZES[0]) for fellow in served if live.has_walked(fellow, SIZES[0])
    ]
    live.walk_ahead(
        live.route(walk.call, size, len(walk.ids)) for walk in longest for size in _shorter(walk)
    )


def _shorter(longest: Walk) -> list[int]:
    """The other sizes in which a list can be walked, to its end or not."""
    if longest.is_whole:
        return [*SIZES[1:], *filling(len(longest.ids))]
    return [*SIZES[1:]] if longest.end == "bound" else []


def filling(count: int) -> list[int]:
    """The longest pages, of more than one record, that a list of so many fills to the last place; none where no length does."""
    return [
        size
        for size in range(min(count, SIZES[0]), 1, -1)
        if count % size == 0 and size not in SIZES
    ][:1]


def repeated(walk: Walk) -> list[str]:
    """The ids that come more than once."""
    return (
        sorted({id for id in walk.ids if walk.ids.count(id) > 1})
        if len(set(walk.ids)) < len(walk.ids)
        else []
    )


def confirm_repeated(walk: Walk, live: Live) -> None:
    """Blame a walk only where it goes on showing records twice: any in a list that is at rest, and the same ones in a list that moves."""
    twice = set(repeated(walk))
    for number in range(RESTLESS):
        shift(walk.call, number, live)
        again = live.again(walk)
        at_rest = _is_at_rest([walk], [again])
        twice = set(repeated(again)) & (set(again.ids) if at_rest else twice) - _touched(
            [walk, again]
        )
        if not twice or (
            at_rest and number
        ):  # twice, since a list that goes round may look alike once
            break
    answer = next(
        (page for page in again.pages if twice & set(map(record_key, page.items))), again.pages[-1]
    )
    expect.that(
        not twice,
        defect(
            Kind.UNSORTED,
            f"{len(twice)} records come twice with {walk.told}",
            expected="each record once",
        ),
        answer,
    )


def _granted(walks: Sequence[Walk], live: Live) -> set[str]:
    """The ids of all records that may be there: what a list shows from outside the grant is judged by the checks of that."""
    return {
        record_key(listed.record)
        for walk in walks
        for listed in walk.listed
        if not live.is_outside(listed.record, walk.call.operation)
    }


def loses(walk: Walk, walks: Sequence[Walk], live: Live) -> bool:
    """Whether a walk lacks records of others that are whole; one that was broken off seems to where it has not begun as they do."""
    everything = _granted(walks, live)
    if walk.is_whole:
        return len(everything - set(walk.ids)) > walk.nameless
    return (
        walk.end == "bound"
        and bool(walks)
        and not walk.nameless
        and set(walk.ids) != set(walks[0].ids[: len(walk.ids)])
    )


def confirm_missing(walk: Walk, walks: Sequence[Walk], live: Live) -> None:
    """Blame a walk only where it goes on losing records that others show before and after it; the same ones in a list that moves."""
    everything = _granted(walks, live)
    missing = everything - set(walk.ids)
    for number in range(RESTLESS):
        shift(walk.call, number, live)
        again = live.again(walk, records=len(everything))
        before = [other for other in walks if missing & set(other.ids)]
        after = [live.again(other) for other in before]
        shown = set().union(*(other.ids for other in after)) & everything
        at_rest = _is_at_rest([walk, *before], [again, *after])
        missing = shown if at_rest else shown & missing
        missing -= {*again.ids, *_touched([*before, *after])}
        if len(missing) <= again.nameless or not again.is_whole:
            return
        if at_rest and number >= ROUNDS:
            break
    told = f"{len(missing)} records are missing with {walk.told}: {', '.join(sorted(missing)[:3])}"
    expect.violated(
        defect(Kind.UNSORTED, told, expected="the records that a walk with another limit yields"),
        again.pages[-1],
    )


def shift(call: Call, number: int, live: Live) -> None:
    """Let other requests go before what is made again, one more each time: what moves with every so many would seem to stay."""
    for _ in range(number + 1):
        live.send(call, purpose="once more")


def _touched(walks: Sequence[Walk]) -> set[str]:
    """The records that are updated while they are walked: where those come first, one may pass by unseen, however often."""
    moments = {
        (record_key(record), repr(record["updatedAt"]))
        for walk in walks
        for record in walk.records
        if "updatedAt" in record
    }
    keys = Counter(key for key, _ in moments)
    return {id for walk in walks for id in walk.ids if keys[id] > 1}


def _is_at_rest(before: Sequence[Walk], after: Sequence[Walk]) -> bool:
    """Whether no record has come, gone or changed its place, although one walk or the other may have lost some."""
    same = set().union(*(walk.ids for walk in before)) == set().union(*(walk.ids for walk in after))
    return same and all(
        _common(one, other) == _common(other, one) for one, other in zip(before, after, strict=True)
    )


def _common(one: Walk, other: Walk) -> list[str]:
    """The records of a walk that another one has too, in the order in which they came."""
    theirs = set(other.ids)
    return [id for id in dict.fromkeys(one.ids) if id in theirs]


def agree(longest: Walk, walk: Walk, live: Live) -> None:
    """Blame a difference between two showings of one record only where both sides stay as they are."""
    stable = _unlike(longest, walk, live)
    for number in range(ROUNDS + 1 if stable else 0):
        # The same caller by the same scheme on both sides: what a record shows may depend on who reads it.
        scheme = walk.pages[0].scheme
        shift(walk.call, number, live)
        other = live.again(longest, scheme)
        again = _unlike(other, live.again(walk, scheme), live)
        stable = {place: values for place, values in stable.items() if again.get(place) == values}
        if not stable:
            return
    if stable:
        told = f"records differ in {', '.join(sorted({name for _, name in stable}))} between {longest.told} and {walk.told}"
        expect.violated(
            defect(Kind.UNSORTED, told, expected="the same values on every page"),
            other.pages[0],
            walk.pages[-1],
        )


def _unlike(one: Walk, other: Walk, live: Live) -> dict[tuple[str, str], tuple[Any, Any]]:
    """The members of the contract in which two walks show a record differently, with both values; not what tells to what it belongs.

    That is the same for all records of a list below another one, which is judged by a check of its own.
    """
    contract, resource = live.session.contract, live.operation(one.call.operation).resource
    named = set(contract.schema(resource)["properties"]) - set(one.call.path)
    known = {record_key(record): record for record in one.records}
    found = {}
    for record in other.records:
        key = record_key(record)
        for name in differing(known.get(key, record), record):
            if name in named and all(
                suits(contract, resource, name, shown) for shown in (known[key], record)
            ):
                found[key, name] = (known[key][name], record[name])
    return found


def turned_away(last: Exchange, live: Live) -> bool:
    """Whether one scheme alone is refused this page, which is judged by the checks of authentication."""
    if last.status not in (401, 403):
        return False
    others = (scheme for scheme in live.credential("primary").schemes if scheme != last.scheme)
    return any(
        live.send(last.call, scheme=scheme, purpose="by the other scheme").status == 200
        for scheme in others
    )


def values(records: Sequence[Mapping[str, Any]], member: str, *, every: bool = False) -> list[str]:
    """Some of the values of a member, those of the first and the last record, and the rarest; or every one."""
    found = [record[member] for record in records if isinstance(record.get(member), str)]
    if every:
        return found
    rare = sorted(set(found), key=lambda value: (found.count(value), value))
    return list(dict.fromkeys([*found[:1], *found[-1:], *rare[:1], *rare[-2:]]))
