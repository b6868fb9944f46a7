"""Real repositories and packs, made by the git command line."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

__all__ = ["Git", "needs_git"]

needs_git: Final = pytest.mark.skipif(shutil.which("git") is None, reason="the git command line is not here")

_QUIET: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    **{f"GIT_{who}_{what}": "a@example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
_WORDS: Final = "skill when there is a need for it use the tool and look at what came of it before you go on"


class Git:
    """One repository in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self("init", "--quiet", "--initial-branch=main")

    def __call__(self, *args: str, given: bytes = b"") -> bytes:
        """What a command of git answers."""
        env = {**os.environ, **_QUIET, "HOME": str(self.folder)}
        return subprocess.run(
            ["git", *args], cwd=self.folder, env=env, input=given, capture_output=True, check=True
        ).stdout

    def commit(self) -> str:
        """Commit all that is in the folder, and give the commit's id."""
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message=x")
        return self("rev-parse", "HEAD").decode().strip()

    def grow(self, commits: int, files: int = 12) -> None:
        """Write texts, and change a line of some of them again and again, so that packs are rich in deltas."""
        chance = random.Random(commits)
        folder = self.folder / "skills" / "x"
        folder.mkdir(parents=True)
        for each in range(files):
            lines = [" ".join(chance.choices(_WORDS.split(), k=12)) for _ in range(150)]
            (folder / f"{each}.md").write_text("\n".join(lines))
        (folder / "picture.bin").write_bytes(chance.randbytes(30_000))
        (folder / "empty").write_bytes(b"")
        (folder / "long.txt").write_text("a line that is there often\n" * 8_000)
        for each in range(commits):
            for name in [0, *chance.sample(range(1, files), 2)]:
                path = folder / f"{name}.md"
                lines = path.read_text().split("\n")
                lines[chance.randrange(len(lines))] = f"changed {each}"
                path.write_text("\n".join(lines))
            self.commit()
        self("tag", "--annotate", "--message=x", "v1")

    def ids(self) -> list[str]:
        """Every object that can be come to."""
        return sorted({line.split()[0] for line in self("rev-list", "--objects", "--all").decode().splitlines()})

    def pack(self, *options: str) -> bytes:
        """A pack of all of them."""
        return self("pack-objects", "--stdout", "--quiet", *options, given="\n".join(self.ids()).encode() + b"\n")

    def objects(self) -> dict[str, tuple[str, bytes]]:
        """Each object's kind and content, as git reads it."""
        ids = self.ids()
        told = self("cat-file", "--batch", given="\n".join(ids).encode() + b"\n")
        found, at = {}, 0
        for _ in ids:
            end = told.index(b"\n", at)
            name, kind, size = told[at:end].decode().split()
            found[name] = (kind, told[end + 1 : end + 1 + int(size)])
            at = end + 2 + int(size)
        return found
