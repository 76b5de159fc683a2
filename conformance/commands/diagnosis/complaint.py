"""Something in a profile that is not as the profile says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Complaint:
    """A key of the profile, what is wrong with its value, and what would be right."""

    key: str
    problem: str
    remedy: str
