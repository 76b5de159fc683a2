"""Certificates: an honest one is verified, and a forged one is rejected for any signer."""

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from live_server import by_command

from conformance.assurance.certificate import bundle, dsse
from conformance.assurance.certificate.verification import refusals, verify

Evidence = dict[str, bytes]


def command(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """The command line, in a process of its own."""
    words = [sys.executable, "-m", "conformance", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key pair, the report of a standard run, and its certificate."""
    folder = tmp_path_factory.mktemp("certificate")
    assert command("keygen", folder / "key").returncode == 0
    assert command("run", "--report-dir", folder / "report").returncode == 0
    done = command(
        "certify", "--report-dir", folder / "report", "--key", folder / "key", folder / "honest.zip"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def key(home: Path) -> Ed25519PrivateKey:
    """The key of the honest signer."""
    return dsse.private_key(home / "key")


@pytest.fixture(scope="module")
def evidence(home: Path) -> Mapping[str, bytes]:
    """The evidence of the honest certificate."""
    return bundle.read(home / "honest.zip").evidence


def test_an_honest_certificate_is_verified(home: Path) -> None:
    """The signer's key is pinned, and the process has neither target nor run."""
    done = command("verify", "--public-key", home / "key.pub", home / "honest.zip")
    assert (done.returncode, "VERIFIED" in done.stdout) == (0, True)


def test_a_run_over_a_network_is_verified(home: Path, tmp_path: Path) -> None:
    """Such a run sends requests concurrently; the replay sends them one by one."""
    with by_command(tmp_path):
        assert (
            command(
                "run", "--target", tmp_path / "target.toml", "--report-dir", tmp_path / "report"
            ).returncode
            == 0
        )
    assert (
        command(
            "certify",
            "--report-dir",
            tmp_path / "report",
            "--key",
            home / "key",
            tmp_path / "far.zip",
        ).returncode
        == 0
    )

    done = command("verify", "--public-key", home / "key.pub", tmp_path / "far.zip")
    assert (done.returncode, "VERIFIED" in done.stdout) == (0, True), done.stdout


def test_the_installed_suite_lists_its_changes(home: Path) -> None:
    """The suite of the run has no changes."""
    done = command("verify", "--with-current-suite", home / "honest.zip")
    assert "the installed suite comes to the same verdict on every requirement" in done.stdout


def test_only_its_owner_can_read_a_private_key(home: Path) -> None:
    """An existing key is not overwritten."""
    assert (home / "key").stat().st_mode & 0o777 == 0o600
    assert command("keygen", home / "key").returncode == 4


def test_the_same_evidence_gives_the_same_file(
    home: Path, key: Ed25519PrivateKey, evidence: Evidence, tmp_path: Path
) -> None:
    """Nothing in a certificate comes from the clock."""
    bundle.write(tmp_path / "again.zip", evidence, key)
    assert (tmp_path / "again.zip").read_bytes() == (home / "honest.zip").read_bytes()


def edited_report(change: Callable[[Any], None]) -> Callable[[Evidence], None]:
    """An edit of report.json."""

    def edit(evidence: Evidence) -> None:
        report = json.loads(evidence["report.json"])
        change(report)
        evidence["report.json"] = json.dumps(report).encode()

    return edit


def edited_exchanges(change: Callable[[list[Any]], None]) -> Callable[[Evidence], None]:
    """An edit of the recorded exchanges."""

    def edit(evidence: Evidence) -> None:
        lines = [json.loads(line) for line in evidence["exchanges.jsonl"].splitlines()]
        change(lines)
        evidence["exchanges.jsonl"] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    return edit


def edited_target(change: Callable[[Any], None]) -> Callable[[Evidence], None]:
    """An edit of the snapshot of the target."""

    def edit(evidence: Evidence) -> None:
        target = json.loads(evidence["target.json"])
        change(target)
        evidence["target.json"] = json.dumps(target).encode()

    return edit


def rejected_outsider(lines: list[Any]) -> Any:
    """The exchange in which a request of the outsider for a project is rejected."""
    return next(
        line
        for line in lines
        if line["credential"] == "outsider" and line["operation"] == "project_get"
    )


def leak(lines: list[Any]) -> None:
    """Give the outsider a success."""
    rejected_outsider(lines)["response"]["status"] = 200


def add(lines: list[Any]) -> None:
    """Add an exchange that no check made."""
    lines.append({**lines[5], "id": "read::invented#1", "item": "read::invented"})


def drop(lines: list[Any]) -> None:
    """Remove an exchange."""
    lines.remove(rejected_outsider(lines))


def unwrite(target: Any) -> None:
    """Claim that the run was to read only."""
    target["consent"] = dict.fromkeys(target["consent"], False)


WITHOUT_THE_KEY: dict[str, Callable[[Evidence], None]] = {
    "the verdict": edited_report(lambda report: report.update(verdict="conformant ")),
    "a requirement": edited_report(lambda report: report["requirements"][0].update(verdict="fail")),
    "a response": edited_exchanges(leak),
    "a removed exchange": edited_exchanges(drop),
    "an added exchange": edited_exchanges(add),
    "the target": edited_target(
        lambda target: target.update({"base-url": "https://other.example/v1"})
    ),
    "the catalogue": lambda evidence: evidence.update({"requirements.yaml": b"requirements: []"}),
    "the contract": lambda evidence: evidence.update({"openapi.yaml": b"{}"}),
}


@pytest.mark.parametrize("edit", WITHOUT_THE_KEY.values(), ids=WITHOUT_THE_KEY)
def test_altered_evidence_is_rejected(
    edit: Callable[[Evidence], None], home: Path, evidence: Evidence
) -> None:
    """The statement has the digest of each file."""
    altered = dict(evidence)
    edit(altered)
    honest = bundle.read(home / "honest.zip")
    verification = verify(bundle.Bundle(altered, honest.envelope, honest.key), None)
    assert any("is not the signed one" in problem for problem in verification.problems)


WITH_THE_KEY: dict[str, tuple[Callable[[Evidence], None], str]] = {
    "a response that is a leak": (edited_exchanges(leak), "authorization/company"),
    "a removed exchange": (edited_exchanges(drop), "the replay differs"),
    "an added exchange": (edited_exchanges(add), "belong to no check"),
    "another seed": (
        edited_report(lambda report: report["suite"].update(seed=2)),
        "the replay differs",
    ),
    "a read-only run with writes": (edited_target(unwrite), "no consent for writes"),
    "an approved review that the profile does not list": (
        edited_report(
            lambda report: report["ledger"][0].update(review="00000000-0000-4000-8000-000000000000")
        ),
        "does not list",
    ),
    "a removed requirement": (
        edited_report(lambda report: report["requirements"].pop()),
        "is new",
    ),
    "an interrupted run": (
        edited_report(lambda report: report.update(interrupted=True)),
        "interrupted",
    ),
    "a quick run": (edited_report(lambda report: report["suite"].update(depth="quick")), "depth"),
    "a run of some classes": (
        edited_report(lambda report: report["suite"].update(classes=["read"])),
        "did not check every conformance class",
    ),
    "a run of several processes": (
        edited_report(lambda report: report["suite"].update(workers=2)),
        "several processes",
    ),
    "a run with known failures": (
        edited_report(
            lambda report: report.update({"known-failures": {"unknown": [], "stale": []}})
        ),
        "known failures",
    ),
    "a run with an inconclusive requirement": (
        edited_report(lambda report: report["requirements"][0].update(verdict="inconclusive")),
        "is inconclusive",
    ),
    "another suite": (
        edited_report(lambda report: report["suite"]["versions"].update(hypothesis="1.0")),
        "another suite",
    ),
}


@pytest.mark.parametrize(("edit", "expected"), WITH_THE_KEY.values(), ids=WITH_THE_KEY)
def test_a_forgery_by_the_signer_is_rejected(
    edit: Callable[[Evidence], None],
    expected: str,
    key: Ed25519PrivateKey,
    evidence: Evidence,
    tmp_path: Path,
) -> None:
    """The signature is valid, but the verdict does not follow from the evidence."""
    forged = dict(evidence)
    edit(forged)
    bundle.write(tmp_path / "forged.zip", forged, key)
    verification = verify(bundle.read(tmp_path / "forged.zip"), None)
    assert any(expected in problem for problem in verification.problems), verification.problems


def test_a_rejection_has_its_reasons(home: Path, evidence: Evidence, tmp_path: Path) -> None:
    """The exit code is 1, and each reason has a line."""
    bundle.write(tmp_path / "other.zip", evidence, Ed25519PrivateKey.generate())
    done = command("verify", "--public-key", home / "key.pub", tmp_path / "other.zip")
    assert (done.returncode, done.stdout) == (
        1,
        "REJECTED:\n  the signature is not from this key\n",
    )


def test_the_owner_of_an_unpinned_key_is_not_verified(home: Path) -> None:
    """The last line says so."""
    done = command("verify", home / "honest.zip")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "The owner of the key is not verified: compare its fingerprint, or pass --public-key.",
    )


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (
            (
                "certify",
                "--report-dir",
                "{home}/report",
                "--key",
                "{home}/key",
                "{folder}/none/certificate.zip",
            ),
            "{folder}/none/certificate.zip",
        ),
        (("verify", "--public-key", "{folder}/none.pub", "{home}/honest.zip"), "{folder}/none.pub"),
    ],
    ids=["a place to write to", "a key"],
)
def test_a_missing_file_is_a_usage_error(
    words: tuple[str, ...], place: str, home: Path, tmp_path: Path
) -> None:
    """The message has the path as it was given."""
    done = command(*(word.format(home=home, folder=tmp_path) for word in words))
    path = place.format(folder=tmp_path)
    message = f"conformance {words[0]}: error: {path}: No such file or directory\n"
    assert (done.returncode, done.stdout, done.stderr) == (4, "", message)


