from __future__ import annotations

from collections.abc import Sequence

from kestrel_skills_adapters.cli.progress import Progress
from tests.cli.running import Stream


def shown(seconds: Sequence[float], *, terminal: bool = True) -> str:
    """What a terminal is sent when a run is at one more of a thousand at each of these times, and then ends."""
    stream = Stream(terminal=terminal)
    clock = iter([0.0, *seconds])
    progress = Progress(stream, "skills", lambda: next(clock))
    for done, _ in enumerate(seconds, 1000):
        progress.at(done, 2000)
    progress.clear()
    return stream.written.decode()


def test_a_short_run_shows_nothing() -> None:
    """Within the first second there is no line."""
    assert shown([0.1, 0.5, 0.99]) == ""


def test_a_long_run_shows_how_far_it_is_and_takes_it_away() -> None:
    """After a second the line appears, and it is wiped before anything else is written."""
    assert shown([0.5, 1.5]) == "\r\x1b[K1,001 of 2,000 skills\r\x1b[K"


def test_the_line_does_not_flicker() -> None:
    """It is rewritten at most every tenth of a second."""
    assert shown([1.0, 1.05, 1.2]).count("of 2,000") == 2


def test_only_a_terminal_is_shown_progress() -> None:
    """A pipe gets none, however long it takes."""
    assert shown([5.0, 9.0], terminal=False) == ""


def test_a_transfer_is_shown_against_its_caps() -> None:
    """Bytes with a bar, and files and folders; as late and as seldom as everything else."""
    stream, clock = Stream(terminal=True), iter([0.0, 0.5, 1.5, 1.55])
    progress = Progress(stream, "skills", lambda: next(clock))
    progress.transferred(1, 1)
    progress.transferred(8 << 20, 1234)
    progress.transferred(9 << 20, 1234)
    progress.clear()
    line = "[#####...............] 8.0 of 32 MiB, 1,234 of 4,096 files and folders"
    assert stream.written.decode() == f"\r\x1b[K{line}\r\x1b[K"
