"""Numbers with their nouns, in the singular and the plural."""


def quantity(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 record", "2,412 responses"; `plural` where it is not noun + s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
