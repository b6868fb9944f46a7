"""What was seen is what is done: the token of a destructive operation.

The token is a digest over everything that the operation would destroy. It is computed again, from digests taken at
that moment, when the operation is asked for; equal tokens mean that nothing changed in between.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

from attrs import astuple, frozen

from .names import Generation, Revision, SkillName, SourceId
from .tree import Listing, Unlisted

__all__ = ["ApprovalBinding", "holds_repository", "is_repository"]

_TAG: Final = b"kestrel-skill-approval-v2\n"


@frozen(kw_only=True)
class ApprovalBinding:
    """An operation of one agent on one birth of one folder, with everything in it.

    `revision` is the inventory's; `unlisted` is every entry beside it. Neither enablement, nor priority, nor what
    the skill shadows, is bound: they are not destroyed.
    """

    operation: str
    agent: str
    name: SkillName
    source: SourceId
    generation: Generation
    revision: Revision
    unlisted: Listing = ()

    @property
    def token(self) -> str:
        """64 hex digits, whatever the order of `unlisted`.

        SHA-256 over the ASCII text `kestrel-skill-approval-v2` and a line feed, then every field in the order above,
        then path, kind, size, time of modification and time of change of every unlisted entry, in their order: each as
        UTF-8, numbers in decimal, behind its length in 4 bytes, big-endian.
        """
        digest = hashlib.sha256(_TAG)
        parts = [self.operation, self.agent, self.name, self.source, self.generation, self.revision]
        for entry in sorted(self.unlisted):
            parts += map(str, astuple(entry))
        for part in parts:
            spelt = part.encode("utf-8", "surrogatepass")
            digest.update(len(spelt).to_bytes(4, "big") + spelt)
        return digest.hexdigest()

    def matches(self, token: str) -> bool:
        """Whether the token is this binding's, in constant time."""
        return hmac.compare_digest(self.token.encode(), token.encode("utf-8", "surrogatepass"))


def holds_repository(unlisted: Iterable[Unlisted]) -> bool:
    """Whether a git repository, or a pointer to one, is among the entries: what it holds, nobody approves unseen."""
    return any(is_repository(entry.path) for entry in unlisted)


def is_repository(path: str) -> bool:
    """Whether what has that path is a git repository, or a pointer to one."""
    return path.rpartition("/")[2].casefold() == ".git"
