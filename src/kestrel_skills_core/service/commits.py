"""What a decision commits: one verb of the store with its arguments, as a value."""

from __future__ import annotations

from attrs import frozen

from ..domain.approval import ApprovalBinding
from ..domain.names import Generation, ResourcePath, Revision, SkillName
from ..domain.provenance import Provenance
from ..domain.tree import SkillTree
from ..ports.store import SkillStore
from ..ports.world import Cancelled

__all__ = ["Annotate", "Publish", "Remove", "Retire", "Write"]


@frozen(kw_only=True)
class Annotate:
    """Write where a skill came from, and what was made of it."""

    name: SkillName
    provenance: Provenance
    seen: Revision

    def __call__(self, store: SkillStore, cancelled: Cancelled) -> None:
        """Do it; see the port."""
        store.annotate(self.name, self.provenance, seen=self.seen, cancelled=cancelled)


@frozen(kw_only=True)
class Publish:
    """Bring a new folder into sight."""

    name: SkillName
    tree: SkillTree
    provenance: Provenance | None = None

    def __call__(self, store: SkillStore, cancelled: Cancelled) -> Generation:
        """Do it; see the port."""
        return store.publish(self.name, self.tree, self.provenance, cancelled=cancelled)


@frozen(kw_only=True)
class Write:
    """Replace or add one file."""

    name: SkillName
    path: ResourcePath
    content: bytes
    seen: Revision

    def __call__(self, store: SkillStore, cancelled: Cancelled) -> Revision:
        """Do it; see the port."""
        return store.write(self.name, self.path, self.content, seen=self.seen, cancelled=cancelled)


@frozen(kw_only=True)
class Remove:
    """Take one file out."""

    name: SkillName
    path: ResourcePath
    seen: Revision

    def __call__(self, store: SkillStore, cancelled: Cancelled) -> Revision:
        """Do it; see the port."""
        return store.remove(self.name, self.path, seen=self.seen, cancelled=cancelled)


@frozen(kw_only=True)
class Retire:
    """Take a whole folder out of sight."""

    name: SkillName
    approved: ApprovalBinding

    def __call__(self, store: SkillStore, cancelled: Cancelled) -> None:
        """Do it; see the port."""
        store.retire(self.name, approved=self.approved, cancelled=cancelled)
