"""The zip of a certificate in its one form: each byte has one place, and nothing is between.

It has no comments, no further fields, no dates, and one method of compression. Versions of zlib
compress in slightly different ways, so that the compressed bytes alone may differ.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from conformance.assurance.certificate.budget import BudgetProblem, Meter

LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
VERSION, NO_FLAGS, DEFLATED = 20, 0, 8
MIDNIGHT, DAY = 0, 0x21
"""The first moment that a zip can state: 1980-01-01."""

UNIX, MODE = 3 << 8, 0o600 << 16
COMMON = struct.Struct("<5H3I2H")
"""Version, flags, method, time, date; CRC-32, both sizes; the lengths of the name and the field."""

OF_CENTRAL = struct.Struct("<3H2I")
OF_END = struct.Struct("<4H2IH")
HEAD = len(LOCAL) + COMMON.size
RAW = -zlib.MAX_WBITS
PIECE = 1024 * 1024
LONGEST_NAME = 60
MOST_ENTRIES = 10_000
"""Files of an archive: those of a run, or of each shard."""


class ArchiveProblem(ValueError):
    """A file that is not an archive in this form; str() has the reason."""


@dataclass(frozen=True)
class Entry:
    """A file of an archive, compressed; `size` is what it says to unpack to."""

    name: str
    crc: int
    size: int
    compressed: bytes

    @property
    def _common(self) -> bytes:
        sizes = (self.crc, len(self.compressed), self.size, len(self.name), 0)
        return COMMON.pack(VERSION, NO_FLAGS, DEFLATED, MIDNIGHT, DAY, *sizes)

    @property
    def local(self) -> bytes:
        """The entry in front of its content, and the content."""
        return LOCAL + self._common + self.name.encode("ascii") + self.compressed

    def central(self, offset: int) -> bytes:
        """The entry of the directory at the end, for a content at this offset."""
        head = CENTRAL + struct.pack("<H", UNIX | VERSION) + self._common
        return head + OF_CENTRAL.pack(0, 0, 0, MODE, offset) + self.name.encode("ascii")

    def content(self, meter: Meter | None) -> bytes:
        """The unpacked file; never more than it says. Raises ArchiveProblem.

        It is counted, unless `meter` is None, as where it was counted before.
        """
        try:
            found = b"".join(self._pieces(meter))
            if meter is not None:
                meter.close()
        except BudgetProblem as problem:
            raise ArchiveProblem(f"{self.name} {problem}") from None
        if len(found) != self.size or zlib.crc32(found) != self.crc:
            raise ArchiveProblem(f"{self.name} does not unpack to what the archive says")
        return found

    def _pieces(self, meter: Meter | None) -> Iterator[bytes]:
        unpacker, waiting, left = zlib.decompressobj(RAW), self.compressed, self.size
        try:
            while not unpacker.eof and left >= 0:
                piece = unpacker.decompress(waiting, PIECE)
                waiting, left = unpacker.unconsumed_tail, left - len(piece)
                if not piece and not waiting and not unpacker.eof:
                    break
                if meter is not None:
                    meter.feed(piece)
                yield piece
        except zlib.error:
            return
        if unpacker.unused_data:
            raise ArchiveProblem(f"{self.name} is followed by other bytes")


def packed(files: Mapping[str, bytes]) -> bytes:
    """An archive with these files, in their order."""
    return joined([_entry(name, content) for name, content in files.items()])


def _entry(name: str, content: bytes) -> Entry:
    packer = zlib.compressobj(wbits=RAW)
    return Entry(name, zlib.crc32(content), len(content), packer.compress(content) + packer.flush())


def joined(entries: Sequence[Entry]) -> bytes:
    """An archive of entries, in their order."""
    parts = [entry.local for entry in entries]
    *offsets, end = accumulate(map(len, parts), initial=0)
    directory = b"".join(
        entry.central(offset) for entry, offset in zip(entries, offsets, strict=True)
    )
    counts = (0, 0, len(entries), len(entries), len(directory), end, 0)
    return b"".join((*parts, directory, END, OF_END.pack(*counts)))


def entries(content: bytes) -> list[Entry]:
    """The files of an archive, none of them unpacked. Raises ArchiveProblem."""
    found = list(islice(_read(content), MOST_ENTRIES + 1))
    if len(found) > MOST_ENTRIES:
        raise ArchiveProblem(f"has more than {MOST_ENTRIES:,} files")
    if joined(found) != content:
        raise ArchiveProblem(
            "is not written as `conformance certify` writes it: something stands before, after or"
            " between its files, or a header differs"
        )
    return found


def _read(content: bytes) -> Iterator[Entry]:
    place = 0
    while content.startswith(LOCAL, place) and len(content) >= place + HEAD:
        *_, crc, packed_size, size, length, _ = COMMON.unpack_from(content, place + len(LOCAL))
        start = place + HEAD + length
        place = start + packed_size
        try:
            name = content[start - length : start].decode("ascii")
        except UnicodeDecodeError:
            return
        yield Entry(name[:LONGEST_NAME], crc, size, content[start:place])
