"""How many entries a root holds, without counting them for every skill that is published."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from attrs import define

from kestrel_skills_core.domain.limits import LIMITS

from .syscalls import Syscalls

__all__ = ["Count"]


@define
class Count:
    """A count that stands as long as the root's own time does: whoever adds or removes an entry moves that.

    What others do in the very moment of one of our moves is missed; a cap on a folder need not be exact by one.
    """

    _time_ns: int | None = None
    _entries: int = 0

    def of(self, calls: Syscalls, root: int) -> int:
        """The entries of an open root, hidden ones included; of those beyond the cap, one."""
        now = calls.fstat(root).st_mtime_ns
        if now != self._time_ns:
            self._entries = len(calls.listed(root, LIMITS.root_entries + 1))
            self._time_ns = now
        return self._entries

    @contextmanager
    def moving(self, calls: Syscalls, root: int, by: int) -> Iterator[None]:
        """Keep the count, if there is one, over a move of our own that changes it by so many."""
        stood = calls.fstat(root).st_mtime_ns == self._time_ns
        self._time_ns = None
        yield
        with suppress(OSError):
            if stood:
                self._entries += by
                self._time_ns = calls.fstat(root).st_mtime_ns
