"""Redaction: removes secrets from everything that is written or shown.

A text is decoded layer by layer (http.escapes). In each layer the redactor searches for every
spelling of a secret in http.spellings, and from `secret_search.LONG` characters on for every
beginning and every end of it with at least `secret_search.SHORTEST_PART` characters; also within
compressed texts. What is found is replaced in the text itself, with all escapes of it.
"""

import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter

from conformance.http import compressed, escapes
from conformance.http.escapes import Layer, Span
from conformance.http.nested_search import NOT_SEARCHED, NestedSearch
from conformance.http.own_words import is_own
from conformance.http.secret_search import Pattern, Search, patterns
from conformance.http.spellings import SHORTEST

LONGEST_REMEMBERED = 200
MOST_REMEMBERED = 5000
"""Texts, and their characters, whose redaction is cached: headers recur in every request."""

SHORTEST_SECRET = 4
"""Characters of a secret that does not occur by chance in nearly every text."""

SHORTEST_PART = 4
"""Bytes at the end of a cut text that may be the beginning of a secret."""

CUT = "…"
"""The end of a text that was cut."""

LONG_TEXT = 64 * 1024
"""Bytes of a text whose escapes are no longer decoded once there is no time left."""

DEEPEST = 100
"""Levels of a JSON value that are written; orjson can write 254."""


UNUSUAL = re.compile(r'[\\"]|[^ -~]')
"""What hardly any secret has: with one of those, more escapes are decoded."""


class _Late(Exception):
    """There is no time left to decode a long text."""


class _Searches:
    """The patterns of all secrets, and the searches for them."""

    def __init__(
        self,
        sought: Mapping[bytes, Pattern],
        *,
        unusual: bool = False,
        is_strict: bool = False,
        is_late: Callable[[], bool] = lambda: False,
    ) -> None:
        self.patterns = sought
        self.unusual = unusual
        self._is_strict = is_strict
        self._is_late = is_late
        self._any_case = Search(_of_case(sought, any_case=True), any_case=True)
        self._exact = Search(_of_case(sought, any_case=False), any_case=False)
        self._nested = NestedSearch(sought.values(), is_strict=is_strict)

    def replace(self, text: bytes) -> bytes:
        """The text with variables; no secret is sought in the variable of another one."""
        return _replaced(text, self._spans(text, self._in_layer))

    def layers(self, text: bytes) -> Iterator[Layer]:
        """The text and what it is decoded to, see http.escapes."""
        return escapes.layers(text, unusual=self.unusual, check=self._check(text))

    def _check(self, text: bytes) -> Callable[[], None]:
        """What ends the search in a long text once there is no time left."""

        def check() -> None:
            if len(text) > LONG_TEXT and self._is_late():
                raise _Late

        return check

    def replace_in_haste(self, text: bytes) -> bytes:
        """The text without what is found at once; nothing of one that would have to be decoded."""
        if self._is_strict and escapes.are_in(text):
            return NOT_SEARCHED
        return _replaced(text, self._plain(text))

    def _spans(self, text: bytes, search: Callable[[bytes], Iterable[Span]]) -> Iterator[Span]:
        """The places of secrets in all layers of a text."""
        nested: list[tuple[int, int]] = []
        found: list[Span] = []
        check = self._check(text)
        for layer in self.layers(text):
            check()
            found += layer.origin(_merged(search(layer.text)))
            nested += layer.nested()
        yield from found
        # Each reading takes long, and most of these escapes are of secrets that are found by now.
        left = _outside(sorted(nested), _merged(found))
        if left:
            yield from self._nested.spans(text, left, check)

    def _in_layer(self, text: bytes) -> Iterator[Span]:
        yield from self._plain(text)
        yield from compressed.spans(text, self._revealed)

    def _plain(self, text: bytes) -> Iterator[Span]:
        yield from self._any_case.spans(text)
        yield from self._exact.spans(text)

    def _revealed(self, text: bytes) -> bytes | None:
        """The variable of a secret in a text that was compressed."""
        return next((variable for _, _, variable in self._spans(text, self._plain)), None)


def _replaced(text: bytes, spans: Iterable[Span]) -> bytes:
    pieces, end = [], 0
    for start, stop, variable in _merged(spans):
        pieces += [text[end:start], variable]
        end = stop
    return b"".join([*pieces, text[end:]]) if pieces else text


