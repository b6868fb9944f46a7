"""The library that one command works on, driven without an event loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.errors import SkillAbsent, SkillError, SourceUnavailable, TooLarge
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.names import Address, ResourcePath
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.ports.world import Watcher
from kestrel_skills_core.service.library import Reading, SkillLibrary
from kestrel_skills_core.service.observed import Observed

from ..wiring import Settings, library_of
from ..world import finish
from .progress import Progress

__all__ = ["Session"]


@frozen
class Surveying(Watcher):
    """Shows how far a survey has come."""

    progress: Progress

    def surveying(self, source: str, done: int, total: int) -> None:  # noqa: ARG002  # the watcher's signature
        """So many of so many folders are seen."""
        self.progress.at(done, total)


@frozen
class Session:
    """The skills of one agent, as its settings say where they are."""

    settings: Settings
    environ: Mapping[str, str]
    progress: Progress
    library: SkillLibrary = field(init=False)

    def __attrs_post_init__(self) -> None:
        library = library_of(self.settings, watcher=Surveying(self.progress))
        object.__setattr__(self, "library", library)

    def observe(self) -> Observed:
        """The catalog as it is now."""
        try:
            return finish(self.library.catalog())
        finally:
            self.progress.clear()

    def read(self, address: Address) -> Reading:
        """One skill, whole."""
        return finish(self.library.read(address))

    def read_file(self, address: Address, path: ResourcePath) -> tuple[bytes, SkillRecord | Rejection | None]:
        """One file of a skill, and the skill whose bytes they are; without it where it cannot be read whole."""
        try:
            reading = self.read(address)
            return reading.content(path), reading.found
        except (SkillAbsent, SourceUnavailable, TooLarge):
            return finish(self.library.read_file(address, path)), None

    def checks(self, address: Address, found: SkillRecord | Rejection) -> tuple[Finding, ...]:
        """All findings on a skill; of a folder that cannot be read whole, those of the survey that found it."""
        try:
            return finish(self.library.checks(address))
        except (SourceUnavailable, TooLarge):
            return found.findings

    def set_state(self, command: SetState) -> SkillRecord | Rejection | None:
        """Switch a skill on or off; gives it in the state that was written, if anything of it was seen."""
        return finish(self.library.set_state(command))

    def states(self) -> Mapping[StateKey, SkillState]:
        """Every row of the agent's."""
        return finish(self.library.states.rows())

    def problems(self, observed: Observed) -> Sequence[SkillError]:
        """Why not everything is there: sources that could not be read, then the table of states."""
        found: list[SkillError] = [problem for _, problem in observed.catalog.problems]
        return found if observed.unavailable is None else [*found, observed.unavailable]
