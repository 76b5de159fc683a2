"""What every run against a broken behaviour is held to."""

import json

import jsonschema_rs
from hostile_run import Outcome

from conformance.contract import files
from conformance.contract.exit_codes import CHECKER_ERROR, INTERRUPTED

LONGEST = 60
"""Seconds of a run of 15, with its start and its report, on a busy machine."""

MOST_MEMORY = 400
"""MiB of a run."""

MOST_LOG = 1000
"""MB of the exchanges of a run."""

_SCHEMA = jsonschema_rs.validator_for(json.loads(files.text("report.schema.json")))


def flaws(outcome: Outcome) -> list[str]:
    """What is wrong with the end of a run; nothing if the target alone is to blame."""
    report = outcome.report
    if report is None:
        return [f"no report, and exit code {outcome.code}"]
    errors = [entry["id"] for entry in report["requirements"] if entry["verdict"] == "error"]
    found = {
        f"exit code {outcome.code}": outcome.code in (CHECKER_ERROR, INTERRUPTED)
        or outcome.code < 0,
        "conformant": report["verdict"] == "conformant",
        f"internal errors: {errors}": bool(errors),
        "an invalid report": not _SCHEMA.is_valid(report),
        f"{outcome.seconds:.0f} s": outcome.seconds > LONGEST,
        f"{outcome.memory:.0f} MiB": outcome.memory > MOST_MEMORY,
        f"a log of {outcome.log:.0f} MB": outcome.log > MOST_LOG,
    }
    return [flaw for flaw, holds in found.items() if holds]
