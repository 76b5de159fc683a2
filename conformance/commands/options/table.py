"""The commands, their options, and what their exit codes mean."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from conformance.commands.options import (
    assurance,
    certificates,
    fleet,
    known,
    load,
    profiles,
    reports,
    run,
    sandbox,
    traffic,
)
from conformance.commands.outcome import (
    DIAGNOSED,
    DISCOVERED,
    FLEET_VERDICTS,
    MEASURED,
    RENDERED,
    VERDICTS,
)


@dataclass(frozen=True)
class Command:
    """One command; `ends` are the meanings of its exit codes, from 0 on."""

    help: str
    options: Callable[[argparse.ArgumentParser], None]
    ends: tuple[str, ...] = ("done",)


def _completion(part: argparse.ArgumentParser) -> None:
    part.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="bash|zsh|fish")


def _none(_part: argparse.ArgumentParser) -> None:
    """The command has no options."""


COMMANDS = {
    "run": Command(
        "Check a deployment, or the bundled reference, and write a report.", run.run, VERDICTS
    ),
    "serve": Command("Serve the bundled reference implementation, as a sandbox.", sandbox.serve),
    "requirements": Command("List the requirements.", reports.requirements),
    "explain": Command(
        "Explain a requirement: what is accepted, why, and what proves its check.",
        reports.explain,
    ),
    "replay": Command(
        "Send the requests of failures again: fixed, still failing, or different.",
        reports.replay,
        ("every failure is fixed", "a failure remains, differs or was not sent"),
    ),
    "judge": Command(
        "Check recorded traffic against the rules for every exchange.",
        reports.judge,
        ("no violation", "a violation"),
    ),
    "client": Command(
        "Run a client against the bundled reference, and check what it sends.",
        traffic.client,
        VERDICTS,
    ),
    "watch": Command(
        "Pass traffic on to a target, and check both sides of it.", traffic.watch, VERDICTS
    ),
    "report": Command(
        "Render a previous run again, even an interrupted one.", reports.report, RENDERED
    ),
    "merge": Command("Make one report of the shards of a run.", reports.merge, VERDICTS),
    "compare": Command(
        "Show what changed between two reports.",
        reports.compare,
        ("nothing got worse", "a new failure, or something that passed is not checked"),
    ),
    "known": Command("Write or shorten a file of known failures, from reports.", known.known),
    "keygen": Command("Create a key pair for signing certificates.", certificates.keygen),
    "certify": Command(
        "Sign the evidence of a conformant run.", certificates.certify, ("signed", "rejected")
    ),
    "verify": Command(
        "Verify a certificate without its target.",
        certificates.verify,
        ("verified and active", "rejected, expired, not recomputed, or a probe differs"),
    ),
    "kit": Command(
        "Collect what verifies a certificate years later, without an index of packages.",
        certificates.kit,
    ),
    "challenge": Command(
        "Issue a seed and a deadline for a run that is to be certified.", certificates.challenge
    ),
    "registry": Command(
        "Check or rejudge submissions, build the site of a registry, or revoke a certificate.",
        certificates.registry,
        ("done, and no fault", "a fault in a submission, or a verdict that flips"),
    ),
    "appeal": Command(
        "Appeal against a requirement: six fields, and a variant of the reference that runs.",
        certificates.appeal,
    ),
    "fleet": Command(
        "Check many targets; show what is remembered of them.", fleet.fleet, FLEET_VERDICTS
    ),
    "load": Command(
        "Measure response times at a stated request rate; no part of conformance.",
        load.load,
        MEASURED,
    ),
    "scenarios": Command("Print the scenarios as an Arazzo document (spec/arazzo.yaml).", _none),
    "init": Command(
        "Write a target profile with what a deployment shows; overwrites no file.",
        profiles.init,
        DISCOVERED,
    ),
    "doctor": Command(
        "Show what a run would check and change, how long it takes, and what is wrong with the"
        " profile.",
        profiles.doctor,
        DIAGNOSED,
    ),
    "check-files": Command(
        "Check profiles and files of known failures, without a request.",
        profiles.check_files,
        ("no problem", "a problem, or a secret in a profile"),
    ),
    "schema": Command("Print the JSON Schema of a file, for editors.", profiles.schema),
    "selftest": Command(
        "Run the suite on mutants and variants of the reference.",
        assurance.selftest,
        ("all results as expected", "some results not as expected"),
    ),
    "diff": Command(
        "Compare a published OpenAPI document with the contract.",
        assurance.diff,
        ("no breaking difference", "a breaking difference"),
    ),
    "completion": Command("Print a script that completes commands and options.", _completion),
}
