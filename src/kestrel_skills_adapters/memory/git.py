r"""Repositories in memory.

>>> from kestrel_skills_adapters.memory.git import MemoryGitSource, MemoryRepository
>>> from kestrel_skills_core.domain.git_address import git_ref, git_url
>>> from kestrel_skills_core.domain.tree import Content
>>> url, commit = git_url("https://git.example/knots.git"), "1" * 40
>>> repository = MemoryRepository({"refs/heads/main": commit}, {commit: {"skills/knots/SKILL.md": Content(b"...")}})
>>> git = MemoryGitSource({url: repository})
>>> git.resolve(url, git_ref("main"), cancelled=lambda: False) == commit
True
>>> [found.folder for found in git.list(url, commit, cancelled=lambda: False)]
['skills/knots']
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attrs import define, field, frozen

from kestrel_skills_core.domain.errors import Abandoned, BadSource, GitFailed, SkillError, TooLarge
from kestrel_skills_core.domain.git_address import CommitId, GitRef, GitUrl, commit_meant
from kestrel_skills_core.domain.limits import LIMITS, Limits
from kestrel_skills_core.domain.names import DOCUMENT, ResourcePath, litter_in, travelling_path
from kestrel_skills_core.domain.parcel import Parcel, packed
from kestrel_skills_core.domain.tree import Content, folders_of
from kestrel_skills_core.domain.whereabouts import TOP, is_place, worth_a_look
from kestrel_skills_core.ports.git import FoundSkill
from kestrel_skills_core.ports.world import Cancelled

__all__ = ["Entry", "MemoryGitSource", "MemoryRepository"]

Entry = Content | Literal["a link", "another repository"]
"""What stands at a path of a commit."""


@frozen
class MemoryRepository:
    """Commits by their refs' full names (HEAD is one), and of each commit the entries by their paths."""

    refs: Mapping[str, str]
    commits: Mapping[str, Mapping[str, Entry]]


@define(eq=False)
class MemoryGitSource:
    """The port over dictionaries. Change `repositories` at will between two calls.

    `problem`, if set, is what every call meets instead.
    """

    repositories: dict[GitUrl, MemoryRepository] = field(factory=dict)
    limits: Limits = LIMITS
    problem: SkillError | None = None

    def transfer(self) -> MemoryGitSource:
        """The same: nothing here is slow, or large."""
        return self

    def resolve(self, url: GitUrl, ref: GitRef, *, cancelled: Cancelled) -> CommitId:
        """The commit that a ref means; see the port."""
        refs = self._repository(url, cancelled).refs
        return commit_meant(ref, {name: CommitId(commit) for name, commit in refs.items()})

    def list(self, url: GitUrl, commit: CommitId, *, cancelled: Cancelled) -> tuple[FoundSkill, ...]:
        """Every skill where skills are looked for; see the port."""
        entries = self._commit(url, commit, cancelled)
        found: dict[ResourcePath | None, bytes] = {}
        ahead: list[ResourcePath | None] = [TOP]
        while ahead:
            folder = ahead.pop()
            inside = _below(entries, folder)
            document = inside.get(DOCUMENT)
            is_skill = isinstance(document, Content)
            if isinstance(document, Content) and is_place(folder):
                found[folder] = document.data
            names = {path for path in folders_of(inside) if "/" not in path}
            ahead += worth_a_look(folder, names, is_skill=is_skill)
        return tuple(
            FoundSkill(folder, found[folder] if len(found[folder]) <= self.limits.file_bytes else None)
            for folder in sorted(found, key=lambda folder: folder or "")
        )

    def fetch(self, url: GitUrl, commit: CommitId, folder: ResourcePath | None, *, cancelled: Cancelled) -> Parcel:
        """Every file of one folder; see the port."""
        inside = _below(self._commit(url, commit, cancelled), folder)
        if folder is not TOP and not inside:
            raise BadSource(folder, "there is no such folder", "look up the path in the repository, at that commit")
        met = {litter_in(path) or path for path in inside}
        if len(met) + len(folders_of(met)) > self.limits.git_entries:
            raise TooLarge("files and folders of one folder of a repository", self.limits.git_entries)
        return packed((path, _file(path, entry)) for path, entry in inside.items())

    def _repository(self, url: GitUrl, cancelled: Cancelled) -> MemoryRepository:
        if self.problem is not None:
            raise self.problem
        if cancelled():
            raise Abandoned("reading the repository")
        if url not in self.repositories:
            raise GitFailed("refs", "there is no such repository", "see that the address is right")
        return self.repositories[url]

    def _commit(self, url: GitUrl, commit: CommitId, cancelled: Cancelled) -> Mapping[str, Entry]:
        commits = self._repository(url, cancelled).commits
        if commit not in commits:
            raise GitFailed("fetch", "there is no such commit", "see that the id is right")
        return commits[commit]


def _below(entries: Mapping[str, Entry], folder: ResourcePath | None) -> dict[str, Entry]:
    """What is in a folder, by the path there."""
    above = "" if folder is TOP else f"{folder}/"
    return {path.removeprefix(above): entry for path, entry in entries.items() if path.startswith(above)}


def _file(path: str, entry: Entry) -> Content:
    if litter_in(path) and ".git" not in path.split("/"):
        return Content(b"")
    travelling_path(path)
    if not isinstance(entry, Content):
        raise BadSource(path, f"it is {entry}", "ask its author for a folder of plain files")
    return entry
