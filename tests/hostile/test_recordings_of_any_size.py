"""A recording that is as large as that of a certificate may be: its reader and its second judge."""

import json
from collections.abc import Iterator
from uuid import UUID

import pytest

from conformance.assurance.certificate import bundle
from conformance.assurance.certificate.budget import MIB
from conformance.assurance.certificate.evidence import MOST_EXCHANGES
from conformance.assurance.certificate.recorded import Exchanges
from conformance.assurance.second import opinion

BASE = "http://target.test/v1"
TARGET = {
    "base-url": BASE,
    "credentials": {"primary": {"api-key": {"variable": "PRIMARY", "command": False}}},
    "fixtures": {
        "approvable-reviews": [],
        "unapprovable-reviews": [],
        "foreign": {},
        "ungranted": {},
    },
    "limits": {"max_body_bytes": None},
    "parameters": [["video_list", "cursor", "cursor", True]],
}
LARGEST = bundle.EVIDENCE["exchanges.jsonl"].bytes
LONGEST_BODY = 7 * MIB


def line(number: int, path: str, records: list[dict[str, str]]) -> bytes:
    """An exchange whose response is a page with a cursor to the next one."""
    page = {"items": records, "nextCursor": str(UUID(int=number + 1, version=4))}
    exchange = {
        "id": f"check#{number}",
        "item": f"check-{number // 50}",
        "request": {
            "method": "GET",
            "url": f"{BASE}{path}",
            "headers": [["x-api-key", "$PRIMARY"]],
            "body": None,
        },
        "started": float(number),
        "elapsed": 0.5,
        "response": {
            "status": 200,
            "headers": [["content-type", "application/json"], ["x", "y" * 500]],
            "body": {"text": json.dumps({"data": page, "requestId": "r"})},
        },
    }
    return json.dumps(exchange).encode() + b"\n"


def records(first: int, count: int) -> list[dict[str, str]]:
    """Records that differ."""
    return [
        {"id": str(UUID(int=first + each, version=4)), "name": "n" * 400} for each in range(count)
    ]


def short_pages() -> Iterator[bytes]:
    """As many exchanges as a certificate may have."""
    each = len(line(0, "/videos", records(0, 1)))
    count = (LARGEST // MOST_EXCHANGES - each) // 480
    for number in range(MOST_EXCHANGES):
        yield line(number, "/videos?limit=100", records(number * count, count))


def long_pages() -> Iterator[bytes]:
    """One pagination of pages that are as long as a run reads them."""
    count = LONGEST_BODY // 480
    for number in range(LARGEST // (LONGEST_BODY + MIB)):
        cursor = f"&cursor={UUID(int=number, version=4)}" if number else ""
        yield line(number, f"/videos?limit=100{cursor}", records(number * count, count))


@pytest.fixture(scope="module", params=[short_pages, long_pages])
def recording(request: pytest.FixtureRequest) -> bytes:
    """It is there before the memory of a test is measured."""
    return b"".join(request.param())


def test_the_second_judge_needs_little_memory_beside_a_recording(recording: bytes) -> None:
    """It reads bodies where it needs them, and keeps what is said of them."""
    assert LARGEST * 0.7 < len(recording) <= LARGEST
    found = opinion.of({"requirements": []}, TARGET, recording)
    is_long = recording.count(b"\n") < MOST_EXCHANGES
    assert found.verdicts.get("pagination/limit") == ("fail" if is_long else None)


def test_exchanges_take_up_little_memory_beside_a_recording(recording: bytes) -> None:
    """They are compressed, and parsed one at a time."""
    found = Exchanges(recording)
    assert len(found) == recording.count(b"\n") == len(found.by_id)
    assert found.line(len(found) - 1) + b"\n" == recording[recording[:-1].rindex(b"\n") + 1 :]
