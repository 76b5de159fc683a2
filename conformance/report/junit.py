"""The report as JUnit XML: a suite for each conformance class, a case for each requirement and operation."""

import re
from typing import Any
from xml.etree import ElementTree as ET

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: dict[str, Any]) -> bytes:
    """The file's content. A `should` that fails and what could not be judged are skipped cases, with the reason."""
    root = ET.Element("testsuites", name="localization-api-conformance", time=str(report["duration"]))
    for name in dict.fromkeys(entry["class"] for entry in report["requirements"]):
        entries = [entry for entry in report["requirements"] if entry["class"] == name and entry["level"] != "observe"]
        if entries:
            _suite(root, name, entries)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _suite(root: ET.Element, name: str, entries: list[dict[str, Any]]) -> None:
    suite = ET.SubElement(root, "testsuite", name=name)
    for entry in entries:
        for operation, verdict in (entry["operations"] or {"": entry["verdict"]}).items():
            _case(suite, entry, operation, verdict)
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for kind, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(kind, str(sum(case.find(tag) is not None for case in cases)))


def _case(suite: ET.Element, entry: dict[str, Any], operation: str, verdict: str) -> None:
    name = f"{entry['id']}[{operation}]" if operation else entry["id"]
    case = ET.SubElement(suite, "testcase", classname=f"conformance.{entry['class']}", name=name)
    properties = ET.SubElement(case, "properties")
    for key, value in (("requirement", entry["id"]), ("level", entry["level"]), ("operation", operation), ("verdict", verdict)):
        ET.SubElement(properties, "property", name=key, value=value)
    findings = [found for found in entry["findings"] if not operation or found["operation"] in (operation, None)]
    told = [found for found in findings if found["verdict"] == verdict] or findings
    tag = _tag(verdict, entry["level"])
    if tag:
        result = ET.SubElement(case, tag, message=_clean(told[0]["message"] if told else verdict))
        result.text = _clean("\n\n".join(_text(entry, found) for found in told))


def _tag(verdict: str, level: str) -> str | None:
    if verdict == "fail":
        return "failure" if level == "must" else "skipped"
    return {"error": "error", "inconclusive": "skipped", "not-applicable": "skipped"}.get(verdict)


def _text(entry: dict[str, Any], found: dict[str, Any]) -> str:
    lines = [entry["statement"], found["message"]]
    lines += [f"expected: {found['expected']}"] if found["expected"] else []
    lines += [f"needs: {', '.join(found['needs'])}"] if found["needs"] else []
    lines += [exchange["curl"] for exchange in found["exchanges"]]
    return "\n".join(lines)


def _clean(text: str) -> str:
    return _UNPRINTABLE.sub("�", text)
