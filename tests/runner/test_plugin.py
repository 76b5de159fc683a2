"""Whole runs under pytest: their reports, exit codes and usage errors."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from faulty_server import served, silence

from conformance import reference
from conformance.contract import files, requirements
from conformance.http.spellings import spellings
from conformance.report import artefacts
from conformance.report.document import is_checked
from conformance.runner.collection import SUITE
from conformance.runner.examination import IN_PROCESS, in_process

ROOT = Path(__file__).parents[2]
EVERYTHING = ",".join(artefacts.FORMATS)
FEW = ("--conformance-class", "read", "--conformance-class", "authentication")


def run_suite(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of the suite by pytest, in a process of its own, with its report in `directory`."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--pyargs",
        "conformance.suite",
    ]
    command += ["--report-dir", str(directory)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "support")}
    for name in ("GITHUB_ACTIONS", "GITLAB_CI"):
        environment.pop(name, None)
    return subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env=environment,
    )


def report_of(directory: Path) -> dict[str, Any]:
    """The report that a run wrote."""
    document: dict[str, Any] = json.loads((directory / "report.json").read_bytes())
    return document


def verdicts(report: dict[str, Any]) -> dict[str, tuple[str, dict[str, str]]]:
    """The verdict of each requirement, and on each of its operations."""
    return {
        entry["id"]: (entry["verdict"], entry["operations"]) for entry in report["requirements"]
    }


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    """The published schema of reports."""
    document = json.loads(files.text("report.schema.json"))
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(
        document, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )


@pytest.fixture(scope="module")
def serial(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A run on the reference, in a folder with the exchanges of a killed run."""
    directory = tmp_path_factory.mktemp("serial")
    (directory / "exchanges-gw7.jsonl").write_text("left over")
    return directory, run_suite(directory, "--depth", "standard")


