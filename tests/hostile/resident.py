"""How much memory this process has held at most, as the system counts it: of Python, of C, and of what both keep back.

`getrusage` does not serve: on Linux a process that was started by another begins with the peak of that one, so that
whatever it takes itself is not seen. The system's own peak can be set back, and is of this process alone.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

__all__ = ["forget", "peak"]

_STATUS = Path("/proc/self/status")


def peak() -> int:
    """The most bytes since `forget`, or since the process began where its system cannot forget."""
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (line,) = (each for each in _STATUS.read_text().splitlines() if each.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def forget() -> int:
    """Begin anew, from what is held now; gives that."""
    if sys.platform != "darwin":
        Path("/proc/self/clear_refs").write_text("5")
    return peak()
