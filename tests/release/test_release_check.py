"""What may be released under a tag, and what is refused: judged in real repositories."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.git.repositories import Git, needs_git

pytestmark = needs_git

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".github" / "scripts" / "release_check.py"
CHANGELOG = """# Changelog

## [Unreleased]

## [1.2.0] - 2026-05-01

### Added

- A bell.

## [1.1.0] - 2026-04-01

- A door.
"""


@pytest.fixture
def repository(tmp_path: Path) -> Git:
    """A repository whose commit is 1.2.0, with that tag on it."""
    git = Git(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / "README.md").write_text("```yaml\n  - repo: https://x.example/x\n    rev: v1.2.0\n```\n")
    release(git)
    return git


def release(git: Git) -> None:
    """Commit what is there, and have the tag stand on it."""
    git.commit()
    git("tag", "--force", "v1.2.0")


def rewrite(git: Git, name: str, old: str, new: str) -> None:
    """Put a text in a file in place of one that stands there once."""
    text = (git.folder / name).read_text()
    assert text.count(old) == 1
    (git.folder / name).write_text(text.replace(old, new))


def ask(git: Git, *arguments: str) -> tuple[int, str, list[str]]:
    """The exit code, what was printed, and the lines that refuse."""
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], cwd=git.folder, capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout, ran.stderr.splitlines()


def refused(*reasons: str) -> tuple[int, str, list[str]]:
    """What is answered where it may not be released."""
    return 1, "", [*reasons]


class TestAllowed:
    """What may be released."""

    def test_its_notes_are_printed(self, repository: Git) -> None:
        """They are those of the version: neither its heading, nor another's entry."""
        assert ask(repository, "v1.2.0") == (0, "### Added\n\n- A bell.\n", [])

    def test_a_tag_may_have_a_message(self, repository: Git) -> None:
        """A tag that is an object of its own stands on the commit that it names."""
        repository("tag", "--force", "--annotate", "--message=bells", "v1.2.0")
        assert ask(repository, "v1.2.0")[0] == 0

    def test_ignored_files_do_not_count(self, repository: Git) -> None:
        """What a build leaves behind is no change."""
        (repository.folder / ".gitignore").write_text("/dist/\n")
        release(repository)
        (repository.folder / "dist").mkdir()
        (repository.folder / "dist" / "x.whl").touch()
        assert ask(repository, "v1.2.0")[0] == 0

    def test_the_first_entry_may_be_the_last(self, repository: Git) -> None:
        """Where no other entry follows, the notes go to the end of the file."""
        rewrite(repository, "CHANGELOG.md", "\n## [1.1.0] - 2026-04-01\n\n- A door.\n", "")
        release(repository)
        assert ask(repository, "v1.2.0") == (0, "### Added\n\n- A bell.\n", [])

    @pytest.mark.parametrize(
        "said",
        [
            "```\n## [1.1.0] - 2026-04-01\n<!--\n```",
            "- Reads `<!--`, and what follows.\n- A bell.",
            "- [A bell][1.2.0], <!-- of brass --> at last.\n\n[1.2.0]: https://x.example/1.2.0",
            "- A ```bell``` of brass.",
        ],
    )
    def test_notes_are_printed_as_they_were_written(self, repository: Git, said: str) -> None:
        """Code and comments are part of them, and end nothing."""
        rewrite(repository, "CHANGELOG.md", "### Added\n\n- A bell.", said)
        release(repository)
        assert ask(repository, "v1.2.0") == (0, f"{said}\n", [])


class TestTag:
    """Tags that are refused."""

    @pytest.mark.parametrize(
        "tag",
        ["1.2.0", "v1.2", "v1.2.0.1", "v1.2.0.dev0", "v1.2.0rc1", "v1.02.0", "V1.2.0", "v1.2.0\n", "v\u0661.2.0"],
    )
    def test_it_has_one_form(self, repository: Git, tag: str) -> None:
        """Anything but vX.Y.Z is refused, whatever else is right."""
        reason = f"tag: {tag!r} is not of the form vX.Y.Z; push one that is, as v1.2.3"
        assert ask(repository, tag) == refused(reason)

    def test_it_is_there(self, repository: Git) -> None:
        """A branch of that name is no tag."""
        repository("tag", "--delete", "v1.2.0")
        repository("branch", "v1.2.0")
        assert ask(repository, "v1.2.0") == refused(
            "tag: v1.2.0 is not in this repository; make it with `git tag v1.2.0`, or get it with `git fetch --tags`"
        )

    def test_it_stands_on_what_is_checked_out(self, repository: Git) -> None:
        """A commit after it, or before it, is not what it names."""
        tagged = repository("rev-parse", "HEAD").decode().strip()
        head = repository.commit()
        reason = f"tag: v1.2.0 stands on {tagged[:12]}, not on {head[:12]}; check it out with `git checkout v1.2.0`"
        assert ask(repository, "v1.2.0") == refused(reason)

    def test_it_is_on_main(self, repository: Git) -> None:
        """What was never merged is not released; the main that was pushed counts, where there is one."""
        main = repository.commit()
        repository("checkout", "--quiet", "-b", "aside")
        aside = repository.commit()
        repository("tag", "--force", "v1.2.0")
        reason = f"tag: v1.2.0 stands on {aside[:12]}, which is not of main; merge it, and tag what is then on main"
        assert ask(repository, "v1.2.0") == refused(reason)
        repository("branch", "--force", "main", aside)
        assert ask(repository, "v1.2.0")[0] == 0
        repository("update-ref", "refs/remotes/origin/main", main)
        assert ask(repository, "v1.2.0") == refused(reason)

    def test_main_may_have_gone_on(self, repository: Git) -> None:
        """The tag need not stand on its last commit."""
        repository("checkout", "--quiet", "--detach")
        later = repository.commit()
        repository("branch", "--force", "main", later)
        repository("checkout", "--quiet", "v1.2.0")
        assert ask(repository, "v1.2.0")[0] == 0

    def test_main_is_there_to_be_asked(self, repository: Git) -> None:
        """Where it was not fetched, nothing is taken for granted."""
        repository("branch", "--move", "main", "another")
        assert ask(repository, "v1.2.0") == refused(
            "tag: v1.2.0 stands on a commit of main, or not: main is not here; get it with `git fetch origin main`"
        )

    def test_one_is_asked_for(self, repository: Git) -> None:
        """No tag, or two, is a mistake in the command line."""
        assert ask(repository)[0] == 2
        assert ask(repository, "v1.2.0", "v1.1.0")[0] == 2


