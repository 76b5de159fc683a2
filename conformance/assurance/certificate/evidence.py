"""The evidence of a certificate as values: read once, strictly, and bounded in what it costs."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

import jsonschema_rs

from conformance.assurance.certificate import asked, challenge, strict_json
from conformance.assurance.certificate.asked import Asked
from conformance.assurance.certificate.challenge import Challenge, ChallengeProblem
from conformance.assurance.certificate.contents import Renamed
from conformance.assurance.certificate.recorded import Exchanges
from conformance.contract import files, revisions
from conformance.contract.revisions import Revision
from conformance.http.replay import MOST_PADDING
from conformance.report import kept_shards
from conformance.target import snapshot
from conformance.target.target import Target

MOST_EXCHANGES = 100_000
MOST_PADDING_OF_ALL = 8 * MOST_PADDING
"""Bytes of spaces that the replay of all responses may take."""

LONGEST_REASON = 200
YEARS = range(2026, 2200)
"""The years in which a run may have begun: before, there was no suite to perform it."""


class Malformed(ValueError):
    """A file of the evidence that no run has written; str() names it and the reason."""


@dataclass(frozen=True)
class Evidence:
    """The files of the evidence; each is parsed and checked where it is first needed."""

    files: Mapping[str, bytes]

    @cached_property
    def report(self) -> dict[str, Any]:
        """report.json. Raises Malformed."""
        report: dict[str, Any] = self._read("report.json", indented=True)
        return report

    @cached_property
    def run(self) -> dict[str, Any]:
        """run.json. Raises Malformed."""
        run: dict[str, Any] = self._read("run.json", indented=True)
        _validate("run.json", files.document("run.schema.json"), [run])
        for known in run["known-failures"] or ():
            _check_date(known["expires"])
        return run

    @cached_property
    def revision(self) -> Revision:
        """The revision that counts. Raises Malformed."""
        try:
            return revisions.read(self._read("revision.json", indented=True))
        except Malformed:
            raise
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            raise Malformed(f"revision.json is malformed: {_brief(problem)}") from None

    @cached_property
    def started(self) -> datetime:
        """When the run began. Raises Malformed."""
        stated = self.run["started"]
        try:
            found = datetime.fromisoformat(stated)
            is_plain = found.tzinfo is not None and found.isoformat(timespec="seconds") == stated
        except ValueError:
            is_plain = False
        if not is_plain or found.year not in YEARS:
            raise Malformed(f"run.json has no valid date of its start: {stated!r:.40}")
        return found.astimezone(UTC)

    @cached_property
    def exchanges(self) -> Exchanges:
        """exchanges.jsonl, line by line. Raises Malformed."""
        return exchanges(self.files["exchanges.jsonl"])

    @cached_property
    def target(self) -> Target:
        """The target of target.json, with placeholders for its secrets. Raises Malformed."""
        try:
            return snapshot.target(self._snapshot)
        except (ValueError, LookupError, TypeError, AttributeError) as problem:
            raise Malformed(f"target.json is malformed: {_brief(problem)}") from None

    @cached_property
    def provisioned(self) -> tuple[str, ...]:
        """The reviews that the provision command created. Raises Malformed."""
        try:
            return tuple(map(str, self._snapshot["fixtures"]["provisioned"]))
        except (LookupError, TypeError) as problem:
            raise Malformed(f"target.json is malformed: {_brief(problem)}") from None

    @cached_property
    def digests(self) -> Mapping[str, tuple[str, int]]:
        """The SHA-256 and the bytes of each file: a large one is unpacked whenever it is read."""
        return {
            name: (hashlib.sha256(content).hexdigest(), len(content))
            for name, content in self.files.items()
        }

    @cached_property
    def asked(self) -> Asked:
        """What a replay is to perform. Raises Malformed for what this suite does not know."""
        try:
            return asked.read(self.run, len(self.exchanges))
        except asked.Unknown as problem:
            raise Malformed(str(problem)) from None

    @cached_property
    def challenge(self) -> Challenge | None:
        """The registrar's challenge, if there is one. Raises Malformed."""
        if challenge.FILE not in self.files:
            return None
        try:
            return challenge.read(self.files[challenge.FILE])
        except ChallengeProblem as problem:
            raise Malformed(f"{challenge.FILE} is malformed: {problem}") from None

    @cached_property
    def shards(self) -> Mapping[int, "Evidence"]:
        """The evidence of each shard that the report was merged from, by its number.

        What is not of one shard alone, such as a challenge, is that of the merged run.
        """
        own: dict[int, dict[str, str]] = {}
        shared: dict[str, str] = {}
        for name in self.files:
            place = kept_shards.place(name)
            if place is not None:
                own.setdefault(place[0], {})[place[1]] = name
            elif name not in kept_shards.FILES:
                shared[name] = name
        return {
            number: Evidence(Renamed(self.files, {**shared, **names}))
            for number, names in sorted(own.items())
        }

    def check(self) -> None:
        """Read every file. Raises Malformed for the first one that no run has written."""
        _ = (self.report, self.started, self.target, self.provisioned, self.exchanges)
        _ = self.challenge
        for number, shard in self.shards.items():
            with _named(number):
                shard.check()

    def validate(self) -> None:
        """Hold the files to the schema of the installed suite, which has made them.

        Raises Malformed. Other suites have other schemas.
        """
        schema = files.document("report.schema.json")
        _validate("report.json", schema, [self.report])
        if not snapshot.is_exact(self._snapshot):
            raise Malformed("target.json is not written as a run writes it, or has further keys")
        _ = self.asked
        each = {"$ref": "#/$defs/exchange", "$defs": schema["$defs"]}
        _validate("exchanges.jsonl", each, self.exchanges)
        for number, shard in self.shards.items():
            with _named(number):
                shard.validate()

    @cached_property
    def _snapshot(self) -> Any:
        return self._read("target.json", indented=True)

    def _read(self, name: str, *, indented: bool) -> Any:
        try:
            return strict_json.canonical(self.files[name], indented=indented)
        except strict_json.NotStrict as problem:
            raise Malformed(f"{name} is malformed: {problem}") from None


