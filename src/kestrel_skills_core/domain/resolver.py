"""Which skill a name means: sources by rank, one record a name, the losers shadowed, nothing dropped in silence.

Rule 1: the source of lower rank wins a name: agent-local, then host-shared, then git.
Rule 2: a rejected folder holds its name against every source it outranks: what it would have shadowed is held back, and
        not exposed under another's enablement.
Rule 3: so does a root that could not be read: it may hold any name. What it outranks is off, and is found by its own
        address, `name@source`, alone: it may be a copy that somebody meant to replace.
Rule 4: the result depends on what was seen, and not on the order it was seen in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from attrs import evolve, field, frozen

from .errors import SkillAbsent, SkillError
from .names import Address, SkillName, SourceId, is_skill_name
from .nearest import suggestion
from .record import Rejection, Sighting, SkillRecord, SkillState
from .state_row import StateKey
from .text import escaped

__all__ = ["Catalog", "Resolver", "Survey", "leads_to"]

_LABEL_CHARS: Final = 80


@frozen(kw_only=True)
class Survey:
    """One pass over one source root: every folder in it, by its name on the disk, each with what was seen.

    `root` is the SHA-256 of the shared root's path, in hex; nothing for the agent's own. Folders whose names are no
    skill names are among the sightings too.
    """

    source: SourceId
    root: str | None = None
    sightings: Mapping[str, Sighting] = field(factory=dict)
    entries: int = 0
    """Immediate entries of the root, counted as `Limits.root_entries` counts them."""
    problem: SkillError | None = None
    """Why the root could not be read, or not in full; the sightings are then what could be."""
    _stateless: dict[str, SkillRecord | Rejection] = field(factory=dict, init=False, eq=False, repr=False)
    """What folders are of which no row says anything: worked out once, for all agents who look at a root together."""

    def found(self, folder: str, states: Mapping[StateKey, SkillState]) -> SkillRecord | Rejection:
        """What one folder is, resolved by itself.

        Raises:
            KeyError: There is none of that name.
        """
        sighting = self.sightings[folder]
        source = _source(self.source, sighting)
        if states and sighting.head is not None:
            state = states.get(StateKey(sighting.head.name, source is SourceId.HOST_SHARED))
            if state is not None:
                return SkillRecord(seen=sighting, source=source, root=self.root, state=state)
        found = self._stateless.get(folder)
        if found is None:
            found = self._stateless[folder] = (
                _rejection(folder, sighting, source)
                if sighting.head is None
                else SkillRecord(seen=sighting, source=source, root=self.root)
            )
        return found

    def holds(self, source: SourceId) -> bool:
        """Whether it holds every name against a source (rule 3)."""
        return self.problem is not None and self.source.rank < source.rank


@frozen
class Catalog:
    """Everything that was seen, resolved, in an order that is the same on every machine.

    `records` are the skills that names resolve to, in catalog order (priority, name). `rejected` are folders with
    faults, by label and rank. `problems` are sources that could not be read, `entries` how many each of the others has.
    `enabled` are the records that are on, in the same order: said once, since whoever has a catalog asks it first.
    """

    records: tuple[SkillRecord, ...]
    rejected: tuple[Rejection, ...] = ()
    problems: tuple[tuple[SourceId, SkillError], ...] = ()
    entries: tuple[tuple[SourceId, int], ...] = ()
    enabled: tuple[SkillRecord, ...] = field(init=False, eq=False, repr=False)

    @enabled.default
    def _of_the_records(self) -> tuple[SkillRecord, ...]:
        return tuple(record for record in self.records if record.enabled)

    @cached_property
    def meanings(self) -> Mapping[SkillName, SkillRecord | Rejection]:
        """What each name means: its record, else the rejected folder that holds it."""
        meant: dict[SkillName, SkillRecord | Rejection] = {record.name: record for record in self.records}
        for rejection in self.rejected:
            if rejection.name is not None:
                meant.setdefault(rejection.name, rejection)
        return meant

    @property
    def is_empty(self) -> bool:
        """Whether there is no folder at all."""
        return not (self.records or self.rejected)

    def find(self, address: Address) -> SkillRecord | Rejection:
        """What an address means: the record of a name, or a rejection that holds it; or the copy in one source.

        Raises:
            SkillAbsent: Nothing of that name was seen there.
        """
        for found in self.everything:
            if found.name == address.name and address.source in (None, found.source):
                return found
        raise SkillAbsent(str(address), fix=suggestion(address.name, self._names()))

    def unread(self, source: SourceId) -> SkillError | None:
        """Why nobody can tell what the names of a source mean: its own root, or one that comes first (rule 3)."""
        return next((problem for root, problem in self.problems if root.rank <= source.rank), None)

    def amended(self, newer: Mapping[SkillName, SkillRecord | Rejection | None]) -> Catalog:
        """The same, in which these names mean what was found of them since, or nothing; without any, this very one."""
        if not newer:
            return self
        records = [record for record in self.records if record.name not in newer]
        rejected = [rejection for rejection in self.rejected if rejection.name not in newer]
        for found in newer.values():
            if isinstance(found, SkillRecord):
                records.append(found)
            elif found is not None:
                rejected.append(found)
        return evolve(self, records=_in_order(records), rejected=_by_label(rejected))

    def _names(self) -> set[str]:
        return {found.name for found in self.everything if found.name is not None}

    @property
    def everything(self) -> Iterator[SkillRecord | Rejection]:
        """All that was seen: what resolves, what is shadowed, what is rejected, and what is held back."""
        for record in self.records:
            yield record
            yield from record.shadowed
        for rejection in self.rejected:
            yield rejection
            if rejection.holds_back is not None:
                yield rejection.holds_back


@frozen
class Resolver:
    """Resolves what was surveyed, with the states of one agent."""

    def resolve(self, surveys: Iterable[Survey], states: Mapping[StateKey, SkillState] | None = None) -> Catalog:
        """One catalog of all sources; `states` absent means that nothing is known to be on."""
        surveys = sorted(surveys, key=lambda survey: survey.source.rank)
        unread = [survey for survey in surveys if survey.problem is not None]
        alone: dict[SkillName, SkillRecord | Rejection] = {}
        contested: dict[SkillName, list[SkillRecord | Rejection]] = {}
        rejected: list[Rejection] = []
        for found in _found(surveys, unread, states or {}):
            if found.name is None:
                assert isinstance(found, Rejection)
                rejected.append(found)
            elif (other := alone.setdefault(found.name, found)) is not found:
                contested.setdefault(found.name, [other]).append(found)
        records = []
        for name, claims in contested.items():
            del alone[name]
            record, losers = _decide(claims)
            records += [record] if record is not None else []
            rejected += losers
        records += [found for found in alone.values() if isinstance(found, SkillRecord)]
        rejected += [found for found in alone.values() if isinstance(found, Rejection)]
        return Catalog(
            _in_order(records),
            _by_label(rejected),
            tuple((survey.source, survey.problem) for survey in unread if survey.problem is not None),
            tuple((survey.source, survey.entries) for survey in surveys if survey.problem is None),
        )


def _found(
    surveys: Iterable[Survey], unread: Sequence[Survey], states: Mapping[StateKey, SkillState]
) -> Iterator[SkillRecord | Rejection]:
    """What each folder is by itself, and off where what comes before it may hold its name (rule 3)."""
    for survey in surveys:
        for folder in sorted(survey.sightings):
            found = survey.found(folder, states)
            if unread and isinstance(found, SkillRecord) and any(root.holds(found.source) for root in unread):
                found = found.in_state(evolve(found.state, enabled=False))
            yield found


def _in_order(records: Iterable[SkillRecord]) -> tuple[SkillRecord, ...]:
    by_name = sorted(records, key=lambda record: record.name)
    return tuple(sorted(by_name, key=lambda record: record.state.priority))


def _by_label(rejected: Iterable[Rejection]) -> tuple[Rejection, ...]:
    return tuple(sorted(rejected, key=lambda found: (found.label, found.source.rank)))


def leads_to(address: Address, surveys: Iterable[Survey]) -> Survey | None:
    """The survey of the root that an address leads to, be it one that could not be read (rule 3); none, if nowhere.

    Costs a look for one name in each survey.
    """
    meant: list[tuple[int, Survey]] = []
    for survey in surveys:
        if survey.problem is not None:
            if address.source is None or address.source.home is survey.source:
                meant.append((survey.source.rank, survey))
        elif (sighting := survey.sightings.get(address.name)) is not None:
            source = _source(survey.source, sighting)
            if address.source in (None, source):
                meant.append((source.rank, survey))
    return min(meant, key=lambda each: each[0])[1] if meant else None


def _rejection(folder: str, sighting: Sighting, source: SourceId) -> Rejection:
    return Rejection(
        label=escaped(folder)[:_LABEL_CHARS],
        name=SkillName(folder) if is_skill_name(folder) else None,
        source=source,
        faults=sighting.faults,
        findings=sighting.findings,
        revision=sighting.revision,
        inventory=sighting.inventory,
        generation=sighting.generation,
        unlisted=sighting.unlisted,
        adaptable=sighting.adaptable and source is not SourceId.HOST_SHARED,
    )


def _source(root: SourceId, sighting: Sighting) -> SourceId:
    """A shared root stays shared; a folder of the agent's own root is what its provenance says."""
    if root is SourceId.AGENT_LOCAL and sighting.provenance is not None:
        return sighting.provenance.source
    return root


def _decide(candidates: list[SkillRecord | Rejection]) -> tuple[SkillRecord | None, list[Rejection]]:
    """The record that a name resolves to, and the rejections that are entries of their own."""
    first, *_ = by_rank = sorted(candidates, key=lambda found: found.source.rank)
    rejections = [found for found in by_rank if isinstance(found, Rejection)]
    records = [found for found in by_rank if isinstance(found, SkillRecord)]
    if isinstance(first, Rejection):
        held = evolve(records[0], shadowed=tuple(records[1:])) if records else None
        return None, [evolve(first, holds_back=held), *rejections[1:]]
    return evolve(records[0], shadowed=tuple(records[1:])), rejections
