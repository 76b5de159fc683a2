"""`conformance fleet may`: whether a version may be deployed to an environment, and why not."""

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection

from conformance.commands.fleet.memory import reader
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.fleet import fleet_file
from conformance.fleet.answers import deployment, standing
from conformance.fleet.answers.deployment import Evidence
from conformance.fleet.fleet_file import FleetError
from conformance.fleet.memory import reading
from conformance.fleet.site.addresses import moment
from conformance.fleet.targets import Environment
from conformance.report.console import output


def run(arguments: argparse.Namespace) -> int:
    """Print yes or no with the reasons; exit code 1 for no."""
    name, version = arguments.product
    wanted = _environment(arguments)
    with reader(arguments.db) as connection:
        evidence = _evidence(connection, name, version, wanted)
        known = reading.versions(connection, name) if evidence is None else ()
    if evidence is None:
        reasons = [_unknown(name, version, known, wanted)]
    else:
        reasons = deployment.reasons(evidence, wanted, time.time())
    if arguments.json:
        output.document(_document(f"{name}@{version}", wanted, evidence, reasons))
    else:
        output.lines(_lines(f"{name}@{version}", wanted, evidence, reasons))
    return NON_CONFORMANT if reasons else CONFORMANT


def _environment(arguments: argparse.Namespace) -> Environment:
    """The environment, as the fleet file states it. Raises UsageError."""
    try:
        fleet = fleet_file.load(arguments.fleet, None)
    except FleetError as problem:
        raise UsageError(str(problem)) from None
    if arguments.to not in fleet.environments:
        known = ", ".join(fleet.environments) or "none"
        remedy = f"there are: {known} (tables [environments.NAME] of {arguments.fleet})"
        raise UsageError(f"no environment {arguments.to!r}; {remedy}")
    return fleet.environments[arguments.to]


def _evidence(
    connection: Connection, name: str, version: str, wanted: Environment
) -> Evidence | None:
    found = [
        each
        for each in reading.of_product(connection, name, version)
        if each.verdict is not None and _is_accepted(each.target, each.labels, wanted.evidence)
    ]
    if not found:
        return None
    last = found[-1]
    stated = standing.statements(connection, [last])
    return Evidence(last, reading.verdicts(connection, last.id), stated)


def _is_accepted(target: str, labels: Sequence[str], accepted: Sequence[str]) -> bool:
    return not accepted or not {target, *labels}.isdisjoint(accepted)


def _unknown(name: str, version: str, known: Sequence[str], wanted: Environment) -> str:
    accepted = f" on a target of {', '.join(wanted.evidence)}" if wanted.evidence else ""
    others = f"; of {name} there are {', '.join(known)}" if known else ""
    return f"no run of {name} {version}{accepted} has a verdict{others}"


def _document(
    product: str, wanted: Environment, evidence: Evidence | None, reasons: Sequence[str]
) -> dict[str, Any]:
    return {
        "product": product,
        "environment": wanted.name,
        "may": not reasons,
        "reasons": list(reasons),
        "run": evidence
        and {
            "id": evidence.run.id,
            "target": evidence.run.target,
            "ended": evidence.run.ended,
            "verdict": evidence.run.verdict,
            "revision": evidence.run.revision,
        },
    }


def _lines(
    product: str, wanted: Environment, evidence: Evidence | None, reasons: Sequence[str]
) -> Iterator[str]:
    said = f"no   {product} may not" if reasons else f"yes  {product} may"
    yield f"{said} be deployed to {wanted.name}"
    for reason in reasons:
        yield f"     reason   {reason}"
    if evidence is not None:
        run = evidence.run
        revision = f", revision {run.revision}" if run.revision else ""
        yield f"     checked  {run.target} on {moment(run.ended)}: {run.verdict}{revision}"
