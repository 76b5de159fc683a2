"""`conformance run`: its output, its exit code and its report."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import subjects
from live_server import instance
from process import conformance, conformance_here, report, verdicts

from conformance.assurance.selftest import altered
from conformance.contract import requirements
from conformance.reference import Reference
from conformance.reference.target import toml

SEQUENCE = "\x1b["


def test_the_reference_conforms(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """Exit code 0, a line for each class, the verdict in plain text, and the report directory."""
    directory, ended = finished
    assert (ended.returncode, ended.stderr) == (0, "")
    output = ended.stdout.splitlines()
    checked_classes = {
        entry["class"] for entry in report(directory)["requirements"] if entry["verdict"] == "pass"
    }
    assert [each.split()[0] for each in output if " checks: " in each] == [
        name for name in requirements.CLASSES if name in checked_classes
    ]
    assert not any(each.startswith(("FAILED", "WARNING", "INTERNAL ERROR")) for each in output)
    files = "exchanges.jsonl, junit.xml, report.html, report.json, run.json, target.json"
    # The line is wrapped at 80 columns.
    assert " ".join(map(str.strip, output[-2:])) == f"report  reports/latest ({files})"
    assert SEQUENCE not in ended.stdout


def test_the_lines_of_the_classes_count_every_request(
    finished: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    """Those of each class, and those that several checks share, are the exchanges of the report."""
    directory, ended = finished
    lines = ended.stdout.split("\n\n")[0].splitlines()
    table = "\n".join(each for each in lines if not each.startswith("progress"))
    counts = [int(each.replace(",", "")) for each in re.findall(r"([\d,]+) requests?\b", table)]
    assert sum(counts) == report(directory)["exchanges"]["count"]


def test_a_run_leaves_its_report(finished: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """report.json, junit.xml and exchanges.jsonl agree."""
    directory, _ = finished
    document = report(directory)
    exchanges = (directory / "reports/latest/exchanges.jsonl").read_bytes().splitlines()
    cases = ET.parse(directory / "reports/latest/junit.xml").getroot().iter("testcase")
    assert document["counts"]["must"]["fail"] == document["counts"]["must"]["error"] == 0
    assert (document["suite"]["depth"], document["suite"]["seed"], document["interrupted"]) == (
        "standard",
        1,
        False,
    )
    assert list(verdicts(document)) == list(requirements.load())
    assert len(exchanges) == document["exchanges"]["count"] > 1000
    assert not [
        case.get("name")
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]


def test_over_loopback_the_verdicts_are_the_same(
    finished: tuple[Path, subprocess.CompletedProcess[str]], over_loopback: Path
) -> None:
    """The same reference over a socket gets the same verdict on every requirement and operation."""
    there, here = report(over_loopback), report(finished[0])
    assert there["target"]["base-url"].startswith("http://127.0.0.1:")
    assert verdicts(there) == verdicts(here)


def test_one_class_can_be_checked_alone(tmp_path: Path) -> None:
    """The report has that class only, with the given seed and directory."""
    ended = conformance_here(
        tmp_path,
        "run",
        "--class",
        "limits",
        "--depth",
        "standard",
        "--seed",
        "7",
        "--report-dir",
        "here",
    )
    document = report(tmp_path, "here")
    assert ended.returncode == 0
    assert {entry["class"] for entry in document["requirements"]} == {"limits"}
    assert (document["suite"]["seed"], document["suite"]["classes"], document["verdict"]) == (
        7,
        ["limits"],
        "conformant",
    )


def test_a_missing_prerequisite_is_named_by_its_key(served: Path, tmp_path: Path) -> None:
    """With a base URL alone each missing key is listed once; --require-complete fails it."""
    address = tomllib.loads(served.read_text())["base-url"]
    ended = conformance_here(
        tmp_path, "run", "--base-url", address, "--class", "limits", "--require-complete"
    )
    missing = [
        each.split()[0]
        for each in ended.stdout.splitlines()
        if re.match(r"  [a-z]+\.[a-z-]+ +[0-9]", each)
    ]
    assert ended.returncode == 1
    assert "INCONCLUSIVE" in ended.stdout
    assert len(missing) == len(set(missing)) > 0
    assert set(missing) <= {
        "credentials.primary",
        "credentials.throttled",
        "consent.exhaust-rate-limit",
        "consent.oversized-bodies",
    }


def test_without_consent_a_run_only_reads(served: Path, tmp_path: Path) -> None:
    """With a base URL and one API key the evidence has no method but GET, and musts still pass."""
    stated = tomllib.loads(served.read_text())
    target = tmp_path / "target.toml"
    target.write_text(
        f'base-url = "{stated["base-url"]}"\n[credentials.primary]\n'
        'api-key = "${LOCALIZATION_KEY}"\n'
    )
    key = stated["credentials"]["primary"]["api-key"]
    ended = conformance_here(tmp_path, "run", "--target", target, LOCALIZATION_KEY=key)
    document = report(tmp_path)
    assert (ended.returncode, document["verdict"]) == (0, "inconclusive")
    assert list(document["exchanges"]["methods"]) == ["GET"]
    exchanges = (tmp_path / "reports/latest/exchanges.jsonl").read_text(encoding="utf-8")
    assert {json.loads(exchange)["request"]["method"] for exchange in exchanges.splitlines()} == {
        "GET"
    }
    assert document["counts"]["must"]["pass"] > 30
    assert key not in ended.stdout + ended.stderr + exchanges


def test_configuration_of_other_projects_is_ignored(tmp_path: Path) -> None:
    """pytest.ini, conftest.py and the environment variables of pytest do not change a run."""
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (tmp_path / "conftest.py").write_text("raise SystemExit('read')\n")
    ended = conformance(
        tmp_path,
        "run",
        "--class",
        "limits",
        "--depth",
        "standard",
        PYTEST_ADDOPTS="--no-such-option",
        PYTEST_PLUGINS="no_such_plugin",
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_stale_known_failure_fails_a_run(tmp_path: Path) -> None:
    """Exit code 1, and the stale entry is named."""
    (tmp_path / "known.toml").write_text(
        '[[known]]\nrequirement = "description/version"\nreason = "ticket 7"\n'
    )
    ended = conformance_here(
        tmp_path,
        "run",
        "--depth",
        "standard",
        "--class",
        "description",
        "--known-failures",
        "known.toml",
    )
    assert ended.returncode == 1
    assert "\n  outdated entry  description/version: " in ended.stdout


def test_a_run_without_a_credential_is_incomplete(served: Path, tmp_path: Path) -> None:
    """Exit code 5: nothing was served, so that next to nothing could be checked."""
    address = tomllib.loads(served.read_text())["base-url"]
    ended = conformance_here(tmp_path, "run", "--base-url", address, "--depth", "standard")
    document = report(tmp_path)

    assert (ended.returncode, document["verdict"]) == (5, "inconclusive")
    assert [gap["requirement"] for gap in document["gate"]["gaps"]] == ["read/success"]
    assert "\n  INCOMPLETE: 1 required requirement could not be checked\n" in ended.stdout


def test_a_rejected_key_ends_a_run_before_its_first_check(served: Path, tmp_path: Path) -> None:
    """Exit code 4, one line that names the variable, and no report."""
    address = tomllib.loads(served.read_text())["base-url"]
    target = tmp_path / "target.toml"
    target.write_text(
        f'base-url = "{address}"\n[credentials.primary]\napi-key = "${{LOCALIZATION_KEY}}"\n'
    )
    ended = conformance(tmp_path, "run", "--target", target, LOCALIZATION_KEY="nobody-has-this-key")

    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr == (
        "conformance run: error: the API key in LOCALIZATION_KEY was rejected with 401 by every"
        " operation: nothing can be checked\n"
    )
    assert not (tmp_path / "reports/latest/report.json").exists()


def test_what_is_required_by_name_has_to_be_checked(served: Path, tmp_path: Path) -> None:
    """By the option or by the profile; --require of the command line wins."""
    address = tomllib.loads(served.read_text())["base-url"]
    target = tmp_path / "target.toml"
    described = f'[description]\nurl = "{address}/openapi.json"\n'
    gate = '[gate]\nrequire = ["limits"]\n'
    target.write_text(f'base-url = "{address}"\n{described}{gate}')
    options = ("run", "--target", target, "--class", "description", "--depth", "standard")

    assert conformance_here(tmp_path, *options).returncode == 5
    assert conformance_here(tmp_path, *options, "--require", "read").returncode == 5
    assert conformance_here(tmp_path, *options, "--require", "description").returncode == 0
    unknown = conformance_here(tmp_path, *options, "--require", "limit")
    message = "--require: unknown class or requirement 'limit': did you mean limits"
    assert (unknown.returncode, message in unknown.stderr) == (4, True)


def test_the_outcome_is_printed_as_json(tmp_path: Path) -> None:
    """One object on standard output, without progress."""
    ended = conformance_here(tmp_path, "run", "--class", "description", "--json")
    found = json.loads(ended.stdout)

    assert (ended.returncode, found["exit-code"], found["verdict"]) == (0, 0, "conformant")
    assert found["coverage"]["share"] == 1
    assert (tmp_path / found["report"]).is_file()


def test_what_was_never_sent_is_no_exchange(tmp_path: Path) -> None:
    """When the time of a run ends, requests still wait for their turn: the log has none of them."""
    with instance(Reference()) as profile:
        file = tmp_path / "target.toml"
        file.write_text(toml({**profile, "limits": {"requests-per-second": 5}}))
        options = ("--max-time", "3", "--class", "read", "--report", "badge", "--trust")
        ended = conformance_here(tmp_path, "run", "--target", file, *options)
    lines = (tmp_path / "reports/latest/exchanges.jsonl").read_bytes().splitlines()
    failures = [json.loads(line).get("failure") or "" for line in lines]
    assert ended.returncode == 5
    assert report(tmp_path)["exchanges"]["count"] == len(lines) > 2
    assert [failure for failure in failures if failure.startswith("not sent")] == []


def test_the_command_that_checks_again_has_the_profile_as_it_was_stated(tmp_path: Path) -> None:
    """It is for the same folder; a report, which others read, has the name of the file alone."""
    older = altered.load(subjects.BY_ID["description-of-older-openapi"].edits).Reference()
    (tmp_path / "deployed").mkdir()
    with instance(older) as served:
        url = served["base-url"]
        profile = f'base-url = "{url}"\n[description]\nurl = "{url}/openapi.json"\n'
        (tmp_path / "deployed" / "staging.toml").write_text(profile, encoding="utf-8")
        options = ("--target", "deployed/staging.toml", "--class", "description")
        ended = conformance(tmp_path, "run", *options)

    assert ended.returncode == 1
    assert "--target deployed/staging.toml" in " ".join(ended.stdout.replace("\\", "").split())
    assert report(tmp_path)["target"]["profile"] == "staging.toml"
