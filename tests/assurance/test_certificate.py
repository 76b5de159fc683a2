"""Certificates: an honest one is verified, and a forged one is rejected for any signer."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from certified import REVISION, Certified, one_replay, quick_runs, replayed_once
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from live_server import by_command, instance
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner, SSlibKey

from conformance.__main__ import main
from conformance.assurance.certificate import (
    bundle,
    challenge,
    dsse,
    eligibility,
    environment,
    issuing,
    strict_json,
)
from conformance.assurance.certificate.budget import Budget
from conformance.assurance.certificate.bundle import Bundle
from conformance.assurance.certificate.evidence import Evidence
from conformance.contract import files, revisions
from conformance.contract.exit_codes import INTERRUPTED
from conformance.reference import Reference
from conformance.storage import fresh_file


@pytest.fixture(autouse=True)
def known_replay(certified: Certified) -> Iterator[None]:
    """Quick runs can be certified, and the replay of the honest recording is known."""
    with quick_runs(), one_replay(certified):
        yield


@pytest.fixture
def honest(certified: Certified, tmp_path: Path) -> Path:
    """The file of the honest certificate."""
    return certified.write(tmp_path / "honest.zip")


@pytest.fixture
def public(certified: Certified) -> Path:
    """The public key of its signer."""
    return certified.key.with_name(f"{certified.key.name}.pub")


def certify(certified: Certified, file: Path, *more: str) -> int:
    """`conformance certify` in this process."""
    words = ("certify", "--report-dir", certified.report, "--key", certified.key, *more, file)
    return main(list(map(str, words)))


@pytest.fixture
def asked(certified: Certified, tmp_path: Path) -> str:
    """The file of the challenge that the run answers."""
    path = tmp_path / "challenge.json"
    path.write_bytes(certified.evidence[challenge.FILE])
    return str(path)


def test_a_run_is_certified_and_verified(
    certified: Certified, public: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The signer's key is pinned, and verification needs neither target nor run."""
    assert certify(certified, tmp_path / "new.zip") == 0
    assert main(["verify", "--public-key", str(public), str(tmp_path / "new.zip")]) == 0
    shown = capsys.readouterr().out
    assert "VERIFIED: the evidence supports every statement." in shown
    assert "this is the bundled reference implementation" in shown


def test_the_same_evidence_gives_the_same_file(
    certified: Certified, honest: Path, asked: str, tmp_path: Path
) -> None:
    """Nothing in a certificate comes from the clock."""
    assert certify(certified, tmp_path / "again.zip", "--challenge", asked) == 0
    assert (tmp_path / "again.zip").read_bytes() == honest.read_bytes()


