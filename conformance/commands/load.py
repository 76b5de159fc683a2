"""`conformance load`: response times at a stated request rate, from an open loop; reads only."""

import argparse
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from conformance.commands import own_profile
from conformance.commands.options.load import REPORT_DIR
from conformance.commands.outcome import UsageError
from conformance.commands.reading_session import reading_session
from conformance.contract.exit_codes import CONFORMANT, INCOMPLETE, NON_CONFORMANT
from conformance.contract.quantity import quantity
from conformance.http.budget import LONGEST_RESPONSE, Budget
from conformance.http.sending import Sending
from conformance.http.transport import Transport
from conformance.load import claims, document, page, reads, wording
from conformance.load.claims import Outcome
from conformance.load.document import Measurement
from conformance.load.open_loop import PURPOSE, OpenLoop
from conformance.load.schedule import Schedule
from conformance.report.console import output
from conformance.runner.session import Session
from conformance.storage import fresh_file
from conformance.storage.folder import check_unnamed
from conformance.target.target import Credential, Limits, Target

ITEM = "load"
FILES = ("load.json", "load.html")
DRAIN = 30.0
"""Seconds for the responses that are under way at the end."""

CODES = {
    Outcome.MEASURED: CONFORMANT,
    Outcome.HOLDS: CONFORMANT,
    Outcome.SLOWER: NON_CONFORMANT,
    Outcome.INCOMPLETE: INCOMPLETE,
}


def run(arguments: argparse.Namespace) -> int:
    """Measure, and write the document and its page; UsageError before the first request."""
    schedule = Schedule(arguments.rate, arguments.duration)
    _check_folder(arguments.report_dir)
    target, transport = own_profile.subject(arguments)
    found = measured(target, transport, schedule)
    stated = document.of(found)
    _write(arguments.report_dir, stated)
    if arguments.json:
        output.document(stated)
    else:
        output.lines([*wording.lines(stated), f"report  {arguments.report_dir / FILES[1]}"])
    return CODES[found.outcome]


def measured(target: Target, transport: Transport, schedule: Schedule) -> Measurement:
    """The response times of a target.

    Raises UsageError where the profile allows no such measurement or nothing can be read, and
    Inconclusive where the time or the requests of a command do not suffice to find records.
    """
    primary = _check(target, transport, schedule)
    with reading_session(target, transport, ITEM) as session:
        found = reads.found(session.context("records"), primary)
        session.limit(_budget(schedule, target.limits))
        return _performed(session, primary, schedule, found)


def _performed(
    session: Session, primary: Credential, schedule: Schedule, found: reads.Reads
) -> Measurement:
    if not found.calls:
        raise UsageError("no operation that reads serves primary: there is nothing to measure")
    sending = Sending(primary, None, PURPOSE, patient=False, in_contract=False)
    loop = OpenLoop(session.context(ITEM).client, sending)
    requests = quantity(schedule.requests, "request")
    session.dispatcher.waiting.say(
        f"{requests} to {quantity(len(found.calls), 'operation')}, {schedule.rate:g} per second"
    )
    started = datetime.now(UTC).isoformat(timespec="seconds")
    loop.perform(schedule, found.calls)
    redact = session.redactor.text  # a reason quotes a response
    return Measurement(
        session.target.base_url,
        session.target.source,
        started,
        schedule,
        loop.times,
        {operation: redact(reason) for operation, reason in found.unmeasured.items()},
        claims.decided(session.target.p95, loop.times),
        loop.latest,
    )


def _budget(schedule: Schedule, limits: Limits) -> Budget:
    """What the measurement itself may use: its own requests, and time for the last of them."""
    return Budget(
        longest=limits.max_response_bytes or LONGEST_RESPONSE,
        requests=schedule.requests,
        seconds=schedule.duration + DRAIN,
    )


def _check(target: Target, transport: Transport, schedule: Schedule) -> Credential:
    """The credential of primary. Raises UsageError for what the profile does not allow."""
    if transport.concurrency == 1:
        remedy = "`conformance serve` serves it at a URL for --base-url"
        raise UsageError(f"the bundled reference in this process has no response times; {remedy}")
    limits, requests = target.limits, schedule.requests
    fastest = limits.requests_per_second
    if fastest is not None and schedule.rate > fastest:
        raise UsageError(f"--rate {schedule.rate:g}: limits.requests-per-second is {fastest:g}")
    if limits.max_requests is not None and requests > limits.max_requests:
        most = f"limits.max-requests is {limits.max_requests:,}"
        raise UsageError(f"--rate and --duration make {requests:,} requests: {most}")
    if limits.max_time is not None and schedule.duration > limits.max_time:
        most = f"limits.max-time is {limits.max_time:g}"
        raise UsageError(f"--duration {schedule.duration:g}: {most}")
    primary = target.credentials.get("primary")
    if primary is None:
        remedy = "add credentials.primary, or set LOCALIZATION_API_KEY beside --base-url"
        raise UsageError(f"there is no credential to read with: {remedy}")
    return primary


def _check_folder(folder: Path) -> None:
    """UsageError where a file of the measurement could not be written."""
    try:
        check_unnamed(folder, REPORT_DIR)
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            fresh_file.check(folder / name)
    except OSError as problem:
        raise UsageError(f"--report-dir {problem.filename}: {problem.strerror}") from None


def _write(folder: Path, stated: Mapping[str, Any]) -> None:
    contents = (orjson.dumps(stated, option=orjson.OPT_INDENT_2), page.render(stated).encode())
    for name, content in zip(FILES, contents, strict=True):
        fresh_file.write(folder / name, content)
