"""What the certificates of a registry share: a challenge serves one key, a run one submission."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.assurance.certificate import bundle, dsse

RECORDING = "exchanges.jsonl"


@dataclass(frozen=True)
class Answers:
    """By the digest of a challenge, the keys that have answered it, each with a submission.

    And by the digest of a recording, the submissions that have it.
    """

    challenges: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    recordings: Mapping[str, Sequence[str]] = field(default_factory=dict)


def of(certificates: Iterator[Path]) -> Answers:
    """The answers in these certificates, of which only the statements are read."""
    challenges: dict[str, dict[str, str]] = {}
    recordings: dict[str, list[str]] = {}
    for path in certificates:
        try:
            envelope, pem = bundle.signed(path)
            key = dsse.public_key(pem, path.name)
            stated = dsse.opened(envelope, key)
            recorded = _recorded(stated)
        except (bundle.BundleProblem, dsse.KeyProblem, dsse.SignatureProblem):
            continue  # it is rejected in any case
        except (KeyError, TypeError):
            continue  # nor does it state what was recorded
        recordings.setdefault(recorded, []).append(path.parent.name)
        asked = _asked(stated)
        if asked is not None:
            challenges.setdefault(asked, {}).setdefault(key.keyid, path.parent.name)
    return Answers(challenges, recordings)


def _recorded(stated: Mapping[str, Any]) -> str:
    digests = {each["name"]: each["digest"]["sha256"] for each in stated["subject"]}
    return str(digests[RECORDING])


def _asked(stated: Mapping[str, Any]) -> str | None:
    try:
        return str(stated["predicate"]["challenge"]["sha256"])
    except (KeyError, TypeError):
        return None  # it answers none


def shared(folder: str, claims: Mapping[str, Any], known: Answers) -> Iterator[str]:
    """Why a certificate does not count: another one answers its challenge, or has its recording.

    A challenge that names the key of its vendor is answered by that key alone.
    """
    asked = claims.get("challenge", {})
    others = known.challenges.get(asked.get("sha256", ""), {})
    if "vendor" not in asked and len(others) > 1:
        yield (
            f"its challenge was answered by {len(others)} keys, in {', '.join(others.values())}:"
            " a challenge serves one (`conformance challenge --vendor`)"
        )
    for names in known.recordings.values():
        if folder in names and len(names) > 1:
            yield f"its recording is in {', '.join(names)}: a run counts for one submission"
