"""The shards of a run as one run: their journals, logs and targets, put together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from conformance.http.exchange import FACT
from conformance.report import artefacts, exchange_log, journal, previous, source
from conformance.report.circumstances import ABSENCE
from conformance.report.document_types import AboutEntry, Report, ShardEntry, SuiteEntry
from conformance.report.journal import JOURNAL, SHARD, JournalError
from conformance.report.known_failures import Known
from conformance.report.run import Run, catalogue
from conformance.storage import fresh_file
from conformance.target import snapshot

ALIKE = {
    "base URL": "target",
    "profile": "profile",
    "suite version": "version of the suite",
    "versions": "versions of what makes the requests",
    "source": "build of the suite",
    "seed": "seed",
    "depth": "depth",
    "classes": "conformance classes",
    "only": "selection (--only or --last-failed)",
    "revision": "revision",
    "required": "--require",
    "known failures": "known failures",
    "of": "number of shards",
    "plan": "durations (--durations-from) or selected checks",
}
"""What all shards of a run have in common, in the order in which it is compared."""


def identity(
    suite: SuiteEntry,
    target: Mapping[str, Any],
    asked: Mapping[str, Any],
    known: tuple[Known, ...] | None,
) -> dict[str, Any]:
    """What makes several folders those of one run, by the names of ALIKE."""
    fixtures = {**target["fixtures"], "provisioned": []}
    # The same profile may have another path on another machine.
    profile = {**target, "fixtures": fixtures, "profile": None}
    shard: Mapping[str, Any] = suite.get("shard", {})
    return {
        "base URL": target["base-url"],
        "profile": profile,
        "suite version": suite["version"],
        "versions": suite.get("versions"),
        "source": asked["source"],
        "seed": suite["seed"],
        "depth": suite["depth"],
        "classes": suite["classes"],
        "only": suite.get("only"),
        "revision": suite.get("revision"),
        "required": asked["required"],
        "known failures": known,
        "of": shard.get("of"),
        "plan": shard.get("plan"),
    }


def both(one: Any, other: Any) -> str:
    """Two different values, where a message can show them."""
    is_short = isinstance(one, str | int) and len(f"{one}{other}") <= LONGEST_BOTH
    return f": {one} and {other}" if is_short else ""


LONGEST_BOTH = 200
"""Characters of two values that a message can show."""


class MergeError(Exception):
    """The folders are not the shards of one run; str() says which, and why."""


@dataclass(frozen=True)
class Part:
    """The folder of one shard, with what was read from it."""

    folder: Path
    about: AboutEntry
    known: tuple[Known, ...] | None
    records: tuple[str, ...]
    report: Report
    target: Mapping[str, Any]
    asked: Mapping[str, Any]

    @property
    def shard(self) -> ShardEntry:
        """Which shard it is."""
        return self.about["suite"]["shard"]

    def check(self) -> None:
        """Raise LookupError, TypeError or ValueError where something is missing."""
        _ = self.shard
        snapshot.target(self.target)
        catalogue(self.about["suite"])

    @cached_property
    def started(self) -> datetime:
        """When it began."""
        return datetime.fromisoformat(self.about["started"])

    @cached_property
    def common(self) -> dict[str, Any]:
        """What the shards of one run have in common, by the names of ALIKE."""
        return identity(self.about["suite"], self.target, self.asked, self.known)


def read(folder: Path) -> Part:
    """The shard in a folder, also of a run that was killed. Raises MergeError."""
    try:
        report = previous.load(folder)
        if "shard" not in report["suite"]:
            raise MergeError(f"{folder}: the report of a whole run, not of a shard")
        return _part(folder, report)
    except (previous.PreviousError, JournalError) as problem:
        raise MergeError(str(problem)) from None
    except (ValueError, LookupError, TypeError):
        raise MergeError(f"{folder}: not the files of a shard") from None


def _part(folder: Path, report: Report) -> Part:
    name = SHARD if (folder / SHARD).is_file() else JOURNAL
    about, known, records = journal.read(folder, name)
    target, asked = previous.target_of(folder), previous.asked_of(folder)
    part = Part(folder, about, known, tuple(records), report, target, asked)
    part.check()
    return part


def together(parts: Sequence[Part], *, partial: bool) -> list[Part]:
    """The shards in the order of their numbers. Raises MergeError unless they are one run.

    `partial` accepts missing shards, and those of runs that were stopped.
    """
    first, *others = parts
    for other in others:
        for name, described in ALIKE.items():
            if first.common[name] != other.common[name]:
                raise MergeError(
                    f"{first.folder} and {other.folder} have a different {described}"
                    f"{both(first.common[name], other.common[name])}"
                )
    if first.common["source"] != source.digest():
        raise MergeError(f"{first.folder}: made by another build of the suite; merge with that one")
    ordered = sorted(parts, key=lambda part: part.shard["number"])
    problem = next(_doubles(ordered), None)
    if problem is None and not partial:
        problem = next(_gaps(ordered), None)
    if problem is not None:
        raise MergeError(problem)
    return ordered


def _doubles(ordered: Sequence[Part]) -> Iterator[str]:
    """Shards, and checks, that are there twice."""
    folders: dict[int, Path] = {}
    for part in ordered:
        number = part.shard["number"]
        if number in folders:
            yield f"shard {number} is there twice: {folders[number]} and {part.folder}"
        folders[number] = part.folder
    checks: dict[str, int] = {}
    for part in ordered:
        for record in map(orjson.loads, part.records):
            item, number = record["item"], part.shard["number"]
            if not is_shared(item) and item in checks:
                yield f"shards {checks[item]} and {number} have both performed {item}"
            checks[item] = number


def is_shared(item: str) -> bool:
    """Whether several shards may have sent the requests of an item."""
    return item.startswith(FACT)


def _gaps(ordered: Sequence[Part]) -> Iterator[str]:
    """Shards that are missing, or have not ended."""
    hint = "or accept what there is with --partial"
    count = ordered[0].shard["of"]
    missing = set(range(1, count + 1)) - {part.shard["number"] for part in ordered}
    if missing:
        numbers = ", ".join(map(str, sorted(missing)))
        noun = "shard" if len(missing) == 1 else "shards"
        yield f"{noun} {numbers} of {count} missing: add the folder, {hint}"
    for part in ordered:
        if not (part.folder / SHARD).is_file():
            yield f"{part.folder}: its run was killed, or is under way: repeat it, {hint}"
        elif part.report["interrupted"]:
            yield f"{part.folder}: its run was stopped: repeat it, {hint}"


@dataclass(frozen=True)
class Certificates:
    """The TLS certificates that the target showed to any of the shards."""

    certificates: tuple[str, ...]


def merge(parts: Sequence[Part], run: Run) -> bool:
    """Let a run take what the shards have found; whether it is all that was to be done.

    Facts that several of them have found are taken once, as those of workers.
    """
    start = min(part.started for part in parts)
    run.target = snapshot.target(parts[0].target)
    run.known = parts[0].known
    run.required = tuple(parts[0].asked["required"])
    run.durations = parts[0].asked.get("durations")
    run.transport = Certificates(
        tuple({each for part in parts for each in part.asked.get("certificates", ())})
    )
    for part in parts:
        offset = (part.started - start).total_seconds()
        for record in part.records:
            run.take(_shifted_record(record, offset))
        _copy_log(part, offset, run.directory)
    ends = ((part.started - start).total_seconds() + part.report["duration"] for part in parts)
    run.lasted = max(ends)
    is_whole = len(parts) == parts[0].shard["of"]
    return is_whole and not any(part.report["interrupted"] for part in parts)


def of(parts: Sequence[Part], directory: Path, *, complete: bool) -> Run:
    """The run that the shards are parts of, with nothing found yet."""
    first = min(parts, key=lambda part: part.started).about
    suite = {name: value for name, value in first["suite"].items() if name != "shard"}
    suite["workers"] = sum(int(part.about["suite"]["workers"]) for part in parts)
    numbers = [part.shard["number"] for part in parts]
    suite["shards"] = {"of": parts[0].shard["of"], "merged": numbers}
    if rounds := sum(part.report["suite"].get("rounds", 0) for part in parts):
        suite["rounds"] = rounds
    # As in target.json: the same profile may have another path on another machine.
    about: Any = {**first, "suite": suite, "target": parts[0].about["target"]}
    return Run(directory, about, catalogue(first["suite"]), complete=complete)


def finished(parts: Sequence[Part], run: Run) -> None:
    """Write what a merged run cannot know: the whole profile, and which files held a secret."""
    provisioned = [id for part in parts for id in part.target["fixtures"]["provisioned"]]
    target = dict(parts[0].target)
    target["fixtures"] = {**target["fixtures"], "provisioned": provisioned}
    content = orjson.dumps(target, option=orjson.OPT_INDENT_2)
    fresh_file.write(run.directory / "target.json", content)
    masked = {name for part in parts for name in part.report.get("masked", ())}
    if masked and run.document is not None:
        run.document["masked"] = sorted(masked.union(run.document.get("masked", ())))
        artefacts.write(run.directory, run.document, run.formats)


def _shifted_record(record: str, offset: float) -> str:
    if not offset:
        return record
    value = orjson.loads(record)
    for exchange in value["evidence"].values():
        exchange["started"] = round(exchange["started"] + offset, 6)
    value["started"] = [round(each + offset, 6) for each in value.get("started", ())]
    for observed in value["observations"]:
        if observed[0] == ABSENCE:
            observed[1] = str(float(observed[1]) + offset)
    return orjson.dumps(value).decode()


def _copy_log(part: Part, offset: float, directory: Path) -> None:
    """Copy the log of a shard, with the times of the whole run."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"exchanges-{part.shard['number']:06}.jsonl"
    with fresh_file.writing(path) as written:
        for line in exchange_log.read(part.folder):
            line["started"] = round(line["started"] + offset, 6)
            written.write(exchange_log.written(line))
