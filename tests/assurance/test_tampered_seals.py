"""Whatever is altered in the statement, envelope or key of a certificate, it is rejected."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from certified import Certified, claimed, one_replay, quick_runs
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner

from conformance.assurance.certificate import dsse, statement
from conformance.assurance.certificate.bundle import Bundle
from conformance.assurance.certificate.dsse import KeyProblem
from conformance.assurance.certificate.evidence import Evidence
from conformance.assurance.certificate.verification import verify


@pytest.fixture(autouse=True)
def known_replay(certified: Certified) -> Iterator[None]:
    """No replay: what is altered here does not change what the responses show."""
    with quick_runs(), one_replay(certified):
        yield


STATEMENT: dict[str, tuple[Callable[[Any], object], str]] = {
    "invented passed tests": (
        lambda stated: stated["predicate"]["passed"].append("everything"),
        "the statement/predicate/passed is [",
    ),
    "another product": (
        lambda stated: stated["predicate"].update(product={"vendor": "Acme"}),
        "the statement/predicate/product/vendor is not in the evidence",
    ),
    "another address": (
        lambda stated: stated["predicate"]["target"].update({"base-url": "https://acme.example"}),
        'the statement/predicate/target/base-url is "https://acme.example"',
    ),
    "a reference that is a product": (
        lambda stated: stated["predicate"]["target"].pop("reference"),
        "the statement/predicate/target/reference is missing",
    ),
    "a certificate for ever": (
        lambda stated: stated["predicate"].update(expires="2099-01-01"),
        'the statement/predicate/expires is "2099-01-01"',
    ),
    "another end": (
        lambda stated: stated["predicate"].update(finished="2099-01-01T00:00:00+00:00"),
        "the statement/predicate/finished is",
    ),
    "another depth": (
        lambda stated: stated["predicate"]["suite"].update(depth="deep"),
        'the statement/predicate/suite/depth is "deep"',
    ),
    "better counts": (
        lambda stated: stated["predicate"]["counts"]["must"].update({"pass": 500}),
        "the statement/predicate/counts/must/pass is 500",
    ),
    "a better class": (
        lambda stated: stated["predicate"]["classes"]["read"].update({"pass": 500}),
        "the statement/predicate/classes/read/pass is 500",
    ),
    "a number that is true": (
        lambda stated: stated["predicate"].update(notScored={"x/y": True}),
        "the statement/predicate/notScored/x/y is not in the evidence",
    ),
    "another revision": (
        lambda stated: stated["predicate"].update(revision="2031-01"),
        'the statement/predicate/revision is "2031-01"',
    ),
    "another challenge": (
        lambda stated: stated["predicate"]["challenge"].update(sha256="0" * 64),
        "the statement/predicate/challenge/sha256 is",
    ),
    "dates of the target that it does not send": (
        lambda stated: stated["predicate"]["challenge"].update(dates=500),
        "the statement/predicate/challenge/dates is 500",
    ),
    "a challenge that is not mentioned": (
        lambda stated: stated["predicate"].pop("challenge"),
        "the statement/predicate/challenge is missing",
    ),
    "no claims": (lambda stated: stated.pop("predicate"), "the statement/predicate is missing"),
    "a note of the signer": (
        lambda stated: stated.update(award="gold"),
        "the statement/award is not in the evidence",
    ),
    "another type": (
        lambda stated: stated.update(predicateType="https://in-toto.io/attestation/link/v0.3"),
        "the statement/predicateType is",
    ),
    "no digests": (
        lambda stated: stated.pop("subject"),
        "the statement has no digests of the evidence",
    ),
    "a file less": (
        lambda stated: stated["subject"].pop(),
        "challenge.dsse.json is not the signed one",
    ),
    "a file more": (
        lambda stated: stated["subject"].append(
            {"name": "../audit.pdf", "digest": {"sha256": "0" * 64}}
        ),
        "the statement is about '../audit.pdf', which is missing",
    ),
    "another kind of digest": (
        lambda stated: stated["subject"][0]["digest"].update(md5="0"),
        "the statement has other subjects than the evidence",
    ),
}


@pytest.mark.parametrize(("change", "expected"), STATEMENT.values(), ids=STATEMENT)
def test_a_statement_altered_by_the_signer_is_rejected(
    change: Callable[[Any], object], expected: str, certified: Certified
) -> None:
    """The evidence is the honest one."""
    stated = claimed(certified.honest)
    change(stated)
    forged = Bundle(certified.evidence, dsse.sign(stated, certified.signer), certified.honest.key)
    problems = verify(forged, None).problems
    assert any(expected in problem for problem in problems), problems


@pytest.mark.parametrize("change", [change for change, _ in STATEMENT.values()], ids=STATEMENT)
def test_a_statement_altered_by_a_stranger_is_rejected(
    change: Callable[[Any], object], certified: Certified
) -> None:
    """The stranger signs with another key than the pinned one."""
    stated = claimed(certified.honest)
    change(stated)
    stranger = CryptoSigner.generate_ed25519()
    forged = Bundle(certified.evidence, dsse.sign(stated, stranger), dsse.pem(stranger))
    pinned = certified.honest.key
    assert verify(forged, pinned).problems == ("the signature is not from this key",)


def respelt(envelope: dict[str, Any]) -> str:
    """The same 64 bytes of the signature with other bits behind their end."""
    signature: str = envelope["signatures"][0]["sig"]
    assert signature.endswith("==")
    return f"{signature[:-3]}{chr(ord(signature[-3]) + 1)}=="


ENVELOPE: dict[str, tuple[Callable[[Any], object], str]] = {
    "another payload": (lambda envelope: envelope.update(payload="AAAA"), "is not from this key"),
    "a payload that is no base64": (
        lambda envelope: envelope.update(payload=envelope["payload"] + "\n"),
        "the envelope is malformed (base64)",
    ),
    "a payload that is a number": (lambda envelope: envelope.update(payload=1), "(base64)"),
    "another type": (
        lambda envelope: envelope.update(payloadType="text/plain"),
        "the envelope carries 'text/plain', not a statement",
    ),
    "no signature": (lambda envelope: envelope["signatures"].clear(), "(signatures)"),
    "signatures that are a text": (
        lambda envelope: envelope.update(signatures="AA"),
        "(signatures)",
    ),
    "a signature that is a text": (
        lambda envelope: envelope.update(signatures=["AA"]),
        "(signatures)",
    ),
    "another signature": (
        lambda envelope: envelope["signatures"][0].update(sig="AAAA"),
        "the signature is not from this key",
    ),
    "another key id": (
        lambda envelope: envelope["signatures"][0].update(keyid="0" * 64),
        "the signature is not from this key",
    ),
    "a signature that is there twice": (
        lambda envelope: envelope["signatures"].append(dict(envelope["signatures"][0])),
        "the envelope is malformed (signatures)",
    ),
    "a second signature": (
        lambda envelope: envelope["signatures"].append({"keyid": "0" * 64, "sig": "AAAA"}),
        "the envelope is malformed (signatures)",
    ),
    "another spelling of a signature": (
        lambda envelope: envelope["signatures"][0].update(sig=respelt(envelope)),
        "the envelope is malformed (base64)",
    ),
    "another order": (
        lambda envelope: envelope.update(payload=envelope.pop("payload")),
        "the envelope has other parts than payload, payloadType, signatures",
    ),
    "a further part": (
        lambda envelope: envelope.update(award="gold"),
        "the envelope has other parts than payload, payloadType, signatures",
    ),
}


@pytest.mark.parametrize(("change", "expected"), ENVELOPE.values(), ids=ENVELOPE)
def test_an_altered_envelope_is_rejected(
    change: Callable[[Any], object], expected: str, certified: Certified
) -> None:
    """This holds for each part of it."""
    envelope = copy.deepcopy(certified.honest.envelope)
    change(envelope)
    forged = Bundle(certified.evidence, envelope, certified.honest.key)
    (problem,) = verify(forged, None).problems
    assert expected in problem


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b'{"predicate": 1, "predicate": 2}', "the statement: duplicate key 'predicate'"),
        (b'{"predicate": NaN}', "the statement: NaN is not a JSON value"),
        (b"[" * 100_000, "the statement: not JSON"),
        (b"\xff", "the statement: not JSON"),
        (b"[]", "the envelope carries no statement"),
        (b'{"a":  1}', "the statement: written with other spaces"),
        (b'{"b": 1, "a": 1}', "the statement: written with other spaces"),
        (b'{"a": "\\u0041"}', "the statement: written with other spaces"),
    ],
)
def test_a_payload_that_is_not_strict_json_is_rejected(
    payload: bytes, expected: str, certified: Certified
) -> None:
    """Two readers must not read two statements."""
    envelope = signed_bytes(payload, certified.signer)
    problems = verify(Bundle(certified.evidence, envelope, certified.honest.key), None).problems
    assert [problem[: len(expected)] for problem in problems] == [expected]


def signed_bytes(payload: bytes, signer: CryptoSigner) -> dict[str, Any]:
    """An envelope of any bytes."""
    envelope = Envelope(payload, dsse.PAYLOAD_TYPE, {})
    envelope.sign(signer)
    signed: dict[str, Any] = envelope.to_dict()
    return signed


KEYS: dict[str, Callable[[bytes], bytes]] = {
    "text in front": lambda key: b"# trust me\n" + key,
    "text behind": lambda key: key + b"\n",
    "other line ends": lambda key: key.replace(b"\n", b"\r\n"),
    "a second key": lambda key: key + key,
}


@pytest.mark.parametrize("change", KEYS.values(), ids=KEYS)
def test_a_key_in_another_form_is_rejected(
    change: Callable[[bytes], bytes], certified: Certified
) -> None:
    """So that the file of a certificate has one form only."""
    forged = Bundle(certified.evidence, certified.honest.envelope, change(certified.honest.key))
    with pytest.raises(KeyProblem, match="the signer's key in the certificate: has other text"):
        verify(forged, None)


@pytest.mark.parametrize("sign", [0, 0x80], ids=["positive", "negative"])
@pytest.mark.parametrize("point", sorted(dsse.SMALL_ORDER), ids=bytes.hex)
def test_a_key_with_which_anybody_can_sign_is_rejected(
    point: bytes, sign: int, certified: Certified
) -> None:
    """A point of small order verifies signatures that were made without a private key."""
    raw = bytes((*point[:-1], point[-1] | sign))
    key = Ed25519PublicKey.from_public_bytes(raw)
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    forged = Bundle(certified.evidence, certified.honest.envelope, pem)
    with pytest.raises(KeyProblem, match="a key of small order, with which anybody can sign"):
        verify(forged, None)


@pytest.mark.parametrize("kind", [statement.FIRST_TYPE, statement.SECOND_TYPE])
def test_a_certificate_of_an_earlier_kind_is_verified_as_what_it_is(
    kind: str, certified: Certified
) -> None:
    """It says less of what is the word of its signer."""
    stated = statement.of(Evidence(certified.evidence), kind)
    earlier = Bundle(certified.evidence, dsse.sign(stated, certified.signer), certified.honest.key)
    assert stated["predicateType"] == kind
    assert verify(earlier, None).problems == ()


def test_a_shorter_list_of_what_nothing_proves_is_rejected(certified: Certified) -> None:
    """It is a part of the statement, and so are the sizes of the files."""
    stated = claimed(certified.honest)
    stated["predicate"]["wordOfSigner"].pop()
    stated["predicate"]["sizes"]["run.json"] += 1
    forged = Bundle(certified.evidence, dsse.sign(stated, certified.signer), certified.honest.key)
    problems = verify(forged, None).problems
    assert [problem.partition(" is ")[0] for problem in problems] == [
        "the statement/predicate/sizes/run.json",
        "the statement/predicate/wordOfSigner",
    ]
