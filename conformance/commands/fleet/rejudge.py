"""`conformance fleet rejudge`: the last campaign under the installed suite, without a request."""

import argparse
import multiprocessing
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor

from sqlalchemy import Connection

from conformance import __version__
from conformance.commands.fleet.memory import campaign, reader
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.contract.quantity import quantity
from conformance.fleet.answers.rejudging import NEEDED, Rejudged, rejudged
from conformance.fleet.memory import reading
from conformance.report.console import output

Files = Mapping[str, bytes]


def run(arguments: argparse.Namespace) -> int:
    """List the flips of each target; exit code 1 if there are any."""
    with reader(arguments.db) as connection:
        chosen = campaign(connection, arguments.campaign)
        evidence = dict(_evidence(connection, chosen.id))
    found = dict(zip(evidence, _all(evidence.values(), arguments.processes), strict=True))
    if arguments.json:
        document = {
            "campaign": chosen.name,
            "suite": __version__,
            "targets": {target: each.document() for target, each in found.items()},
        }
        output.document(document)
    else:
        output.lines(_lines(chosen.name, found))
    return NON_CONFORMANT if any(each.flips for each in found.values()) else CONFORMANT


def _evidence(connection: Connection, number: int) -> Iterator[tuple[str, Files]]:
    """The files of the last attempt on each target of a campaign."""
    for each in reading.latest(reading.runs(connection, number)):
        files = ((name, reading.file(connection, each.id, name)) for name in NEEDED)
        yield each.target, {name: content for name, content in files if content is not None}


def _all(evidence: Iterable[Files], processes: int) -> Iterable[Rejudged]:
    if processes == 1:
        return map(rejudged, evidence)
    # Forked processes would inherit the threads and connections of this one.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        return list(pool.map(rejudged, evidence))


def _lines(name: str, found: Mapping[str, Rejudged]) -> Iterator[str]:
    for target, each in found.items():
        if each.problem is not None:
            yield f"{target}  {each.problem}"
        yield from (f"{target}  {flip}" for flip in each.flips)
        yield from (
            f"{target}  {id} not measurable: needs new requests" for id in each.unmeasurable
        )
    flips = sum(len(each.flips) for each in found.values())
    unmeasurable = sum(len(each.unmeasurable) for each in found.values())
    yield (
        f"campaign {name}, suite {__version__}: {quantity(len(found), 'target')},"
        f" {quantity(flips, 'flip')}, {unmeasurable} not measurable"
    )
