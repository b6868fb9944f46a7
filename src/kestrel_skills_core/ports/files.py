"""Port: the folders of one source root."""

from __future__ import annotations

from typing import Protocol

from attrs import frozen

from ..domain.names import ResourcePath, SkillName, SourceId
from ..domain.record import Sighting
from ..domain.resolver import Survey
from ..domain.tree import SkillTree

__all__ = ["Published", "SkillFiles"]


@frozen(kw_only=True)
class Published:
    """One folder, true at one instant: what a survey would see of it, and every inventoried byte."""

    sighting: Sighting
    tree: SkillTree


class SkillFiles(Protocol):
    """One source root. Whole folders appear, change and vanish; nothing is ever half there.

    Reading never follows a link, never waits for a FIFO or device, and never reads more than the caps allow. One
    broken or hostile folder changes nothing for another.
    """

    @property
    def source(self) -> SourceId:
        """Which source this is: agent-local (its git folders included) or host-shared."""
        ...

    @property
    def root(self) -> str | None:
        """What a state row names a shared root by: the SHA-256 of its path, in hex; nothing for the agent's own."""
        ...

    def survey(self, known: Survey | None = None) -> Survey:
        """Look at every folder once; open only those that changed since `known`, and keep the others' sightings.

        Costs a stat for each file, and a read for each file of a changed folder. Bodies are not held. Sightings come in
        order of the folders' names, and are those of `domain.folder` and `domain.root`: a folder that cannot be opened,
        is no folder but a link, or does not rest while it is read, is an entry with that fault, and not a gap.

        In a root that this library may change, a folder without a well-formed generation marker gets one (of
        `new_generation`), rejected folders too; where that cannot be done, it goes without, and nothing fails.

        Never raises for what a folder holds; where the root itself cannot be read, or holds too many entries, the
        survey says so in `problem`, and sees nothing. `known` may be of any survey, that of another root included.
        """
        ...

    def read(self, name: SkillName) -> Published:
        """One whole folder, whatever its faults, as far as the caps allow: nothing in it changed while it was read.

        Costs the reads of that folder, however many others there are. The tree holds what is inventoried: a file that
        is too large, cannot be read, or cannot be part of a skill, is told of and left out. A link in the folder's
        place is a rejected folder without files. A marker is minted as in a survey.

        Raises:
            SkillAbsent: There is no folder of that name.
            TooLarge: It holds more bytes or entries than one folder may.
            SourceUnavailable: It, or the root, cannot be opened, or it kept changing.
        """
        ...

    def read_resource(self, name: SkillName, path: ResourcePath) -> bytes:
        """The bytes of one file of a folder, at most 256 KiB, whatever the folder's faults.

        Raises:
            SkillAbsent: There is no such folder, or no such regular file in it; a link is none.
            TooLarge: The file is larger.
            SourceUnavailable: It, or the root, cannot be read.
        """
        ...
