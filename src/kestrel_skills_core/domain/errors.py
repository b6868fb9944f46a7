"""Everything the core may raise.

Four branches, by who can act: `Refused` (the author), `Moved` (the caller, after looking again), `Withheld` (whoever
grants it), `Failed` (the operator of the machine). The arguments are the evidence; the text is derived from them, is
one line of bounded length, and so is the fix; neither ever holds an absolute path of the host, an exception's text or
anything else of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Self

from .findings import Finding
from .text import escaped

if TYPE_CHECKING:
    from .adapt import Adaptation

__all__ = [
    "Abandoned",
    "BadDocument",
    "BadName",
    "BadPath",
    "BadSource",
    "Busy",
    "Failed",
    "GitFailed",
    "Hidden",
    "InDoubt",
    "KeptAbsent",
    "Moved",
    "NotEditable",
    "OtherDigest",
    "OutOfRange",
    "Refused",
    "SkillAbsent",
    "SkillError",
    "SkillExists",
    "SourceUnavailable",
    "StaleRevision",
    "StateUnavailable",
    "StoreFailed",
    "SwitchedOff",
    "TooLarge",
    "Unconditional",
    "Unmatched",
    "Withheld",
]


_SHOWN: Final = 200
_TOLD: Final = 1000


def _quoted(text: str) -> str:
    """What somebody gave, on one line, with nothing hidden in it, and not for ever."""
    return f"'{escaped(text[:_SHOWN])}'"


def _line(text: str) -> str:
    """What is told, on one line, with nothing hidden in it, and not for ever: it may quote what somebody gave."""
    told = escaped(text[:_TOLD])
    return told if len(told) <= _TOLD and len(text) <= _TOLD else f"{told[:_TOLD]}…"


class SkillError(Exception):
    """Base of every expected failure. It and its four branches have no code, and are not raised themselves."""

    code: ClassVar[str]
    """A stable word for programs."""
    _fix: str = ""

    @property
    def fix(self) -> str:
        """What the reader should do, if anything: one line, with nothing hidden in it, and not for ever."""
        return self._fix

    @fix.setter
    def fix(self, told: str) -> None:
        self._fix = _line(told)

    def __new__(cls, *evidence: object, **more: object) -> Self:
        """Refuse what is no leaf."""
        if not hasattr(cls, "code"):
            raise TypeError(f"{cls.__name__} is a family of errors: raise one of its members")
        return super().__new__(cls, *evidence, **more)


class Refused(SkillError):
    """The input is wrong, and its author can mend it."""


class BadName(Refused):
    """A skill name, or an address `name@source`, that is none."""

    code = "bad_name"

    def __init__(self, given: str, why: str, fix: str = "") -> None:
        super().__init__(given, why, fix)
        self.given, self.why, self.fix = given, why, fix

    def __str__(self) -> str:
        return f"{_quoted(self.given)} is not a skill name: {_line(self.why)}"


class BadPath(Refused):
    """A resource path that does not travel, or that this library keeps for itself."""

    code = "bad_path"

    def __init__(self, given: str, why: str, fix: str = "", *, reserved: bool = False) -> None:
        super().__init__(given, why, fix)
        self.given, self.why, self.fix, self.reserved = given, why, fix, reserved

    def __str__(self) -> str:
        return f"{_quoted(self.given)} is not a resource path: {_line(self.why)}"


class BadDocument(Refused):
    """A skill with faults: all of them, in reading order. `line` and `column` are those of the first, 0 without any.

    `adaptation` is what would make a skill of it, if anything would and that was not asked for.
    """

    code = "bad_document"

    def __init__(self, name: str, faults: Sequence[Finding], adaptation: Adaptation | None = None) -> None:
        super().__init__(name, tuple(faults), adaptation)
        self.name, self.faults, self.adaptation = name, tuple(faults), adaptation
        first = self.faults[0] if self.faults else None
        self.fix = first.fix if first else ""
        if adaptation is not None:
            self.fix = f"let it be adapted, which {adaptation}; or else {self.fix}"
        self.line, self.column = (first.line, first.column) if first else (0, 0)

    def __str__(self) -> str:
        if not self.faults:
            return f"{_quoted(self.name)} is not a skill"
        more = f" (and {len(self.faults) - 1} more)" if len(self.faults) > 1 else ""
        return f"{escaped(self.name[:_SHOWN])}/{_line(str(self.faults[0]))}{more}"


class BadSource(Refused):
    """A place to read skills from, or a reference to one, that cannot be used."""

    code = "bad_source"

    def __init__(self, given: str, why: str, fix: str = "") -> None:
        super().__init__(given, why, fix)
        self.given, self.why, self.fix = given, why, fix

    def __str__(self) -> str:
        return f"{_quoted(self.given)} cannot be used as a source: {_line(self.why)}"


class TooLarge(Refused):
    """A cap was crossed."""

    code = "too_large"

    def __init__(self, limit: str, allowed: int, found: int | None = None, fix: str = "") -> None:
        super().__init__(limit, allowed, found, fix)
        self.limit, self.allowed, self.found, self.fix = limit, allowed, found, fix

    def __str__(self) -> str:
        found = "more" if self.found is None else f"{self.found:,}"
        return f"{_line(self.limit)}: {found} where {self.allowed:,} are allowed"


class OutOfRange(Refused):
    """A figure that is less, or more, than it may be; without `most`, any is good that is not less."""

    code = "out_of_range"

    def __init__(self, what: str, given: int, least: int, most: int | None = None, fix: str = "") -> None:
        super().__init__(what, given, least, most, fix)
        self.what, self.given, self.least, self.most = what, given, least, most
        self.fix = fix or f"give another {what}"

    def __str__(self) -> str:
        allowed = f"{self.least:,} or more" if self.most is None else f"from {self.least:,} to {self.most:,}"
        return f"the {_line(self.what)} is {f'{self.given:,}'[:_SHOWN]}, and must be {allowed}"


class Unconditional(Refused):
    """A change that would overwrite what its caller may not have seen, and that does not say what was seen."""

    code = "unconditional"
    fix = "look at the skill, and give the revision that you saw"

    def __init__(self, name: str, path: str) -> None:
        super().__init__(name, path)
        self.name, self.path = name, path

    def __str__(self) -> str:
        return f"{_quoted(self.path)} of {_quoted(self.name)} is there already, and no revision was given"


class Unmatched(Refused):
    """A text to replace that is not in the file exactly once."""

    code = "unmatched"

    def __init__(self, path: str, found: int, fix: str = "") -> None:
        super().__init__(path, found, fix)
        self.path, self.found, self.fix = path, found, fix

    def __str__(self) -> str:
        return f"the text to replace is in {_quoted(self.path)} {self.found:,} times, and must be there once"


class Moved(SkillError):
    """The world is not as the caller saw it; look again."""


class SkillAbsent(Moved):
    """No such skill, or no such file in it."""

    code = "absent"

    def __init__(self, name: str, path: str | None = None, fix: str = "") -> None:
        super().__init__(name, path, fix)
        self.name, self.path = name, path
        self.fix = fix or (
            "list the skills to see their names" if path is None else "look at the skill to see its files"
        )

    def __str__(self) -> str:
        if self.path is None:
            return f"there is no skill {_quoted(self.name)}"
        return f"{_quoted(self.name)} has no file {_quoted(self.path)}"


class SkillExists(Moved):
    """A skill of that name is there already."""

    code = "exists"
    fix = "edit or delete the skill that is there, or choose another name"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"there is already a skill {_quoted(self.name)}"


class KeptAbsent(Moved):
    """Nothing is kept under that token."""

    code = "kept_absent"
    fix = "list what is kept, then decide again"

    def __init__(self, token: str) -> None:
        super().__init__(token)
        self.token = token

    def __str__(self) -> str:
        return f"nothing is kept as {_quoted(self.token)}"


class StaleRevision(Moved):
    """The skill changed since the caller looked at it."""

    code = "stale"
    fix = "look at the skill as it is now, then decide again"

    def __init__(self, name: str, seen: str | None, found: str | None = None, kept: str | None = None) -> None:
        super().__init__(name, seen, found, kept)
        self.name, self.seen, self.found, self.kept = name, seen, found, kept

    def __str__(self) -> str:
        kept = f"; what was there is kept as {_quoted(self.kept)}" if self.kept else ""
        return f"{_quoted(self.name)} changed since it was looked at{kept}"


class OtherDigest(Moved):
    """What would land is not what was previewed."""

    code = "other_digest"
    fix = "preview it again in the same way, and decide on what it is now"

    def __init__(self, name: str, seen: str, found: str) -> None:
        super().__init__(name, seen, found)
        self.name, self.seen, self.found = name, seen, found

    def __str__(self) -> str:
        return f"what would land as {_quoted(self.name)} has the digest {_line(self.found)}, and not {_line(self.seen)}"


class SwitchedOff(Moved):
    """The skill was switched off by another, while it was switched on."""

    code = "switched_off"
    fix = "look whether it is to be on, then switch it on again"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"{_quoted(self.name)} is still off: it was switched off meanwhile"


class Withheld(SkillError):
    """Not permitted here or now."""


class NotEditable(Withheld):
    """This library may not change that skill, or not in that way; without a `name`, no skill from that source."""

    code = "not_editable"

    def __init__(self, source: str, why: str, fix: str = "", *, name: str | None = None) -> None:
        super().__init__(source, why, fix)
        self.source, self.why, self.fix, self.name = source, why, fix, name

    def __str__(self) -> str:
        source = _line(self.source)
        what = f"skills from {source}" if self.name is None else f"{_quoted(self.name)}, of {source},"
        return f"{what} cannot be changed here: {_line(self.why)}"


class Hidden(Withheld):
    """What is kept of the agent may not be seen or written now. `mode` is its privacy mode; empty where none tells."""

    code = "hidden"

    def __init__(self, mode: str = "") -> None:
        super().__init__(mode)
        self.mode = mode
        self.fix = "leave that mode, and all is as it was" if mode else "see that the agent has a privacy mode"

    def __str__(self) -> str:
        why = f"the agent's privacy mode is {_quoted(self.mode)}" if self.mode else "nobody can say its privacy mode"
        return f"the agent's skills are hidden: {why}"


class Failed(SkillError):
    """Ours, or the machine's; the input may be right."""


