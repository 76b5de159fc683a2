"""How often something fails: in so many of so many runs."""

import re
from dataclasses import dataclass

WRITTEN = "^[1-9][0-9]{0,5} of [1-9][0-9]{0,5}$"
"""The form of a share in a file, as JSON Schema has it too."""


@dataclass(frozen=True)
class Share:
    """In how many of how many runs something fails."""

    fails: int
    of: int

    @classmethod
    def read(cls, text: str) -> "Share | None":
        """The share that a text such as "3 of 10" states; None where it states none."""
        if re.fullmatch(WRITTEN.strip("^$"), text, re.ASCII) is None:
            return None
        fails, of = map(int, text.split(" of "))
        return cls(fails, of)

    @property
    def is_mixed(self) -> bool:
        """Whether some of the runs fail, and some do not."""
        return 0 < self.fails < self.of

    def __str__(self) -> str:
        return f"{self.fails} of {self.of}"
