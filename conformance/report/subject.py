"""Who is judged: a target, as by every run of checks, a client, or both sides of some traffic."""

from collections.abc import Callable, Mapping

from conformance.contract import requirements
from conformance.contract.requirements import Requirement
from conformance.report.document_types import Report, SuiteEntry
from conformance.report.text import word

CLIENT, TRAFFIC = "client", "traffic"

_NAMES = {CLIENT: "the client", TRAFFIC: "the traffic"}
_EXERCISED = {
    CLIENT: "requests of the client that exercise it",
    TRAFFIC: "traffic that exercises it",
}
_CATALOGUES: Mapping[str, Callable[[], Mapping[str, Requirement]]] = {
    CLIENT: requirements.of_client,
    TRAFFIC: requirements.every,
}


def catalogue(suite: SuiteEntry) -> Mapping[str, Requirement]:
    """The requirements on the subject of a run, by id."""
    return _CATALOGUES.get(suite.get("subject", ""), requirements.load)()


def name(report: Report) -> str:
    """The subject of a report in a sentence."""
    return _NAMES.get(report["suite"].get("subject", ""), "the target")


def needed(suite: SuiteEntry) -> str | None:
    """What a requirement without a verdict needs; None where checks say that themselves."""
    return _EXERCISED.get(suite.get("subject", ""))


def command(report: Report) -> str | None:
    """The command that judges the subject once more; None for a target."""
    suite, target = report["suite"], report["target"]
    if suite.get("subject") == CLIENT:
        seed = f" --seed {suite['seed']}" if suite["seed"] != 1 else ""
        return f"conformance client{seed} -- COMMAND"
    if suite.get("subject") == TRAFFIC:
        profile = f" --target {word(target['profile'])}" if target["profile"] else ""
        return f"conformance watch{profile}"
    return None
