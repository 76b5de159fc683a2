"""Credentials that nobody was given: headers without any, secrets that were made up, and those that resemble a valid one."""

import re
import uuid
from collections.abc import Iterator

from conformance.runner.session import Session, never_issued
from conformance.target.target import Credential

Header = tuple[str, str]

SHORTEST_SECRET = 8
"""Characters from which on a secret is resembled, and a part of one is masked."""

LONGEST_DOUBLED = 1000
HEXADECIMAL = frozenset("0123456789abcdefABCDEF-")
PADDING = "="
WORD = re.compile("[A-Za-z0-9]+")
SHORTEST_HEXADECIMAL = 4
SHORTEST_BASE32 = 16
"""Letters and digits from which on a word may be a number, in base 16 or, where all letters have one case, in base 32."""
WITH_HIGH_BITS = frozenset("wxyzWXYZ0123456789+/-_")
"""The last quarter of the alphabet of Base64, and the letters that differ from it by their case alone."""

EMPTY: tuple[Header, ...] = (
    ("x-api-key", ""),
    ("authorization", "Bearer"),
    ("authorization", "Basic Og=="),
)
"""Headers that are there, and carry no credential of either scheme."""

NAMESPACE = uuid.UUID("6f0c1b9e-7a54-4e0e-9d38-52a4ab1f0c11")


def without_credential(header: Header) -> str:
    """What is told of a request with one of the empty headers."""
    return f"the header {' '.join(header).strip()} without a credential"


def made_up(session: Session, scheme: str) -> Credential:
    """A credential that was never issued, of a form that no target can take for a mistake of spelling."""
    return never_issued("unknown", scheme, str(uuid.uuid5(NAMESPACE, f"{session.seed}:{scheme}")))


def near_misses(session: Session, primary: Credential, scheme: str) -> Iterator[Credential]:
    """Credentials that resemble the valid one of a caller; what is long enough to give it away is masked like the whole."""
    secret = primary.secret(scheme)
    for value in _resembling(secret) if len(secret) >= SHORTEST_SECRET else ():
        # Half of a secret stays a secret, as long as it is long enough to be told from other words.
        if len(value) >= SHORTEST_SECRET:
            session.redactor.add(value, f"$NEAR_MISS_{primary.variable(scheme)[1:]}")
        if value != secret:
            yield never_issued("near-miss", scheme, value)


def _resembling(secret: str) -> Iterator[str]:
    """What resembles a secret, the closest first: another last sign, a part of it, letters of the other case, and twice the same."""
    is_number = set(secret) <= HEXADECIMAL
    # In Base64 the last sign may carry bits that mean nothing, so that another one may spell the same: but not these two.
    signs = secret.rstrip(PADDING)
    if signs:
        yield (
            signs[:-1]
            + ("01"[signs[-1] == "0"] if is_number else "wA"[signs[-1] in WITH_HIGH_BITS])
            + secret[len(signs) :]
        )
    yield secret[: len(secret) // 2]
    yield WORD.sub(_in_other_letters, secret)
    # A longer header is refused by whatever stands in front of the target; what follows the padding of Base64 may count for nothing.
    if len(secret) <= LONGEST_DOUBLED and signs == secret:
        yield secret + secret


def _in_other_letters(word: re.Match[str]) -> str:
    """A word with its letters in the other case; but a number in base 16 or 32 is the same in either."""
    text = word[0]
    is_number = len(text) >= SHORTEST_HEXADECIMAL and set(text) <= HEXADECIMAL
    is_number = is_number or (len(text) >= SHORTEST_BASE32 and text in (text.lower(), text.upper()))
    return text if is_number else text.swapcase()
