"""Files on their way in, from wherever they come, before anything is judged as a skill."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from attrs import frozen

from .errors import BadSource
from .foreign import Foreign, opened
from .names import DOCUMENT, ResourcePath, litter_in, travelling_path
from .text import escaped
from .tree import Content, clashes, folders_of

__all__ = ["Parcel", "packed"]


@frozen
class Parcel:
    """One folder's files by path, and the names of those that no skill carries: litter of systems and tools.

    How much a parcel may hold is for whoever packs it to say: it may be more than a skill may have.
    """

    files: Mapping[ResourcePath, Content]
    left_out: tuple[str, ...] = ()

    @cached_property
    def stated(self) -> Foreign | None:
        """What the `SKILL.md` says, read leniently; nothing where there is none, or it cannot be taken apart."""
        document = self.files.get(DOCUMENT)
        return None if document is None else opened(document.data)


def packed(entries: Iterable[tuple[str, Content]]) -> Parcel:
    """Make a parcel of a folder's files, each with its path below it, in any order.

    Litter is left out, and told by its escaped path: of a folder that is litter, and all that lies in it, once.

    Raises:
        BadPath: A path does not travel (see `travelling_path`), or is kept for this library: a marker or provenance
            that came along would speak for somebody else.
        BadSource: Two paths are one, or one for some file system; or one leads through a file.
    """
    files: dict[ResourcePath, Content] = {}
    left_out: set[str] = set()
    for path, content in entries:
        if litter := litter_in(path):
            if above := litter.rpartition("/")[0]:
                travelling_path(above)
            left_out.add(litter)
            continue
        minted = travelling_path(path)
        if minted in files:
            raise BadSource(path, "it is there twice", "ask its author to mend that")
        files[minted] = content
    folders = folders_of(files)
    for path in folders & files.keys():
        raise BadSource(path, "it is a file and a folder", "ask its author to mend that")
    for one, other in clashes([*folders, *files]):
        raise BadSource(
            other, f"some file systems take it for `{escaped(one)}`", "ask its author to rename one of them"
        )
    return Parcel(dict(sorted(files.items())), tuple(sorted(map(escaped, left_out))))
