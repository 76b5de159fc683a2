"""Signatures: Ed25519 keys, and the DSSE envelope that carries a signed statement (DSSE 1.0)."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
PRIVATE_MODE = 0o600

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
    key = Ed25519PrivateKey.generate()
    public = private.with_name(private.name + ".pub")
    with private.open("xb") as file:
        private.chmod(PRIVATE_MODE)
        file.write(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
    with public.open("xb") as file:
        file.write(pem(key.public_key()))
    return public


def private_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file. Raises KeyProblem."""
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as problem:
        raise KeyProblem(f"{path}: not a private key ({type(problem).__name__})") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyProblem(f"{path}: not an Ed25519 key; `conformance keygen` generates one")
    return key


def public_key(content: bytes, name: str) -> Ed25519PublicKey:
    """The public key in a PEM text. Raises KeyProblem."""
    try:
        key = serialization.load_pem_public_key(content)
    except (ValueError, TypeError) as problem:
        raise KeyProblem(f"{name}: not a public key ({type(problem).__name__})") from None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyProblem(f"{name}: not an Ed25519 key")
    return key


def pem(key: Ed25519PublicKey) -> bytes:
    """A public key as PEM text."""
    return key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def fingerprint(key: Ed25519PublicKey) -> str:
    """SHA-256 of the raw public key, in hexadecimal digits, to be compared by people."""
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()


def sign(statement: dict[str, Any], key: Ed25519PrivateKey) -> dict[str, Any]:
    """The envelope of a statement."""
    payload = json.dumps(statement, sort_keys=True, ensure_ascii=False).encode()
    signature = key.sign(_encoding(PAYLOAD_TYPE, payload))
    return {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [
            {"keyid": fingerprint(key.public_key()), "sig": base64.b64encode(signature).decode()}
        ],
    }


def opened(envelope: dict[str, Any], key: Ed25519PublicKey) -> dict[str, Any]:
    """The statement of an envelope that this key has signed. Raises SignatureProblem."""
    try:
        payload = base64.b64decode(envelope["payload"], validate=True)
        signatures = [
            base64.b64decode(entry["sig"], validate=True) for entry in envelope["signatures"]
        ]
        kind = envelope["payloadType"]
        statement = json.loads(payload)
    except (KeyError, TypeError, ValueError) as problem:
        raise SignatureProblem(f"the envelope is malformed ({type(problem).__name__})") from None
    if kind != PAYLOAD_TYPE or not isinstance(statement, dict):
        raise SignatureProblem(f"the envelope carries {kind!r}, not a statement")
    if not any(_is_valid(signature, _encoding(kind, payload), key) for signature in signatures):
        raise SignatureProblem("the signature is not from this key")
    return statement


def _is_valid(signature: bytes, message: bytes, key: Ed25519PublicKey) -> bool:
    try:
        key.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _encoding(kind: str, payload: bytes) -> bytes:
    """The pre-authentication encoding: the signature covers the type and the payload."""
    return b" ".join(
        (b"DSSEv1", str(len(kind)).encode(), kind.encode(), str(len(payload)).encode(), payload)
    )
