"""The commands that perform a run again, or one of its checks."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from conformance.report import subject
from conformance.report.document_types import Report, TargetEntry
from conformance.report.text import command

DEFAULTS = (("--depth", "standard"), ("--seed", "1"))


def of_run(report: Report) -> str:
    """The command that repeats the run."""
    suite = report["suite"]
    if again := subject.command(report):
        return command(again)
    stated = ["--depth", suite["depth"], "--seed", str(suite["seed"])]
    return _command([*_target(report["target"]), *stated])


def of_failure(report: Report, requirement: str, operation: str | None) -> str:
    """The command that checks one requirement again, on the operation where it failed."""
    suite = report["suite"]
    if again := subject.command(report):
        return command(again)
    only = ",".join(filter(None, (requirement, operation)))
    stated = (("--depth", suite["depth"]), ("--seed", str(suite["seed"])))
    others = [word for pair in stated if pair not in DEFAULTS for word in pair]
    return _command(["--only", only, *_target(report["target"]), *others])


def with_profile(report: Report, path: Path | None) -> Report:
    """The report with the path of its profile, for whoever has stated it: a file has its name."""
    if path is None or not report["target"]["profile"]:
        return report
    return {**report, "target": {**report["target"], "profile": str(path)}}


def is_in_process(report: Report) -> bool:
    """Whether the target was the reference, in the process of the run."""
    return "subject" not in report["suite"] and _is_in_process(report["target"])


def _is_in_process(target: TargetEntry) -> bool:
    # Names under .invalid are never assigned (RFC 6761).
    return (urlsplit(target["base-url"]).hostname or "").endswith(".invalid")


def _target(target: TargetEntry) -> list[str]:
    if _is_in_process(target):
        return []
    profile = ["--target", target["profile"]] if target["profile"] else []
    return ["--base-url", target["base-url"], *profile]


def _command(words: Sequence[str]) -> str:
    return command(shlex.join(["conformance", "run", *words]))
