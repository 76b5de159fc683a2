"""The findings of one requirement in much traffic, in which nearly all of them are alike."""

from collections import Counter

from conformance.contract.verdict import Verdict
from conformance.report.document import MOST_FINDINGS
from conformance.report.document_types import FindingRecord

Key = tuple[object, ...]


class Kept:
    """The findings that a report needs, in their order: it comes out as if all were here.

    One pass stands for all passes of an operation. Findings that are not shown share one record.
    """

    def __init__(self) -> None:
        self.records: list[FindingRecord] = []
        self._first: dict[Key, FindingRecord] = {}
        self._times: Counter[Key] = Counter()
        self._distinct: Counter[str] = Counter()

    def add(self, record: FindingRecord) -> None:
        """Keep one more finding."""
        verdict = record["verdict"]
        key: Key = (verdict, record["operation"], record["message"], *record["needs"])
        if key not in self._first and self._distinct[verdict] >= MOST_FINDINGS:
            record = {**record, "message": "", "exchanges": [], "defect": None}
            key = (verdict, record["operation"])
        if key not in self._first:
            self._first[key] = record
            self._distinct[verdict] += 1
        elif verdict == Verdict.PASS:
            return
        elif self._times[key] >= MOST_FINDINGS:
            record = self._first[key]
        else:
            record = {**self._first[key], "item": record["item"]}
        self._times[key] += 1
        self.records.append(record)
