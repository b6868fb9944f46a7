"""Port: folders of one commit of a git repository, as values."""

from __future__ import annotations

from typing import Protocol

from attrs import frozen

from ..domain.git_address import CommitId, GitRef, GitUrl
from ..domain.names import ResourcePath
from ..domain.parcel import Parcel
from .world import Cancelled

__all__ = ["FoundSkill", "GitSource"]


@frozen
class FoundSkill:
    """A folder with a `SKILL.md`, and that file's bytes: no more than one file may have, else nothing.

    `folder` is its path in the repository, and nothing for the repository's own top.
    """

    folder: ResourcePath | None
    document: bytes | None


class GitSource(Protocol):
    """Reads repositories over the network. Nothing is checked out, nothing is written, nothing of a repository runs.

    Every method but `transfer` blocks; no byte that a server sends is trusted before the id that was asked for vouches
    for it. A transfer may have 32 MiB, and ends at the latest 120 seconds after it began, 60 seconds after the last
    byte, or at once where `cancelled` says that whoever asked has gone away. Each call is a transfer of its own, unless
    it is asked of what `transfer` gives.

    Raises, every method:
        BadSource: The address leads to a place that is not public.
        GitFailed: The server does not answer, redirects, does not send that commit, or sent what is not what it should
            be; `stage` says where.
        TooLarge: More bytes or entries than a transfer may have.
        Abandoned: Whoever asked has gone away.
    """

    def transfer(self) -> GitSource:
        """The same source for one transfer, which begins now: all calls together may have what one may have."""
        ...

    def resolve(self, url: GitUrl, ref: GitRef, *, cancelled: Cancelled) -> CommitId:
        """The commit that a ref means now; an annotated tag means the commit it was put on.

        Raises:
            BadSource: There is no such ref, or it means two commits.
        """
        ...

    def list(self, url: GitUrl, commit: CommitId, *, cancelled: Cancelled) -> tuple[FoundSkill, ...]:
        """Every skill where skills are looked for (`domain.whereabouts`), in order of the folders.

        Costs the trees on the way there and the `SKILL.md` files, however large the rest of the repository is.
        """
        ...

    def fetch(self, url: GitUrl, commit: CommitId, folder: ResourcePath | None, *, cancelled: Cancelled) -> Parcel:
        """Every file of one folder, the repository's top where none is named.

        Costs the trees on the way there and what is in the folder.

        Raises:
            BadSource: There is no such folder; or it holds a link, another repository, or what is neither file nor
                folder.
            BadPath: A file has a name that does not travel, or that this library keeps for itself.
        """
        ...
