"""The skills that everything is measured on: made from a seed, so that all have the same."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

__all__ = ["MARKER", "generation", "grow"]

MARKER = ".kestrel-generation"


def grow(root: Path, skills: int, *, marked: bool = False) -> None:
    """So many skills of three files, of the sizes that real ones have at the median: 4 KB, 3 KB, 1.5 KB.

    Where they are marked, a first look has no markers to write, and waits for no disk.
    """
    chance = random.Random(5)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(3000)]

    def text(size: int) -> str:
        return " ".join(chance.choices(words, k=size // 5))[:size].strip()

    for number in range(skills):
        folder = root / f"skill-{number:04}"
        (folder / "scripts").mkdir(parents=True)
        body = "\n".join(text(75) for _ in range(48))
        links = "See [the reference](reference.md), [the script](scripts/run.py) and <https://example.org/>."
        head = f"---\nname: {folder.name}\ndescription: Use when {text(150)}\n---\n"
        (folder / "SKILL.md").write_text(f"{head}\n# Skill {number}\n\n{body}\n\n{links}\n")
        (folder / "reference.md").write_text(text(3000))
        (folder / "scripts" / "run.py").write_text(text(1500))
        if marked:
            (folder / MARKER).write_text(f"kestrel-skill-generation-v1:{generation(folder.name)}\n")


def generation(name: str) -> str:
    """What the marker of a skill says."""
    return hashlib.sha256(name.encode()).hexdigest()
