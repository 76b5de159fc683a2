"""The shards of a merged run: each is replayed as the shard that it was, and they merge anew."""

import tempfile
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from conformance.assurance.certificate import chronology, eligibility, recomputation
from conformance.assurance.certificate.evidence import Evidence
from conformance.assurance.certificate.recomputation import Recomputed
from conformance.assurance.certificate.recorded import Exchanges
from conformance.assurance.certificate.replaying import UNWATCHED, Replaying
from conformance.contract.exit_codes import CONFORMANT
from conformance.contract.verdict import Verdict
from conformance.report import kept_shards
from conformance.report.exchange_log import EXCHANGES
from conformance.report.journal import SHARD
from conformance.runner import merging
from conformance.runner.merging import MergeError

MERGED = "merged"


def problems(evidence: Evidence) -> Iterator[str]:
    """What is impossible in the shards of a run, before any of them is replayed."""
    stated = evidence.report["suite"].get("shards", {"of": 0, "merged": []})
    numbers = list(evidence.shards)
    every = list(range(1, len(numbers) + 1))
    if not numbers == every == stated["merged"] or stated["of"] != len(numbers):
        shown = ", ".join(map(str, numbers)) or "none"
        yield f"the report was merged from {stated['of']} shards, and the evidence has {shown}"
        return
    for number, shard in evidence.shards.items():
        own = (
            _place(number, len(numbers), shard),
            chronology.problems(shard),
            eligibility.unrepeatable(shard.report),
            eligibility.consents(shard),
            eligibility.connections(shard),
            _hidden(shard, evidence),
        )
        yield from (f"shard {number}: {problem}" for problem in chain.from_iterable(own))
    yield from _different(evidence.shards)


def _place(number: int, count: int, shard: Evidence) -> Iterator[str]:
    stated = shard.run["suite"].get("shard", {})
    own = (stated.get("number"), stated.get("of"))
    if own != (number, count):
        yield f"its run was shard {own[0]} of {own[1]}, not {number} of {count}"


def _hidden(shard: Evidence, merged: Evidence) -> Iterator[str]:
    """Failures that the merged report lacks: it takes what several shards have found once."""
    shown = {entry["id"]: _failed(entry) for entry in merged.report["requirements"]}
    for entry in shard.report["requirements"]:
        if not _failed(entry) <= shown.get(entry["id"], set()):
            yield f"{entry['id']} failed in it, and not in the merged report"


def _failed(entry: Mapping[str, Any]) -> set[str]:
    """A requirement, where it failed, and the operations on which it did."""
    verdicts = {entry["id"]: entry["verdict"], **entry["operations"]}
    return {name for name, verdict in verdicts.items() if verdict == Verdict.FAIL}


def _different(shards: Mapping[int, Evidence]) -> Iterator[str]:
    """What the shards of one run have in common, and these have not."""
    known = {number: _identity(shard) for number, shard in shards.items()}
    for number, found in known.items():
        for name, described in merging.ALIKE.items():
            if found[name] != known[1][name]:
                yield f"shards 1 and {number} have a different {described}"


def _identity(shard: Evidence) -> dict[str, Any]:
    suite, asked = shard.run["suite"], shard.run
    target = orjson.loads(shard.files["target.json"])
    return merging.identity(suite, target, asked, asked["known-failures"])


def replay(evidence: Evidence, how: Replaying = UNWATCHED) -> Recomputed:
    """Replay every shard, and merge them; takes about as long as all of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = [
            f"shard {number}: {problem}"
            for number, shard in evidence.shards.items()
            for problem in _replayed(shard, folder / str(number), how)
        ]
        if not found:
            try:
                return _merged(evidence, folder)
            except MergeError as problem:
                found = [f"the shards do not merge: {problem}"]
    return Recomputed(evidence.report, problems=tuple(found))


def _replayed(shard: Evidence, folder: Path, how: Replaying) -> list[str]:
    """What the replay of a shard contradicts. Its folder gets what there was to merge."""
    again = recomputation.perform(shard, folder, how)
    found = list(recomputation.differences(shard, again))
    for name in kept_shards.FILES:
        (folder / name).write_bytes(shard.files[name])
    journal = folder / SHARD
    head, records = journal.read_bytes().split(b"\n", 1)
    about = {**orjson.loads(head)["about"], "started": shard.run["started"]}
    head = orjson.dumps({"about": about, "known": shard.run["known-failures"]})
    journal.write_bytes(head + b"\n" + records)
    return found


def _merged(evidence: Evidence, folder: Path) -> Recomputed:
    """What the replayed shards merge into. Raises MergeError."""
    folders = [folder / str(number) for number in evidence.shards]
    parts = merging.together(list(map(merging.read, folders)), partial=False)
    run = merging.of(parts, folder / MERGED, complete=False)
    run.formats = ()
    merging.merge(parts, run)
    run.finish(CONFORMANT)
    merging.finished(parts, run)
    files = {name: (folder / MERGED / name).read_bytes() for name in kept_shards.FILES}
    files[EXCHANGES] = chronology.in_order(Exchanges(files[EXCHANGES]))
    found = tuple(_altered(evidence, files))
    return Recomputed(orjson.loads(files["report.json"]), problems=found)


def _altered(evidence: Evidence, files: Mapping[str, bytes]) -> Iterator[str]:
    """Files of the merged run, but its report, that are not what the shards merge into."""
    for name in ("target.json", "run.json"):
        stated, expected = orjson.loads(evidence.files[name]), orjson.loads(files[name])
        yield from recomputation.different(stated, expected, name)
    if evidence.files[EXCHANGES] != files[EXCHANGES]:
        yield f"{EXCHANGES} is not what the exchanges of the shards merge into"