class TestTree:
    """Files that are not as they were committed."""

    def test_a_changed_file_is_refused(self, repository: Git) -> None:
        """Whether it is staged or not."""
        reason = "CHANGELOG.md: it is not as it was committed; commit it and move the tag, or undo it"
        rewrite(repository, "CHANGELOG.md", "- A door.", "- Two doors.")
        assert ask(repository, "v1.2.0") == refused(reason)
        repository("add", "--all")
        assert ask(repository, "v1.2.0") == refused(reason)

    def test_each_file_is_named(self, repository: Git) -> None:
        """One that is new, and both ends of one that was moved."""
        (repository.folder / "new.py").touch()
        (repository.folder / "old.txt").write_text("old\n")
        release(repository)
        (repository.folder / "newer.py").touch()
        repository("mv", "old.txt", "moved.txt")
        code, _, reasons = ask(repository, "v1.2.0")
        assert code == 1
        assert [line.partition(":")[0] for line in reasons] == ["moved.txt", "old.txt", "newer.py"]

    def test_a_new_file_counts_whatever_git_is_told(self, repository: Git) -> None:
        """A person may have new files left out of what git tells."""
        repository("config", "status.showUntrackedFiles", "no")
        (repository.folder / "new.py").touch()
        assert ask(repository, "v1.2.0") == refused(
            "new.py: it is not as it was committed; commit it and move the tag, or undo it"
        )


class TestVersion:
    """Versions that are refused."""

    @pytest.mark.parametrize(
        ("line", "version"),
        [
            ('version = "1.2.0.dev0"', "1.2.0.dev0"),
            ('version = "1.2.0rc1"', "1.2.0rc1"),
            ('version = "1.2.0.post1"', "1.2.0.post1"),
            ('version = "1.2.0+g1a2b3c.d20260501"', "1.2.0+g1a2b3c.d20260501"),
            ('version = "1.2"', "1.2"),
            ('dynamic = ["version"]', ""),
            ("", ""),
        ],
    )
    def test_it_is_a_release(self, repository: Git, line: str, version: str) -> None:
        """One of a development, a candidate or a dirty tree is not, nor one that a build would find out."""
        rewrite(repository, "pyproject.toml", 'version = "1.2.0"', line)
        release(repository)
        reason = f"pyproject.toml: version {version!r} is no release; set it to '1.2.0', and tag that commit"
        assert ask(repository, "v1.2.0") == refused(reason)

    @pytest.mark.parametrize("text", ["[project\n", 'project = "x"\nversion\n'])
    def test_what_cannot_be_read_is_one_line(self, repository: Git, text: str) -> None:
        """With the place of the mistake."""
        (repository.folder / "pyproject.toml").write_text(text)
        release(repository)
        code, printed, reasons = ask(repository, "v1.2.0")
        assert (code, printed, len(reasons)) == (1, "", 1)
        assert re.fullmatch(r"pyproject\.toml: it cannot be read: .* \(at line \d.*\); mend it, .*", reasons[0])

    def test_a_project_is_a_table(self, repository: Git) -> None:
        """Anything else has no version."""
        (repository.folder / "pyproject.toml").write_text('project = "x"\n')
        release(repository)
        reason = "pyproject.toml: version '' is no release; set it to '1.2.0', and tag that commit"
        assert ask(repository, "v1.2.0") == refused(reason)

    @pytest.mark.parametrize("name", ["pyproject.toml", "CHANGELOG.md", "README.md"])
    def test_bytes_that_are_no_text_are_one_line(self, repository: Git, name: str) -> None:
        """In each file that is read."""
        (repository.folder / name).write_bytes(b"# \xff\n")
        release(repository)
        reason = f"{name}: byte 2 is not UTF-8; mend it, commit it and move the tag"
        assert ask(repository, "v1.2.0") == refused(reason)

    def test_it_is_that_of_the_tag(self, repository: Git) -> None:
        """Another release is another tag."""
        rewrite(repository, "pyproject.toml", "1.2.0", "1.3.0")
        release(repository)
        reason = "pyproject.toml: version '1.3.0' is not that of the tag v1.2.0; set it to '1.2.0', or tag v1.3.0"
        assert ask(repository, "v1.2.0") == refused(reason)


