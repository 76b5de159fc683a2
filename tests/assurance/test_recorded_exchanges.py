"""Exchanges of a certificate that are kept compressed, and its files that are not kept."""

from collections.abc import Callable

import orjson
import pytest

from conformance.assurance.certificate.contents import LARGE, Renamed, Unpacked
from conformance.assurance.certificate.recorded import BLOCK, Exchanges

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
