"""What a run met, where several processes have met it."""

import orjson

from conformance.report.circumstances import ABSENCE, BUILD
from conformance.report.gathered import Gathered
from conformance.runner.result import ItemResult


def test_shards_of_two_builds_say_so() -> None:
    """A fact counts once, whoever has found it; what each of them met counts for each."""
    gathered = Gathered({})
    for build, since in (("41", "3.5"), ("42", "9.0")):
        met = ((BUILD, "begin", {"header x-build-id": build}), (ABSENCE, since, 2.0))
        record = ItemResult("fact::build[begin]", (), met, {}, 4, {"GET": 4}, {})
        gathered.add(orjson.dumps(record).decode())

    assert gathered.exchanges == 4
    assert gathered.circumstances.entry == {
        "absences": [{"since": 3.5, "seconds": 2.0}, {"since": 9.0, "seconds": 2.0}],
        "builds": [{"header x-build-id": "41"}, {"header x-build-id": "42"}],
    }
