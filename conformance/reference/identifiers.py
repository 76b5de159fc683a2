"""UUIDs that a seed decides: random ones (version 4) and ones ordered by time (version 7)."""

from random import Random


def random_uuid(rng: Random) -> str:
    """A UUID of version 4."""
    return _format(rng.getrandbits(128), 4)


def time_ordered_uuid(rng: Random, timestamp: float) -> str:
    """A UUID of version 7, whose first 48 bits are `moment` (epoch seconds) in milliseconds."""
    return _format(int(timestamp * 1000) << 80 | rng.getrandbits(80), 7)


def any_uuid(rng: Random, timestamp: float) -> str:
    """A UUID of one of the two versions, since a service that grew has both."""
    if rng.random() < 0.5:
        return random_uuid(rng)
    return time_ordered_uuid(rng, timestamp)


def _format(bits: int, version: int) -> str:
    """128 bits as UUID text, with the version and the variant of RFC 9562 put in."""
    digits = f"{bits:032x}"
    variant = "89ab"[bits >> 62 & 3]
    return f"{digits[:8]}-{digits[8:12]}-{version}{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
