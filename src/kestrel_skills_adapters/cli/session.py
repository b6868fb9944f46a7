"""The library that one command works on, driven without an event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import field, frozen

from kestrel_skills_core.domain.commands import (
    Adapt,
    Create,
    Delete,
    Edit,
    Install,
    Preview,
    RemoveFile,
    SetState,
    Unadapt,
)
from kestrel_skills_core.domain.errors import SourceUnavailable, TooLarge
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.kept import KeptListing
from kestrel_skills_core.domain.names import Address, ResourcePath, SkillName
from kestrel_skills_core.domain.owner import Owner
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.domain.verify import Verification
from kestrel_skills_core.ports.store import Kept, Swept
from kestrel_skills_core.ports.world import Watcher
from kestrel_skills_core.service.adapting import Adapting
from kestrel_skills_core.service.library import Deletion, Outcome, SkillLibrary
from kestrel_skills_core.service.observed import Observed
from kestrel_skills_core.service.queries import FileReading, Reading
from kestrel_skills_core.service.upkeep import Started

from ..wiring import Settings, git_of, installer_of, library_of
from ..world import finish
from .progress import Progress

if TYPE_CHECKING:
    from kestrel_skills_core.domain.offer import Repository
    from kestrel_skills_core.ports.git import GitSource
    from kestrel_skills_core.service.installer import Arrival, Installation, Installer, Stock

__all__ = ["Connect", "Session"]

Connect = Callable[[Callable[[int, int], None]], "GitSource"]
"""Gives what reaches git, and tells how far it has come."""


@frozen
class Surveying(Watcher):
    """Shows how far a survey has come."""

    progress: Progress

    def surveying(self, source: str, done: int, total: int) -> None:  # noqa: ARG002  # the watcher's signature
        """So many of so many folders are seen."""
        self.progress.at(done, total)


@frozen
class Session:
    """The skills of one agent, as its settings say where they are; `connect` is how git is reached, if not as usual."""

    settings: Settings
    environ: Mapping[str, str]
    progress: Progress
    connect: Connect | None = None
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

    def address(self, text: str) -> Address:
        """The name of a skill, with a source or not, as somebody typed it."""
        return finish(self.library.address(text))

    def read(self, address: Address) -> Reading:
        """One skill, whole."""
        return finish(self.library.read(address))

    def read_file(self, address: Address, path: ResourcePath) -> FileReading:
        """One file of a skill."""
        return finish(self.library.read_file(address, path))

    def checks(self, address: Address, found: SkillRecord | Rejection) -> tuple[Finding, ...]:
        """All findings on a skill; of a folder that cannot be read whole, those of the survey that found it."""
        try:
            return finish(self.library.checks(address))
        except (SourceUnavailable, TooLarge):
            return found.findings

    def create(self, command: Create) -> Outcome:
        """Make a skill."""
        return finish(self.library.create(command))

    def edit(self, command: Edit) -> SkillRecord | Rejection:
        """Change one file."""
        return finish(self.library.edit(command))

    def remove_file(self, command: RemoveFile) -> SkillRecord | Rejection:
        """Take one file out."""
        return finish(self.library.remove_file(command))

    def adapt(self, command: Adapt) -> Adapting:
        """Bring a folder into the two-field form."""
        return finish(self.library.adapt(command))

    def unadapt(self, command: Unadapt) -> SkillRecord | Rejection:
        """Put back what a folder was before that."""
        return finish(self.library.unadapt(command))

    def verify(self, address: Address) -> Verification:
        """Whether a skill is as it was installed."""
        return finish(self.library.verify(address))

    def skills(self, repository: Repository) -> Stock:
        """The skills of a repository."""
        with self._transfer() as installer:
            return finish(installer.skills(repository))

    def preview(self, command: Preview) -> Installation:
        """What an installation would do."""
        with self._transfer() as installer:
            return finish(installer.preview(command))

    def install(self, command: Install) -> Arrival:
        """Bring a skill in."""
        with self._transfer() as installer:
            return finish(installer.install(command))

    @contextmanager
    def _transfer(self) -> Iterator[Installer]:
        """Show how far a transfer has come."""
        try:
            yield installer_of(self.library, (self.connect or git_of)(self.progress.transferred))
        finally:
            self.progress.clear()

    def deletion(self, address: Address) -> Deletion:
        """What a deletion would do."""
        return finish(self.library.deletion(address))

    def delete(self, command: Delete) -> Outcome:
        """Delete a folder."""
        return finish(self.library.delete(command))

    def sweep(self) -> Swept:
        """End what interrupted changes left."""
        return finish(self.library.sweep())

    def start(self) -> Started:
        """Do what the start of an agent takes; it never fails."""
        return finish(self.library.start())

    def owner(self) -> Owner | None:
        """Whose the root is said to be."""
        return finish(self.library.owner())

    def kept(self) -> Sequence[Kept]:
        """What is kept of a person's."""
        return finish(self.library.kept())

    def kept_listing(self, token: str) -> KeptListing:
        """All of what is kept under one token."""
        return finish(self.library.kept_listing(token))

    def kept_pieces(self, token: str, path: str) -> Iterator[bytes]:
        """The bytes of one file of it, piece by piece."""
        start = 0
        while piece := finish(self.library.kept_bytes(token, path, start)):
            yield piece
            start += len(piece)

    def restore(self, token: str) -> SkillName:
        """Bring a kept folder back."""
        return finish(self.library.restore(token))

    def discard(self, token: str, seen: KeptListing) -> None:
        """Remove what is kept, as it was seen."""
        finish(self.library.discard(token, seen=seen))

    def set_state(self, command: SetState) -> SkillRecord | Rejection | None:
        """Switch a skill on or off; gives it in the state that was written, if anything of it was seen."""
        return finish(self.library.set_state(command))

    def states(self) -> Mapping[StateKey, SkillState]:
        """Every row of the agent's."""
        return finish(self.library.states.rows())