@contextmanager
def _named(number: int) -> Iterator[None]:
    """Say of what is malformed that it belongs to a shard."""
    try:
        yield
    except Malformed as problem:
        raise Malformed(f"shard {number}: {problem}") from None


def exchanges(content: bytes) -> Exchanges:
    """The exchanges of a recording, each read strictly. Raises Malformed."""
    found = Exchanges(content)
    if len(found) > MOST_EXCHANGES:
        raise Malformed(f"exchanges.jsonl has more than {MOST_EXCHANGES} exchanges")
    lines = (_line(number, found.line(number)) for number in range(len(found)))
    try:
        for flaw in _unbounded(lines):
            raise Malformed(f"exchanges.jsonl: {flaw}")
    except (LookupError, TypeError, AttributeError) as problem:
        raise Malformed(f"exchanges.jsonl is malformed: {_brief(problem)}") from None
    return found


def _line(number: int, line: bytes) -> Mapping[str, Any]:
    try:
        value: Mapping[str, Any] = strict_json.canonical(line)
    except strict_json.NotStrict as problem:
        raise Malformed(f"exchanges.jsonl is malformed: line {number + 1}: {problem}") from None
    return value


def _validate(name: str, schema: Mapping[str, Any], values: Iterable[object]) -> None:
    validator = jsonschema_rs.validator_for(dict(schema))
    try:
        for value in values:
            validator.validate(value)
    except ValueError as problem:
        raise Malformed(f"{name} is malformed: {_brief(problem)}") from None


def _check_date(stated: str | None) -> None:
    try:
        is_date = stated is None or date.fromisoformat(stated).isoformat() == stated
    except ValueError:
        is_date = False
    if not is_date:
        raise Malformed(f"run.json has a known failure that expires at no date: {stated!r:.40}")


def _unbounded(lines: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Bodies that a replay could not afford."""
    whole = 0
    for line in lines:
        bodies = (line["request"]["body"], (line.get("response") or {}).get("body"))
        for body in filter(None, bodies):
            padding = body.get("padding", 0)
            if padding > MOST_PADDING:
                yield f"{line['id']} has {padding} spaces at the end of a body"
        if bodies[1] is not None:
            whole += bodies[1].get("padding", 0)
    if whole > MOST_PADDING_OF_ALL:
        yield f"its responses end with {whole} spaces altogether"


def _brief(problem: BaseException) -> str:
    return str(problem).partition("\n")[0][:LONGEST_REASON]
