"""Forged credentials: empty headers, made-up secrets, and secrets that resemble a valid one."""

import re
import uuid
from collections.abc import Iterator

from conformance.runner.session import Session, never_issued
from conformance.target.target import Credential

Header = tuple[str, str]

SHORTEST_SECRET = 8
"""Characters from which a secret is resembled, and a part of one is masked."""

LONGEST_DOUBLED = 1000
"""Characters up to which a secret is doubled: a proxy may reject longer headers."""
HEXADECIMAL = frozenset("0123456789abcdefABCDEF-")
PADDING = "="
WORD = re.compile("[A-Za-z0-9]+")
SEPARATOR = re.compile("([^A-Za-z0-9]+)")
SHORTEST_HEXADECIMAL = 4
"""Characters from which a word of hexadecimal digits may be a number."""
SHORTEST_BASE32 = 16
"""Characters from which a word with letters of one case may be a number in base 32."""
WITH_HIGH_BITS = frozenset("wxyzWXYZ0123456789+/-_")
"""The last quarter of the Base64 alphabet, and the same letters in the other case."""

EMPTY: tuple[Header, ...] = (
    ("x-api-key", ""),
    ("authorization", "Bearer"),
    ("authorization", "Basic Og=="),
)
"""Headers without a credential of either scheme."""

NAMESPACE = uuid.UUID("6f0c1b9e-7a54-4e0e-9d38-52a4ab1f0c11")


def without_credential(header: Header) -> str:
    """A phrase for a request with one of the empty headers."""
    return f"the header {' '.join(header).strip()} without a credential"


def made_up(session: Session, scheme: str) -> Credential:
    """A credential that was never issued; the same for the same seed and scheme."""
    return never_issued("unknown", scheme, str(uuid.uuid5(NAMESPACE, f"{session.seed}:{scheme}")))


def near_misses(session: Session, primary: Credential, scheme: str) -> Iterator[Credential]:
    """Credentials that resemble the valid one of a caller; long ones are masked like it."""
    secret = primary.secret(scheme)
    for value in _resembling(secret) if len(secret) >= SHORTEST_SECRET else ():
        # Half a secret is a secret too, unless it is so short that it occurs in other words.
        if len(value) >= SHORTEST_SECRET:
            session.redactor.add(value, f"$NEAR_MISS_{primary.variable(scheme)[1:]}")
        if value.strip() and value != secret:
            yield never_issued("near-miss", scheme, value)


def _resembling(secret: str) -> Iterator[str]:
    """What resembles a secret, the closest first."""
    unpadded = secret.rstrip(PADDING)
    if unpadded:
        yield unpadded[:-1] + _other_last(secret, unpadded[-1]) + secret[len(unpadded) :]
    yield secret[: len(secret) // 2]
    yield WORD.sub(_in_other_case, secret)
    # What follows the padding of Base64 may be ignored.
    if len(secret) <= LONGEST_DOUBLED and unpadded == secret:
        yield secret + secret
        yield from _recombined(SEPARATOR.split(secret))


def _recombined(parts: list[str]) -> Iterator[str]:
    """Words and separators in turns, with a word left out, exchanged or repeated.

    A secret of one word has nothing to recombine: its halves are exchanged.
    """
    if len(parts) == 1:
        half = len(parts[0]) // 2
        yield parts[0][half:] + parts[0][:half]
        return
    *before, separator, last = parts
    yield "".join(parts[2:])
    yield "".join(before)
    yield "".join([last, *parts[1:-1], parts[0]])
    yield "".join([*parts, separator, last])


def _other_last(secret: str, last: str) -> str:
    """Another last character.

    In Base64, its last bits may be ignored; the two characters here differ in the first bits.
    """
    if set(secret) <= HEXADECIMAL:
        return "01"[last == "0"]
    return "wA"[last in WITH_HIGH_BITS]


def _in_other_case(word: re.Match[str]) -> str:
    """A word in the other case, unless it may be a number in base 16 or 32, which ignores case."""
    text = word[0]
    is_hexadecimal = len(text) >= SHORTEST_HEXADECIMAL and set(text) <= HEXADECIMAL
    is_base32 = len(text) >= SHORTEST_BASE32 and text in (text.lower(), text.upper())
    return text if is_hexadecimal or is_base32 else text.swapcase()
