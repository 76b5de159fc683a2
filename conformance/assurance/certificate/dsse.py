"""Signatures: Ed25519 keys, and DSSE envelopes, both in the forms of securesystemslib."""

import base64
import binascii
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

from conformance.assurance.certificate import strict_json

PAYLOAD_TYPE = "application/vnd.in-toto+json"
PRIVATE_MODE = 0o600
PARTS = {"payload", "payloadType", "signatures"}
SIGNATURE_PARTS = {"keyid", "sig"}
MOST_SIGNATURES = 16

MEANING = """\
The signature proves that the holder of this key signed this evidence, and that it is unchanged.
The replay proves that the verdict follows from the evidence. Neither proves that the responses
came from the target."""


class KeyProblem(ValueError):
    """An invalid key file; the message has the file and the problem."""


class SignatureProblem(ValueError):
    """An envelope without a valid signature."""


def generate(private: Path) -> Path:
    """Write a private key, which only its owner can read, and beside it the public key.

    Returns the path of the public key. Raises FileExistsError.
    """
    signer = CryptoSigner.generate_ed25519()
    public = private.with_name(private.name + ".pub")
    with private.open("xb") as file:
        private.chmod(PRIVATE_MODE)
        file.write(signer.private_bytes)
    with public.open("xb") as file:
        file.write(pem(signer))
    return public


def private_key(path: Path) -> CryptoSigner:
    """The private key in a PEM file. Raises KeyProblem."""
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except OSError as problem:
        raise KeyProblem(f"{path}: {problem.strerror}") from None
    except (ValueError, TypeError) as problem:
        raise KeyProblem(f"{path}: not a private key ({type(problem).__name__})") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyProblem(f"{path}: not an Ed25519 key; `conformance keygen` generates one")
    return CryptoSigner(key)


def public_key(content: bytes, name: str) -> SSlibKey:
    """The public key in a PEM text. Raises KeyProblem."""
    try:
        key = serialization.load_pem_public_key(content)
    except (ValueError, TypeError) as problem:
        raise KeyProblem(f"{name}: not a public key ({type(problem).__name__})") from None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyProblem(f"{name}: not an Ed25519 key")
    return SSlibKey.from_crypto(key)


def pem(signer: CryptoSigner) -> bytes:
    """The public key of a signer as PEM text."""
    raw = bytes.fromhex(signer.public_key.keyval["public"])
    return Ed25519PublicKey.from_public_bytes(raw).public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def sign(statement: Mapping[str, Any], signer: CryptoSigner) -> dict[str, Any]:
    """The envelope of a statement."""
    payload = json.dumps(statement, sort_keys=True, ensure_ascii=False).encode()
    envelope = Envelope(payload, PAYLOAD_TYPE, {})
    envelope.sign(signer)
    signed: dict[str, Any] = envelope.to_dict()
    return signed


def opened(envelope: Mapping[str, Any], key: SSlibKey) -> dict[str, Any]:
    """The statement of an envelope that this key has signed. Raises SignatureProblem."""
    _check_form(envelope)
    try:
        copied = [dict(signature) for signature in envelope["signatures"]]
        read = Envelope.from_dict({**envelope, "signatures": copied})  # it changes what it reads
        read.verify([key], 1)
        statement = strict_json.parse(read.payload)
    except VerificationError:
        raise SignatureProblem("the signature is not from this key") from None
    except strict_json.NotStrict as problem:
        raise SignatureProblem(f"the statement: {problem}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise SignatureProblem(f"the envelope is malformed ({type(problem).__name__})") from None
    if not isinstance(statement, dict):
        raise SignatureProblem("the envelope carries no statement")
    return statement


def unverified(envelope: object) -> dict[str, Any]:
    """The statement of an envelope, whoever has signed it. Raises SignatureProblem."""
    if not isinstance(envelope, Mapping):
        raise SignatureProblem("not an envelope")
    _check_form(envelope)
    try:
        statement = strict_json.parse(base64.b64decode(envelope["payload"]))
    except strict_json.NotStrict as problem:
        raise SignatureProblem(f"the statement: {problem}") from None
    if not isinstance(statement, dict):
        raise SignatureProblem("the envelope carries no statement")
    return statement


def _check_form(envelope: Mapping[str, Any]) -> None:
    """SignatureProblem where an envelope has other parts than DSSE gives it."""
    kind, signatures = envelope.get("payloadType"), envelope.get("signatures")
    if set(envelope) != PARTS:
        raise SignatureProblem(f"the envelope has other parts than {', '.join(sorted(PARTS))}")
    if kind != PAYLOAD_TYPE:
        raise SignatureProblem(f"the envelope carries {str(kind)[:80]!r}, not a statement")
    if not isinstance(signatures, list) or not 0 < len(signatures) <= MOST_SIGNATURES:
        raise SignatureProblem("the envelope is malformed (signatures)")
    for signature in signatures:
        if not isinstance(signature, dict) or set(signature) != SIGNATURE_PARTS:
            raise SignatureProblem("the envelope is malformed (signatures)")
    for text in (envelope["payload"], *(signature["sig"] for signature in signatures)):
        _check_base64(text)


def _check_base64(text: object) -> None:
    # securesystemslib accepts several spellings of one payload.
    try:
        if isinstance(text, str):
            base64.b64decode(text, validate=True)
            return
    except binascii.Error:
        pass
    raise SignatureProblem("the envelope is malformed (base64)")


def claims(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """The predicate of an envelope that `opened` has accepted."""
    found: dict[str, Any] = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
    return found
