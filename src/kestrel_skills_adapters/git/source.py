"""The git port: every call watched, and each a transfer of its own unless several are asked of one.

What it takes to reach a server is imported with the first transfer: who never asks for one never pays for it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from attrs import define, field

from kestrel_skills_core.domain.errors import BadSource, GitFailed, TooLarge
from kestrel_skills_core.domain.git_address import CommitId, GitRef, GitUrl, commit_meant, full_refs
from kestrel_skills_core.domain.limits import LIMITS, Limits
from kestrel_skills_core.domain.names import ResourcePath
from kestrel_skills_core.domain.nearest import nearest
from kestrel_skills_core.domain.parcel import Parcel
from kestrel_skills_core.domain.text import escaped
from kestrel_skills_core.ports.git import FoundSkill
from kestrel_skills_core.ports.world import Cancelled

from .watching import Progress, Spent, Watch, untold, watched

if TYPE_CHECKING:
    from .protocol import UploadPack
    from .repository import Known, Repository
    from .transport import Transport

__all__ = ["DulwichGitSource"]

T = TypeVar("T")

_BRANCHES: Final = "refs/heads/"
_TAGS: Final = "refs/tags/"
_COMPARED: Final = 1000
"""Names of a repository among which near ones are looked for."""
_LONGEST: Final = 200
"""Characters of a name that somebody may have meant."""


@define(eq=False)
class DulwichGitSource:
    """Repositories over HTTPS; see the port. A test gives a transport and limits of its own."""

    transport: Transport | None = None
    limits: Limits = LIMITS
    progress: Progress = untold
    _spent: Spent | None = None
    _known: Known | None = field(default=None, init=False)

    def transfer(self) -> DulwichGitSource:
        """The same source, for one transfer of several calls."""
        return DulwichGitSource(self._reached(), self.limits, self.progress, Spent())

    def resolve(self, url: GitUrl, ref: GitRef, *, cancelled: Cancelled) -> CommitId:
        """The commit that a ref means now: two requests, and none for a full id."""
        names = full_refs(ref)
        if not names:
            return commit_meant(ref, {})

        def look_up(server: UploadPack, _: Known) -> CommitId:
            found = {each.name: each.commit for each in server.refs(names) if each.name in names}
            try:
                return commit_meant(ref, found)
            except BadSource as error:
                if found:
                    raise
                raise BadSource(error.given, error.why, _near(server, ref) or error.fix) from None

        return self._asked(url, look_up, cancelled)

    def list(self, url: GitUrl, commit: CommitId, *, cancelled: Cancelled) -> tuple[FoundSkill, ...]:
        """Every skill where skills are looked for."""
        return self._read(url, commit, lambda repository: repository.skills(), cancelled)

    def fetch(self, url: GitUrl, commit: CommitId, folder: ResourcePath | None, *, cancelled: Cancelled) -> Parcel:
        """Every file of one folder."""
        return self._read(url, commit, lambda repository: repository.parcel(folder), cancelled)

    def _read(self, url: GitUrl, commit: CommitId, read: Callable[[Repository], T], cancelled: Cancelled) -> T:
        from .repository import Repository

        def read_from(server: UploadPack, known: Known) -> T:
            return read(Repository(server, commit, known, self.limits))

        return self._asked(url, read_from, cancelled)

    def _asked(self, url: GitUrl, ask: Callable[[UploadPack, Known], T], cancelled: Cancelled) -> T:
        """Connect, ask, and leave; what is known then helps the next one, if nothing went wrong."""
        from .protocol import UploadPack
        from .repository import Known

        transport = self._reached()
        known, self._known = self._known, None
        if known is None or known.url != url:
            known = Known(url)

        def transfer(watch: Watch) -> T:
            with transport.server(url, watch) as server:
                talk = UploadPack(server, watch, known.offers)
                known.offers = talk.offers
                return ask(talk, known)

        result = watched(transfer, cancelled=cancelled, limits=self.limits, spent=self._spent, progress=self.progress)
        self._known = known
        if self._spent is None:
            known.whole = None  # what may be large is kept for no longer than one transfer
        return result

    def _reached(self) -> Transport:
        """What reaches servers: made when it is needed first."""
        from .transport import Transport

        self.transport = self.transport or Transport()
        return self.transport


def _near(server: UploadPack, ref: GitRef) -> str:
    """What may have been meant, among the first of the repository's branches and tags, if it still tells them."""
    names = (each.name.removeprefix(_BRANCHES).removeprefix(_TAGS) for each in server.refs((_BRANCHES, _TAGS)))
    try:
        near = nearest(ref, (name for name in islice(names, _COMPARED) if len(name) <= _LONGEST))
    except (GitFailed, TooLarge):
        near = ()
    return f"did you mean {', '.join(escaped(name) for name in near)}?" if near else ""
