"""What the stores say right now, files first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from ..domain.budget import Budget
from ..domain.clause import Clause, render_clause
from ..domain.errors import SkillAbsent, StateUnavailable
from ..domain.names import SkillName
from ..domain.record import SkillState
from ..domain.resolver import Catalog, Resolver, Survey
from ..domain.state_row import StateKey
from ..ports.files import Published, SkillFiles
from ..ports.states import StateTable

__all__ = ["Observed", "look_at", "states_of"]


@frozen
class Observed:
    """The catalog, and why nothing in it can be on where the table of states did not answer."""

    catalog: Catalog
    unavailable: StateUnavailable | None = None

    def clause(self, budget: Budget) -> Clause:
        """The context clause of what is on."""
        return render_clause(self.catalog.records, budget)


async def states_of(table: StateTable) -> tuple[Mapping[StateKey, SkillState], StateUnavailable | None]:
    """All states; none, and why, where the table does not answer: what is not known to be on is off."""
    try:
        return await table.rows(), None
    except StateUnavailable as error:
        return {}, error


def look_at(
    name: SkillName, sources: Sequence[SkillFiles], states: Mapping[StateKey, SkillState]
) -> tuple[Catalog, Mapping[SkillFiles, Published]]:
    """One name in every source, resolved by itself: costs the reads of its folders, however many others there are."""
    published: dict[SkillFiles, Published] = {}
    surveys = []
    for files in sources:
        try:
            published[files] = files.read(name)
        except SkillAbsent:
            continue
        sighting = published[files].sighting
        surveys.append(Survey(source=files.source, root=files.root, sightings={name: sighting}))
    return Resolver().resolve(surveys, states), published
