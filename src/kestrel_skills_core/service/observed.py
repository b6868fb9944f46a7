"""What the stores say right now: every skill for a listing, or one name for everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import evolve, field, frozen

from ..domain.budget import Budget
from ..domain.clause import Clause, render_clause
from ..domain.errors import SkillAbsent, SkillError, SourceUnavailable, StateUnavailable, TooLarge
from ..domain.names import Address, SkillName, SourceId
from ..domain.record import Rejection, Sighting, SkillRecord, SkillState
from ..domain.resolver import Catalog, Resolver, Survey, record_of
from ..domain.state_row import StateKey
from ..domain.tree import SkillTree
from ..ports.files import SkillFiles
from ..ports.store import Fence

__all__ = ["Look", "Observed", "States", "look_at"]

States = Mapping[StateKey, SkillState]

_HELD: Final[Mapping[SourceId, tuple[SourceId, ...]]] = {
    SourceId.AGENT_LOCAL: (SourceId.AGENT_LOCAL, SourceId.GIT),
    SourceId.HOST_SHARED: (SourceId.HOST_SHARED,),
}
"""The sources that the folders of each root may belong to, by rank."""


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

    def clause(self, budget: Budget) -> Clause:
        """The context clause of what is on."""
        return render_clause(self.catalog.records, budget)

    def hindrance(self, written: SkillRecord) -> str:
        """Why a skill that was switched on, in the state that was written, is not in effect; empty where it is."""
        for source, problem in self.catalog.problems:
            if source.rank <= written.source.rank:
                return f"{problem}, and what they may hold comes first"
        if self.unavailable is not None:
            return str(self.unavailable)
        try:
            winner = self.catalog.find(Address(written.name))
        except SkillAbsent:
            return "it is not there any more"
        if winner.source is not written.source:
            held = "held back by a rejected folder" if isinstance(winner, Rejection) else "shadowed by a skill"
            return f"it is {held}, {written.name}@{winner.source}"
        if isinstance(winner, Rejection) or not winner.enabled:
            return "it changed since it was switched on"
        return ""


@frozen(kw_only=True)
class Look:
    """One name as it is now: by root, the folder of that name, or why the root could not say.

    Rule: a root that could not say holds the name against every source it outranks, as a rejected folder does. What it
    outranks may be a copy that somebody meant to replace; it stays there by its own address, `name@source`.
    """

    name: SkillName
    surveys: Mapping[SourceId, Survey]
    trees: Mapping[SourceId, SkillTree]
    failures: Mapping[SourceId, SourceUnavailable | TooLarge]

    def root(self, address: Address) -> SourceId | None:
        """The root that an address of the name leads to, be it one that could not say; none where it leads nowhere."""
        held: dict[SourceId, tuple[SourceId, ...]] = {root: (self._source(root),) for root in self.surveys}
        held |= {root: _HELD[root] for root in self.failures}
        meant = [root for root, sources in held.items() if address.source in (None, *sources)]
        return min(meant, key=lambda root: held[root][0].rank, default=None)

    def unseen(self, address: Address) -> Sequence[StateKey]:
        """Whose rows an address may mean that leads to no folder that was seen; none where it leads to one."""
        if self.root(address) in self.surveys:
            return ()
        return [
            StateKey(self.name, root is SourceId.HOST_SHARED)
            for root, sources in _HELD.items()
            if address.source is None or (address.source in sources and root not in self.surveys)
        ]

    def find(self, address: Address, states: States) -> SkillRecord | Rejection:
        """What an address of the name means, in its state.

        Raises:
            SkillAbsent: It leads nowhere.
            SourceUnavailable, TooLarge: It leads to a root that could not say.
        """
        root = self.root(address)
        if root is not None and root in self.failures:
            raise self.failures[root]
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
        root = SourceId.AGENT_LOCAL
        if address.source is None and root in self.failures:
            raise self.failures[root]
        if address.source is None and root in self.surveys:
            return record_of(self.surveys[root], self.name, self.surveys[root].sightings[self.name], states)
        return self.find(address, states)

    def after(self, sighting: Sighting | None) -> Look:
        """The same look, with what has become of the folder in the agent's own root; nothing where it is gone."""
        root = SourceId.AGENT_LOCAL
        surveys = {source: survey for source, survey in self.surveys.items() if source is not root}
        if sighting is not None:
            surveys[root] = Survey(source=root, sightings={self.name: sighting})
        failures = {source: failure for source, failure in self.failures.items() if source is not root}
        return evolve(self, surveys=surveys, failures=failures)

    def _source(self, root: SourceId) -> SourceId:
        survey = self.surveys[root]
        return record_of(survey, self.name, survey.sightings[self.name], {}).source


def look_at(name: SkillName, sources: Sequence[SkillFiles]) -> Look:
    """Look at one name in every root: costs the reads of its folders, however many others there are."""
    surveys: dict[SourceId, Survey] = {}
    trees: dict[SourceId, SkillTree] = {}
    failures: dict[SourceId, SourceUnavailable | TooLarge] = {}
    for files in sources:
        try:
            published = files.read(name)
        except SkillAbsent:
            continue
        except (SourceUnavailable, TooLarge) as failure:
            failures[files.source] = failure
            continue
        surveys[files.source] = Survey(source=files.source, root=files.root, sightings={name: published.sighting})
        trees[files.source] = published.tree
    return Look(name=name, surveys=surveys, trees=trees, failures=failures)