def test_another_key_than_the_pinned_one_is_rejected(
    home: Path, evidence: Evidence, tmp_path: Path
) -> None:
    """The certificate is valid by the key that it contains."""
    bundle.write(tmp_path / "other.zip", evidence, Ed25519PrivateKey.generate())
    verification = verify(bundle.read(tmp_path / "other.zip"), (home / "key.pub").read_bytes())
    assert verification.problems == ("the signature is not from this key",)


@pytest.mark.parametrize("part", ["payload", "payloadType", "signatures"])
def test_an_invalid_envelope_is_rejected(part: str, home: Path, evidence: Evidence) -> None:
    """This holds for each part of the envelope."""
    honest = bundle.read(home / "honest.zip")
    envelope = {**honest.envelope, part: "AAAA"}
    assert verify(bundle.Bundle(evidence, envelope, honest.key), None).problems != ()


def test_a_statement_that_contradicts_the_report_is_rejected(
    home: Path, key: Ed25519PrivateKey, evidence: Evidence
) -> None:
    """The statement is derived from the report."""
    statement = bundle.statement(evidence)
    statement["predicate"]["passedTests"].append("everything")
    forged = bundle.Bundle(
        evidence, dsse.sign(statement, key), bundle.read(home / "honest.zip").key
    )
    assert verify(forged, None).problems == ("the statement contradicts the report",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda statement: statement["predicate"].pop("configuration"),
            "the statement has no digests of the evidence",
        ),
        (
            lambda statement: statement.update(predicate=[]),
            "the statement has no digests of the evidence",
        ),
        (
            lambda statement: statement["predicate"]["configuration"].pop(),
            "openapi.yaml is not the signed one",
        ),
    ],
)
def test_a_statement_without_some_evidence_is_rejected(
    change: Callable[[Any], object],
    message: str,
    home: Path,
    key: Ed25519PrivateKey,
    evidence: Evidence,
) -> None:
    """The statement needs the digest of each file."""
    statement = bundle.statement(evidence)
    change(statement)
    forged = bundle.Bundle(
        evidence, dsse.sign(statement, key), bundle.read(home / "honest.zip").key
    )
    assert verify(forged, None).problems == (message,)


