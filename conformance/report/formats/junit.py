"""The report as JUnit XML: a suite for each class, a case for each requirement and operation."""

import re
from xml.etree import ElementTree as ET

from conformance.contract.verdict import Verdict
from conformance.report.cases import Case, cases
from conformance.report.document_types import Report

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS = {"error": "error", "inconclusive": "skipped", "not-applicable": "skipped"}
_COUNTS = (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))


def render(report: Report) -> bytes:
    """The file's content.

    A failed `should`, a known failure and what was not checked are skipped cases with a reason.
    """
    root = ET.Element(
        "testsuites", name="localization-api-conformance", time=str(report["duration"])
    )
    found = list(cases(report))
    for name in dict.fromkeys(case.conformance_class for case in found):
        _suite(root, name, [case for case in found if case.conformance_class == name])
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _suite(root: ET.Element, name: str, found: list[Case]) -> None:
    seconds = _seconds(sum(case.seconds for case in found))
    suite = ET.SubElement(root, "testsuite", name=name, tests=str(len(found)), time=seconds)
    for case in found:
        _case(suite, case)
    for kind, tag in _COUNTS:
        suite.set(kind, str(len(suite.findall(f"testcase/{tag}"))))


def _case(suite: ET.Element, case: Case) -> None:
    element = ET.SubElement(
        suite,
        "testcase",
        classname=f"conformance.{case.conformance_class}",
        name=case.name,
        time=_seconds(case.seconds),
    )
    properties = ET.SubElement(element, "properties")
    stated = {
        "requirement": case.requirement,
        "level": case.level,
        "operation": case.operation,
        "verdict": case.verdict,
        "coverage": case.coverage,
    }
    for name, value in stated.items():
        if not value and name == "coverage":
            continue
        ET.SubElement(properties, "property", name=name, value=value)
    tag = _tag(case)
    if tag:
        message = f"known: {case.reason}" if case.known else case.message or case.verdict
        ET.SubElement(element, tag, message=_clean(message)).text = _clean(case.text)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _tag(case: Case) -> str | None:
    if case.verdict == Verdict.FAIL:
        return "failure" if case.counts_as_failure else "skipped"
    return _TAGS.get(case.verdict)


def _clean(text: str) -> str:
    return _UNPRINTABLE.sub("�", text)
