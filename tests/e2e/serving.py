"""Serves a home as `kestrel-skills serve` does, with one repository in memory in the place of the net."""

from __future__ import annotations

import sys
from collections.abc import Callable

from kestrel_skills_adapters.cli.main import main
from kestrel_skills_adapters.memory.git import MemoryGitSource, MemoryRepository
from kestrel_skills_core.domain.git_address import git_url
from kestrel_skills_core.domain.tree import Content

URL = "https://git.example/knots"
COMMIT = "1" * 40


def connect(_: Callable[[int, int], None]) -> MemoryGitSource:
    """The repository `knots`: a good skill, and one that has to be adapted."""
    knots = (
        b"---\nname: knots\ndescription: Use when something has to be tied.\n---\n# Knots\n\nOver, under, through.\n"
    )
    splices = b"---\nname: splices\ndescription: Use to splice.\nversion: 2\n---\nSplice.\n"
    files = {
        "skills/knots/SKILL.md": Content(knots),
        "skills/knots/bends.md": Content(b"Carrick.\n"),
        "skills/splices/SKILL.md": Content(splices),
    }
    repository = MemoryRepository({"HEAD": COMMIT, "refs/heads/main": COMMIT}, {COMMIT: files})
    return MemoryGitSource({git_url(URL): repository})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], connect=connect))
