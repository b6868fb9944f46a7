"""One line of JSON in, one out: how a program that is measured is asked, and answers with what its own clocks said.

Only the standard library, since the published release has an environment of its own.
"""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["ONE", "RESOURCE", "clocked", "empty_root", "named", "once_more", "peak", "serve", "traced"]

TURNS = 10
"""So many skills are looked at by turns, however many there are: what was used lately is as much of all then."""
ONE = "one-more"
"""The skill that is made, edited, switched and deleted."""
RESOURCE = "reference.md"


def serve(answer: Callable[[str, Mapping[str, Any]], object]) -> None:
    """Answer until nobody asks any more. Whatever else is printed goes where errors go.

    Whoever asks to `tidy` has old garbage taken away, which else would be some later work's time.
    """
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        do = asked.pop("do")
        answered = gc.collect() if do == "tidy" else answer(do, asked)
        print(json.dumps(answered), file=out, flush=True)


@contextmanager
def clocked() -> Iterator[dict[str, float]]:
    """The seconds of what is done inside, by the clock on the wall and by that of this process's time at work."""
    taken: dict[str, float] = {}
    wall, processor = time.perf_counter(), time.process_time()
    yield taken
    taken.update(wall=time.perf_counter() - wall, processor=time.process_time() - processor)


def named(number: int, skills: int) -> str:
    """Which of so many skills has its turn."""
    turns = min(TURNS, skills)
    return f"skill-{number % turns * (skills // turns):04}"


def once_more(skill: Path) -> None:
    """Write to one file of a skill, as a person does in an editor."""
    with (skill / RESOURCE).open("a") as file:
        file.write("More.\n")


def empty_root(home: str, name: object) -> Path:
    """A root of no skills, in a folder of its own."""
    root = Path(home, str(name), "skills")
    root.mkdir(parents=True, exist_ok=True)
    return root


def peak() -> int:
    """The bytes that this process had in memory at most."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    (kibibytes,) = re.findall(r"VmHWM:\s+(\d+)", status.read_text())  # a child begins with its parent's by the other
    return int(kibibytes) * 1024


@contextmanager
def traced() -> Iterator[dict[str, int]]:
    """The bytes of live memory that what is done inside leaves behind."""
    left: dict[str, int] = {}
    gc.collect()
    tracemalloc.start()
    yield left
    gc.collect()
    left["live"] = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
