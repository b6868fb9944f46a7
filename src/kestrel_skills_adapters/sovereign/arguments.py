"""Arguments of a tool, as they really come: a host may hand a text where a number is declared, and a quoted word.

Hosts before 0.54 split a command at spaces, quotes and all; later ones read quotes. A text of one word means the same
on either, in quotes or not, and so do the words for true and false, and what is optional and given empty. A figure or
flag in quotes is refused with the earlier ones, by the SDK or here: an SDK that checks types does so before any tool.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, TypeVar

from kestrel_skills_core.domain.text import escaped

__all__ = ["BadArgument", "fitting", "flag", "legal", "number", "text", "word"]

T = TypeVar("T")
D = TypeVar("D", int, None)

_END: Final = 10**9
"""No figure of ours is as large as this."""
_FLAGS: Final = dict.fromkeys(("true", "1", "yes", "on"), True) | dict.fromkeys(("false", "0", "no", "off"), False)
"""As the SDK reads them, too."""


class BadArgument(Exception):
    """An argument that cannot be meant; `code` is the tool's reason code for it."""

    code = "bad_argument"

    def __init__(self, name: str, why: str, fix: str) -> None:
        super().__init__(name, why, fix)
        self.name, self.why, self.fix = name, why, fix

    def __str__(self) -> str:
        return f"the argument {self.name} {self.why}"


def fitting(purposes: Mapping[str, str], needed: Collection[str], given: Collection[str]) -> None:
    """See that arguments of these names are among those that a tool takes, each for its purpose, with all it needs.

    Raises:
        BadArgument: One is not, or is missing.
    """
    for name in given:
        if name not in purposes:
            raise BadArgument(escaped(name), "is none of this tool's", f"its arguments are {', '.join(purposes)}")
    for name in needed:
        if name not in given:
            raise BadArgument(name, "is missing", f"give it: {purposes[name]}")


def text(name: str, given: object) -> str:
    """A text, as it is; none is the empty one."""
    if given is None:
        return ""
    if not isinstance(given, str):
        raise BadArgument(name, "is not a text", "give it as a string")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise BadArgument(name, "holds half a character", r"write a character beyond \uFFFF as it is") from None
    return given


def word(name: str, given: object) -> str:
    """A text that is one name, path, address or digest: without space around it, nor quotes."""
    bare = text(name, given).strip()
    is_quoted = len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'"
    return bare[1:-1] if is_quoted else bare


def number(name: str, given: object, default: D) -> int | D:
    """A whole number, or the digits of one; the default where none is given."""
    if given is None or (isinstance(given, str) and not given.strip()):
        return default
    figure = _figure(given)
    if figure is None or not -_END < figure < _END:
        fix = "give whole numbers as numbers, without quotes; of a command, only the last argument may be several words"
        raise BadArgument(name, "is not a whole number, or far too large", fix)
    return figure


def flag(name: str, given: object, default: bool = False) -> bool:  # noqa: FBT001, FBT002 - it is what a flag is
    """True or false, or a word for it; the default where none is given."""
    if isinstance(given, bool):
        return given
    said = "" if given is None else str(given).strip().lower() if isinstance(given, str | int) else "?"
    if said and said not in _FLAGS:
        raise BadArgument(name, "is neither true nor false", "give true or false")
    return _FLAGS.get(said, default)


def legal(make: Callable[..., T], **fields: object) -> T:
    """What is made of these fields, which refuses those that cannot be meant.

    Raises:
        BadArgument: It did; its first word is the field.
    """
    try:
        return make(**fields)
    except ValueError as error:
        name, _, why = str(error).partition(" ")
        raise BadArgument(name, why, "read the tool's description of it") from None


def _figure(given: object) -> int | None:
    if type(given) is int:
        return given
    if isinstance(given, float) and given.is_integer():
        return int(given)
    digits = given.strip() if isinstance(given, str) else ""
    is_one = digits.isascii() and digits.removeprefix("-").isdecimal() and len(digits) <= len(str(_END))
    return int(digits) if is_one else None
