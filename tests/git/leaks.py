"""What a transfer may not leave behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["nothing_left", "transfers"]


def transfers() -> list[threading.Thread]:
    """The threads of transfers that live."""
    return [thread for thread in threading.enumerate() if thread.name == "git transfer"]


@contextmanager
def nothing_left() -> Iterator[None]:
    """No thread of a transfer lives on, and no descriptor stays open, but for the moment that an end may take."""

    def open_now() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    before = open_now()
    yield
    for _ in range(500):
        if not transfers() and open_now() <= before:
            return
        time.sleep(0.01)
    raise AssertionError(f"{transfers()} live, and {open_now() - before} descriptors are open")
