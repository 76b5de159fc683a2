"""Files by their names, of which the large ones are in memory only while somebody reads them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

LARGE = 1024 * 1024
"""Bytes of a file that is not kept unpacked."""


Unpacking = Mapping[str, Callable[[], bytes]]


class Unpacked(Mapping[str, bytes]):
    """The files of an archive: each is unpacked at once, and a large one whenever it is read.

    `again` unpacks what `first` has unpacked before, and found to cost no more than it may.
    """

    def __init__(self, first: Unpacking, again: Unpacking | None = None) -> None:
        self._files = first if again is None else again
        self._kept: dict[str, bytes] = {}
        for name, unpack in first.items():
            content = unpack()
            if len(content) <= LARGE:
                self._kept[name] = content

    def __getitem__(self, name: str) -> bytes:
        return self._kept[name] if name in self._kept else self._files[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


@dataclass(frozen=True, eq=False)
class Renamed(Mapping[str, bytes]):
    """Some of these files, by other names; `names` has the one that each has there."""

    files: Mapping[str, bytes]
    names: Mapping[str, str]

    def __getitem__(self, name: str) -> bytes:
        return self.files[self.names[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)
