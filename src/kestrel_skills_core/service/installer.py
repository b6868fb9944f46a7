"""Bringing skills in from elsewhere: looking at what a source offers, and publishing exactly that, off.

Rule 1: everything is fetched and judged before the store is asked for anything, so that nothing slow is done under a
        lock, and what is cut short before the one move that publishes has left nothing.
Rule 2: no row is written. A row or mark that is there of an earlier skill of that name speaks of another birth, and
        turns nothing on.
Rule 3: what one command asks of a repository is one transfer, and a list is judged within its time.
Rule 4: a name that is taken in the agent's own root is refused, whatever has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from attrs import evolve, frozen

from ..domain.commands import Install, Preview
from ..domain.errors import Abandoned, GitFailed, SkillError
from ..domain.git_address import CommitId
from ..domain.limits import LIMITS
from ..domain.names import Address, ResourcePath, SourceId
from ..domain.offer import Glimpse, Offer, Package, Repository, Stated, glimpse, offered, stated
from ..domain.record import Rejection, SkillRecord
from ..domain.verdict import verdict_on
from ..domain.whereabouts import TOP, chosen, is_path, subpath
from ..ports.git import FoundSkill, GitSource
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
    """Installs into the agent's own root of a library, from git, or from what a person brought.

    While what is kept is hidden, everything is refused with `Hidden`, before anything is fetched.
    """

    library: SkillLibrary
    git: GitSource
    clock: Clock

    async def skills(self, repository: Repository) -> Stock:
        """The skills of a repository, where skills are looked for.

        Raises:
            BadSource, GitFailed, TooLarge, Abandoned: See `GitSource`.
        """
        with self.library.seeing():
            return await self.library.offload(lambda cancelled: self._skills(repository, cancelled))

    async def preview(self, command: Preview) -> Installation:
        """One skill as it would land, and what it would meet here. A skill with faults is told with them.

        Raises:
            BadSource, BadPath, GitFailed, TooLarge, Abandoned: See `GitSource`; or no skill has that name, or several
                do.
            BadName: No skill name can be made of its name.
        """
        offer = await self.offer(command)
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
            BadSource, BadPath, GitFailed, TooLarge, Abandoned, BadName: As `preview`; nothing was installed.
            BadDocument: It is refused as it is; the error has what adapting it would do.
            OtherDigest: It is not what was previewed.
            SkillExists: The agent's own root holds an entry of that name.
            NotEditable: There is no root that may be changed.
            StoreFailed, Busy, SourceUnavailable: Nothing was installed.
            InDoubt: Only looking again tells.
        """
        return await self.land(command, await self.offer(command))

    async def land(self, command: Install, offer: Offer) -> Arrival:
        """Bring in what was offered for that command: the part of installing that only publishes, and is quick.

        Raises:
            BadDocument, OtherDigest, SkillExists, NotEditable, StoreFailed, Busy, SourceUnavailable, InDoubt: As
                `install`.
        """
        name, tree = offer.landing(command.digest)
        record = offer.record(self.clock.now())
        look, standing = await self.library.gather(name)
        async with self.library.privacy.held():
            generation = await self.library.commit(name, Publish(name=name, tree=tree, provenance=record))
            sighting = evolve(verdict_on(name, tree), generation=generation, provenance=record)
            after = look.after(sighting)
            found = after.find(Address(name, record.source), standing.states)
            assert isinstance(found, SkillRecord), "what has no faults is a skill"
            return Arrival(found=found, then=after.resolved(standing.states), offer=offer)

    async def offer(self, command: Preview) -> Offer:
        """What is asked for, as the source has it: the part of installing that changes nothing, and may take long.

        Nothing is fetched for an agent whose skills are hidden.

        Raises:
            BadSource, BadPath, GitFailed, TooLarge, Busy, BadName: As `preview`.
        """
        with self.library.seeing():
            return await self.library.offload(lambda cancelled: self._offer(command, cancelled))

    def _skills(self, repository: Repository, cancelled: Cancelled) -> Stock:
        by = self.clock.now() + timedelta(seconds=LIMITS.git_seconds)
        git = self.git.transfer()
        commit = git.resolve(repository.url, repository.ref, cancelled=cancelled)
        skills = self._judged(git.list(repository.url, commit, cancelled=cancelled), by, cancelled)
        return Stock(repository=repository, commit=commit, skills=tuple(skills))

    def _judged(self, found: Iterable[FoundSkill], by: datetime, cancelled: Cancelled) -> Iterator[Glimpse]:
        """What each shows, until that time; a text that lies in many folders is judged once."""
        known: dict[bytes | None, Stated] = {}
        for each in found:
            if cancelled():
                raise Abandoned("listing the skills")
            if self.clock.now() > by:
                why = f"its skills could not all be judged within {LIMITS.git_seconds:g} seconds"
                raise GitFailed("file", why, "ask for one of them, by its name or path")
            if each.document not in known:
                known[each.document] = stated(each.document)
            yield glimpse(each.folder, known[each.document])

    def _offer(self, command: Preview, cancelled: Cancelled) -> Offer:
        source = command.source
        if isinstance(source, Package):
            called = command.called or command.name or source.name
            return offered(source.parcel, called, source.origin, adapt=command.adapt)
        git, folder = self.git.transfer(), subpath(command.name) if is_path(command.name) else TOP
        commit = git.resolve(source.url, source.ref, cancelled=cancelled)
        if not is_path(command.name):  # a path needs no looking around
            folder = _meant(command.name, git.list(source.url, commit, cancelled=cancelled))
        parcel = git.fetch(source.url, commit, folder, cancelled=cancelled)
        called = command.called or ("" if folder is None else folder.rpartition("/")[2])
        return offered(parcel, called, source.origin(commit, folder), adapt=command.adapt)


def _meant(asked: str, found: Iterable[FoundSkill]) -> ResourcePath | None:
    """The folder of the skill of that name. Folders go by their own names, so that only the top's text is read."""
    return chosen(asked, {each.folder: "" if each.folder else stated(each.document).name for each in found})
