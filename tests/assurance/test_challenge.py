"""Challenges: evidence is not older than a registrar's nonce, nor newer than its deadline."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from certified import Certified, challenged, one_replay, quick_runs
from securesystemslib.signer import CryptoSigner

from conformance.__main__ import main
from conformance.assurance.certificate import challenge, dsse, issuing, strict_json
from conformance.assurance.certificate.challenge import Challenge, ChallengeProblem, Circumstances
from conformance.assurance.certificate.evidence import Evidence

NOW = datetime(2027, 1, 1, 10, tzinfo=UTC)
BASE_URL = "https://api.example.com/v1"
FOUND = Challenge("ab" * 32, NOW, NOW + timedelta(hours=1), BASE_URL, "00")
RUN = Circumstances(
    seed=FOUND.seed,
    base_url=BASE_URL,
    started=NOW,
    finished=NOW + timedelta(minutes=5),
    dates=(NOW - timedelta(seconds=30), NOW + timedelta(minutes=5)),
)


@pytest.fixture(autouse=True)
def known_replay(certified: Certified) -> Iterator[None]:
    """Quick runs can be certified, and the replay of the honest recording is known."""
    with quick_runs(), one_replay(certified):
        yield


@pytest.fixture
def registrar(certified: Certified, tmp_path: Path) -> str:
    """The file with the public key of the registrar."""
    path = tmp_path / "registrar.pub"
    path.write_bytes(dsse.pem(certified.registrar))
    return str(path)


def test_the_command_issues_a_challenge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its seed follows from a fresh nonce, and nothing is overwritten."""
    dsse.generate(tmp_path / "key")
    words = ["challenge", "--key", str(tmp_path / "key"), "--hours", "2", "--base-url", BASE_URL]
    assert main([*words, "--json", str(tmp_path / "one.json")]) == 0
    stated = json.loads(capsys.readouterr().out)
    found = challenge.read((tmp_path / "one.json").read_bytes())
    assert (found.seed, found.base_url) == (stated["seed"], BASE_URL)
    assert found.deadline - found.issued == timedelta(hours=2)
    assert 0 <= found.seed < 2**48

    assert main([*words, str(tmp_path / "two.json")]) == 0
    assert "conformance run --seed" in capsys.readouterr().out
    assert challenge.read((tmp_path / "two.json").read_bytes()).seed != found.seed
    assert main([*words, str(tmp_path / "two.json")]) == 4
    words[2] = str(tmp_path / "key.pub")
    assert main([*words, str(tmp_path / "three.json")]) == 4


