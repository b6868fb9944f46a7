"""Bringing skills in from elsewhere: looking at what a source offers, and publishing exactly that, off.

Rule 1: everything is fetched and judged before the store is asked for anything, so that nothing slow is done under a
        lock, and what is cut short before the one move that publishes has left nothing.
Rule 2: no row is written. A row or mark that is there of an earlier skill of that name speaks of another birth, and
        turns nothing on.
Rule 3: a name that is taken in the agent's own root is refused, whatever has it.
"""

from __future__ import annotations

from attrs import evolve, frozen

from ..domain.commands import Install, Preview
from ..domain.errors import SkillError
from ..domain.git_address import CommitId
from ..domain.names import Address, ResourcePath, SourceId
from ..domain.offer import Glimpse, Offer, Package, Repository, glimpse, offered
from ..domain.record import Rejection, SkillRecord
from ..domain.verdict import verdict_on
from ..domain.whereabouts import chosen, is_path, subpath
from ..ports.git import GitSource
from ..ports.world import Cancelled, Clock
from .advice import with_advice
from .commits import Publish
from .library import SkillLibrary

__all__ = ["Arrival", "Installation", "Installer", "Stock"]


@frozen(kw_only=True)
class Stock:
    """The skills that were found in one commit of a repository, in order of their folders."""

    repository: Repository
    commit: CommitId
    skills: tuple[Glimpse, ...]


@frozen(kw_only=True)
class Installation:
    """What installing would do.

    `taken` is what has the name in the agent's own root, so that it would be refused. Else `then` is what the name
    would mean: the skill itself with what it shadows, or what comes before it; nothing where a root could not say.
    `problems` are why.
    """

    offer: Offer
    taken: SkillRecord | Rejection | None = None
    then: SkillRecord | Rejection | None = None
    problems: tuple[SkillError, ...] = ()


@frozen(kw_only=True)
class Arrival:
    """What was installed, what its name means now, if that can be told, and what it came of."""

    found: SkillRecord
    then: SkillRecord | Rejection | None
    offer: Offer


@frozen(kw_only=True, eq=False)
class Installer:
    """Installs into the agent's own root of a library, from git, or from what a person brought."""

    library: SkillLibrary
    git: GitSource
    clock: Clock

    async def skills(self, repository: Repository) -> Stock:
        """The skills of a repository, where skills are looked for.

        Raises:
            BadSource, GitFailed, TooLarge, Busy: See `GitSource`.
        """
        return await self.library.offload(lambda cancelled: self._skills(repository, cancelled))

    async def preview(self, command: Preview) -> Installation:
        """One skill as it would land, and what it would meet here. A skill with faults is told with them.

        Raises:
            BadSource, BadPath, GitFailed, TooLarge, Busy: See `GitSource`; or no skill has that name, or several do.
            BadName: No skill name can be made of its name.
        """
        offer = await self.library.offload(lambda cancelled: self._offer(command, cancelled))
        if offer.tree is None:
            return Installation(offer=offer)
        name, tree = offer.landing()
        markdown = self.library.markdown
        findings = await self.library.offload(lambda _: with_advice(offer.findings, name, tree, markdown))
        offer = evolve(offer, findings=findings)
        look, standing = await self.library.gather(name)
        unread = (*(survey.problem for survey in look.surveys.values()), standing.unavailable)
        problems = tuple(problem for problem in unread if problem is not None)
        own = look.surveys.get(SourceId.AGENT_LOCAL)
        if own is not None:
            taken = look.own(Address(name), standing.states) if own.problem is None else None
            return Installation(offer=offer, taken=taken, problems=problems)
        sighting = evolve(verdict_on(name, tree), provenance=offer.origin)
        return Installation(offer=offer, then=look.after(sighting).resolved(standing.states), problems=problems)

    async def install(self, command: Install) -> Arrival:
        """Bring one skill in, off; gives it as it then is, be it shadowed.

        Raises:
            BadSource, BadPath, GitFailed, TooLarge, BadName: As `preview`; nothing was installed.
            BadDocument: It is refused as it is; the error has what adapting it would do.
            OtherDigest: It is not what was previewed.
            SkillExists: The agent's own root holds an entry of that name.
            NotEditable: There is no root that may be changed.
            StoreFailed, Busy, SourceUnavailable: Nothing was installed.
            InDoubt: Only looking again tells.
        """
        offer = await self.library.offload(lambda cancelled: self._offer(command, cancelled))
        name, tree = offer.landing(command.digest)
        record = offer.record(self.clock.now())
        look, standing = await self.library.gather(name)
        generation = await self.library.commit(Publish(name=name, tree=tree, provenance=record))
        sighting = evolve(verdict_on(name, tree), generation=generation, provenance=record)
        after = look.after(sighting)
        found = after.find(Address(name, record.source), standing.states)
        assert isinstance(found, SkillRecord), "what has no faults is a skill"
        return Arrival(found=found, then=after.resolved(standing.states), offer=offer)

    def _skills(self, repository: Repository, cancelled: Cancelled) -> Stock:
        commit = self.git.resolve(repository.url, repository.ref, cancelled=cancelled)
        found = self.git.list(repository.url, commit, cancelled=cancelled)
        skills = tuple(glimpse(each.folder, each.document) for each in found)
        return Stock(repository=repository, commit=commit, skills=skills)

    def _offer(self, command: Preview, cancelled: Cancelled) -> Offer:
        source = command.source
        if isinstance(source, Package):
            return offered(source.parcel, command.name or source.name, source.origin, adapt=command.adapt)
        commit, folder = self._folder(source, command.name, cancelled)
        parcel = self.git.fetch(source.url, commit, folder, cancelled=cancelled)
        name = "" if folder is None else folder.rpartition("/")[2]
        return offered(parcel, name, source.origin(commit, folder), adapt=command.adapt)

    def _folder(self, repository: Repository, asked: str, cancelled: Cancelled) -> tuple[CommitId, ResourcePath | None]:
        """Which folder of which commit is asked for; a path needs no looking around."""
        if is_path(asked):
            folder = subpath(asked)
            return self.git.resolve(repository.url, repository.ref, cancelled=cancelled), folder
        stock = self._skills(repository, cancelled)
        return stock.commit, chosen(asked, {each.folder: each.name for each in stock.skills})
