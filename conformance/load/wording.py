"""A measurement in words: for the terminal and for the page."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.contract.quantity import quantity
from conformance.load.claims import Outcome
from conformance.load.document import PERCENTILES

COLUMNS = ("served", *(f"p{percent}" for percent in PERCENTILES), "max")


def time(seconds: float | None) -> str:
    """A response time: "2.41 ms", "118 ms", "3.2 s"; a dash where there is none."""
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:.3g} s"


def failures(entry: Mapping[str, Any]) -> str:
    """The requests of an operation that were not served, by what happened instead."""
    counted = {
        **entry["failures"],
        "HTTP 429": entry["throttled"],
        "not sent during a pause that the target asked for": entry["withheld"],
    }
    return ", ".join(f"{number:,} {what}" for what, number in counted.items() if number)


def sentence(load: Mapping[str, Any]) -> str:
    """The outcome in a sentence, with the first thing that decides it."""
    entries: Mapping[str, Mapping[str, Any]] = load["operations"]
    stated = {name: entry for name, entry in entries.items() if "claim" in entry}
    slower = [name for name, entry in stated.items() if entry["outcome"] == Outcome.SLOWER]
    if slower:
        return _slower(slower[0], stated[slower[0]], len(slower))
    if load["outcome"] == Outcome.INCOMPLETE:
        return _incomplete(load)
    if not stated:
        return "No claim is stated: [gate] p95 in the profile makes one"
    return f"{quantity(len(stated), 'claim')} of [gate] p95 hold at this rate"


def _slower(name: str, entry: Mapping[str, Any], number: int) -> str:
    measured = entry["percentiles"]["p95"]
    more = f"; so are {number - 1} others" if number > 1 else ""
    if measured is None:
        return f"{name} serves fewer than 95 % of its requests: {failures(entry)}{more}"
    return f"{name}: p95 is {time(measured)}, and {time(entry['claim'])} is claimed{more}"


def _incomplete(load: Mapping[str, Any]) -> str:
    entries = load["operations"].values()
    put_off = sum(entry["throttled"] + entry["withheld"] for entry in entries)
    if put_off:
        rate = f"{load['rate']:g} requests per second"
        return f"{put_off:,} of {load['requests']:,} requests were put off: it allows no {rate}"
    for name, entry in load["operations"].items():
        if entry["failures"] and not entry["served"]:
            return f"{name} has no response time: {failures(entry)}"
    return "A claim of [gate] p95 is about an operation that could not be measured"


def lines(load: Mapping[str, Any]) -> Iterator[str]:
    """The document as lines of a table."""
    entries: Mapping[str, Mapping[str, Any]] = load["operations"]
    yield f"{'':15}" + "".join(f"{name:>10}" for name in COLUMNS) + "  [gate] p95"
    for name, entry in entries.items():
        values = [*entry["percentiles"].values(), entry["max"]]
        cells = "".join(f"{cell:>10}" for cell in (f"{entry['served']:,}", *map(time, values)))
        claim = f"  {time(entry['claim'])}: {entry['outcome']}" if "claim" in entry else ""
        yield f"{name:15}{cells}{claim}"
        if failed := failures(entry):
            yield f"{'':15}  failed: {failed}"
    for name, reason in load["unmeasured"].items():
        yield f"{name:15}  not measured: {reason}"
    if load["latest"] >= 0.1:
        yield f"requests waited up to {time(load['latest'])} for a connection or this machine"
    yield f"{load['outcome'].upper()}: {sentence(load)}"