@pytest.mark.parametrize("content", [b"{}", b"no JSON", b"[]"])
def test_a_report_without_a_statement_is_rejected(
    content: bytes, home: Path, key: Ed25519PrivateKey, evidence: Evidence
) -> None:
    """Its digest is signed, but no statement can be derived from it."""
    forged = {**evidence, "report.json": content}
    statement = bundle.statement(evidence)
    for entry in statement["predicate"]["configuration"]:
        entry["digest"]["sha256"] = bundle.digest(forged[entry["name"]])
    verification = verify(
        bundle.Bundle(forged, dsse.sign(statement, key), bundle.read(home / "honest.zip").key), None
    )
    assert verification.problems == ("the statement contradicts the report",)


MALFORMED: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "a property of another type": (
        "report.json",
        lambda text: text.replace(b'"interrupted": false', b'"interrupted": "no"'),
        '"no" is not of type "boolean"',
    ),
    "an empty target": ("target.json", lambda _: b"{}", "'fixtures'"),
    "a target that is a list": (
        "target.json",
        lambda _: b"[]",
        "list indices must be integers or slices, not str",
    ),
    "an empty exchange": (
        "exchanges.jsonl",
        lambda text: b'{"id":"x#1"}\n' + text,
        '"item" is a required property',
    ),
    "an exchange that is not JSON": (
        "exchanges.jsonl",
        lambda text: b"none\n" + text,
        "Expecting value: line 1 column 1 (char 0)",
    ),
}


@pytest.mark.parametrize("malformed", MALFORMED.values(), ids=MALFORMED)
def test_malformed_evidence_is_rejected(
    malformed: tuple[str, Callable[[bytes], bytes], str],
    home: Path,
    key: Ed25519PrivateKey,
    evidence: Evidence,
) -> None:
    """It is a problem of the certificate, not an internal error."""
    name, change, expected = malformed
    forged = {**evidence, name: change(evidence[name])}
    verification = verify(
        bundle.Bundle(
            forged, dsse.sign(bundle.statement(forged), key), bundle.read(home / "honest.zip").key
        ),
        None,
    )
    assert verification.problems == (f"{name} is malformed: {expected}",)


