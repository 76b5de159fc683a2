"""`conformance merge`: one report of the shards of a run, as if it had been performed at once."""

import argparse
from pathlib import Path

from conformance.commands import shown
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT, INTERRUPTED
from conformance.report import artefacts, kept_shards, previous
from conformance.report.document_types import Report
from conformance.report.exchange_log import LogError
from conformance.runner import examination, merging
from conformance.runner.disk import check_default, locked
from conformance.runner.merging import MergeError, Part


def run(arguments: argparse.Namespace) -> int:
    """Merge the reports, and print the verdict; the exit code is that of one run."""
    directory: Path = arguments.report_dir
    try:
        if directory.resolve() in [folder.resolve() for folder in arguments.folders]:
            raise UsageError(f"--report-dir {directory}: is a shard; name another folder")
        kept = (directory / kept_shards.FOLDER).resolve()
        if any(folder.resolve().is_relative_to(kept) for folder in arguments.folders):
            raise UsageError(f"--report-dir {directory}: holds the shards; name another folder")
        parts = merging.together(
            list(map(merging.read, arguments.folders)), partial=arguments.partial
        )
        baseline = previous.load(arguments.baseline) if arguments.baseline else None
        check_default(directory.absolute(), Path.cwd())
        directory.mkdir(parents=True, exist_ok=True)
        with locked(directory) as is_free:
            if not is_free:
                raise UsageError(f"--report-dir {directory}: another run writes to it")
            artefacts.check(directory, artefacts.chosen(arguments.report))
            return _merged(parts, arguments, baseline)
    except (MergeError, previous.PreviousError, LogError) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None


def _merged(parts: list[Part], arguments: argparse.Namespace, baseline: Report | None) -> int:
    directory: Path = arguments.report_dir
    examination.clear(directory)
    run = merging.of(parts, directory, complete=arguments.require_complete)
    run.formats = artefacts.chosen(arguments.report)
    run.baseline = baseline
    is_whole = merging.merge(parts, run)
    code = run.finish(CONFORMANT if is_whole else INTERRUPTED)
    merging.finished(parts, run)
    if is_whole:
        kept_shards.keep(directory, {part.shard["number"]: part.folder for part in parts})
    shown.report(run, code, arguments)
    return code
