"""The log of exchanges: bounded in size, and merged without being read into memory."""

import hashlib
from pathlib import Path
from typing import Any

import orjson
from sample_reports import an_exchange

from conformance.report import exchange_log
from conformance.report.exchange_log import ExchangeLog
from conformance.report.gathered import EVIDENCE, MOST_SHOWN, Gathered


def document(number: int, length: int) -> Any:
    """An exchange whose response has a body of so many bytes."""
    response = {"status": 200, "headers": [], "body": {"text": "x" * length}}
    return an_exchange(number, response=response)


def test_a_log_keeps_the_beginnings_of_bodies_and_then_nothing(tmp_path: Path) -> None:
    """The file is never larger than allowed; what was cut has its length and digest."""
    path = tmp_path / "exchanges-main.jsonl"
    log = ExchangeLog(path, 100_000)
    whole = [log.write(document(number, 20_000)) for number in range(60)]
    log.close()

    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    bodies = [line["response"]["body"] for line in lines]
    assert whole == [True] * 4 + [False] * 56
    assert path.stat().st_size <= 100_000
    assert 4 < len(lines) < 60
    assert bodies[4] == {
        "text": "x" * 500,
        "length": 20_000,
        "sha256": hashlib.sha256(b"x" * 20_000).hexdigest(),
    }


def test_a_log_that_is_shown_on_a_terminal_does_nothing_there(tmp_path: Path) -> None:
    """Whole or shortened, a line has the texts of the target in escapes."""
    hostile = "\x9b2J\u202e\x7f"
    log = ExchangeLog(tmp_path / "exchanges-main.jsonl", 10_000)
    for length in (1, 20_000):
        sent = document(1, 1)
        sent["response"]["body"]["text"] = hostile * length
        log.write(sent)
    log.close()
    exchange_log.merge(tmp_path)
    content = (tmp_path / "exchanges.jsonl").read_text()
    assert content.replace("\n", "").isprintable()
    first, second = exchange_log.read(tmp_path)
    assert first["response"]["body"]["text"] == hostile
    assert second["response"]["body"]["text"].startswith(hostile)


def test_the_log_of_one_process_is_not_copied(tmp_path: Path) -> None:
    """It has a second name, also after it has grown."""
    log = ExchangeLog(tmp_path / "exchanges-main.jsonl")
    for number in (1, 2):
        log.write(document(number, 1))
        exchange_log.merge(tmp_path)
        merged = tmp_path / "exchanges.jsonl"
        assert merged.samefile(tmp_path / "exchanges-main.jsonl")
        assert len(list(exchange_log.read(tmp_path))) == number
    log.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "exchanges-main.jsonl",
        "exchanges.jsonl",
    ]


def test_an_incomplete_line_is_left_out(tmp_path: Path) -> None:
    """The process was killed while it wrote it."""
    (tmp_path / "exchanges-main.jsonl").write_bytes(b'{"id":"a#1"}\n{"id"')
    exchange_log.merge(tmp_path)
    assert (tmp_path / "exchanges.jsonl").read_bytes() == b'{"id":"a#1"}\n'


def test_an_empty_log_is_merged(tmp_path: Path) -> None:
    """No exchange was recorded yet."""
    (tmp_path / "exchanges-main.jsonl").write_bytes(b"")
    exchange_log.merge(tmp_path)
    assert list(exchange_log.read(tmp_path)) == []


def test_much_evidence_is_shown_with_the_beginnings_of_bodies() -> None:
    """The report says how many exchanges it concerns."""
    gathered = Gathered([])
    for number in range(30):
        found = document(number, 1_000_000)
        record = {"item": "i", "findings": [], "observations": [], "evidence": {found["id"]: found}}
        gathered.add(
            orjson.dumps({**record, "exchanges": 1, "elapsed": {}, "methods": {}}).decode()
        )

    shown: list[Any] = list(gathered.evidence.values())
    lengths = [len(each["response"]["body"]["text"]) for each in shown]
    whole = MOST_SHOWN // 1_000_000
    assert lengths == [1_000_000] * whole + [2_000] * (30 - whole)
    assert gathered.budgets == {EVIDENCE: 30 - whole}