@pytest.fixture(scope="module")
def echoing(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A run on a target that repeats credentials in its responses, which violates the contract."""
    directory = tmp_path_factory.mktemp("echoing")
    options = ("--depth", "smoke", "-p", "echoing_target", "--report", EVERYTHING)
    return directory, run_suite(directory, *FEW, *options)


def test_the_reference_is_conformant(serial: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """Exit code 0, the verdict at the end, and every requirement in the report."""
    directory, completed = serial
    report = report_of(directory)

    assert (completed.returncode, report["verdict"]) == (0, "conformant")
    assert "CONFORMANT" in completed.stdout
    assert [entry["id"] for entry in report["requirements"]] == list(requirements.load())
    assert report["target"]["base-url"] == IN_PROCESS
    assert report["suite"]["classes"] == list(requirements.CLASSES)


def test_what_a_narrow_round_has_not_read_is_no_observation(
    serial: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """The reference has lists of all kinds: only the first rounds read short ones alone."""
    directory, _ = serial
    observed = report_of(directory)["observations"]

    assert [each["subject"] for each in observed if each["id"] == "observe/data"] == []
    assert observed


def test_the_report_counts_every_exchange(
    serial: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """The file of exchanges has each of them, and nothing of an earlier run."""
    directory, _ = serial
    report = report_of(directory)
    exchanges = [
        json.loads(line) for line in (directory / "exchanges.jsonl").read_bytes().splitlines()
    ]
    methods = [exchange["request"]["method"] for exchange in exchanges]

    assert report["exchanges"]["count"] == len(methods) > 1000
    assert report["exchanges"]["methods"] == {
        method: methods.count(method) for method in dict.fromkeys(methods)
    }
    assert len({exchange["id"] for exchange in exchanges}) == len(exchanges)
    assert list(directory.glob("exchanges-*")) == []


def test_the_duration_of_a_run_covers_every_exchange(
    serial: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """It begins with the run, not with the first finding."""
    directory, _ = serial
    exchanges = [
        json.loads(line) for line in (directory / "exchanges.jsonl").read_bytes().splitlines()
    ]
    last = max(exchange["started"] + exchange["elapsed"] for exchange in exchanges)
    assert last < report_of(directory)["duration"] < last + 60


def test_a_report_conforms_to_the_published_schema(
    schema: jsonschema.Draft202012Validator,
    serial: tuple[Path, subprocess.CompletedProcess[str]],
    echoing: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """So does a report with failures."""
    for directory, _ in (serial, echoing):
        assert [error.message for error in schema.iter_errors(report_of(directory))] == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("verdict",), "fine"),
        (("format",), 2),
        (("counts", "must", "pass"), -1),
        (("requirements", 0, "verdict"), "unknown"),
        (("requirements", 0, "level"), "may"),
        (("requirements", 0, "more"), 1),
        (("requirements", 1, "operations", "account_get"), None),
        (("started",), "yesterday"),
    ],
)
def test_the_published_schema_rejects_invalid_reports(
    schema: jsonschema.Draft202012Validator,
    serial: tuple[Path, subprocess.CompletedProcess[str]],
    place: tuple[Any, ...],
    value: Any,
) -> None:
    """Each report has one invalid value."""
    report: Any = report_of(serial[0])
    holder = report
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value

    assert not schema.is_valid(report)


def test_workers_reach_the_same_verdicts(
    tmp_path: Path, serial: tuple[Path, subprocess.CompletedProcess[str]]
) -> None:
    """Two workers agree with one process on each requirement and operation."""
    (tmp_path / "exchanges-gw7.jsonl").write_text("left over")
    completed = run_suite(tmp_path, "-n", "2")
    alone, together = report_of(serial[0]), report_of(tmp_path)

    assert completed.returncode == 0, completed.stdout
    assert verdicts(together) == verdicts(alone)
    assert (together["verdict"], together["counts"]) == (alone["verdict"], alone["counts"])
    exchanges = [
        json.loads(line)["item"]
        for line in (tmp_path / "exchanges.jsonl").read_bytes().splitlines()
    ]
    assert together["exchanges"]["count"] == len(exchanges)


def test_junit_has_a_case_for_each_requirement_and_operation(
    serial: tuple[Path, subprocess.CompletedProcess[str]],
    echoing: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """Each case has the id of its requirement, and the counts add up."""
    for directory, _ in (serial, echoing):
        report = report_of(directory)
        root = ET.parse(directory / "junit.xml").getroot()
        stated = {
            (entry["id"], operation): verdict
            for entry in report["requirements"]
            if is_checked(entry)
            for operation, verdict in (entry["operations"] or {"": entry["verdict"]}).items()
        }
        reported = {}
        for case in root.iter("testcase"):
            properties = {
                each.attrib["name"]: each.attrib["value"] for each in case.iter("property")
            }
            reported[properties["requirement"], properties["operation"]] = properties["verdict"]
            failed = properties["verdict"] == "fail" and properties["level"] == "must"
            assert [child.tag for child in case if child.tag != "properties"] == (
                [] if properties["verdict"] == "pass" else ["failure" if failed else "skipped"]
            )
        assert (root.tag, reported) == ("testsuites", stated)
        for suite in root.iter("testsuite"):
            tags = {
                "tests": "testcase",
                "failures": "testcase/failure",
                "errors": "testcase/error",
                "skipped": "testcase/skipped",
            }
            assert {name: suite.attrib[name] for name in tags} == {
                name: str(len(suite.findall(path))) for name, path in tags.items()
            }


def test_a_target_that_violates_the_contract_is_not_conformant(
    echoing: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """The exit code is 1, and each violation has evidence and a command that repeats it."""
    directory, completed = echoing
    report = report_of(directory)
    failed = {id for id, (verdict, _) in verdicts(report).items() if verdict == "fail"}

    assert (completed.returncode, report["verdict"]) == (1, "non-conformant")
    assert failed == {"account/closed", "error/title"}
    assert {entry["class"] for entry in report["requirements"]} == {"read", "authentication"}
    findings = [
        finding
        for entry in report["requirements"]
        for finding in entry["findings"]
        if finding["verdict"] == "fail"
    ]
    assert all(
        finding["exchanges"] and finding["exchanges"][0]["curl"].startswith("curl ")
        for finding in findings
    )


def test_no_file_and_no_output_of_a_run_contains_a_secret(
    echoing: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """The target repeats each secret: plain, percent-encoded, in JSON and in base64."""
    directory, completed = echoing
    target = in_process(reference).target
    sought = {spelling for secret in target.secrets for spelling in spellings(secret)}
    files = {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }

    assert set(files) >= {
        "report.json",
        "junit.xml",
        "exchanges.jsonl",
        "report.html",
        "exchanges.har",
        "ctrf.json",
    }
    assert [
        name
        for name in files
        if name.startswith("allure-results/") and name.endswith("-exchange-attachment.txt")
    ] != []
    assert b"$PRIMARY_API_KEY" in files["report.json"]
    for content in (*files.values(), completed.stdout.encode(), completed.stderr.encode()):
        assert [spelling for spelling in sought if spelling in content] == []


# --- usage errors ------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--target", "bad.toml"),
            "bad.toml:2: base-urll is an unknown key: did you mean base-url?",
        ),
        (
            ("--target", "none.toml"),
            "none.toml: cannot be read: No such file or directory: give the path of a profile",
        ),
        (("--base-url", "ftp://x"), "--base-url is not an http or https URL"),
        (
            ("--conformance-class", "reading"),
            "unknown class 'reading'; the classes are read, authentication, ",
        ),
        (("--report", "pdf"), "unknown format 'pdf'; the formats are junit, "),
    ],
    ids=["profile", "no profile", "URL", "class", "format"],
)
def test_an_invalid_option_is_a_usage_error(
    tmp_path: Path, arguments: tuple[str, str], message: str
) -> None:
    """The exit code is 4, with one message and no report; with workers too."""
    (tmp_path / "bad.toml").write_text('base-url = "http://127.0.0.1:9/v1"\nbase-urll = 1\n')
    value = str(tmp_path / arguments[1]) if arguments[0] == "--target" else arguments[1]
    for workers in ((), ("-n", "2")):
        completed = run_suite(tmp_path / "report", arguments[0], value, *workers)
        output = completed.stdout + completed.stderr
        assert completed.returncode == 4, output
        assert message in output
        assert "Traceback" not in output
        assert "INTERNALERROR" not in output
        assert not (tmp_path / "report" / "report.json").exists()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "workers"])
def test_an_unreachable_target_is_not_checked(tmp_path: Path, workers: tuple[str, ...]) -> None:
    """The exit code is 4, and the output has the reason."""
    with served(silence) as url:
        pass
    completed = run_suite(tmp_path, "--base-url", url, *workers)
    output = completed.stdout + completed.stderr

    assert completed.returncode == 4, output
    assert f"nothing responds at {url}: ConnectError" in output
    assert "INTERNALERROR" not in output


def test_collecting_sends_no_request_and_keeps_an_earlier_report(tmp_path: Path) -> None:
    """`--collect-only` lists the checks."""
    (tmp_path / "report.json").write_text("earlier")
    completed = run_suite(tmp_path, "--collect-only", "--base-url", "http://127.0.0.1:9/v1")

    assert completed.returncode == 0, completed.stdout
    assert "test_limits.py" in completed.stdout
    assert (tmp_path / "report.json").read_text() == "earlier"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout whose own tests cannot be collected, with a profile in the folder above."""
    folder = tmp_path_factory.mktemp("above") / "checkout"
    shutil.copytree(
        SUITE.parent, folder / "conformance", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name in ("spec", "tests"):
        (folder / name).mkdir()
    shutil.copy(ROOT / "spec" / "requirements.yaml", folder / "spec")
    (folder / "tests" / "conftest.py").write_text(
        "raise ImportError('what the tests need is not installed')"
    )
    (folder.parent / "target.toml").write_text('base-url = "http://127.0.0.1:9/v1"')
    return folder


@pytest.mark.parametrize(
    ("arguments", "collected"),
    [
        ((), 8),
        (("--target", "../target.toml"), 8),
        (("conformance/suite",), 8),
        (("conformance/suite/test_limits.py",), 1),
        (("--pyargs", "conformance.suite"), 8),
        (("--pyargs", "conformance.suite.test_limits"), 1),
    ],
    ids=["nothing", "a target", "the suite", "a file", "the package", "a module"],
)
def test_a_checkout_beside_an_installed_package_is_not_a_second_suite(
    checkout: Path, arguments: tuple[str, ...], collected: int
) -> None:
    """`pytest` in the checkout runs the suite of the package, for each of these arguments."""
    command = [
        str(Path(sys.executable).with_name("pytest")),
        "--collect-only",
        "-q",
        "-p",
        "no:cacheprovider",
        *arguments,
    ]
    completed = subprocess.run(
        command, cwd=checkout, capture_output=True, text=True, check=False, timeout=120
    )

    assert (completed.returncode, completed.stderr) == (0, "")
    assert (
        len({line.partition("::")[0] for line in completed.stdout.splitlines() if "::" in line})
        >= collected
    )


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "workers"])
def test_the_plugin_ignores_tests_without_a_requirement(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    """It checks nothing and writes no report."""
    (tmp_path / "test_other.py").write_text(
        "def test_one():\n    pass\n\n\ndef test_two():\n    pass\n"
    )
    completed = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_other.py", *workers],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (
        completed.returncode,
        "2 passed" in completed.stdout,
        (tmp_path / "reports").exists(),
    ) == (
        0,
        True,
        False,
    )