def _another_kind(*, private: bool) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    if private:
        return key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no key", "not a private key (ValueError)"),
        (None, "not a private key (FileNotFoundError)"),
        (
            _another_kind(private=True),
            "not an Ed25519 key; `conformance keygen` generates one",
        ),
    ],
)
def test_an_invalid_private_key_is_a_usage_error(
    content: bytes | None, message: str, home: Path, tmp_path: Path
) -> None:
    """No certificate is written."""
    if content is not None:
        (tmp_path / "odd").write_bytes(content)
    done = command(
        "certify",
        "--report-dir",
        home / "report",
        "--key",
        tmp_path / "odd",
        tmp_path / "never.zip",
    )
    assert (done.returncode, done.stderr) == (
        4,
        f"conformance certify: error: {tmp_path / 'odd'}: {message}\n",
    )
    assert not (tmp_path / "never.zip").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no key", "the given key: not a public key (ValueError)"),
        (_another_kind(private=False), "the given key: not an Ed25519 key"),
    ],
)
def test_an_invalid_public_key_is_a_usage_error(
    content: bytes, message: str, home: Path, tmp_path: Path
) -> None:
    """Nothing is verified."""
    (tmp_path / "odd").write_bytes(content)
    done = command("verify", "--public-key", tmp_path / "odd", home / "honest.zip")
    assert (done.returncode, done.stdout, done.stderr) == (
        4,
        "",
        f"conformance verify: error: {message}\n",
    )


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 half a zip"])
def test_an_invalid_file_is_a_usage_error(content: bytes, tmp_path: Path) -> None:
    """The message is one line."""
    (tmp_path / "file.zip").write_bytes(content)
    done = command("verify", tmp_path / "file.zip")
    assert (done.returncode, done.stderr.count("\n"), "Traceback" in done.stderr) == (4, 1, False)


@pytest.mark.parametrize("change", ["added", "missing"])
def test_a_certificate_has_exactly_its_files(change: str, home: Path, tmp_path: Path) -> None:
    """A further or a missing file is an error."""
    with (
        zipfile.ZipFile(home / "honest.zip") as honest,
        zipfile.ZipFile(tmp_path / "odd.zip", "w") as odd,
    ):
        names = honest.namelist()
        for name in names if change == "added" else names[1:]:
            odd.writestr(name, honest.read(name))
        if change == "added":
            odd.writestr("notes.txt", "trust me")
    with pytest.raises(bundle.BundleProblem, match="instead of"):
        bundle.read(tmp_path / "odd.zip")


def test_a_certificate_that_unpacks_to_too_much_is_not_unpacked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file can hold gigabytes of the same byte."""
    monkeypatch.setattr(bundle, "MOST_BYTES", 1000)
    with pytest.raises(bundle.BundleProblem, match=r"honest\.zip unpacks to more than 1000 bytes"):
        bundle.read(home / "honest.zip")


def test_an_envelope_is_an_object(home: Path, tmp_path: Path) -> None:
    """Other JSON is an error."""
    with (
        zipfile.ZipFile(home / "honest.zip") as honest,
        zipfile.ZipFile(tmp_path / "odd.zip", "w") as odd,
    ):
        for name in honest.namelist():
            odd.writestr(name, b"[]" if name == bundle.STATEMENT else honest.read(name))
    with pytest.raises(
        bundle.BundleProblem, match=re.escape(f"{bundle.STATEMENT} is not an envelope")
    ):
        bundle.read(tmp_path / "odd.zip")


def test_a_non_conformant_run_is_not_certified(home: Path, tmp_path: Path) -> None:
    """The output has the reasons, and no file is written."""
    folder = tmp_path / "report"
    folder.mkdir()
    for name in ("exchanges.jsonl", "target.json"):
        (folder / name).write_bytes((home / "report" / name).read_bytes())
    report = json.loads((home / "report" / "report.json").read_bytes())
    (folder / "report.json").write_text(json.dumps({**report, "verdict": "non-conformant"}))
    done = command("certify", "--report-dir", folder, "--key", home / "key", tmp_path / "never.zip")
    assert (
        done.returncode,
        "non-conformant" in done.stdout,
        (tmp_path / "never.zip").exists(),
    ) == (1, True, False)


def test_a_certificate_contains_no_secret(evidence: Evidence) -> None:
    """Credentials are replaced by the names of variables."""
    from conformance import reference  # noqa: PLC0415 - only this test looks at the reference
    from conformance.runner import examination  # noqa: PLC0415 - only this test looks at the reference

    secrets = examination.in_process(reference).target.secrets
    assert [
        secret for secret in secrets for content in evidence.values() if secret.encode() in content
    ] == []


def test_nothing_prevents_the_certification_of_a_conformant_run(evidence: Evidence) -> None:
    """There are no reasons against it."""
    assert list(refusals(json.loads(evidence["report.json"]))) == []
