"""UUIDs from a seeded generator: random (version 4) and time-ordered (version 7)."""

from random import Random


def random_uuid(rng: Random) -> str:
    """A UUID of version 4."""
    return _format(rng.getrandbits(128), 4)


def time_ordered_uuid(rng: Random, timestamp: float) -> str:
    """A UUID of version 7, whose first 48 bits are `timestamp` (epoch seconds) in milliseconds."""
    return _format(int(timestamp * 1000) << 80 | rng.getrandbits(80), 7)


def any_uuid(rng: Random, timestamp: float) -> str:
    """A UUID of version 4 or 7; a service that has existed for long has both."""
    if rng.random() < 0.5:
        return random_uuid(rng)
    return time_ordered_uuid(rng, timestamp)


def _format(bits: int, version: int) -> str:
    """128 bits as a UUID with the version and the variant of RFC 9562."""
    digits = f"{bits:032x}"
    variant = "89ab"[bits >> 62 & 3]
    time_high, clock = f"{version}{digits[13:16]}", f"{variant}{digits[17:20]}"
    return f"{digits[:8]}-{digits[8:12]}-{time_high}-{clock}-{digits[20:]}"
