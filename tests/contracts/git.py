"""Git sources to try: the same repository, in memory and behind git's own server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from kestrel_skills_adapters.contracts.git import Bed, Drawn
from kestrel_skills_adapters.git.source import DulwichGitSource
from kestrel_skills_adapters.memory.git import Entry, MemoryGitSource, MemoryRepository
from kestrel_skills_core.domain.git_address import CommitId, git_url
from kestrel_skills_core.domain.tree import Content
from tests.git.repositories import made, offers
from tests.git.servers import backend, serving

__all__ = ["BEDS", "behind_git", "in_memory"]


@contextmanager
def in_memory(_: Path, branches: Mapping[str, Drawn], tags: Iterable[tuple[str, str]] = ()) -> Iterator[Bed]:
    """The fake."""
    url = git_url("https://git.example/some.git")
    commits = {branch: CommitId(f"{number:040x}") for number, branch in enumerate(branches, 1)}
    refs = {f"refs/heads/{branch}": commit for branch, commit in commits.items()}
    refs |= {f"refs/tags/{tag}": commits[branch] for tag, branch in tags}
    contents = {
        commits[branch]: {path: entry(each) for path, each in drawn.items()} for branch, drawn in branches.items()
    }
    repository = MemoryRepository({**refs, "HEAD": commits["main"]}, contents)
    yield Bed(MemoryGitSource({url: repository}), url, commits)


def entry(drawn: Content | str) -> Entry:
    """What the fake has for what is drawn."""
    if isinstance(drawn, Content):
        return drawn
    return "another repository" if drawn.startswith("@ ") else "a link"


@contextmanager
def behind_git(
    folder: Path, branches: Mapping[str, Drawn], tags: Iterable[tuple[str, str]] = (), *, filters: bool = True
) -> Iterator[Bed]:
    """`git http-backend` behind TLS, and the real source."""
    refs = made(folder / "some.git", branches, tags)
    offers(folder / "some.git", filters=filters)
    commits = {branch: CommitId(refs[f"refs/heads/{branch}"]) for branch in branches}
    with serving(backend(folder)) as served:
        yield Bed(DulwichGitSource(served.transport()), served.url(), commits)


BEDS: Mapping[str, Callable[..., AbstractContextManager[Bed]]] = {
    "memory": in_memory,
    "git": behind_git,
    "git that does not filter": partial(behind_git, filters=False),
}
