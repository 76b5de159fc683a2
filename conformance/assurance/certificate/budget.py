"""What a file of a certificate may cost, counted while it is unpacked: nothing has parsed it."""

from dataclasses import dataclass

MIB = 1024 * 1024
LONGEST_LINE = 32 * MIB
MOST_OF_LINE = 1_000
"""JSON values in a line of the exchanges; a usual one has about 80."""


class BudgetProblem(ValueError):
    """A file that would cost more than it may; str() has the reason."""


@dataclass(frozen=True)
class Budget:
    """The most bytes of a file, the most JSON values in it, and in one of its lines."""

    bytes: int
    values: int = 100_000
    lines: int | None = None

    @property
    def values_of_line(self) -> int:
        """Where a line is a document, it has its own bound."""
        return self.values if self.lines is None else MOST_OF_LINE


class Meter:
    """Counts the JSON values of a file piece by piece; raises BudgetProblem once it has too many.

    A JSON text has no line break within a string, so that each line can be counted by itself.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._rest = b""
        self._values = self._lines = 0

    def feed(self, piece: bytes) -> None:
        """Count the next piece."""
        *whole, self._rest = (self._rest + piece).split(b"\n", self._most_lines + 1)
        for line in whole:
            self._add(line)
        if len(self._rest) > LONGEST_LINE:
            raise BudgetProblem(f"has a line of more than {LONGEST_LINE} bytes")

    def close(self) -> None:
        """Count what stands after the last line break."""
        self._add(self._rest)

    @property
    def _most_lines(self) -> int:
        return self._budget.lines or self._budget.values * 2

    def _add(self, line: bytes) -> None:
        found = values(line, self._budget.values_of_line)
        self._values += found
        self._lines += 1
        if found > self._budget.values_of_line or self._values > self._budget.values:
            raise BudgetProblem("has more JSON values than a run writes")
        if self._lines > self._most_lines:
            raise BudgetProblem(f"has more than {self._most_lines} lines")


def check(content: bytes, budget: Budget) -> None:
    """Raise BudgetProblem for a content that costs more than it may."""
    if len(content) > budget.bytes:
        raise BudgetProblem(f"has more than {budget.bytes} bytes")
    meter = Meter(budget)
    for start in range(0, len(content), MIB):
        meter.feed(content[start : start + MIB])
    meter.close()


def values(text: bytes, most: int) -> int:
    """How many values a JSON text has at the most; of many more than `most`, not all are counted.

    Only what stands outside of strings is counted. This takes no memory for each of them.
    """
    if _marks(text) + text.count(b'"') <= most:
        return _marks(text) + text.count(b'"')
    plain = text.replace(rb"\\", b"").replace(rb"\"", b"")
    strings = plain.count(b'"') // 2
    if strings > most:
        return strings
    return strings + _marks(b"".join(plain.split(b'"')[::2]))


def _marks(text: bytes) -> int:
    return sum(map(text.count, (b",", b"[", b"{")))
