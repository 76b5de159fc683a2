"""One shard of a run: which of how many parts of the checks a process performs."""

import re
from dataclasses import dataclass

FORM = re.compile(r"(index=)?(\d{1,6})/(\d{1,6})", re.ASCII)
REMEDY = "write 2/3 for the second of three shards, or index=1/3 where counting begins at 0"


@dataclass(frozen=True)
class Shard:
    """The shard `number` of `count`; the first one is 1."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parse(text: str) -> Shard:
    """The shard of `k/n`, or of `index=i/n`, which counts from 0. Raises ValueError."""
    found = FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a shard: {REMEDY}")
    shard = Shard(int(found[2]) + bool(found[1]), int(found[3]))
    if not 1 <= shard.number <= shard.count:
        first = "0" if found[1] else "1"
        last = shard.count - bool(found[1])
        raise ValueError(f"{text!r} counts from {first} to {last}: {REMEDY}")
    return shard
