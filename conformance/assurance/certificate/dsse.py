"""Signatures: Ed25519 keys, and DSSE envelopes, both in the forms of securesystemslib."""

import base64
import errno
import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

from conformance.assurance.certificate import strict_json
from conformance.storage import fresh_file

PAYLOAD_TYPE = "application/vnd.in-toto+json"
PRIVATE_MODE = 0o600
LARGEST_KEY = 1024 * 1024
SMALL_ORDER = frozenset(
    map(
        bytes.fromhex,
        (
            "00" * 32,
            "01" + "00" * 31,
            "ec" + "ff" * 30 + "7f",
            "ed" + "ff" * 30 + "7f",
            "ee" + "ff" * 30 + "7f",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ),
    )
)
"""The points of Ed25519 of order 8 or less, without their signs.

With such a key, anybody can make a signature that OpenSSL accepts.
"""
PARTS = ("payload", "payloadType", "signatures")
SIGNATURE_PARTS = ("keyid", "sig")

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

    Returns the path of the public key. Raises OSError.
    """
    if not private.name:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(private))
    signer = CryptoSigner.generate_ed25519()
    public = private.with_name(private.name + ".pub")
    for path in (private, public):
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    # The private key comes last, so that nothing can leave it behind alone.
    fresh_file.new(public, pem(signer))
    try:
        fresh_file.new(private, signer.private_bytes, PRIVATE_MODE)
    except BaseException:
        public.unlink()  # or the next attempt would end with it
        raise
    return public


def private_key(path: Path) -> CryptoSigner:
    """The private key in a PEM file. Raises KeyProblem."""
    try:
        with path.open("rb") as file:  # a pipe as well: a key need not lie on a disk
            content = file.read(LARGEST_KEY)
        key = serialization.load_pem_private_key(content, password=None)
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
    if _pem(key) != content:
        raise KeyProblem(f"{name}: has other text than the key, or another form of it")
    if _is_of_small_order(key):
        raise KeyProblem(f"{name}: a key of small order, with which anybody can sign")
    return SSlibKey.from_crypto(key)


def _is_of_small_order(key: Ed25519PublicKey) -> bool:
    *low, high = key.public_bytes_raw()
    return bytes((*low, high & 0x7F)) in SMALL_ORDER  # without its sign


def pem(signer: CryptoSigner) -> bytes:
    """The public key of a signer as PEM text."""
    raw = bytes.fromhex(signer.public_key.keyval["public"])
    return _pem(Ed25519PublicKey.from_public_bytes(raw))


def _pem(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def sign(statement: Mapping[str, Any], signer: CryptoSigner) -> dict[str, Any]:
    """The envelope of a statement."""
    envelope = Envelope(_payload(statement), PAYLOAD_TYPE, {})
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
        statement = _statement(read.payload)
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
        statement = _statement(base64.b64decode(envelope["payload"]))
    except strict_json.NotStrict as problem:
        raise SignatureProblem(f"the statement: {problem}") from None
    if not isinstance(statement, dict):
        raise SignatureProblem("the envelope carries no statement")
    return statement


def _statement(payload: bytes) -> Any:
    """The value of a payload. Raises NotStrict where it is not written as `sign` writes it."""
    found = strict_json.parse(payload)
    if _payload(found) != payload:
        raise strict_json.NotStrict("written with other spaces, or in another order or spelling")
    return found


def _payload(statement: Any) -> bytes:
    return json.dumps(statement, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")


def _check_form(envelope: Mapping[str, Any]) -> None:
    """SignatureProblem where an envelope has other parts than DSSE gives it."""
    kind, signatures = envelope.get("payloadType"), envelope.get("signatures")
    if [*envelope] != [*PARTS]:
        raise SignatureProblem(f"the envelope has other parts than {', '.join(PARTS)}")
    if kind != PAYLOAD_TYPE:
        raise SignatureProblem(f"the envelope carries {str(kind)[:80]!r}, not a statement")
    if not isinstance(signatures, list) or len(signatures) != 1:
        raise SignatureProblem("the envelope is malformed (signatures)")
    for signature in signatures:
        if not isinstance(signature, dict) or [*signature] != [*SIGNATURE_PARTS]:
            raise SignatureProblem("the envelope is malformed (signatures)")
    for text in (envelope["payload"], *(signature["sig"] for signature in signatures)):
        _check_base64(text)


def _check_base64(text: object) -> None:
    # securesystemslib accepts several spellings of one payload; so does base64 of its last bits.
    try:
        if isinstance(text, str):
            decoded = base64.b64decode(text, validate=True)
            if base64.b64encode(decoded).decode() == text:
                return
    except ValueError:
        pass
    raise SignatureProblem("the envelope is malformed (base64)")


def claims(envelope: Mapping[str, Any]) -> dict[str, Any]:
    """The predicate of an envelope that `opened` has accepted."""
    found: dict[str, Any] = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
    return found


def digest(envelope: Mapping[str, Any]) -> str:
    """SHA-256 of the statement in an envelope: the same, whoever signs it and how often.

    Raises SignatureProblem.
    """
    unverified(envelope)
    return sha256(base64.b64decode(envelope["payload"])).hexdigest()


def sizes(envelope: Mapping[str, Any]) -> dict[str, int]:
    """The bytes of each file that a statement is about, whoever has signed it; {} in old ones."""
    try:
        stated = unverified(envelope)["predicate"]["sizes"]
        return {str(name): int(size) for name, size in stated.items()}
    except (SignatureProblem, LookupError, TypeError, ValueError, AttributeError):
        return {}  # what is wrong with it is said when its signature is verified