class TestChangelog:
    """Changelogs that are refused."""

    @pytest.mark.parametrize(
        "heading",
        [
            "## 1.2.0",
            "## [1.2.0]",
            "## [1.2.0] - soon",
            "### [1.2.0] - 2026-05-01",
            "## [1.2.0.1] - 2026-05-01",
            "## [1x2.0] - 2026-05-01",
            "```\n## [1.2.0] - 2026-05-01\n```",
            "````md\n```\n## [1.2.0] - 2026-05-01\n```\n````",
            "~~~\n## [1.2.0] - 2026-05-01\n~~~",
            "<!--\n## [1.2.0] - 2026-05-01\n-->",
        ],
    )
    def test_there_is_an_entry(self, repository: Git, heading: str) -> None:
        """What comes with a version stands under its number and day."""
        rewrite(repository, "CHANGELOG.md", "## [1.2.0] - 2026-05-01", heading)
        release(repository)
        reason = "CHANGELOG.md: 1.2.0 has no entry; add `## [1.2.0] - YYYY-MM-DD` above what it brings"
        assert ask(repository, "v1.2.0") == refused(reason)

    def test_there_is_a_changelog(self, repository: Git) -> None:
        """Without one there is no entry."""
        (repository.folder / "CHANGELOG.md").unlink()
        release(repository)
        reason = "CHANGELOG.md: 1.2.0 has no entry; add `## [1.2.0] - YYYY-MM-DD` above what it brings"
        assert ask(repository, "v1.2.0") == refused(reason)

    @pytest.mark.parametrize("day", ["2026-02-30", "2026-13-01", "0000-01-01"])
    def test_its_day_is_one(self, repository: Git, day: str) -> None:
        """One that the calendar has."""
        rewrite(repository, "CHANGELOG.md", "2026-05-01", day)
        release(repository)
        reason = f"CHANGELOG.md: the entry of 1.2.0 is of {day}, which is no day; write that of the release"
        assert ask(repository, "v1.2.0") == refused(reason)

    @pytest.mark.parametrize(
        "entry",
        [
            "",
            "### Added\n\n",
            "<!-- A bell. -->\n\n",
            "<!--\n- A bell.\n-->\n\n",
            "[1.2.0]: https://x.example/1.2.0\n\n",
            "### Added\n\n-\n\n",
        ],
    )
    def test_the_entry_says_something(self, repository: Git, entry: str) -> None:
        """What a reader does not see does not, headings alone do not, nor does the entry that follows."""
        rewrite(repository, "CHANGELOG.md", "### Added\n\n- A bell.\n\n", entry)
        release(repository)
        reason = "CHANGELOG.md: the entry of 1.2.0 says nothing; write below its heading what it brings"
        assert ask(repository, "v1.2.0") == refused(reason)


class TestReadme:
    """What the README tells people to write."""

    @pytest.mark.parametrize("rev", ["v1.1.0", "v1.2.0.dev0", "main"])
    def test_it_names_the_tag(self, repository: Git, rev: str) -> None:
        """Whoever copies the example gets this release."""
        rewrite(repository, "README.md", "rev: v1.2.0", f"rev: {rev}")
        release(repository)
        reason = f"README.md: {rev!r} is not the tag; write `rev: v1.2.0` there"
        assert ask(repository, "v1.2.0") == refused(reason)

    def test_there_is_an_example(self, repository: Git) -> None:
        """Else nobody would see that it is checked no more."""
        (repository.folder / "README.md").unlink()
        release(repository)
        reason = "README.md: its pre-commit example names no tag; write `rev: v1.2.0` there"
        assert ask(repository, "v1.2.0") == refused(reason)


def test_every_reason_is_told_at_once(repository: Git) -> None:
    """Who mends one is not sent back for the next."""
    rewrite(repository, "pyproject.toml", "1.2.0", "1.2.0.dev0")
    rewrite(repository, "CHANGELOG.md", "[1.2.0]", "[Soon]")
    repository.commit()
    (repository.folder / "left.py").touch()
    code, printed, reasons = ask(repository, "v1.2.0")
    assert (code, printed) == (1, "")
    assert [line.partition(":")[0] for line in reasons] == ["tag", "left.py", "pyproject.toml", "CHANGELOG.md"]


def test_outside_of_a_repository_nothing_may_be_released(tmp_path: Path) -> None:
    """An unpacked sdist has no tags."""
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), "v1.2.0"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("git: fatal: not a git repository")
    assert ran.stderr.count("\n") == 1
