"""Numbers with their nouns, in the singular and the plural."""


def quantity(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 record", "2,412 responses"; `plural` where it is not noun + s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def per_second(rate: float) -> str:
    """A measured rate: "about 9.6 requests per second", "about 180 requests per second"."""
    text = f"{rate:.0f}" if rate >= 10 else f"{rate:.2g}"
    return f"about {text} requests per second"