def test_a_check_of_an_unknown_requirement_is_a_usage_error(tmp_path: Path) -> None:
    """The output names the id, and no request is sent."""
    (tmp_path / "test_own.py").write_text(
        'import pytest\n\n\n@pytest.mark.requirement("read/nmaes")\ndef test_names():\n    pass\n'
    )
    completed = run_suite(tmp_path / "report", str(tmp_path / "test_own.py"))
    assert completed.returncode == 2
    assert (
        "test_own.py::test_names: no requirement read/nmaes in requirements.yaml"
        in completed.stdout + completed.stderr
    )
    assert report_of(tmp_path / "report")["exchanges"]["count"] == 0


def test_an_inconclusive_run_fails_if_it_has_to_be_complete(tmp_path: Path) -> None:
    """The target returns 404 to every request; without the option the exit code is 5."""

    def behave(connection: Any) -> None:
        while connection.recv(65536):
            body = b'{"code": "absent", "requestId": "r"}'
            connection.sendall(
                b"HTTP/1.1 404 No\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
                % (len(body), body)
            )

    with served(behave) as url:
        options = ("--conformance-class", "read", "--base-url", url)
        lenient = run_suite(tmp_path, *options)
        strict = run_suite(tmp_path, *options, "--require-complete")
    assert (lenient.returncode, strict.returncode, report_of(tmp_path)["verdict"]) == (
        5,
        1,
        "inconclusive",
    )
