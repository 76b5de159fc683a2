"""How targets and campaigns stand, in both databases."""

import fleet_memory
from fleet_memory import ended, names, report

from conformance.fleet.answers import campaign_state, overview, standing
from conformance.fleet.answers.changes import Changes
from conformance.fleet.memory import database, reading
from conformance.fleet.memory.database import Memory
from conformance.fleet.memory.recording import Ended

BODY = "limits/body[review_approve]"
ONCE = "pagination/once[video_list]"


def test_broken_fixed_and_flapping_are_told_apart(nights: str) -> None:
    """Compared with the last complete run of the same target and revision."""
    memory = database.open_memory(nights, is_new=False)
    with memory.reading() as connection:
        state = campaign_state.of(connection, reading.campaigns(connection)[-1])
        stands = standing.of(connection, "us")
    memory.close()

    changed = state.changed["us"]
    assert names(changed.broke) == [BODY]
    assert names(changed.mended) == ["approval/replay[review_approve]"]
    assert [(each.name, each.now, each.share) for each in changed.flapping] == [
        (ONCE, "fail", "4 of 8")
    ]
    assert changed.broke[0].message == "a body of 16 MiB was accepted"
    assert state.changed.keys() == {"us"}
    failing = {each.name: each for each in stands.failures}
    assert failing.keys() == {BODY, ONCE, "read/success[project_get]"}
    since = failing["read/success[project_get]"].since
    assert since is not None
    assert since.point.started == fleet_memory.FIRST.timestamp() + 4 * 86_400
    assert [name for name, each in failing.items() if each.flapping] == [ONCE]


def test_a_campaign_has_the_outcome_and_the_classes_of_each_target(nights: str) -> None:
    """A target that was not there has none of the classes."""
    memory = database.open_memory(nights, is_new=False)
    with memory.reading() as connection:
        state = campaign_state.of(connection, reading.campaigns(connection)[5])
    memory.close()

    assert state.outcomes == {"conformant": 1, "non-conformant": 1, "unreachable": 1}
    by_target = {run.target: run.id for run in state.runs}
    assert by_target["asia"] not in state.counts
    entries = [entry for entry in report({}, 0)["requirements"] if entry["class"] == "pagination"]
    scored = [entry for entry in entries if entry["level"] != "observe"]
    passed = [entry["id"] for entry in scored if entry["verdict"] == "pass"]
    assert "pagination/once" in passed
    assert state.counts[by_target["us"]]["pagination"] == {"pass": len(passed) - 1, "fail": 1}
    assert state.failing("pagination/once") == {"us": ["video_list"]}
    assert state.failing("pagination/limit") == {}
    assert state.stated["untested/events"].level == "untested"
    assert state.counts[by_target["eu"]]["read"].keys() == {"pass"}


def test_both_databases_give_the_same_answers(memory: Memory) -> None:
    """Series, counts and latencies of a few runs; another revision is not compared with."""
    first = {"read/success[project_get]": "500"}
    for night, failed in enumerate(({}, first, first)):
        fleet_memory.campaign(memory, night, {"eu": ended(report(failed, night))})
    fleet_memory.campaign(memory, 3, {"eu": ended(report({}, 3), revision="2027-06")})
    with memory.reading() as connection:
        runs = reading.history(connection, "eu")
        series = overview.series(connection, runs)
        counts = overview.class_counts(connection, runs)
        times = overview.latencies(connection, runs)
        changes = [standing.since_previous(connection, run) for run in runs]

    ((pair, points),) = series.items()
    assert pair == ("read/success", "project_get")
    assert [point.verdict for point in points] == ["pass", "fail", "fail", "pass"]
    assert points[1].message == "500"
    assert [counts[run.id]["read"].get("fail", 0) for run in runs] == [0, 1, 1, 0]
    assert [each.median for each in times["account_get"]] == [0.02] * 4
    broke = [None if each is None else names(each.broke) for each in changes]
    assert broke == [None, ["read/success[project_get]"], [], None]
    assert changes[2] == Changes()


def test_what_could_not_be_checked_again_is_lost(memory: Memory) -> None:
    """It passed, and is inconclusive now; a failure of a whole requirement breaks as one."""
    before, after = report({}, 0), report({"read/counts": "they do not add up"}, 1)
    entry = next(each for each in after["requirements"] if each["id"] == "limits/body")
    entry["verdict"] = "inconclusive"
    entry["operations"] = dict.fromkeys(entry["operations"], "inconclusive")
    observed = next(each for each in after["requirements"] if each["level"] == "observe")
    observed["verdict"] = "fail"
    for night, made in enumerate((before, after)):
        fleet_memory.campaign(memory, night, {"eu": ended(made, 1)})
    with memory.reading() as connection:
        changed = standing.since_previous(connection, reading.history(connection, "eu")[-1])

    assert changed is not None
    assert names(changed.lost) == [BODY]
    assert names(changed.broke) == ["read/counts"]


def test_a_target_without_a_verdict_stands_nowhere(memory: Memory) -> None:
    """Its last run says why."""
    fleet_memory.campaign(memory, 0, {"eu": Ended(4, reason="nothing responds")})
    with memory.reading() as connection:
        stands, nobody = standing.of(connection, "eu"), standing.of(connection, "us")

    assert (stands.latest, stands.failures) == (None, [])
    assert stands.last is not None
    assert stands.last.reason == "nothing responds"
    assert nobody.last is None
