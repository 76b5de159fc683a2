"""Exchanges of a certificate that are kept compressed, and its files that are not kept."""

from collections.abc import Callable
from datetime import UTC, datetime

import orjson
import pytest

from conformance.assurance.certificate.archive import ArchiveProblem
from conformance.assurance.certificate.contents import LARGE, Renamed, Unpacked
from conformance.assurance.certificate.recorded import BLOCK, Exchanges, Outline

LINES = [
    orjson.dumps({"id": str(number), "text": f"{number}" * length})
    for number, length in enumerate([1, BLOCK // 2, BLOCK, 3 * BLOCK, 1, 1, 2 * BLOCK, 0])
]


@pytest.mark.parametrize("count", range(len(LINES) + 1))
@pytest.mark.parametrize("end", [b"", b"\n"], ids=["without an end", "with an end"])
def test_lines_of_every_length_are_found_again(count: int, end: bytes) -> None:
    """By their number, from both ends, and by the ids of their exchanges."""
    lines = LINES[:count]
    found = Exchanges(b"\n".join(lines) + (end if lines else b""))
    assert [found.line(number) for number in range(len(found))] == lines
    assert list(found) == list(map(orjson.loads, lines))
    assert found[-2:] == list(map(orjson.loads, lines[-2:]))
    assert [found.by_id[str(number)] for number in range(count)] == list(found)


def test_an_empty_line_is_one() -> None:
    """A reader has to reject it."""
    assert Exchanges(b"{}\n\n{}\n").line(1) == b""


def test_a_large_file_is_unpacked_whenever_it_is_read() -> None:
    """A small one is unpacked once."""
    unpacked: list[str] = []

    def file(name: str, size: int) -> Callable[[], bytes]:
        def content() -> bytes:
            unpacked.append(name)
            return b"x" * size

        return content

    files = Unpacked({"small": file("small", 3), "large": file("large", LARGE + 1)})
    part = Renamed(files, {"other": "large"})
    assert [*map(len, part.values()), *map(len, files.values())] == [LARGE + 1, 3, LARGE + 1]
    assert unpacked == ["small", "large", "large", "large"]
    assert (len(files), len(part)) == (2, 1)


def test_an_outline_has_what_is_asked_of_an_exchange_without_its_bodies() -> None:
    """A date in another form is none; an exchange without a response has none at all."""
    headers = [
        ["date", "Sat, 03 Jan 2015 10:00:00 GMT"],
        ["date", "yesterday"],
        ["server", "theirs"],
        ["age", "7"],
    ]
    sent = {"id": "a#1", "operation": "account_get", "started": 1.5, "elapsed": 0.25}
    answered = {**sent, "request": {"method": "GET"}, "response": {"headers": headers}}
    lost = {**sent, "request": {"method": "POST"}, "response": None}

    lines = [orjson.dumps(each) for each in (answered, lost)]
    first, second = Exchanges(b"\n".join(lines)).outlines

    moment = datetime(2015, 1, 3, 10, tzinfo=UTC)
    assert first == Outline(
        "a#1",
        "account_get",
        1.5,
        0.25,
        "GET",
        is_answered=True,
        dates=(moment,),
        servers=("theirs",),
    )
    assert second == Outline(
        "a#1", "account_get", 1.5, 0.25, "POST", is_answered=False, dates=(), servers=()
    )


def test_a_large_file_is_counted_when_it_is_first_unpacked() -> None:
    """Its bytes are the same afterwards."""
    large = {"large": lambda: b"x" * (LARGE + 1)}
    files = Unpacked(large, {"large": lambda: b"y" * (LARGE + 1)})
    assert [files["large"][:1] for _ in range(2)] == [b"y", b"y"]

    def too_much() -> bytes:
        raise ArchiveProblem("costs more than it may")

    with pytest.raises(ArchiveProblem):
        Unpacked({"large": too_much}, large)
