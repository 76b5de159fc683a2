"""What is broken as it is told: cause by cause, each requirement under the one that explains it, and none left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.report.document import is_checked

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Also:
    """Another requirement that a cause breaks, with its findings, those on the operations that the cause explains."""

    entry: Document
    operations: tuple[str, ...]
    findings: tuple[Document, ...]


@dataclass(frozen=True)
class Cause:
    """A failed requirement with its findings, the telling one first, and what else is broken for the same reason."""

    entry: Document
    operations: tuple[str, ...]
    findings: tuple[Document, ...]
    also: tuple[Also, ...] = ()


def attributed(report: Document) -> list[Cause]:
    """The causes of all failures that nobody knows of, what breaks a `must` first.

    A report may name no causes; then, and where its causes are all known, a failed requirement stands for itself.
    """
    news = {
        entry["id"]: (entry, fresh) for entry in report["requirements"] if (fresh := _fresh(entry))
    }
    found = [
        _cause(cause, news) for cause in report.get("causes", ()) if cause["requirement"] in news
    ]
    told = {cause.entry["id"] for cause in found} | {
        also.entry["id"] for cause in found for also in cause.also
    }
    alone = [
        Cause(entry, _where(fresh), tuple(fresh))
        for id, (entry, fresh) in news.items()
        if id not in told
    ]
    order = list(news)
    return sorted(
        [*found, *alone],
        key=lambda cause: (cause.entry["level"] != "must", order.index(cause.entry["id"])),
    )


def _fresh(entry: Document) -> list[Document]:
    if not is_checked(entry):
        return []
    findings: list[Document] = entry["findings"]
    return [found for found in findings if found["verdict"] == "fail" and "known" not in found]


def _cause(stated: Document, news: Mapping[str, tuple[Document, Sequence[Document]]]) -> Cause:
    entry, fresh = news[stated["requirement"]]
    there = list(_on(fresh, stated["operations"])) or list(fresh)
    there.sort(
        key=lambda found: (
            stated["exchange"] not in [exchange["id"] for exchange in found["exchanges"][-1:]]
        )
    )
    others = [
        (each, *news[each["requirement"]]) for each in stated["also"] if each["requirement"] in news
    ]
    also = tuple(
        Also(entry, tuple(each["operations"]), tuple(_on(fresh, each["operations"])))
        for each, entry, fresh in others
    )
    return Cause(entry, tuple(stated["operations"]), tuple(there), also)


def _on(findings: Sequence[Document], operations: Sequence[str]) -> Iterator[Document]:
    return (found for found in findings if not operations or found["operation"] in operations)


def _where(findings: Sequence[Document]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found["operation"] for found in findings if found["operation"]))
