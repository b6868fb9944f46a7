"""What an edit does to the bytes of one file: replaces all, or one text in them, or adds to their end."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from .errors import SkillAbsent, TooLarge, Unmatched
from .limits import LIMITS
from .names import ResourcePath, SkillName

__all__ = ["Append", "Change", "Replace", "Whole", "changed"]

_QUOTE_MORE: Final = "quote enough of what stands around it to make it the only one"
_QUOTE_LESS: Final = "quote the file exactly as it is, to the last space"
_QUOTE_RETURNS: Final = "the lines of this file end with CRLF: quote them so, or quote less than a line"


@frozen
class Whole:
    """These bytes, whatever was there."""

    content: bytes


@frozen
class Replace:
    """One text for another that is in the file exactly once."""

    old: str
    new: str


@frozen
class Append:
    """This text behind the last byte, as it is."""

    text: str


Change = Whole | Replace | Append


def changed(name: SkillName, path: ResourcePath, before: bytes | None, change: Change) -> bytes:
    """The bytes of a file after a change; `before` is nothing where there is no such file.

    Raises:
        SkillAbsent: There is no file that could be changed.
        Unmatched: The text to replace is not in it exactly once.
        TooLarge: The file would hold more than one may.
    """
    if isinstance(change, Whole):
        after = change.content
    elif before is None:
        raise SkillAbsent(name, path, fix="give the whole content to make a new file")
    elif isinstance(change, Append):
        after = before + _encoded(change.text)
    else:
        after = _replaced(path, before, _encoded(change.old), _encoded(change.new))
    if len(after) > LIMITS.file_bytes:
        raise TooLarge("bytes in one file", LIMITS.file_bytes, len(after), "split the file")
    return after


def _replaced(path: ResourcePath, before: bytes, old: bytes, new: bytes) -> bytes:
    found = before.count(old)
    if found == 1 and before.find(old, before.find(old) + 1) >= 0:
        found = 2  # they overlap, which is not counted
    if found != 1:
        missed = _QUOTE_RETURNS if b"\r\n" in before and b"\n" in old else _QUOTE_LESS
        raise Unmatched(path, found, _QUOTE_MORE if found else missed)
    return before.replace(old, new)


def _encoded(text: str) -> bytes:
    """A surrogate becomes bytes that are no text, and are refused as such."""
    return text.encode("utf-8", "surrogatepass")
