"""`conformance fleet rejudge`: the last campaign under the installed suite, without a request."""

import argparse
import multiprocessing
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from sqlalchemy import Connection

from conformance import __version__
from conformance.commands.fleet.memory import campaign, reader
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.contract.quantity import quantity
from conformance.fleet.answers.rejudging import NEEDED, Rejudged, rejudged
from conformance.fleet.memory import blobs, reading
from conformance.report.console import output

Files = Mapping[str, bytes]


def run(arguments: argparse.Namespace) -> int:
    """List the flips of each target; exit code 1 if there are any."""
    with reader(arguments.db) as connection:
        chosen = campaign(connection, arguments.campaign)
        found = dict(_all(connection, chosen.id, arguments.processes))
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


def _all(connection: Connection, number: int, processes: int) -> Iterator[tuple[str, Rejudged]]:
    """What becomes of the last attempt on each target of a campaign.

    The files of no more than `processes` targets are in memory at once.
    """
    runs = iter(reading.latest(reading.runs(connection, number)))
    if processes == 1:
        yield from ((each.target, _checked(_files(connection, each.id))) for each in runs)
        return
    # Forked processes would inherit the threads and connections of this one.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        while some := tuple(islice(runs, processes)):
            files = [_files(connection, each.id) for each in some]
            targets = (each.target for each in some)
            yield from zip(targets, pool.map(_checked, files), strict=True)


def _files(connection: Connection, number: int) -> Files | Rejudged:
    """The files of a run that are there, or that one is too large to be checked again."""
    found, large = {}, []
    for name, cost in NEEDED.items():
        try:
            found[name] = reading.file(connection, number, name, cost.bytes)
        except blobs.TooLarge as problem:
            large.append(f"{name} {problem.size}")
    if large:
        return Rejudged(problem="; ".join(large))
    return {name: content for name, content in found.items() if content is not None}


def _checked(found: Files | Rejudged) -> Rejudged:
    return found if isinstance(found, Rejudged) else rejudged(found)


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
