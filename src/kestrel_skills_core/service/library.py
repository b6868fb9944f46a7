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
from ..domain.lint import lint
from ..domain.names import DOCUMENT, Address, ResourcePath, SourceId
from ..domain.record import Rejection, SkillRecord, SkillState
from ..domain.resolver import Resolver, Survey
from ..domain.search import search
from ..domain.state_row import StateKey
from ..domain.tree import SkillTree
from ..ports.files import SkillFiles
from ..ports.markdown import Markdown
from ..ports.states import StateTable
from ..ports.world import Cancelled, Offload
from .decide import decide_state
from .observed import Observed, look_at, states_of

__all__ = ["Reading", "SkillLibrary"]


@frozen(kw_only=True)
class Reading:
    """One skill or rejected folder as it is now, with every inventoried byte, all of one instant."""

    found: SkillRecord | Rejection
    tree: SkillTree

    @property
    def document(self) -> SkillDocument:
        """The parsed `SKILL.md`.

        Raises:
            SkillAbsent: There is none.
            BadDocument: It has faults.
        """
        return document.parse(self.content(DOCUMENT), self.found.name or self.tree_label)

    @property
    def tree_label(self) -> str:
        """What to call the folder."""
        return self.found.label if isinstance(self.found, Rejection) else self.found.name

    def content(self, path: ResourcePath) -> bytes:
        """The bytes of one file.

        Raises:
            SkillAbsent: The skill has no such file.
        """
        try:
            return self.tree.files[path].data
        except KeyError:
            raise SkillAbsent(self.tree_label, path, fix="look at the skill to see its files") from None


@frozen(kw_only=True)
class SkillLibrary:
    """The skills of one agent: its sources, its table of states, and what may be done with them.

    Everything that blocks goes through `offload`. Nothing is cached but the last survey of each source.
    """

    agent: str
    sources: Sequence[SkillFiles]
    states: StateTable
    offload: Offload
    markdown: Markdown
    budget: Budget = Budget()
    _known: dict[SourceId, Survey] = field(factory=dict, init=False)

    async def catalog(self) -> Observed:
        """Every skill and every rejected folder, resolved. Opens only what changed since the last time."""
        surveys = await self.offload(self._survey)
        states, unavailable = await states_of(self.states)
        return Observed(Resolver().resolve(surveys, states), unavailable)

    def _survey(self, cancelled: Cancelled) -> list[Survey]:
        for files in self.sources:
            self._known[files.source] = files.survey(self._known.get(files.source))
        return list(self._known.values())

    async def search(self, query: str) -> tuple[SkillRecord, ...]:
        """The skills in whose name or description every word of the query occurs, best first."""
        return search((await self.catalog()).catalog.records, query)

    async def read(self, address: Address) -> Reading:
        """One skill as it is now, shadowed copies by their source. Touches one folder in each source.

        Raises:
            SkillAbsent: Nothing of that name is there.
            TooLarge: The folder is beyond the caps, so that it cannot be shown whole.
            SourceUnavailable: A source cannot be read.
        """
        states, _ = await states_of(self.states)
        catalog, published = await self.offload(lambda _: look_at(address.name, self.sources, states))
        found = catalog.find(address)
        root = SourceId.HOST_SHARED if found.source is SourceId.HOST_SHARED else SourceId.AGENT_LOCAL
        tree = next(seen.tree for files, seen in published.items() if files.source is root)
        return Reading(found=found, tree=tree)

    async def checks(self, address: Address) -> tuple[Finding, ...]:
        """Everything wrong with one skill, or advice on it where nothing is wrong."""
        reading = await self.read(address)
        if isinstance(reading.found, Rejection):
            return reading.found.findings
        parsed = reading.document
        links = await self.offload(lambda _: self.markdown.links(parsed.body))
        advice = lint(parsed, reading.tree, links)
        return tuple(sorted({*reading.found.findings, *advice}, key=lambda finding: finding.place))

    async def set_state(self, command: SetState) -> SkillRecord | Rejection:
        """Turn a skill on or off, move it, or pin it; gives the skill in its new state. Touches one name.

        Raises:
            StateUnavailable: The table cannot be read or written; nothing was changed.
            SkillAbsent: Nothing of that name is there.
            BadDocument, NotEditable, StaleRevision: See `decide_state`; nothing was changed.
        """
        states = await self.states.rows()
        catalog, _ = await self.offload(lambda _: look_at(command.address.name, self.sources, states))
        found = catalog.find(command.address)
        shared = found.source is SourceId.HOST_SHARED
        now = states.get(StateKey(command.address.name, shared), SkillState())
        key, state = decide_state(command, found, now)
        await self.states.put(key, state)
        return found.in_state(state) if isinstance(found, SkillRecord) else found