def test_certify_and_verify_print_json(
    certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both have the claims of the statement; those of a rejected certificate are not repeated."""
    assert certify(certified, tmp_path / "new.zip", "--json") == 0
    issued = json.loads(capsys.readouterr().out)
    assert main(["verify", "--json", str(tmp_path / "new.zip")]) == 0
    verified = json.loads(capsys.readouterr().out)
    assert (issued["certified"], verified["verified"], verified["problems"]) == (True, True, [])
    assert issued["claims"] == verified["claims"]
    assert verified["signer"] == certified.signer.public_key.keyid

    stranger = CryptoSigner.generate_ed25519()
    forged = issuing.sealed(Evidence(certified.evidence), stranger)
    found = Bundle(forged.evidence, forged.envelope, dsse.pem(certified.signer))
    certified.write(tmp_path / "forged.zip", found)
    assert main(["verify", "--json", str(tmp_path / "forged.zip")]) == 1
    rejected = json.loads(capsys.readouterr().out)
    assert (rejected["verified"], rejected["claims"]) == (False, None)
    assert rejected["problems"] == ["the signature is not from this key"]


def test_the_statement_says_what_was_checked(certified: Certified) -> None:
    """Every claim is in the signed statement itself."""
    claims = dsse.claims(certified.honest.envelope)
    report = json.loads(certified.evidence["report.json"])
    assert claims["target"]["base-url"] == report["target"]["base-url"]
    assert "bundled reference" in claims["target"]["reference"]
    assert (claims["revision"], claims["result"], claims["verdict"]) == (
        REVISION.name,
        "PASSED",
        "conformant",
    )
    assert claims["started"] == report["started"]
    assert claims["started"] < claims["finished"] < claims["expires"]
    assert claims["suite"]["seed"] == report["suite"]["seed"]
    assert claims["exchanges"] == report["exchanges"]["count"]
    assert claims["approvals"] == len(report["ledger"]) > 0
    assert len(claims["passed"]) == sum(
        claims["counts"][level]["pass"] for level in claims["counts"]
    )
    assert (claims["notChecked"], claims["knownFailures"], claims["contested"]) == ({}, [], {})


def test_a_stock_client_verifies_the_envelope(certified: Certified) -> None:
    """securesystemslib finds the signature by its standard key id, and the digests are SHA-256."""
    key = SSlibKey.from_crypto(serialization.load_pem_public_key(certified.honest.key))
    envelope = Envelope.from_dict(json.loads(json.dumps(certified.honest.envelope)))
    assert list(envelope.verify([key], 1)) == [key.keyid]
    subject = json.loads(envelope.payload)["subject"]
    assert {entry["name"]: entry["digest"]["sha256"] for entry in subject} == {
        name: bundle.digest(content) for name, content in certified.evidence.items()
    }


def test_a_registrar_signs_a_summary_of_its_verification(
    certified: Certified, honest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is another file by another key; one about another certificate is rejected."""
    dsse.generate(tmp_path / "registrar")
    signed, public = tmp_path / "summary.json", tmp_path / "registrar.pub"
    words = ("verify", "--countersign", tmp_path / "registrar", signed, honest)
    assert main(list(map(str, words))) == 0
    capsys.readouterr()

    assert main(["verify", "--json", "--summary", str(signed), str(public), str(honest)]) == 0
    registrar = json.loads(capsys.readouterr().out)["registrar"]
    assert registrar["revision"] == REVISION.name
    assert registrar["key"] == dsse.private_key(tmp_path / "registrar").public_key.keyid
    payload = Envelope.from_dict(json.loads(signed.read_bytes())).payload
    assert json.loads(payload)["predicateType"] == "https://slsa.dev/verification_summary/v1"

    stranger = CryptoSigner.generate_ed25519()
    other = issuing.sealed(Evidence(certified.evidence), stranger)
    path = certified.write(tmp_path / "other.zip", other)
    assert main(["verify", "--summary", str(signed), str(public), str(path)]) == 1
    assert "the summary is not about this certificate" in capsys.readouterr().out


def test_a_run_over_a_network_is_verified_and_probed(
    certified: Certified, over_loopback: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such a run sends requests concurrently; the replay sends them one by one.

    Reads of the recording are sent again: the same target gives the same records, another does not.
    """
    report, certificate = over_loopback / "reports" / "latest", tmp_path / "certificate.zip"
    with by_command(tmp_path), replayed_once():
        certified.write(certificate, issuing.issued(report, REVISION, certified.signer))
        words = ["verify", "--probe", "12", "--target", str(tmp_path / "target.toml")]
        assert main([*words, "--json", str(certificate)]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert [each["differences"] for each in shown["probe"]] == [[]] * 12
        assert "bundled reference" in shown["claims"]["target"]["reference"]

        with instance(Reference(seed=2)) as other:
            assert main([*words, "--base-url", other["base-url"], str(certificate)]) == 1
        assert "status 200 then, 401 now" in capsys.readouterr().out


def test_the_installed_suite_lists_its_changes(
    honest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The suite of the run has no changes."""
    assert main(["verify", "--with-current-suite", str(honest)]) == 0
    shown = capsys.readouterr().out
    assert "the installed suite comes to the same verdict on every requirement" in shown


def test_a_certificate_of_another_suite_offers_its_environment(
    honest: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its signature and digests are valid, and only its own suite can recompute the verdict."""
    monkeypatch.setattr(files, "text", lambda _: "another contract")
    assert main(["verify", "--probe", "9", "--base-url", "http://127.0.0.1:9/v1", str(honest)]) == 1
    shown = capsys.readouterr().out
    assert "NOT RECOMPUTED" in shown
    assert "NOT PROBED" in shown
    assert "uv pip install --python then localization-api-conformance==" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--probe needs the target"),
        (["--base-url", "ftp://x"], "base-url"),
        (["--target", "none.toml"], "none.toml"),
        (
            ["--base-url", "http://x/v1", "--with-current-suite"],
            "--probe needs the suite of the run",
        ),
    ],
)
def test_a_probe_without_a_target_is_a_usage_error(
    words: list[str], message: str, honest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is verified before."""
    assert main(["verify", "--probe", "3", *words, str(honest)]) == 4
    assert message in capsys.readouterr().err


def test_an_expired_certificate_is_not_good(
    honest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its evidence still supports every statement; `--on` chooses the day."""
    expires = dsse.claims(bundle.read(honest).envelope)["expires"]
    assert main(["verify", "--on", expires, str(honest)]) == 0
    assert f"  active, valid until {expires}" in capsys.readouterr().out
    assert main(["verify", "--on", "2199-01-01", str(honest)]) == 1
    shown = capsys.readouterr().out
    assert f"  EXPIRED on {expires}" in shown
    assert "VERIFIED: the evidence supports every statement." in shown
    assert main(["verify", "--json", "--on", "2199-01-01", str(honest)]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert (shown["verified"], shown["status"]) == (True, "expired")


def test_a_certificate_is_not_valid_before_its_run(
    honest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever day `--on` chooses."""
    assert main(["verify", "--on", "2026-01-01", str(honest)]) == 1
    assert "  NOT YET VALID on that day; until " in capsys.readouterr().out
    assert main(["verify", "--json", "--on", "2026-01-01", str(honest)]) == 1
    assert json.loads(capsys.readouterr().out)["status"] == "early"


def test_a_run_that_nobody_would_read_is_not_certified(
    certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its certificate would be rejected for its size."""
    small = {**bundle.LIMITS, "exchanges.jsonl": Budget(1000, 1000, 10), "run.json": Budget(10)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundle, "LIMITS", small)
        assert certify(certified, tmp_path / "large.zip") == 1
    shown = capsys.readouterr().out
    assert "  exchanges.jsonl has more than 1000 bytes" in shown
    assert "  run.json has more than 10 bytes" in shown


def test_the_environment_lists_what_is_installed(certified: Certified) -> None:
    """Names and versions only: any index or folder can provide them."""
    python, packages = environment.read(certified.evidence["environment.txt"])
    assert python.count(".") == 2
    assert {"localization-api-conformance", "hypothesis", "httpx", "cryptography"} <= set(packages)
    assert b"://" not in certified.evidence["environment.txt"]


def test_only_its_owner_can_read_a_private_key(certified: Certified) -> None:
    """An existing key is not overwritten."""
    assert certified.key.stat().st_mode & 0o777 == 0o600
    assert main(["keygen", str(certified.key)]) == 4


@pytest.mark.parametrize("taken", ["key", "key.pub"])
def test_a_name_that_is_taken_leaves_no_key_behind(taken: str, tmp_path: Path) -> None:
    """Both are looked at before either is written."""
    (tmp_path / taken).write_text("mine")
    assert main(["keygen", str(tmp_path / "key")]) == 4
    assert [path.name for path in tmp_path.iterdir()] == [taken]


def test_an_interruption_leaves_no_key_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whichever file is written when it comes."""
    new = fresh_file.new
    for suffix in ("", ".pub"):
        interrupted = tmp_path / f"key{suffix}"

        def interrupt(path: Path, *rest: Any, at: Path = interrupted) -> None:
            if path == at:
                raise KeyboardInterrupt
            new(path, *rest)

        monkeypatch.setattr(fresh_file, "new", interrupt)
        assert main(["keygen", str(tmp_path / "key")]) == INTERRUPTED
        assert list(tmp_path.iterdir()) == []


def test_another_key_than_the_pinned_one_is_rejected(
    certified: Certified, public: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The certificate is valid by the key that it contains."""
    other = issuing.sealed(Evidence(certified.evidence), CryptoSigner.generate_ed25519())
    path = certified.write(tmp_path / "other.zip", other)
    assert main(["verify", "--public-key", str(public), str(path)]) == 1
    assert capsys.readouterr().out == "REJECTED:\n  the signature is not from this key\n"


def test_the_owner_of_an_unpinned_key_is_not_verified(
    honest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line says so."""
    assert main(["verify", str(honest)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "The owner of the key is not verified: compare the id of the key, or pass --public-key."
    )


def test_a_place_that_cannot_be_written_to_is_a_usage_error(
    certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message has the path as it was given."""
    path = tmp_path / "none" / "c.zip"
    assert certify(certified, path) == 4
    expected = f"conformance certify: error: {path}: No such file or directory\n"
    assert capsys.readouterr().err == expected


def test_a_missing_key_is_a_usage_error(
    honest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message has the path as it was given."""
    path = tmp_path / "none.pub"
    assert main(["verify", "--public-key", str(path), str(honest)]) == 4
    expected = f"conformance verify: error: {path}: No such file or directory\n"
    assert capsys.readouterr().err == expected


def test_a_folder_without_a_report_is_a_usage_error(
    certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says what writes it."""
    words = ("certify", "--report-dir", tmp_path, "--key", certified.key, tmp_path / "c.zip")
    assert main(list(map(str, words))) == 4
    assert f"`conformance run --report-dir {tmp_path}` writes it" in capsys.readouterr().err


def test_an_unknown_revision_is_a_usage_error(
    certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names those that there are."""
    assert certify(certified, tmp_path / "c.zip", "--revision", "2031-01") == 4
    assert f"the revisions are {REVISION.name}" in capsys.readouterr().err


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
        (None, "No such file or directory"),
        (
            _another_kind(private=True),
            "not an Ed25519 key; `conformance keygen` generates one",
        ),
    ],
)
def test_an_invalid_private_key_is_a_usage_error(
    content: bytes | None,
    message: str,
    certified: Certified,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No certificate is written."""
    if content is not None:
        (tmp_path / "odd").write_bytes(content)
    words = ("certify", "--report-dir", certified.report, "--key", tmp_path / "odd")
    assert main([*map(str, words), str(tmp_path / "never.zip")]) == 4
    expected = f"conformance certify: error: {tmp_path / 'odd'}: {message}\n"
    assert capsys.readouterr().err == expected
    assert not (tmp_path / "never.zip").exists()


@pytest.mark.parametrize("option", ["--challenge", "--lock"])
def test_a_missing_file_of_an_option_is_named(
    option: str, certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The remedy for a report that is missing is not given."""
    dsse.generate(tmp_path / "own.key")
    words = ("certify", "--report-dir", certified.report, "--key", tmp_path / "own.key")

    assert main([*map(str, words), option, str(tmp_path / "none")]) == 4
    expected = f"conformance certify: error: {tmp_path / 'none'}: No such file or directory\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no key", "the given key: not a public key (ValueError)"),
        (_another_kind(private=False), "the given key: not an Ed25519 key"),
    ],
)
def test_an_invalid_public_key_is_a_usage_error(
    content: bytes,
    message: str,
    honest: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing is verified."""
    (tmp_path / "odd").write_bytes(content)
    assert main(["verify", "--public-key", str(tmp_path / "odd"), str(honest)]) == 4
    assert capsys.readouterr().err == f"conformance verify: error: {message}\n"


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 half a zip"])
def test_an_invalid_file_is_a_usage_error(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message is one line."""
    (tmp_path / "file.zip").write_bytes(content)
    assert main(["verify", str(tmp_path / "file.zip")]) == 4
    assert capsys.readouterr().err.count("\n") == 1


def copy_of(report: Path, folder: Path, changes: Mapping[str, Any]) -> Path:
    """A copy of a report folder, with other values at the top of report.json."""
    folder.mkdir()
    for name in issuing.FROM_RUN:
        (folder / name).write_bytes((report / name).read_bytes())
    stated = json.loads((report / "report.json").read_bytes())
    (folder / "report.json").write_bytes(strict_json.written({**stated, **changes}))
    return folder


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"verdict": "non-conformant"}, '/verdict is "non-conformant"'),
        ({"duration": "long"}, "report.json is malformed"),
        ({"duration": 1}, "/duration is 1, and the evidence says"),
    ],
)
def test_a_run_that_does_not_verify_is_not_certified(
    changes: Mapping[str, Any],
    expected: str,
    certified: Certified,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The output has the reasons, and no file is written."""
    folder = copy_of(certified.report, tmp_path / "report", changes)
    words = ("certify", "--report-dir", folder, "--key", certified.key, tmp_path / "never.zip")
    assert main(list(map(str, words))) == 1
    assert expected in capsys.readouterr().out
    assert not (tmp_path / "never.zip").exists()


def test_a_quick_run_is_not_certified_under_a_published_rule(certified: Certified) -> None:
    """The revision has the depths that it accepts."""
    report = json.loads(certified.evidence["report.json"])
    report["suite"]["depth"] = "quick"
    stated = revisions.text(REVISION.name, [])
    assert "depths: [standard, deep]" in stated
    strict = replace(REVISION, depths=("standard", "deep"))
    assert list(eligibility.obstacles(report, strict)) == [
        f"the depth of the run is quick; {REVISION.name} requires standard or deep"
    ]


def test_a_certificate_contains_no_secret(certified: Certified) -> None:
    """Credentials are replaced by the names of variables."""
    from conformance import reference  # noqa: PLC0415 - only this test looks at the reference
    from conformance.runner import examination  # noqa: PLC0415 - only this test looks at the reference

    secrets = examination.in_process(reference).target.secrets
    assert [
        secret
        for secret in secrets
        for content in certified.evidence.values()
        if secret.encode() in content
    ] == []


def test_nothing_prevents_the_certification_of_a_conformant_run(certified: Certified) -> None:
    """There are no reasons against it."""
    report = json.loads(certified.evidence["report.json"])
    assert list(eligibility.obstacles(report, REVISION)) == []
