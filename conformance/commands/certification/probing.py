"""Recorded reads of a certificate, drawn at random and sent again to the live target."""

import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, cast

from conformance.assurance.certificate import likeness
from conformance.assurance.certificate.evidence import Evidence
from conformance.commands.connection import network
from conformance.contract import openapi
from conformance.contract.verdict import Inconclusive
from conformance.report.document_types import ExchangeEntry
from conformance.runner.recorded_headers import NotSent
from conformance.runner.resending import Recorded, Resender
from conformance.target.target import Target

CURSOR = "cursor"
"""The role of a parameter that a later request cannot repeat: a cursor may have expired."""


@dataclass(frozen=True)
class Probed:
    """One read sent again; without `differences` it was reproduced."""

    exchange: str
    request: str
    credential: str | None
    differences: tuple[str, ...]


def probe(evidence: Evidence, target: Target, number: int) -> list[Probed]:
    """Send so many recorded reads again, or all that can be repeated.

    The choice is fresh: nobody could know it when the run was recorded.
    """
    possible = repeatable(evidence, target)
    drawn = random.SystemRandom().sample(possible, min(number, len(possible)))
    recorded = Recorded(evidence.target.base_url, evidence.report["suite"]["seed"], ())
    with (
        closing(network(target)) as transport,
        closing(Resender(target, transport, recorded)) as sender,
    ):
        return [_probed(sender, line) for line in drawn]


def repeatable(evidence: Evidence, target: Target) -> list[dict[str, Any]]:
    """The served reads of the recording, each request once, for which there are credentials."""
    found: dict[tuple[str, str | None, str | None], dict[str, Any]] = {}
    for line in evidence.exchanges:
        key = (line["request"]["url"], line["credential"], line["scheme"])
        if _is_repeatable(line, evidence.target, target):
            found.setdefault(key, line)
    return list(found.values())


def _is_repeatable(line: dict[str, Any], recorded: Target, target: Target) -> bool:
    request, response = line["request"], line.get("response") or {}
    is_read = request["method"] == "GET" and request["url"].startswith(recorded.base_url)
    is_whole = response.get("status") == 200 and "length" not in response["body"]
    return (
        is_read
        and is_whole
        and line["operation"] in openapi.load().operations
        and (line["credential"] is None or _has(target, line))
        and f"{_cursor(recorded, line['operation'])}=" not in request["url"]
    )


def _has(target: Target, line: dict[str, Any]) -> bool:
    credential = target.credentials.get(line["credential"])
    return credential is not None and line["scheme"] in credential.schemes


def _cursor(target: Target, operation: str) -> str:
    stated = target.parameters.get((operation, CURSOR))
    return stated.name if stated and stated.name else CURSOR


def _probed(sender: Resender, line: dict[str, Any]) -> Probed:
    entry = cast(ExchangeEntry, line)
    try:
        found: Sequence[str] = tuple(
            likeness.differences(line, {**sender.document(sender.send(entry))})
        )
    except Inconclusive as problem:
        found = (problem.message,)
    except NotSent as reason:
        found = (f"not sent: {reason}",)
    request = f"{line['request']['method']} {line['request']['url']}"
    return Probed(line["id"], request, line["credential"], tuple(found))
