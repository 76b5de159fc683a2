"""Challenges: a registrar's seed and deadline, so that evidence cannot be older than both.

The seed decides which requests a run sends, so a run with it was made after it was known.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from securesystemslib.signer import CryptoSigner, SSlibKey

from conformance.assurance.certificate import dsse, strict_json

FILE = "challenge.dsse.json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:localization-api-conformance:challenge:1"
NONCE_BYTES = 32
SEED_BYTES = 6
"""A seed is smaller than 2^48: every JSON reader keeps it exactly."""

CLOCK_SKEW = timedelta(minutes=5)
"""How far the clocks of the registrar and of the target may be apart."""


class ChallengeProblem(ValueError):
    """A text that is not a challenge; str() has the reason."""


@dataclass(frozen=True)
class Challenge:
    """What a registrar has issued; times are whole seconds in UTC.

    `base_url` is the only target that it is for; None for any. `key` is the id of the key that
    claims to have signed it. `vendor` is the id of the only key that may answer it; None for any.
    """

    nonce: str
    issued: datetime
    deadline: datetime
    base_url: str | None
    key: str
    vendor: str | None = None

    @property
    def seed(self) -> int:
        """The seed of the run, which follows from the nonce."""
        return seed_of(self.nonce)


def seed_of(nonce: str) -> int:
    """The seed that a nonce decides, from 0 to 2^48 - 1."""
    return int.from_bytes(sha256(nonce.encode()).digest()[:SEED_BYTES], "big")


def issue(
    signer: CryptoSigner,
    now: datetime,
    valid: timedelta,
    base_url: str | None = None,
    vendor: str | None = None,
) -> dict[str, Any]:
    """A signed challenge with a fresh nonce, as an envelope."""
    nonce, issued = secrets.token_hex(NONCE_BYTES), now.astimezone(UTC).replace(microsecond=0)
    predicate: dict[str, Any] = {
        "nonce": nonce,
        "seed": seed_of(nonce),
        "issued": issued.isoformat(),
        "deadline": (issued + valid).isoformat(),
    }
    if base_url is not None:
        predicate["base-url"] = base_url
    if vendor is not None:
        predicate["vendor"] = vendor
    return dsse.sign(_statement(predicate), signer)


def _statement(predicate: Mapping[str, Any]) -> dict[str, Any]:
    digest = sha256(str(predicate["nonce"]).encode()).hexdigest()
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": "nonce", "digest": {"sha256": digest}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": dict(predicate),
    }


def read(content: bytes) -> Challenge:
    """A challenge, whoever has signed it. Raises ChallengeProblem."""
    try:
        envelope = strict_json.canonical(content, indented=True)
        stated = dsse.unverified(envelope)
        keys = [signature["keyid"] for signature in envelope["signatures"]]
        found = _challenge(stated, keys)
    except (strict_json.NotStrict, dsse.SignatureProblem) as problem:
        raise ChallengeProblem(str(problem)) from None
    except (LookupError, TypeError, ValueError, AttributeError) as problem:
        raise ChallengeProblem(f"malformed ({type(problem).__name__}: {problem})") from None
    if stated != _statement(stated["predicate"]) or stated["predicate"]["seed"] != found.seed:
        raise ChallengeProblem("its seed does not follow from its nonce, or it has other parts")
    return found


def _challenge(stated: Mapping[str, Any], keys: Sequence[str]) -> Challenge:
    predicate = stated["predicate"]
    issued, deadline = (datetime.fromisoformat(predicate[name]) for name in ("issued", "deadline"))
    if stated["predicateType"] != PREDICATE_TYPE or None in (issued.tzinfo, deadline.tzinfo):
        raise ChallengeProblem("another statement than a challenge")
    base_url, vendor = predicate.get("base-url"), predicate.get("vendor")
    return Challenge(predicate["nonce"], issued, deadline, base_url, keys[0], vendor)


def verified(content: bytes, key: SSlibKey) -> Challenge:
    """A challenge that this key has signed. Raises ChallengeProblem."""
    found = read(content)
    try:
        dsse.opened(strict_json.parse(content), key)
    except dsse.SignatureProblem as problem:
        raise ChallengeProblem(str(problem)) from None
    return found


@dataclass(frozen=True)
class Circumstances:
    """What a run shows of its time: its own statement, and the Date headers of the target."""

    seed: int
    base_url: str
    started: datetime
    finished: datetime
    dates: Sequence[datetime]


def problems(found: Challenge, run: Circumstances) -> Iterator[str]:
    """Why a run does not answer a challenge."""
    if run.seed != found.seed:
        yield f"the challenge asks for the seed {found.seed}, and the run has {run.seed}"
    if found.base_url is not None and run.base_url != found.base_url:
        yield f"the challenge is for {found.base_url}, and the run checked {run.base_url}"
    if run.started < found.issued:
        yield f"the run began at {run.started}, before the challenge was issued at {found.issued}"
    if run.finished > found.deadline:
        yield f"the run ended at {run.finished}, after the deadline of the challenge"
    for date in (*_extremes(run.dates),):
        if not found.issued - CLOCK_SKEW <= date <= found.deadline + CLOCK_SKEW:
            yield (
                f"a Date header of the target says {date}, and the challenge was open from"
                f" {found.issued} to {found.deadline}"
            )


def _extremes(dates: Sequence[datetime]) -> list[datetime]:
    return sorted({min(dates), max(dates)}) if dates else []
