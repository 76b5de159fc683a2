"""Lists that are followed page by page: no loop, and no record that every walk shows twice."""

import json
from collections.abc import Sequence
from hashlib import blake2b

from conformance.assurance.second.exchange import Exchange, is_uuid
from conformance.assurance.second.history import MOST_IDS, History
from conformance.assurance.second.reads import UNSTATED
from conformance.assurance.second.ruling import Rulings, ruling

Walk = list[Exchange]
FEWEST = 2
"""Paginations of a list that have to agree: records move while a single one goes on."""


def rulings(history: History) -> Rulings:
    """The rulings on every list that was followed."""
    by_list: dict[object, list[Walk]] = {}
    for walk in _walks(history):
        if len(walk) > 1:
            by_list.setdefault(_list(walk[0], history), []).append(walk)
    for walks in by_list.values():
        for walk in walks:
            yield from _loop(walk)
        yield from _repeated(walks)


def _walks(history: History) -> list[Walk]:
    """The pages that one check has asked for one after the other, with the same arguments."""
    walks: list[Walk] = []
    waiting: dict[object, Walk] = {}
    for exchange in history.exchanges:
        names = history.names(exchange.operation)
        is_page = exchange.operation.is_list and exchange.status == 200
        if not is_page or not history.is_known(exchange):
            continue
        place = exchange.item, _list(exchange, history)
        cursors = exchange.values("cursor", names)
        walk = waiting.pop((place, cursors[0]), None) if cursors else []
        if walk is None:
            continue
        if not walk:
            walks.append(walk)
        walk.append(exchange)
        if exchange.cursor is not None:
            waiting[place, exchange.cursor] = walk
    return walks


def _list(exchange: Exchange, history: History) -> tuple[object, ...]:
    """The list that a page belongs to, and the length of its pages."""
    names = history.names(exchange.operation)
    others = sorted(pair for pair in exchange.query if names.get(pair[0]) != "cursor")
    return exchange.caller, exchange.operation.id, exchange.subject, tuple(others)


def _loop(walk: Walk) -> Rulings:
    cursors = [page.cursor.lower() for page in walk if page.cursor is not None]
    if len(set(cursors)) < len(cursors):
        flaw = "a nextCursor leads back to an earlier page"
        yield ruling("pagination/end", walk[-1], flaw, "pagination/once", "pagination/complete")


def _repeated(walks: Sequence[Walk]) -> Rulings:
    """Records that come twice, unchanged, whenever the list is followed as far as that."""
    both = [(walk, twice) for walk in walks if (twice := _twice(walk)) is not None]
    yield from (ruling("pagination/once", walk[-1]) for walk, twice in both if not twice)
    for id in {id for _, twice in both for id in twice}:
        depth = max(twice[id] for _, twice in both if id in twice)
        reaching = [twice for walk, twice in both if len(walk) > depth]
        if len(reaching) >= FEWEST and all(id in twice for twice in reaching):
            page = next(walk[twice[id]] for walk, twice in both if id in twice)
            flaw = f"{id} is on two pages"
            yield ruling("pagination/once", page, flaw, "pagination/end")


def _twice(walk: Walk) -> dict[str, int] | None:
    """The ids of records that are on two pages unchanged, with the number of the later one.

    None of a walk with more records than are remembered.
    """
    seen: dict[str, bytes] = {}
    found: dict[str, int] = {}
    for number, page in enumerate(walk):
        shown = {str(each["id"]).lower(): each for each in page.records if is_uuid(each.get("id"))}
        for id in shown.keys() - UNSTATED:
            text = json.dumps(shown[id], sort_keys=True).encode()
            digest = blake2b(text, digest_size=16).digest()
            if seen.get(id) == digest:
                found.setdefault(id, number)
            seen[id] = digest
        if len(seen) > MOST_IDS:
            return None
    return found
