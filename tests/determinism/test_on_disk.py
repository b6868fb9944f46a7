"""The clause that the command prints is the same bytes, however the folders were made and wherever it runs."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kestrel_skills_adapters.wiring import library_of, settings_of
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.names import parse_address

SKILLS = {
    "make-tea": "Use when somebody is thirsty; 茶 or чай.",
    "a-knot": "Use when a rope must hold <under load> & stay.",
    "zebra": "Use last.",
}
EXPECTED = (
    '<skill name="zebra">Use last.</skill>\n'
    '<skill name="a-knot">Use when a rope must hold &lt;under load&gt; &amp; stay.</skill>\n'
    '<skill name="make-tea">Use when somebody is thirsty; 茶 or чай.</skill>\n'
).encode()
"""By priority, then name: `zebra` has priority 1, the others 100."""


def made(root: Path, order: tuple[str, ...]) -> Path:
    """A root whose folders were made, and switched on, in that order."""
    for name in order:
        (root / name).mkdir(parents=True)
        text = f'---\nname: "{name}"\ndescription: "{SKILLS[name]}"\n---\n\nDo it.\n'
        (root / name / "SKILL.md").write_text(text, encoding="utf-8")
    library = library_of(settings_of({}, root=root))
    for name in order:
        priority = 1 if name == "zebra" else None
        finish(library.set_state(SetState(address=parse_address(name), enabled=True, priority=priority)))
    return root


def clause(root: Path, **environ: str) -> bytes:
    """What `kestrel-skills clause` prints, in an environment of its own."""
    code = "import sys; from kestrel_skills_adapters.cli import start; sys.exit(start())"
    command = [sys.executable, "-c", code, "clause", "--root", str(root)]
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return subprocess.run(command, env=kept | environ, capture_output=True, check=True).stdout


@pytest.mark.parametrize("order", [*itertools.permutations(SKILLS)])
def test_the_order_of_making_does_not_matter(tmp_path: Path, order: tuple[str, ...]) -> None:
    """Each order of making and switching on the folders gives the lines that were written down here."""
    assert EXPECTED in clause(made(tmp_path / "skills", order))


def test_neither_hash_seed_nor_locale_matters(tmp_path: Path) -> None:
    """Ten hash seeds and two locales, one clause."""
    root = made(tmp_path / "skills", tuple(SKILLS))
    printed = {clause(root, PYTHONHASHSEED=str(seed)) for seed in range(10)}
    printed |= {clause(root, LC_ALL=locale) for locale in ("C", "C.UTF-8")}
    (only,) = printed
    assert EXPECTED in only
