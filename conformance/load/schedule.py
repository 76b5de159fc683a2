"""When each request of a measurement is due, and which one it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.http.exchange import Call


@dataclass(frozen=True)
class Schedule:
    """Requests at a constant rate, in requests per second, for some seconds.

    Operations take turns, and of each of them its calls do: the same inputs give the same requests.
    """

    rate: float
    duration: float

    @property
    def requests(self) -> int:
        """How many requests are due."""
        return max(1, round(self.rate * self.duration))

    def moment(self, number: int) -> float:
        """The seconds from the beginning until a request is due; the first has number 0."""
        return number / self.rate

    def due(self, calls: Mapping[str, Sequence[Call]]) -> Iterator[tuple[float, Call]]:
        """Each request with its moment, in order; every operation has a call at least."""
        operations = list(calls)
        for number in range(self.requests):
            turn, place = divmod(number, len(operations))
            own = calls[operations[place]]
            yield self.moment(number), own[turn % len(own)]
