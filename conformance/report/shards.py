"""The shards of a run, in words."""

from conformance.report.document_types import Report, SuiteEntry


def described(suite: SuiteEntry) -> str:
    """Which shard, or which of the shards, a report is about; "" for all that was to be done."""
    if "shard" in suite:
        return f"shard {suite['shard']['number']} of {suite['shard']['of']}"
    if "shards" in suite and len(suite["shards"]["merged"]) < suite["shards"]["of"]:
        numbers = ", ".join(map(str, suite["shards"]["merged"]))
        return f"only shards {numbers} of {suite['shards']['of']}"
    return ""


def is_part(report: Report) -> bool:
    """Whether other shards have to be merged with this one before anything is decided."""
    return "shard" in report["suite"]
