"""Repositories to be served: made by git itself, out of what a test draws."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import pytest

from kestrel_skills_adapters.contracts.git import Drawn
from kestrel_skills_core.domain.tree import Content

__all__ = ["Made", "git", "made", "offers"]

Made = dict[str, str]
"""What was made: the id of each ref by its full name; of an annotated tag, of the commit that it was put on."""

PATH: Final = os.environ.get("PATH", "/usr/bin")


def git(folder: Path, *arguments: str, sent: bytes = b"") -> str:
    """Run git, without any configuration."""
    environment = {
        "PATH": PATH,
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_CONFIG_KEY_1": "core.ignorecase",  # which it has on by itself where the disk does not tell case
        "GIT_CONFIG_VALUE_1": "false",
    }
    ran = subprocess.run(["git", *arguments], cwd=folder, env=environment, input=sent, capture_output=True, check=True)
    return ran.stdout.decode().strip()


def made(path: Path, commits: Mapping[str, Drawn], tags: Iterable[tuple[str, str]] = ()) -> Made:
    """A bare repository in which each branch has one commit, `main` is HEAD, and each tag stands on a branch's commit.

    Its server sends parts, as those of large hosts do: by the filters `blob:none` and `tree:0` alone.
    """
    if shutil.which("git") is None:
        pytest.skip("the git command line is not here")
    path.mkdir(parents=True)
    git(path, "init", "--quiet", "--bare", "--initial-branch=main")
    stream = bytearray()
    for branch, drawn in commits.items():
        stream += _commit(f"refs/heads/{branch}", drawn)
    for tag, branch in tags:
        stream += b"tag %b\nfrom refs/heads/%b\ntagger A <a@example.org> 0 +0000\ndata 0\n\n" % (
            tag.encode(),
            branch.encode(),
        )
    git(path, "fast-import", "--quiet", sent=bytes(stream))
    offers(path, filters=True)
    listed = git(path, "for-each-ref", "--format=%(refname) %(objectname) %(*objectname)").splitlines()
    return {name: ids[-1] for name, *ids in (line.split() for line in listed)}


def offers(path: Path, *, filters: bool) -> None:
    """Let its server send parts, or not."""
    for key, value in (
        ("uploadpack.allowFilter", "true" if filters else "false"),
        ("uploadpackfilter.allow", "false"),
        ("uploadpackfilter.blob:none.allow", "true"),
        ("uploadpackfilter.tree.allow", "true"),
        ("uploadpackfilter.tree.maxDepth", "0"),
    ):
        git(path, "config", key, value)


def _commit(ref: str, drawn: Drawn) -> bytes:
    head = f"commit {ref}\ncommitter A <a@example.org> 0 +0000\ndata 0\n".encode()
    return head + b"".join(_entry(path, entry) for path, entry in drawn.items()) + b"\n"


def _entry(path: str, entry: Content | str) -> bytes:
    quoted = b'"' + path.encode("utf-8", "surrogateescape").replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
    quoted = quoted.replace(b"\n", b"\\n")
    if isinstance(entry, str) and entry.startswith("@ "):
        return b"M 160000 %b %b\n" % (entry[2:].encode(), quoted)
    if isinstance(entry, str):
        target = entry.removeprefix("-> ").encode()
        return b"M 120000 inline %b\ndata %d\n%b\n" % (quoted, len(target), target)
    mode = b"100755" if entry.executable else b"100644"
    return b"M %b inline %b\ndata %d\n%b\n" % (mode, quoted, len(entry.data), entry.data)