def test_no_challenge_has_the_password_of_an_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The registrar gives it to a vendor."""
    dsse.generate(tmp_path / "key")
    address = "https://jane:a-long-password@api.example.com/v1"
    words = ["challenge", "--key", str(tmp_path / "key"), "--base-url", address]
    assert main([*words, str(tmp_path / "one.json")]) == 4
    assert "a-long-password" not in capsys.readouterr().err
    assert not (tmp_path / "one.json").exists()


def test_a_run_within_the_terms_answers_a_challenge() -> None:
    """The clock of the target may be off by some minutes."""
    assert list(challenge.problems(FOUND, RUN)) == []
    assert list(challenge.problems(FOUND, replace(RUN, dates=()))) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"seed": 1}, f"the challenge asks for the seed {FOUND.seed}, and the run has 1"),
        ({"base_url": "https://x.example/v1"}, "the run checked https://x.example/v1"),
        ({"started": NOW - timedelta(seconds=1)}, "before the challenge was issued"),
        ({"finished": NOW + timedelta(hours=2)}, "after the deadline of the challenge"),
        ({"dates": (NOW - timedelta(hours=1), NOW)}, "a Date header of the target says"),
        ({"dates": (NOW, NOW + timedelta(hours=2))}, "a Date header of the target says"),
    ],
)
def test_a_run_outside_the_terms_does_not(changes: dict[str, Any], problem: str) -> None:
    """Each of them is held to the evidence."""
    (found,) = challenge.problems(FOUND, replace(RUN, **changes))
    assert problem in found


def altered(change: dict[str, Any], kind: str = challenge.PREDICATE_TYPE) -> bytes:
    """A signed challenge with other properties."""
    signer = CryptoSigner.generate_ed25519()
    stated = dsse.unverified(challenge.issue(signer, NOW, timedelta(hours=1)))
    stated["predicate"].update(change)
    stated["predicateType"] = kind
    return strict_json.written(dsse.sign(stated, signer))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "not JSON"),
        (b"[]", "not an envelope"),
        (b'{\n  "payload": ""\n}', "the envelope has other parts"),
        (b'{"payload": ""}', "not written as a run writes it"),
        (altered({"seed": 1}), "its seed does not follow from its nonce"),
        (altered({"nonce": "another"}), "its seed does not follow from its nonce"),
        (altered({"issued": "yesterday"}), "malformed (ValueError"),
        (altered({"issued": "2027-01-01T00:00:00"}), "another statement than a challenge"),
        (altered({}, "urn:x"), "another statement than a challenge"),
    ],
)
def test_what_is_not_a_challenge_is_rejected(content: bytes, problem: str) -> None:
    """The message has the reason."""
    with pytest.raises(ChallengeProblem) as raised:
        challenge.read(content)
    assert problem in str(raised.value)


def test_a_payload_that_is_not_an_object_is_no_challenge() -> None:
    """Whoever has signed it."""
    signed = dsse.sign([], CryptoSigner.generate_ed25519())  # type: ignore[arg-type]
    with pytest.raises(ChallengeProblem, match="carries no statement"):
        challenge.read(strict_json.written(signed))
    envelope = {**signed, "payload": "e30x"}
    with pytest.raises(ChallengeProblem, match="the statement: not JSON"):
        challenge.read(strict_json.written(envelope))


def test_a_challenge_serves_the_key_that_it_names(
    certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever else signs the answer is rejected, though the run has the seed."""
    asked = challenge.read(certified.evidence[challenge.FILE])
    vendor = certified.key.with_name(f"{certified.key.name}.pub")
    own = challenged(certified.registrar, asked.issued, vendor=certified.signer.public_key.keyid)
    files = {**certified.evidence, challenge.FILE: own}
    stranger = CryptoSigner.generate_ed25519()
    answers = (certified.signer, 0, "VERIFIED"), (stranger, 1, "the challenge is for the key")
    for signer, code, said in answers:
        path = certified.write(tmp_path / "own.zip", issuing.sealed(Evidence(files), signer))
        assert main(["verify", str(path)]) == code
        assert said in capsys.readouterr().out

    words = ["challenge", "--key", str(certified.key), "--vendor", str(vendor)]
    assert main([*words, str(tmp_path / "made.json")]) == 0
    made = challenge.read((tmp_path / "made.json").read_bytes())
    assert made.vendor == certified.signer.public_key.keyid


def test_a_certificate_answers_a_challenge(
    certified: Certified, registrar: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The statement has its digest; with the registrar's key, its signature is checked too."""
    path = certified.write(tmp_path / "c.zip")
    assert main(["verify", "--registrar", registrar, str(path)]) == 0
    shown = capsys.readouterr().out
    assert "the target sends no Date headers, so these times are the word of the signer" in shown
    claims = dsse.claims(certified.honest.envelope)["challenge"]
    assert claims["key"] == certified.registrar.public_key.keyid
    assert main(["verify", str(path)]) == 0
    assert "The challenge names no registrar that you trust" in capsys.readouterr().out


def test_the_challenge_has_to_be_the_registrars(
    certified: Certified, registrar: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A vendor could issue one to himself, or leave it out."""
    asked = challenge.read(certified.evidence[challenge.FILE])
    own = challenged(certified.signer, asked.issued)
    files = {**certified.evidence, challenge.FILE: own}
    path = certified.write(tmp_path / "own.zip", issuing.sealed(Evidence(files), certified.signer))
    assert main(["verify", "--registrar", registrar, str(path)]) == 1
    assert "challenge.dsse.json: the signature is not from this key" in capsys.readouterr().out

    files = {name: files[name] for name in files if name != challenge.FILE}
    path = certified.write(tmp_path / "no.zip", issuing.sealed(Evidence(files), certified.signer))
    assert main(["verify", str(path)]) == 0
    assert main(["verify", "--registrar", registrar, str(path)]) == 1
    assert "it answers no challenge of a registrar" in capsys.readouterr().out


def test_a_run_that_answers_another_challenge_is_not_certified(
    certified: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output has the reason."""
    later = challenged(certified.registrar, datetime.now(UTC) + timedelta(hours=1))
    (tmp_path / "later.json").write_bytes(later)
    words = ["certify", "--report-dir", certified.report, "--key", certified.key, "--challenge"]
    file = tmp_path / "never.zip"
    assert main([*map(str, words), str(tmp_path / "later.json"), str(file)]) == 1
    assert "before the challenge was issued" in capsys.readouterr().out
    (tmp_path / "later.json").write_bytes(b"{}")
    assert main([*map(str, words), str(tmp_path / "later.json"), str(file)]) == 1
    assert "challenge.dsse.json is malformed" in capsys.readouterr().out
    assert not file.exists()
