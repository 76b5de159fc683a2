"""`python -m benchmarks [PART …]`: measures, prints a table for each part, and writes JSON.

All figures come from one machine in one go, so compare the ratios. `--readme` alone measures
nothing, writes the newest figures of the history into benchmarks/README.md, and draws order.svg.
"""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import (
    curve,
    first_evidence,
    first_failure,
    fleets,
    floor,
    history,
    readme,
    round_trips,
    runs,
    schemathesis_run,
)
from benchmarks.measured import Figure, Row
from conformance import __version__
from conformance.runner.depth import DEPTHS

LATENCIES = (0.0, 0.02, 0.05, 0.15)
CONNECTIONS = (1, 8, 32)
PROJECTS = (154, 1_000, 10_000, 100_000, 1_000_000)

Part = Callable[[argparse.Namespace], Iterable[Row]]
PARTS: dict[str, tuple[str, Part]] = {
    "floor": (
        "A run, and its requests replayed by a bare loop that records and checks",
        lambda options: floor.rows(options.depth),
    ),
    "latency": (
        "Runs by latency and connections",
        lambda options: runs.by_latency(
            options.depth, [each / 1000 for each in options.latencies], options.connections
        ),
    ),
    "path": (
        f"Round trips, one after another, with {round_trips.LATENCY * 1000:.0f} ms each",
        lambda options: round_trips.rows(options.depth),
    ),
    "size": (
        "Runs by the size of the target, over loopback",
        lambda options: runs.by_size(options.depth, options.projects),
    ),
    "schemathesis": (
        "Exchanges per second, over loopback",
        lambda options: schemathesis_run.throughput(options.depth),
    ),
    "mutants": (
        "Mutants caught, over loopback",
        lambda _: schemathesis_run.mutants(),
    ),
    "first": (
        "Seconds until the first failure is shown: 50 ms, ten requests a second, one key",
        lambda _: first_failure.rows(),
    ),
    "order": (
        "The share of single defects that so many requests find, of mutants that HTTP shows",
        lambda options: first_evidence.rows(options.mutants, options.depth),
    ),
    "start": (
        "Seconds until something happens",
        lambda options: runs.start(options.depth),
    ),
    "memory": (
        "Largest resident set",
        lambda options: runs.memory(options.memory_depths),
    ),
    "fleet": (
        "Campaigns over a fleet, against the same runs in a shell loop, and the site of a year",
        lambda options: fleets.rows(
            fleets.Sizes(options.targets, options.workers, options.nights, options.targets_a_night)
        ),
    ),
}

TITLES = {name: title for name, (title, _) in PARTS.items()}


def main() -> None:
    """Measure the chosen parts."""
    options = _options()
    if options.parts or not options.readme:
        _measure(options)
    if options.readme:
        readme.rewrite(TITLES)
        curve.rewrite()


def _measure(options: argparse.Namespace) -> None:
    measured: dict[str, list[Row]] = {}
    for name in options.parts or PARTS:
        title, part = PARTS[name]
        sys.stdout.write(f"{name}: {title}\n")
        sys.stdout.flush()
        measured[name] = list(part(options))
        sys.stdout.write("\n".join(_table(measured[name])) + "\n\n")
        sys.stdout.flush()
    entry = _entry(options, measured)
    if options.json is not None:
        history.write(options.json, entry)
    if options.history:
        history.add(entry)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all of them)"
    )
    parser.add_argument("--depth", choices=tuple(DEPTHS), default=history.DEPTH)
    parser.add_argument(
        "--latencies", type=_numbers(float), default=[each * 1000 for each in LATENCIES],
        metavar="MS,…", help="milliseconds before each response",
    )  # fmt: skip
    parser.add_argument(
        "--connections", type=_numbers(int), default=list(CONNECTIONS), metavar="N,…",
        help="concurrent requests that the profile allows",
    )  # fmt: skip
    parser.add_argument(
        "--projects", type=_numbers(int), default=list(PROJECTS), metavar="N,…",
        help="projects of the targets of several sizes",
    )  # fmt: skip
    parser.add_argument(
        "--memory-depths", type=_names, default=["quick", "standard"], metavar="DEPTH,…",
        help="the depths of the runs whose memory is measured; deep takes minutes",
    )  # fmt: skip
    parser.add_argument(
        "--targets", type=int, default=200, metavar="N", help="targets of a campaign of the fleet"
    )
    parser.add_argument(
        "--workers", type=_numbers(int), default=[1, 2, 4], metavar="N,…",
        help="runs of the fleet at once",
    )  # fmt: skip
    parser.add_argument(
        "--nights", type=int, default=365, metavar="N", help="nights of which a site is written"
    )
    parser.add_argument(
        "--targets-a-night", type=int, default=20, metavar="N", help="targets of each such night"
    )
    parser.add_argument(
        "--mutants", type=int, default=60, metavar="N", help="mutants whose runs are watched"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    parser.add_argument(
        "--history", action="store_true", help=f"append the figures to {history.FILE.name}"
    )
    parser.add_argument(
        "--readme", action="store_true", help="write the newest figures into benchmarks/README.md"
    )
    parser.add_argument("--label", default="", help="what this measurement is of")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown part {min(unknown)!r}; the parts are {', '.join(PARTS)}")
    return options


def _numbers(kind: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    def numbers(text: str) -> list[Any]:
        return [kind(each) for each in text.split(",")]

    return numbers


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(DEPTHS):
        raise argparse.ArgumentTypeError(f"unknown depth {min(unknown)!r}")
    return names


def _table(rows: Sequence[Row]) -> list[str]:
    head = list(dict.fromkeys(name for row in rows for name in row.figures))
    cells = [["", *head]]
    cells += [[row.name, *(_shown(row.figures.get(name)) for name in head)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
        for line in cells
    ]


def _shown(figure: Figure) -> str:
    return f"{figure:,}" if isinstance(figure, int | float) else figure or ""


def _entry(options: argparse.Namespace, measured: dict[str, list[Row]]) -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "label": options.label,
        "version": __version__,
        "depth": options.depth,
        "machine": {
            "processors": os.cpu_count(),
            "load": round(os.getloadavg()[0], 1),
            "python": platform.python_version(),
            "system": platform.system(),
        },
        "parts": {
            name: [{"name": row.name, **row.figures} for row in rows]
            for name, rows in measured.items()
        },
    }


if __name__ == "__main__":
    main()
