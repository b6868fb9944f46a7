"""The faults that `nox -s mutants` plants."""

from __future__ import annotations

from pathlib import Path

import pytest

from .__main__ import POSIX, ROOT, Fault, faults


def test_there_are_enough_of_them() -> None:
    """Each with a name of its own."""
    assert len({fault.name for fault in faults()}) == len(faults()) > 12


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(fault: Fault, tmp_path: Path) -> None:
    """The lines that it takes away stand there once; so a line that was changed takes its fault with it."""
    copied = tmp_path / POSIX / fault.file
    copied.parent.mkdir(parents=True)
    text = (ROOT / POSIX / fault.file).read_text(encoding="utf-8")
    copied.write_text(text, encoding="utf-8")
    fault.plant(tmp_path)
    assert copied.read_text(encoding="utf-8") != text
    with pytest.raises(ValueError, match="stand 0 times"):
        Fault("no fault", fault.file, "no such line", "").plant(tmp_path)
