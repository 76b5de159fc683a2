"""A bounded cache: values are computed again when later ones have pushed them out.

What is parsed takes up many times the bytes of its text, and most of it is needed once.
"""

import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

MOST = 12 * 1024 * 1024
"""Bytes that all values together may take up, by estimate."""

Owner = TypeVar("Owner")
Value = TypeVar("Value")


class Recent:
    """The values that are kept, the oldest first: the name of each in the object it belongs to."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: deque[tuple[weakref.ref[Any], str, int]] = deque()
        self._size = 0
        self._lock = threading.Lock()

    def add(self, owner: object, name: str, size: int) -> None:
        """Keep one more value, and forget the oldest ones that there is no room for."""
        with self._lock:
            self._kept.append((weakref.ref(owner), name, size))
            self._size += size
            while self._size > self._most:
                reference, oldest, its_size = self._kept.popleft()
                self._size -= its_size
                living = reference()
                if living is not None:
                    vars(living).pop(oldest, None)


RECENT = Recent(MOST)


class RecentProperty(Generic[Owner, Value]):
    """Like `functools.cached_property`, for values that may be forgotten."""

    def __init__(self, compute: Callable[[Owner], Value], size: Callable[[Any], int]) -> None:
        self._compute = compute
        self._size = size
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "RecentProperty[Owner, Value]": ...
    @overload
    def __get__(self, instance: Owner, owner: type) -> Value: ...
    def __get__(self, instance: Owner | None, owner: type) -> Any:
        """The value; Python asks for it only where the object does not have it."""
        if instance is None:
            return self
        value = self._compute(instance)
        vars(instance)[self._name] = value
        RECENT.add(instance, self._name, self._size(instance))
        return value


def recent(
    size: Callable[[Any], int],
) -> Callable[[Callable[[Owner], Value]], RecentProperty[Owner, Value]]:
    """A cached property; `size` estimates the bytes of its value."""
    return lambda compute: RecentProperty(compute, size)
