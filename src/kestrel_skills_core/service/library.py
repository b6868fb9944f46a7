"""The use cases, in the order in which a person meets them: list, search, read, check, set the state."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from ..domain import document
from ..domain.budget import Budget
from ..domain.commands import SetState
from ..domain.document import SkillDocument
from ..domain.errors import SkillAbsent
from ..domain.findings import Finding
from ..domain.names import DOCUMENT, Address, ResourcePath, SkillName, SourceId, is_skill_name
from ..domain.nearest import suggestion
from ..domain.record import Rejection, SkillRecord, SkillState
from ..domain.resolver import Resolver, Survey
from ..domain.search import search
from ..domain.tree import SkillTree
from ..ports.files import SkillFiles
from ..ports.markdown import Markdown
from ..ports.states import StateTable
from ..ports.world import Cancelled, Offload
from .advice import with_advice
from .decide import key_of, turned_off, turned_on
from .observed import Look, Observed, look_at, states_of

__all__ = ["Reading", "SkillLibrary"]


@frozen(kw_only=True)
class Reading:
    """One skill or rejected folder as it is now, with every inventoried byte, all of one instant."""

    name: SkillName
    found: SkillRecord | Rejection
    tree: SkillTree

    @property
    def document(self) -> SkillDocument:
        """The parsed `SKILL.md`; a rejected folder may have a good one.

        Raises:
            SkillAbsent: There is none.
            BadDocument: It has faults.
        """
        return document.parse(self.content(DOCUMENT), self.name)

    def content(self, path: ResourcePath) -> bytes:
        """The bytes of one file.

        Raises:
            SkillAbsent: The skill has no such file.
        """
        if path not in self.tree.files:
            raise SkillAbsent(self.name, path)
        return self.tree.files[path].data


@frozen(kw_only=True, eq=False)
class SkillLibrary:
    """The skills of one agent: its roots, its table of states, and what may be done with them.

    `sources` has one entry for each root. Everything that blocks goes through `offload`. Nothing is kept but the last
    whole survey of each root.
    """

    agent: str
    sources: Sequence[SkillFiles]
    states: StateTable
    offload: Offload
    markdown: Markdown
    budget: Budget = field(factory=Budget)
    _known: dict[SourceId, Survey] = field(factory=dict, init=False, repr=False)

    async def catalog(self) -> Observed:
        """Every skill and every rejected folder, resolved. Opens only what changed since the last time.

        Never fails for what it cannot read: that is among the catalog's `problems`, or in `unavailable`.
        """
        surveys = await self.offload(self._survey)
        states, unavailable = await states_of(self.states)
        return Observed(Resolver().resolve(surveys, states), unavailable)

    async def search(self, query: str) -> tuple[SkillRecord, ...]:
        """The skills in whose name or description every word of the query occurs, best first."""
        return search((await self.catalog()).catalog.records, query)

    async def read(self, address: Address) -> Reading:
        """One skill as it is now, shadowed copies by their source. Touches one folder in each root.

        Where the table of states does not answer, the skill is read all the same, and off. A root that cannot be read
        holds the name against those it outranks, so that a lower copy is read only by its own address.

        Raises:
            SkillAbsent: Nothing of that name is there.
            TooLarge: The folder is beyond the caps, so that it cannot be shown whole; `read_file` shows single files.
            SourceUnavailable: The root that the address leads to cannot be read.
        """
        look = await self._look(address)
        root = await self._root(look, address)
        states, _ = await states_of(self.states)
        return Reading(name=address.name, found=look.find(address, states), tree=look.trees[root])

    async def read_file(self, address: Address, path: ResourcePath) -> bytes:
        """One file as it is now, even of a folder that is beyond the caps. Touches one folder in each root.

        Raises:
            SkillAbsent: There is no such skill, or no such file in it.
            TooLarge: The file is.
            SourceUnavailable: The root that the address leads to cannot be read.
        """
        look = await self._look(address)
        root = await self._root(look, address)
        files = next(files for files in self.sources if files.source is root)
        return await self.offload(lambda _: files.read_resource(address.name, path))

    async def checks(self, address: Address) -> tuple[Finding, ...]:
        """Everything wrong with one skill, and all advice on it, in reading order.

        Advice on the text is given as soon as `SKILL.md` itself can be read, whatever else is wrong with the folder.

        Raises:
            SkillAbsent, TooLarge, SourceUnavailable: As `read`.
        """
        reading = await self.read(address)
        found = reading.found.findings
        return await self.offload(lambda _: with_advice(found, address.name, reading.tree, self.markdown))

    async def set_state(self, command: SetState) -> SkillRecord | Rejection | None:
        """Turn a skill on or off, move it, or pin it; gives the skill in its new state. Touches one name.

        Turning off needs no folder. Where an address leads to none, or to one that cannot be read, every row that it
        may mean is turned off, and nothing is given.

        Raises:
            StateUnavailable: The table cannot be read or written; nothing was changed.
            SkillAbsent: Nothing of that name is there, nor, to turn off, a row.
            TooLarge, SourceUnavailable: As `read`; nothing was changed.
            BadDocument, NotEditable, StaleRevision: See `turned_on`; nothing was changed.
        """
        address = command.address
        look = await self._look(address)
        states = await self.states.rows()
        if not command.enabled:
            unseen = [key for key in look.unseen(address) if key in states]
            for key in unseen:
                await self.states.put(key, turned_off(command, states[key]))
            if unseen:
                return None
        await self._root(look, address)
        found = look.find(address, states)
        key = key_of(found, command)
        now = states.get(key, SkillState())
        state = turned_on(command, found, now) if command.enabled else turned_off(command, now)
        await self.states.put(key, state)
        return found.in_state(state) if isinstance(found, SkillRecord) else found

    def _survey(self, _: Cancelled) -> Sequence[Survey]:
        surveys = [files.survey(self._known.get(files.source)) for files in self.sources]
        self._known.update((survey.source, survey) for survey in surveys if survey.problem is None)
        return surveys

    async def _look(self, address: Address) -> Look:
        return await self.offload(lambda _: look_at(address.name, self.sources))

    async def _root(self, look: Look, address: Address) -> SourceId:
        """The root that an address leads to. Only where it leads nowhere, all are surveyed, for names that are near."""
        root = look.root(address)
        if root is not None:
            return root
        surveys = await self.offload(self._survey)
        names = {name for survey in surveys for name in survey.sightings if is_skill_name(name)}
        raise SkillAbsent(str(address), fix=suggestion(address.name, names))
