"""What a folder on a disk holds, entry by entry, until it is a parcel.

Whoever reads the folder asks here what to open, tells what came of it, and reads on until it is refused: a link, a
special file, what cannot be read, or what is more than one parcel may hold.
"""

from __future__ import annotations

from typing import Final

from .errors import BadSource, TooLarge
from .folder import Kind, is_walked
from .limits import LIMITS
from .names import litter_in, travelling_path
from .parcel import Parcel, packed
from .text import escaped
from .tree import Content

__all__ = ["Intake"]

_FEWER: Final = "see that it is the skill's own folder"
_PLAIN: Final = "install a folder of plain files"


class Intake:
    """One folder that is to be brought in; nothing is known of whether it is a skill."""

    def __init__(self) -> None:
        self._met = 0
        self._bytes = 0
        self._files: list[tuple[str, Content]] = []
        self._left_out: set[str] = set()

    def looks(self, entries: int) -> None:
        """Count entries, of whatever kind, before any of them is looked at.

        Raises:
            TooLarge: There are more than a parcel may come of.
        """
        self._met += entries
        if self._met > LIMITS.parcel_entries:
            raise TooLarge("files and folders of one folder", LIMITS.parcel_entries, fix=_FEWER)

    def enters(self, path: str) -> bool:
        """Whether the folder at that path is to be walked. The answer is `is_walked`'s, in litter too.

        Raises:
            BadPath: It does not travel, or is kept for this library.
        """
        if litter := litter_in(path):
            self._left_out.add(litter)
        else:
            travelling_path(path)
        return is_walked(path)

    def reads(self, path: str) -> int | None:
        """How many bytes to read, at most, of the regular file at that path; nothing where it is litter."""
        return None if litter_in(path) else LIMITS.parcel_bytes - self._bytes

    def file(self, path: str, content: bytes, *, executable: bool) -> None:
        """Take the whole content of a file that `reads` let through."""
        self._bytes += len(content)
        self._files.append((path, Content(content, executable)))

    def large(self, path: str, size: int) -> None:  # noqa: ARG002 - who reads a folder tells both
        """Meet a file that holds more than `reads` allowed.

        Raises:
            TooLarge: Always.
        """
        raise TooLarge("bytes of one folder", LIMITS.parcel_bytes, fix=_FEWER)

    def aside(self, path: str, kind: Kind, **_: int) -> None:
        """Meet what is never opened.

        Raises:
            BadSource: It is no litter, but a link or a special file.
        """
        if litter := litter_in(path):
            self._left_out.add(litter)
        else:
            why = "is a symbolic link" if kind == "link" else "is neither a file nor a folder"
            raise BadSource(path, f"it {why}", _PLAIN)

    def unreadable(self, path: str, why: str) -> None:
        """Meet what could not be read; `why` is one safe phrase.

        Raises:
            BadSource: It is no litter.
        """
        if not litter_in(path):
            raise BadSource(path, f"it cannot be read: {why}", "let yourself read it")

    def parcel(self) -> Parcel:
        """Everything that was taken.

        Raises:
            BadPath, BadSource: See `packed`.
        """
        parcel = packed(self._files)
        return Parcel(parcel.files, tuple(sorted(map(escaped, self._left_out))))
