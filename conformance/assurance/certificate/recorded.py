"""The exchanges of a certificate: kept compressed, and each is parsed where it is needed."""

import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property, lru_cache
from typing import Any, overload

import orjson

BLOCK = 64 * 1024
"""Bytes of the lines that are compressed together, or one line where it has more."""

UNPACKED = 4
"""Blocks that are kept as they are: whoever reads a line reads those near it."""

Exchange = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outline:
    """What is asked of an exchange again and again, so that its bodies are read no more than once.

    `started` and `elapsed` are seconds, `dates` those of its response, `servers` the values of its
    header Server.
    """

    id: str
    operation: str
    started: float
    elapsed: float
    method: str | None
    is_answered: bool
    dates: tuple[datetime, ...]
    servers: tuple[str, ...]


class Exchanges(Sequence[Exchange]):
    """The lines of exchanges.jsonl as values, in their order."""

    def __init__(self, content: bytes) -> None:
        self._blocks: list[bytes] = []
        self._places = array("Q")
        """Of each line its block, and where it starts and stops in that."""
        for start, stops in _blocks(content):
            for one, other in zip((start, *stops), stops, strict=False):
                self._places.extend((len(self._blocks), one - start, other - start))
            self._blocks.append(zlib.compress(content[start : stops[-1]], 1))
        self._block = lru_cache(UNPACKED)(self._unpacked)

    def __len__(self) -> int:
        return len(self._places) // 3

    @overload
    def __getitem__(self, index: int) -> Exchange: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Exchange]: ...
    def __getitem__(self, index: int | slice) -> Exchange | Sequence[Exchange]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        found: Exchange = orjson.loads(self.line(range(len(self))[index]))
        return found

    def line(self, number: int) -> bytes:
        """The line of an exchange, counted from 0, without its end."""
        block, start, stop = self._places[number * 3 : number * 3 + 3]
        return self._block(block)[start:stop].removesuffix(b"\n")

    @cached_property
    def by_id(self) -> "ById":
        """The exchanges by their ids; of two with one id the later one."""
        return ById(self)

    @cached_property
    def outlines(self) -> tuple[Outline, ...]:
        """The outline of each exchange."""
        return tuple(map(_outline, self))

    def _unpacked(self, number: int) -> bytes:
        return zlib.decompress(self._blocks[number])


class ById(Mapping[str, Exchange]):
    """Exchanges by their ids."""

    def __init__(self, exchanges: Exchanges) -> None:
        self._exchanges = exchanges
        self._numbers = {each["id"]: number for number, each in enumerate(exchanges)}

    def __getitem__(self, id: str) -> Exchange:
        return self._exchanges[self._numbers[id]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


def _outline(exchange: Exchange) -> Outline:
    headers = tuple((exchange.get("response") or {}).get("headers", ()))
    return Outline(
        exchange["id"],
        exchange.get("operation", ""),
        exchange["started"],
        exchange["elapsed"],
        exchange["request"].get("method"),
        exchange.get("response") is not None,
        tuple(date for name, value in headers if name == "date" for date in _dates(value)),
        tuple(value for name, value in headers if name == "server"),
    )


def _dates(value: str) -> Iterator[datetime]:
    """The time in a header, in UTC; none where it has another form."""
    try:
        date = parsedate_to_datetime(value)
        yield date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return


def _blocks(content: bytes) -> Iterator[tuple[int, list[int]]]:
    """Where each block starts, and where its lines stop."""
    start, stops = 0, list[int]()
    while (stops[-1] if stops else start) < len(content):
        stops.append(content.find(b"\n", stops[-1] if stops else start) + 1 or len(content))
        if stops[-1] - start >= BLOCK:
            yield start, stops
            start, stops = stops[-1], []
    if stops:
        yield start, stops
