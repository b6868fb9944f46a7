"""What the stores say right now: every skill for a listing, or one name for everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from attrs import define, evolve, field, frozen

from ..domain.budget import Budget
from ..domain.clause import Clause, render_ordered
from ..domain.errors import Hidden, SkillAbsent, SkillError, SourceUnavailable, StateUnavailable, TooLarge
from ..domain.names import Address, SkillName, SourceId
from ..domain.record import Rejection, Sighting, SkillRecord, SkillState
from ..domain.removal import by_hand
from ..domain.resolver import Catalog, Resolver, Survey, leads_to
from ..domain.state_row import StateKey
from ..domain.tree import SkillTree
from ..ports.files import SkillFiles
from ..ports.store import Fence

__all__ = ["Latest", "Look", "Observed", "States", "look_at"]

T = TypeVar("T")

States = Mapping[StateKey, SkillState]


@define(eq=False)
class Latest(Generic[T]):
    """What was worked out last, and of what: whoever asks for the same need not work it out again."""

    _made_of: object = field(default=None, init=False)
    _answer: T | None = field(default=None, init=False)

    def of(self, made_of: object) -> T | None:
        """What was worked out of it, if that was the last; nothing else is kept."""
        return self._answer if self._made_of == made_of else None

    def keep(self, made_of: object, answer: T) -> T:
        """Keep this one."""
        self._made_of, self._answer = made_of, answer
        return answer


@frozen
class Observed:
    """The catalog, and why nothing in it can be on where the table of states, or the marks, did not answer.

    A source that could not be read is among the catalog's `problems`; what the others hold is listed all the same.
    """

    catalog: Catalog
    unavailable: StateUnavailable | None = None
    fences: Mapping[SkillName, Fence] | None = field(factory=dict)
    """The fail-closed marks: names that are off whatever the table says; nothing where nobody knows which are."""
    problems: tuple[SkillError, ...] = ()
    """Why not everything is there, or on: each cause once, sources first."""
    hidden: Hidden | None = None
    """Why nothing is shown, whatever there is."""

    def clause(self, budget: Budget) -> Clause:
        """The context clause of what is on, which a catalog has in the clause's own order."""
        on = self.catalog.enabled
        return render_ordered(on, tuple(record.name for record in on), budget)

    def hindrance(self, written: SkillRecord) -> str:
        """Why a skill that was switched on, in the state that was written, is not in effect; empty where it is."""
        problem = self.catalog.unread(written.source)
        if problem is not None:
            return f"{problem}, and what they may hold comes first"
        nothing_is_on = self.hidden or self.unavailable
        if nothing_is_on is not None:
            return str(nothing_is_on)
        try:
            winner = self.catalog.find(Address(written.name))
        except SkillAbsent:
            return "it is not there any more"
        if winner.source is not written.source:
            held = "held back by a rejected folder" if isinstance(winner, Rejection) else "shadowed by a skill"
            return f"it is {held}, {written.name}@{winner.source}"
        if isinstance(winner, Rejection) or not winner.enabled:
            is_off = written.name in (self.fences or {})
            return "it was switched off again" if is_off else "it changed since it was switched on"
        return ""


@frozen(kw_only=True)
class Look:
    """One name as it is now: by root, a survey of that name alone, and every byte of the folder that it saw.

    A root that has no such folder is not there; one that could not say has a survey with a `problem`, and no tree.
    """

    name: SkillName
    surveys: Mapping[SourceId, Survey]
    trees: Mapping[SourceId, SkillTree]

    def root(self, address: Address) -> SourceId | None:
        """The root that an address of the name leads to, be it one that could not say; none where it leads nowhere."""
        survey = leads_to(address, self.surveys.values())
        return None if survey is None else survey.source

    @property
    def is_unread(self) -> bool:
        """Whether nobody can tell what the name means: the root that it leads to could not say."""
        survey = leads_to(Address(self.name), self.surveys.values())
        return survey is not None and survey.problem is not None

    def unseen(self, address: Address) -> Sequence[StateKey]:
        """Whose rows an address may mean that leads to no folder that was seen; none where it leads to one."""
        if self.root(address) in self.trees:
            return ()
        return [
            StateKey(self.name, root is SourceId.HOST_SHARED)
            for root in dict.fromkeys(source.home for source in SourceId)
            if address.source is None or (address.source.home is root and root not in self.trees)
        ]

    def find(self, address: Address, states: States) -> SkillRecord | Rejection:
        """What an address of the name means, in its state.

        Raises:
            SkillAbsent: It leads nowhere.
            SourceUnavailable, TooLarge: It leads to a root that could not say.
        """
        survey = leads_to(address, self.surveys.values())
        if survey is not None and survey.problem is not None:
            raise survey.problem
        return Resolver().resolve(self.surveys.values(), states).find(address)

    def resolved(self, states: States) -> SkillRecord | Rejection | None:
        """What resolves under the name, as far as it was seen; nothing where nothing does."""
        try:
            return self.find(Address(self.name), states)
        except (SkillAbsent, SourceUnavailable, TooLarge):
            return None

    def own(self, address: Address, states: States) -> SkillRecord | Rejection:
        """What an address means to somebody who would delete it: by its name alone, the folder in the agent's own root.

        Where there is none, and where a source is given, that is what `find` finds.

        Raises:
            SkillAbsent, SourceUnavailable, TooLarge: As `find`.
        """
        survey = self.surveys.get(SourceId.AGENT_LOCAL)
        is_own = address.source is None or address.source.home is SourceId.AGENT_LOCAL
        if survey is not None and is_own and isinstance(large := survey.problem, TooLarge):
            raise TooLarge(large.limit, large.allowed, large.found, f"{large.fix}; or {by_hand(self.name)}")
        if address.source is not None or survey is None:
            return self.find(address, states)
        if survey.problem is not None:
            raise survey.problem
        return survey.found(self.name, states)

    def after(self, sighting: Sighting | None) -> Look:
        """The same look, with what has become of the folder in the agent's own root; nothing where it is gone."""
        root = SourceId.AGENT_LOCAL
        surveys = {source: survey for source, survey in self.surveys.items() if source is not root}
        if sighting is not None:
            surveys[root] = Survey(source=root, sightings={self.name: sighting})
        return evolve(self, surveys=surveys)


def look_at(name: SkillName, sources: Sequence[SkillFiles]) -> Look:
    """Look at one name in every root: costs the reads of its folders, however many others there are."""
    surveys: dict[SourceId, Survey] = {}
    trees: dict[SourceId, SkillTree] = {}
    for files in sources:
        try:
            published = files.read(name)
        except SkillAbsent:
            continue
        except (SourceUnavailable, TooLarge) as failure:
            surveys[files.source] = Survey(source=files.source, root=files.root, problem=failure)
            continue
        surveys[files.source] = Survey(source=files.source, root=files.root, sightings={name: published.sighting})
        trees[files.source] = published.tree
    return Look(name=name, surveys=surveys, trees=trees)
