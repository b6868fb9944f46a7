"""Homes on a disk for the panel to show: one of everything that a person may meet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from .outside import FOLDER, Outside

__all__ = ["ON", "PROGRAM", "ROOT", "SHARED_ON", "environ", "furnish", "lay_out", "many", "settle", "skill"]

ROOT: Final = Path(__file__).parents[2]
PROGRAM: Final = "import sys; from kestrel_skills_adapters.cli.main import main; sys.exit(main())"

_REVIEW: Final = """\
# Review a diff

Read the **whole** branch diff before saying anything. See [the checklist](references/checklist.md), and
[what is not there](references/lost.md).

1. List the files, and what each change is for.
2. For each finding, quote the line, say what breaks, and show the smallest fix.
3. Run `git diff --stat main...` and compare it with what was promised.

```sh
git diff main... -- src/
```

| severity | means |
|---|---|
| blocker | wrong results, lost data |
| note | could read better |
"""
_CHECKLIST: Final = "# Checklist\n\n- Does each test fail without its change?\n- Is each error told with its fix?\n"


def skill(root: Path, name: str, description: str, body: str = "# Procedure\n\n1. Begin.\n2. End.\n") -> Path:
    """Write a good skill."""
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}")
    return folder


ON: Final = {
    name: 10 * (place + 1)
    for place, name in enumerate(["review-a-diff", "incident-notes", *(f"long-tail-{number}" for number in range(10))])
}
"""What is on in a home with one of everything, by its priority; beside `house-style`, which is shared."""
SHARED_ON: Final = {"house-style": 25}


def lay_out(root: Path, shared: Path) -> None:
    """Skills of every kind; `long-tail` and its like are too long for the prompt."""
    review = skill(root, "review-a-diff", "Use when a complete branch diff needs an evidence-backed review.", _REVIEW)
    (review / "references").mkdir()
    (review / "references" / "checklist.md").write_text(_CHECKLIST)
    skill(shared, "review-a-diff", "Use when a diff needs a review. The shared one.")
    skill(root, "incident-notes", "Use when an incident is over and what happened has to be written down.")
    skill(root, "pdf-forms", "Use when a PDF form has to be filled in from a table.")
    skill(shared, "house-style", "Use when a text is written in the name of the house.")
    skill(shared, "deploy", "Use when a release goes out. The shared one.")
    (root / "deploy").mkdir()
    (root / "deploy" / "SKILL.md").write_text(
        "---\nname: deploy\ndescription: Use when: a release goes out\n---\nGo.\n"
    )
    (root / "release-train").mkdir()
    (root / "release-train" / "SKILL.md").write_text(
        "---\nname: release-train\ndescription: Use when several releases go out in order.\nversion: 2\n---\n"
        "# Train\n\nOne by one.\n"
    )
    for number in range(10):
        skill(root, f"long-tail-{number}", f"Use when number {number} is asked for. " + "All of it is needed. " * 45)


def furnish(home: Path) -> Path:
    """A home with one of everything, and what is on in it."""
    lay_out(home / "skills", home / "shared")
    for name, priority in ON.items():
        _run(home, "enable", name, "--priority", str(priority))
    return home


def settle(home: Path) -> None:
    """Enable what is shared: that counts for its place on the disk, and so not for a copy of a home."""
    for name, priority in SHARED_ON.items():
        _run(home, "enable", name, "--priority", str(priority))


def many(root: Path, number: int) -> None:
    """So many skills."""
    for each in range(number):
        skill(root, f"skill-{each:04}", f"Use when the number is {each}.")


def _run(home: Path, *words: str) -> None:
    where = ("--root", str(home / "skills"), "--shared", str(home / "shared"))
    command = [sys.executable, "-c", PROGRAM, *words, *where]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environ(home))
    assert ran.returncode == 0, ran.stdout + ran.stderr


def environ(home: Path, outside: Outside | None = None) -> dict[str, str]:
    """What a process of that home is told; and of what it can reach, where that is given."""
    found = [FOLDER] if outside else []
    path = os.pathsep.join(map(str, [*found, ROOT / "src", ROOT]))
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": path, **(outside.environ if outside else {})}