class StateUnavailable(Failed):
    """The table of what is enabled cannot be read or written."""

    code = "state_unavailable"

    def __init__(self, why: str, fix: str = "") -> None:
        super().__init__(why, fix)
        self.why, self.fix = why, fix

    def __str__(self) -> str:
        return f"what is enabled cannot be read or written: {_line(self.why)}"


class SourceUnavailable(Failed):
    """A source root cannot be read."""

    code = "source_unavailable"

    def __init__(self, source: str, why: str, fix: str = "") -> None:
        super().__init__(source, why, fix)
        self.source, self.why, self.fix = source, why, fix

    def __str__(self) -> str:
        return f"the {_line(self.source)} skills cannot be read: {_line(self.why)}"


class StoreFailed(Failed):
    """A step of a mutation failed; the skill is as it was."""

    code = "store_failed"

    def __init__(self, step: str, why: str, fix: str = "") -> None:
        super().__init__(step, why, fix)
        self.step, self.why, self.fix = step, why, fix

    def __str__(self) -> str:
        return f"the skills folder could not be changed ({_line(self.step)}): {_line(self.why)}"


class GitFailed(Failed):
    """A repository could not be read, or sent what cannot be trusted.

    `stage` is one of address, connect, refs, fetch, pack, tree, file. What a server said is escaped and cut.
    """

    code = "git_failed"

    def __init__(self, stage: str, why: str, fix: str = "") -> None:
        super().__init__(stage, why, fix)
        self.stage, self.why, self.fix = stage, why, fix

    def __str__(self) -> str:
        return f"the repository could not be read ({_line(self.stage)}): {escaped(self.why[:_SHOWN])}"


class Busy(Failed):
    """Something is held by another for longer than we wait; by another process, if nothing else is said."""

    code = "busy"
    fix = "try again in a moment"

    def __init__(self, held: str, by: str = "another process") -> None:
        super().__init__(held, by)
        self.held, self.by = held, by

    def __str__(self) -> str:
        return f"{_line(self.held)} is in use by {_line(self.by)}"


class Abandoned(Failed):
    """Whoever asked has gone away, and what was begun was given up; nothing came of it."""

    code = "abandoned"
    fix = "ask again"

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what

    def __str__(self) -> str:
        return f"{_line(self.what)} was given up, since whoever asked for it went away"


class InDoubt(Failed):
    """Whether it happened is not known."""

    code = "in_doubt"
    fix = "look at the skill before doing anything else"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"whether {_quoted(self.name)} was changed is not known"