def _outside(places: Iterable[tuple[int, int]], spans: Sequence[Span]) -> list[tuple[int, int]]:
    """The places, in order, that are not within one of the spans, in order."""
    left, rest = [], deque(spans)
    for start, stop in places:
        while rest and rest[0][1] <= start:
            rest.popleft()
        if not rest or start < rest[0][0] or stop > rest[0][1]:
            left.append((start, stop))
    return left


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order; those that overlap as one, with the variable of the longest."""
    merged: list[Span] = []
    longest = 0
    for start, stop, variable in sorted(spans, key=itemgetter(0)):
        length = stop - start
        if not merged or start >= merged[-1][1]:
            merged.append((start, stop, variable))
            longest = length
            continue
        first, last, name = merged[-1]
        merged[-1] = first, max(stop, last), variable if length > longest else name
        longest = max(length, longest)
    return merged


@lru_cache(maxsize=1024)
def _patterns(secret: str, variable: str, names: bytes) -> tuple[Pattern, ...]:
    # There are two redactors in a run, and in the self-test hundreds, with the same secrets.
    return tuple(patterns(secret, variable.encode(), names))


def _of_case(sought: Mapping[bytes, Pattern], *, any_case: bool) -> Iterable[Pattern]:
    return (pattern for pattern in sought.values() if pattern.any_case is any_case)


def is_sought(secret: str) -> bool:
    """Whether a secret is replaced in texts, and not in the requests that carry it alone.

    One that is shorter than `SHORTEST_SECRET`, or a short word of this package such as `true`,
    hides nothing, and would be replaced in every text.
    """
    if len(secret) >= SHORTEST:
        return True
    return len(secret) >= SHORTEST_SECRET and not is_own(secret.lower().encode())


class Redactor:
    """Replaces every known secret, in any encoding that a target may echo, by its `$VARIABLE`.

    One that occurs by chance (`is_sought`) is left alone.
    Secrets made during a run (near misses of a real credential) are added as they are made.
    A `shortest` above 1 leaves alone spellings with fewer bytes, which occur by chance, and
    secrets that are words of this package.

    What cannot be searched is replaced (`NOT_SEARCHED`), but not with such a `shortest`, which is
    for texts that were searched before: the rest of one whose escapes take too many steps, and a
    long one with escapes once it `is_late`. `names` are further variables that stand for secrets.
    """

    def __init__(
        self,
        secrets: Mapping[str, str],
        shortest: int = 1,
        is_late: Callable[[], bool] = lambda: False,
        names: Iterable[str] = (),
    ) -> None:
        self._secrets: set[str] = set()
        self._names = "\n".join(sorted({*secrets.values(), *names})).lower().encode()
        self._shortest = shortest
        self._is_strict = shortest == 1
        self._is_late = is_late
        self._adding = threading.Lock()
        # Replaced, never changed: other threads may read them while a secret is added.
        self._patterns: dict[bytes, Pattern] = {}
        self._searches = _Searches({})
        self._known: dict[str, str] = {}
        for secret, variable in secrets.items():
            self.add(secret, variable)

    def add(self, secret: str, variable: str) -> None:
        """Redact one more secret from here on."""
        with self._adding:
            if secret in self._secrets:
                return
            sought = _patterns(secret, variable, self._names) if self._is_sought(secret) else ()
            added = {each.exact: each for each in sought if len(each.exact) >= self._shortest}
            merged = {**self._patterns, **added, **self._patterns}
            plain = secret.encode()
            if plain in added:  # it may also be a spelling of an earlier one
                merged[plain] = added[plain]
            self._patterns = merged
            self._known = {}
            self._secrets.add(secret)

    def _is_sought(self, secret: str) -> bool:
        if self._shortest == 1:
            return is_sought(secret)
        return not is_own(secret.lower().encode())

    def bytes(self, text: bytes) -> bytes:
        """The text without secrets."""
        searches = self._prepared()
        try:
            return searches.replace(text)
        except _Late:
            return searches.replace_in_haste(text)

    def _prepared(self) -> _Searches:
        """The searches for all secrets that are known now, prepared once for all threads."""
        if self._searches.patterns is not self._patterns:
            with self._adding:
                if self._searches.patterns is not self._patterns:
                    unusual = any(map(UNUSUAL.search, self._secrets))
                    self._searches = _Searches(
                        self._patterns,
                        unusual=unusual,
                        is_strict=self._is_strict,
                        is_late=self._is_late,
                    )
        return self._searches

    def text(self, text: str) -> str:
        """The text without secrets, with lone surrogates escaped."""
        remembered = self._known
        known = remembered.get(text)
        if known is None:
            *cut, last = (
                self.bytes(text.encode("utf-8", "backslashreplace"))
                .decode(errors="replace")
                .split(CUT)
            )
            known = CUT.join([*map(self._uncut, cut), last])
            if len(text) <= LONGEST_REMEMBERED and len(remembered) < MOST_REMEMBERED:
                remembered[text] = known
        return known

    def _uncut(self, text: str) -> str:
        # A long text may have been cut within a secret, of which the beginning is left.
        quoted = text.rstrip("'\"")
        content = quoted.encode()
        cut = [
            span
            for layer in escapes.of_cut(content, self._prepared().layers)
            for beginning in _beginnings(layer.text, self._patterns)
            for span in layer.origin([beginning])
        ]
        if not cut:
            return text
        start, _, variable = max(cut, key=lambda span: (-span[0], span[2]))
        return content[:start].decode() + variable.decode() + text[len(quoted) :]

    def headers(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """The headers without secrets."""
        return tuple((self.text(name), self.text(value)) for name, value in headers)

    def value(self, value: object, depth: int = DEEPEST) -> object:
        """A JSON value without secrets, and without what cannot be written.

        Integers past 64 bits become texts, and what is nested deeper than `depth` is cut.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping | list | tuple) and not depth:
            return CUT
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(each, depth - 1) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(each, depth - 1) for each in value]
        return self._number(value) if isinstance(value, int) else value

    def _number(self, value: int) -> object:
        text = str(value)
        if not -(2**63) <= value < 2**64:
            return self.text(text)
        # A secret may be a number.
        return value if len(text) < SHORTEST or self.text(text) == text else self.text(text)


def _beginnings(text: bytes, sought: Mapping[bytes, Pattern]) -> Iterator[Span]:
    """The beginnings of secrets at the end of a text that was cut."""
    end = text[-SHORTEST_PART:]  # this much is left of a secret that was cut
    for spelling, pattern in sought.items():
        if end in spelling and (length := _overlap(text, spelling)):
            yield len(text) - length, len(text), pattern.variable


def _overlap(text: bytes, spelling: bytes) -> int:
    """Bytes at the end of a text that begin a spelling; 0 for fewer than `SHORTEST_PART`."""
    lengths = range(min(len(spelling) - 1, len(text)), SHORTEST_PART - 1, -1)
    return next((length for length in lengths if text.endswith(spelling[:length])), 0)
