"""Whether what is checked out here may be released under a tag.

    python .github/scripts/release_check.py v1.2.3

It may where the tag stands on the commit that is checked out, which is one of main, with nothing changed since;
`pyproject.toml` has that version, and `README.md` that tag; and `CHANGELOG.md` says what it brings. Then its notes
are printed, and the exit code is 0. Else each reason is one line, with the file and the way out, and the exit code is
1.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", re.ASCII)
# What is no text of a changelog, whichever begins first: what is shown as code, and comments.
CODE = r"^[ \t]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}).*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)|`[^`\n]*`"
SHOWN_OR_HIDDEN = re.compile(rf"(?P<code>{CODE})|<!--.*?(?:-->|\Z)", re.DOTALL | re.MULTILINE)
SAYS_NOTHING = re.compile(r"^(#.*| {0,3}\[[^\]\n]+\]:.*)$", re.MULTILINE)  # headings, and where links lead
REV = re.compile(r"""^[ \t-]*rev: *["']?([^\s"']*)""", re.MULTILINE)


@dataclass(frozen=True)
class Checkout:
    """What a release is judged by."""

    head: str  # the commit that is checked out
    tagged: str  # the commit that the tag stands on; empty where there is no such tag
    landed: bool | None  # whether that commit is one of main; None where main is not here
    changed: tuple[str, ...]  # files that are not as they were committed
    version: str  # as pyproject.toml has it; empty where it has none
    changelog: str
    readme: str


def look(tag: str) -> Checkout:
    """The checkout in the current folder, which is the top of a git repository."""
    tagged = _commit(f"refs/tags/{tag}")
    main = _commit("refs/remotes/origin/main") or _commit("refs/heads/main")
    status = _git("status", "--porcelain", "--no-renames", "--untracked-files=normal")
    return Checkout(
        head=_git("rev-parse", "HEAD"),
        tagged=tagged,
        landed=_git("merge-base", tagged, main, may_fail=True) == tagged if main else None,
        changed=tuple(line[3:] for line in status.splitlines()),
        version=_version(_text("pyproject.toml")),
        changelog=_text("CHANGELOG.md"),
        readme=_text("README.md"),
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
        *_of_the_readme(tag, found.readme),
    ]


def notes(version: str, changelog: str) -> str | None:
    """What a changelog says of a version: empty where it says nothing to a reader, None where it has no entry."""
    entry = _entry(version, changelog)
    if entry is None:
        return None
    read = SAYS_NOTHING.sub("", _as_read(changelog)[slice(*entry.span("said"))])
    return changelog[slice(*entry.span("said"))].strip() if re.search(r"\w", read) else ""


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
    elif found.landed is None:
        yield f"tag: {tag} stands on a commit of main, or not: main is not here; get it with `git fetch origin main`"
    elif not found.landed:
        yield f"tag: {tag} stands on {found.tagged[:12]}, which is not of main; merge it, and tag what is then on main"


def _of_the_version(version: str, stated: str) -> Iterator[str]:
    said = f"pyproject.toml: version {stated!r}"
    if not VERSION.fullmatch(stated):
        yield f"{said} is no release; set it to {version!r}, and tag that commit"
    elif stated != version:
        yield f"{said} is not that of the tag v{version}; set it to {version!r}, or tag v{stated}"


def _of_the_changelog(version: str, changelog: str) -> Iterator[str]:
    entry = _entry(version, changelog)
    if entry is None:
        yield f"CHANGELOG.md: {version} has no entry; add `## [{version}] - YYYY-MM-DD` above what it brings"
        return
    if not _is_day(entry["day"]):
        yield f"CHANGELOG.md: the entry of {version} is of {entry['day']}, which is no day; write that of the release"
    if not notes(version, changelog):
        yield f"CHANGELOG.md: the entry of {version} says nothing; write below its heading what it brings"


def _of_the_readme(tag: str, readme: str) -> Iterator[str]:
    named = REV.findall(readme)
    if not named:
        yield f"README.md: its pre-commit example names no tag; write `rev: {tag}` there"
    yield from (f"README.md: {rev!r} is not the tag; write `rev: {tag}` there" for rev in named if rev != tag)


def _entry(version: str, changelog: str) -> re.Match[str] | None:
    heading = rf"^## \[{re.escape(version)}\] - (?P<day>\d{{4}}-\d\d-\d\d)$"
    entry = re.compile(rf"{heading}(?P<said>.*?)(?=^## |\Z)", re.ASCII | re.DOTALL | re.MULTILINE)
    return entry.search(_as_read(changelog))


def _as_read(changelog: str) -> str:
    """A changelog of the same length, where code is nothing but letters, and what a reader does not see is blank."""
    return SHOWN_OR_HIDDEN.sub(lambda found: re.sub(r".", "x" if found["code"] else " ", found[0]), changelog)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _version(pyproject: str) -> str:
    try:
        project = tomllib.loads(pyproject).get("project")
    except tomllib.TOMLDecodeError as error:
        sys.exit(f"pyproject.toml: it cannot be read: {error}; mend it, commit it and move the tag")
    return str(project.get("version", "")) if isinstance(project, dict) else ""


def _commit(ref: str) -> str:
    return _git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", may_fail=True)


def _git(*command: str, may_fail: bool = False) -> str:
    ran = subprocess.run(["git", *command], capture_output=True, encoding="utf-8", check=False)
    if ran.returncode and not may_fail:
        sys.exit(f"git: {ran.stderr.strip()}")
    return ran.stdout.rstrip("\n")


def _text(name: str) -> str:
    path = Path(name)
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else ""
    except UnicodeDecodeError as error:
        sys.exit(f"{name}: byte {error.start} is not UTF-8; mend it, commit it and move the tag")


if __name__ == "__main__":
    sys.exit(main())
