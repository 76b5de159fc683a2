"""`conformance client`: runs a client against the reference, and judges what it sends."""

import argparse
import shutil
from collections.abc import Mapping
from pathlib import Path

from starlette.types import ASGIApp

from conformance.commands import shown
from conformance.commands.outcome import UsageError
from conformance.commands.signals import interrupting
from conformance.commands.traffic import command, gathered, judgement, parameters
from conformance.commands.traffic.gathered import Gathering
from conformance.commands.traffic.recorder import Addresses, Recorder
from conformance.commands.traffic.scenarios import SCENARIOS
from conformance.commands.traffic.senders import Senders
from conformance.commands.traffic.served import served
from conformance.contract import openapi, requirements
from conformance.contract.exit_codes import CONFORMANT, INTERRUPTED
from conformance.http import secrecy
from conformance.http.exchange import Exchange
from conformance.reference import Reference
from conformance.report import artefacts, subject
from conformance.rules.client import observed
from conformance.rules.client.recording import Recording
from conformance.runner.examination import IN_PROCESS
from conformance.runner.gathering import BUNDLED
from conformance.target.profile import parse
from conformance.target.target import Target


def run(arguments: argparse.Namespace) -> int:
    """Run the client once in each scenario, and report; the exit code is that of a run."""
    program = arguments.command_line[0]
    if shutil.which(program) is None:
        raise UsageError(f"cannot start {program!r}: no such program")
    formats = artefacts.chosen(arguments.report or ())
    with gathered.folder(arguments.report_dir.absolute(), formats) as directory:
        gathering = _begun(directory, arguments.seed)
        gathering.run.formats = formats
        code = gathering.finish(_performed(gathering, arguments))
        shown.report(gathering.run, code, arguments)
        return code


def _begun(directory: Path, seed: int) -> Gathering:
    target = _target(seed)
    secrecy.protect(target.variables)
    described = gathered.about(
        subject.CLIENT,
        [requirements.CLIENT],
        seed,
        {"base-url": IN_PROCESS, "profile": BUNDLED},
    )
    return Gathering.into(directory, described, requirements.of_client(), target)


def _target(seed: int) -> Target:
    """The profile of the reference, which is the same in every scenario."""
    reference = Reference(seed)
    profile = reference.profile(IN_PROCESS)
    reference.close()
    return parse(profile, environ={})


def _performed(gathering: Gathering, arguments: argparse.Namespace) -> int:
    """Perform the scenarios, until Ctrl-C or SIGTERM; what the run ends with."""
    try:
        with interrupting():
            for name in arguments.scenario or SCENARIOS:
                _perform(name, gathering, arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    return CONFORMANT


def _perform(name: str, gathering: Gathering, arguments: argparse.Namespace) -> None:
    """Run the client in one scenario, and add what it has sent, also where it is interrupted."""
    exchanges: list[Exchange] = []

    def keep(exchange: Exchange) -> None:
        exchanges.append(exchange)
        gathering.write(exchange)

    def recorded(app: ASGIApp, addresses: Addresses) -> ASGIApp:
        senders, now = gathering.senders, gathering.now
        return Recorder(app, name, addresses, openapi.load(), senders, keep, now)

    ending = "was interrupted"
    try:
        with served(SCENARIOS[name], arguments.seed, recorded) as reference:
            environment = reference.environment
            ending = command.ending(arguments.command_line, environment, arguments.timeout)
    finally:
        recording = _recording(exchanges, gathering.senders)
        observations = [(observed.ENDING, name, ending), *observed.observations(recording)]
        gathering.add(name, exchanges, list(judgement.of_client(recording)), observations)


def _recording(exchanges: list[Exchange], senders: Senders) -> Recording:
    """All that the client has seen of the reference."""
    contract = openapi.load()
    roles: Mapping[str, Mapping[str, str]] = parameters.of_contract(contract)
    return Recording(tuple(exchanges), contract, roles, senders.variables, whole=True)
