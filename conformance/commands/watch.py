"""`conformance watch`: passes traffic on to a target, and judges both sides of it."""

import argparse
import socket
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from conformance.commands import own_profile, shown
from conformance.commands.outcome import UsageError
from conformance.commands.traffic import entrance, gathered, judgement, parameters
from conformance.commands.traffic.forwarding import forwarding
from conformance.commands.traffic.gathered import Gathering
from conformance.commands.traffic.parts import Parts
from conformance.commands.traffic.recorder import Addresses, Recorder
from conformance.contract import openapi, requirements
from conformance.contract.exit_codes import CONFORMANT
from conformance.contract.requirements import Requirement
from conformance.http import proxy, secrecy
from conformance.http.exchange import Exchange
from conformance.http.transport import Transport
from conformance.reference import serve
from conformance.reference.app import PREFIX
from conformance.report import artefacts, subject
from conformance.report.console import output
from conformance.rules.client import observed
from conformance.rules.client.recording import Recording
from conformance.rules.lag import Lag
from conformance.runner.gathering import described
from conformance.target.target import Target

ITEM = "traffic"
HERE = "127.0.0.1"


def run(arguments: argparse.Namespace) -> int:
    """Pass traffic on until SIGINT or SIGTERM, and report; the exit code is that of a run."""
    target, transport = own_profile.subject(arguments)
    secrecy.protect(target.variables)
    formats = artefacts.chosen(arguments.report or ())
    listener = _listener(arguments.listen)
    with gathered.folder(arguments.report_dir.absolute(), formats) as directory:
        gathering = _begun(directory, target)
        gathering.run.formats = formats
        _pass_on(gathering, target, transport, listener)
        code = gathering.finish(CONFORMANT)
        shown.report(gathering.run, code, arguments)
        return code


def _listener(address: tuple[str, int]) -> socket.socket:
    host, port = address
    try:
        return serve.listen(host or HERE, port)
    except OSError as problem:
        reason = problem.strerror or problem
        raise UsageError(f"--listen {host}:{port}: cannot listen there: {reason}") from None


def _begun(directory: Path, target: Target) -> Gathering:
    classes = [*requirements.CLASSES, requirements.CLIENT]
    about = gathered.about(subject.TRAFFIC, classes, 1, described(target))
    catalogue: Mapping[str, Requirement] = requirements.every()
    return Gathering.into(directory, about, catalogue, target)


def _pass_on(
    gathering: Gathering, target: Target, transport: Transport, listener: socket.socket
) -> None:
    """Pass traffic on until a signal ends that, and judge it."""
    parts = Parts(partial(_judge, gathering, target))

    def keep(exchange: Exchange) -> None:
        gathering.write(exchange)
        parts.add(exchange)

    addresses = Addresses(target.base_url, target.tools_url, target.description_url)
    app = forwarding(target, addresses.origin, transport)
    contract, senders = openapi.load(), gathering.senders
    recorder = Recorder(app, ITEM, addresses, contract, senders, keep, gathering.now)
    own = serve.address(listener).removesuffix(PREFIX) + urlsplit(target.base_url).path

    def announce() -> None:
        said = [f"{own} passes requests on to {target.base_url} until it is stopped"]
        output.lines(said, sys.stderr)

    is_local = proxy.is_here(listener.getsockname()[0])
    entered = entrance.guarded(recorder, is_local=is_local)
    serve.serve(serve.server(entered, announce, severable=True), listener)
    transport.close()
    parts.close()


def _judge(
    gathering: Gathering, target: Target, number: int, exchanges: Sequence[Exchange]
) -> None:
    """Judge a part of the traffic."""
    contract = openapi.load()
    roles = parameters.of_target(contract, target)
    recording = Recording(exchanges, contract, roles, gathering.senders.variables)
    calls = [call.exchange for call in recording.calls]
    findings = [
        *judgement.of_target(calls, contract, Lag(target.limits.lag)),
        *judgement.of_client(recording),
    ]
    item = ITEM if number == 1 else f"{ITEM}, part {number}"
    gathering.add(item, exchanges, findings, list(observed.observations(recording)))
