"""Whether what is checked out here may be released under a tag.

    python .github/scripts/release_check.py v1.2.3

It may where the tag stands on the commit that is checked out, with nothing changed since; `pyproject.toml` has that
version; and `CHANGELOG.md` says what it brings. Then its notes are printed, and the exit code is 0. Else each reason is
one line, with the file and the way out, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", re.ASCII)


@dataclass(frozen=True)
class Checkout:
    """What a release is judged by."""

    head: str  # the commit that is checked out
    tagged: str  # the commit that the tag stands on; empty where there is no such tag
    changed: tuple[str, ...]  # files that are not as they were committed
    version: str  # as pyproject.toml has it; empty where it has none
    changelog: str


def look(tag: str) -> Checkout:
    """The checkout in the current folder, which is the top of a git repository."""
    project = tomllib.loads(_text("pyproject.toml")).get("project", {})
    return Checkout(
        head=_git("rev-parse", "HEAD"),
        tagged=_git("rev-parse", "--verify", "--quiet", f"refs/tags/{tag}^{{commit}}", may_fail=True),
        changed=tuple(line[3:] for line in _git("status", "--porcelain", "--no-renames").splitlines()),
        version=str(project.get("version", "")),
        changelog=_text("CHANGELOG.md"),
    )


def refusals(tag: str, found: Checkout) -> list[str]:
    """Why it may not be released under the tag; empty where it may."""
    version = tag.removeprefix("v")
    if tag == version or not VERSION.fullmatch(version):
        return [f"tag: {tag!r} is not of the form vX.Y.Z; push one that is, as v1.2.3"]
    return [
        *_of_the_tag(tag, found),
        *(f"{file}: it is not as it was committed; commit it and move the tag, or undo it" for file in found.changed),
        *_of_the_version(version, found.version),
        *_of_the_changelog(version, found.changelog),
    ]


def notes(version: str, changelog: str) -> str | None:
    """What a changelog says of a version: empty where there are headings alone, nothing where it has no entry."""
    heading = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$"
    entry = re.search(rf"{heading}\n(.*?)(?=^## |\Z)", f"{changelog}\n", re.DOTALL | re.MULTILINE)
    if entry is None:
        return None
    said = entry[1].strip()
    return said if any(line.strip() and not line.startswith("#") for line in said.splitlines()) else ""


def main() -> int:
    """Judge, and say so."""
    parser = argparse.ArgumentParser(description="Whether what is checked out here may be released under a tag.")
    parser.add_argument("tag", help="such as v1.2.3")
    tag = parser.parse_args().tag
    found = look(tag)
    refused = refusals(tag, found)
    for line in refused:
        print(line, file=sys.stderr)
    if not refused:
        print(notes(found.version, found.changelog))
    return 1 if refused else 0


def _of_the_tag(tag: str, found: Checkout) -> Iterator[str]:
    if not found.tagged:
        yield f"tag: {tag} is not in this repository; make it with `git tag {tag}`, or get it with `git fetch --tags`"
    elif found.tagged != found.head:
        where = f"{found.tagged[:12]}, not on {found.head[:12]}"
        yield f"tag: {tag} stands on {where}; check it out with `git checkout {tag}`"


def _of_the_version(version: str, stated: str) -> Iterator[str]:
    said = f"pyproject.toml: version {stated!r}"
    if not VERSION.fullmatch(stated):
        yield f"{said} is no release; set it to {version!r}, and tag that commit"
    elif stated != version:
        yield f"{said} is not that of the tag v{version}; set it to {version!r}, or tag v{stated}"


def _of_the_changelog(version: str, changelog: str) -> Iterator[str]:
    said = notes(version, changelog)
    if said is None:
        yield f"CHANGELOG.md: {version} has no entry; add `## [{version}] - YYYY-MM-DD` above what it brings"
    elif not said:
        yield f"CHANGELOG.md: the entry of {version} says nothing; write below its heading what it brings"


def _git(*command: str, may_fail: bool = False) -> str:
    ran = subprocess.run(["git", *command], capture_output=True, encoding="utf-8", check=False)
    if ran.returncode and not may_fail:
        sys.exit(f"git: {ran.stderr.strip()}")
    return ran.stdout.rstrip("\n")


def _text(name: str) -> str:
    path = Path(name)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


if __name__ == "__main__":
    sys.exit(main())
