"""Who has answered the challenges of a registry: a challenge serves one key."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.assurance.certificate import bundle, dsse

Answers = Mapping[str, Mapping[str, str]]
"""By the digest of a challenge: the keys that have answered it, each with a submission."""


def of(certificates: Iterator[Path]) -> Answers:
    """The answers in these certificates, of which only the statements are read."""
    found: dict[str, dict[str, str]] = {}
    for path in certificates:
        try:
            envelope, pem = bundle.signed(path)
            key = dsse.public_key(pem, path.name)
            asked = dsse.opened(envelope, key)["predicate"]["challenge"]["sha256"]
        except (bundle.BundleProblem, dsse.KeyProblem, dsse.SignatureProblem):
            continue  # it is rejected in any case
        except (KeyError, TypeError):
            continue  # it answers none
        found.setdefault(str(asked), {}).setdefault(key.keyid, path.parent.name)
    return found


def shared(claims: Mapping[str, Any], known: Answers) -> Iterator[str]:
    """Why a certificate does not count: somebody else has answered its challenge as well.

    One that names the key of its vendor is answered by that key alone, or rejected.
    """
    asked = claims.get("challenge", {})
    others = known.get(asked.get("sha256", ""), {})
    if "vendor" not in asked and len(others) > 1:
        yield (
            f"its challenge was answered by {len(others)} keys, in {', '.join(others.values())}:"
            " a challenge serves one (`conformance challenge --vendor`)"
        )
