"""Everything the core may raise.

Four branches, by who can act: `Refused` (the author), `Moved` (the caller, after looking again), `Withheld` (whoever
grants it), `Failed` (the operator of the machine). The arguments are the evidence; the text is derived from them, is one
line, and never holds an absolute path, an exception's text or anything else of the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .findings import Finding

__all__ = [
    "BadDocument",
    "BadName",
    "BadPath",
    "BadSource",
    "Busy",
    "Failed",
    "InDoubt",
    "Moved",
    "NotEditable",
    "Refused",
    "SkillAbsent",
    "SkillError",
    "SkillExists",
    "SourceUnavailable",
    "StaleRevision",
    "StateUnavailable",
    "StoreFailed",
    "TooLarge",
    "Unapproved",
    "Withheld",
]


class SkillError(Exception):
    """Base of every expected failure; never raised itself."""

    code: ClassVar[str]
    """A stable word for programs."""
    fix: str = ""
    """What the reader should do, if anything."""


class Refused(SkillError):
    """The input is wrong, and its author can mend it."""


class BadName(Refused):
    """A skill name, or an address `name@source`, that is none."""

    code = "bad_name"

    def __init__(self, given: str, why: str, fix: str = "") -> None:
        super().__init__(given, why, fix)
        self.given, self.why, self.fix = given, why, fix

    def __str__(self) -> str:
        return f"{self.given!r} is not a skill name: {self.why}"


class BadPath(Refused):
    """A resource path that does not travel, or that this library keeps for itself."""

    code = "bad_path"

    def __init__(self, given: str, why: str, fix: str = "", *, reserved: bool = False) -> None:
        super().__init__(given, why, fix)
        self.given, self.why, self.fix, self.reserved = given, why, fix, reserved

    def __str__(self) -> str:
        return f"{self.given!r} is not a resource path: {self.why}"


class BadDocument(Refused):
    """A skill with faults: all of them, in reading order."""

    code = "bad_document"

    def __init__(self, name: str, faults: Sequence[Finding]) -> None:
        super().__init__(name, tuple(faults))
        self.name, self.faults = name, tuple(faults)
        self.fix = self.faults[0].fix

    @property
    def line(self) -> int:
        """Where the first fault is."""
        return self.faults[0].line

    @property
    def column(self) -> int:
        """Where the first fault is."""
        return self.faults[0].column

    def __str__(self) -> str:
        more = len(self.faults) - 1
        return f"{self.name}/{self.faults[0]}" + (f" (and {more} more)" if more else "")


class BadSource(Refused):
    """A place to read skills from, or a reference to one, that cannot be used."""

    code = "bad_source"

    def __init__(self, given: str, why: str, fix: str = "") -> None:
        super().__init__(given, why, fix)
        self.given, self.why, self.fix = given, why, fix

    def __str__(self) -> str:
        return f"{self.given!r} cannot be used as a source: {self.why}"


class TooLarge(Refused):
    """A cap was crossed."""

    code = "too_large"

    def __init__(self, limit: str, allowed: int, found: int | None = None, fix: str = "") -> None:
        super().__init__(limit, allowed, found, fix)
        self.limit, self.allowed, self.found, self.fix = limit, allowed, found, fix

    def __str__(self) -> str:
        found = "more" if self.found is None else f"{self.found:,}"
        return f"{self.limit}: {found} where {self.allowed:,} are allowed"


class Moved(SkillError):
    """The world is not as the caller saw it; look again."""


class SkillAbsent(Moved):
    """No such skill, or no such file in it."""

    code = "absent"

    def __init__(self, name: str, path: str | None = None, fix: str = "") -> None:
        super().__init__(name, path, fix)
        self.name, self.path, self.fix = name, path, fix

    def __str__(self) -> str:
        return f"there is no skill {self.name!r}" if self.path is None else f"{self.name!r} has no file {self.path!r}"


class SkillExists(Moved):
    """A skill of that name is there already."""

    code = "exists"
    fix = "choose another name, or edit the skill that is there"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"there is already a skill {self.name!r}"


class StaleRevision(Moved):
    """The skill changed since the caller looked at it."""

    code = "stale"
    fix = "look at the skill as it is now, then decide again"

    def __init__(self, name: str, seen: str | None, found: str | None = None, kept: str | None = None) -> None:
        super().__init__(name, seen, found, kept)
        self.name, self.seen, self.found, self.kept = name, seen, found, kept

    def __str__(self) -> str:
        kept = f"; what was there is kept as {self.kept!r}" if self.kept else ""
        return f"{self.name!r} changed since it was looked at{kept}"


class Withheld(SkillError):
    """Not permitted here or now."""


class Unapproved(Withheld):
    """What was approved is not what would be done."""

    code = "unapproved"
    fix = "look at the skill as it is now, and approve that"

    def __init__(self, operation: str, name: str) -> None:
        super().__init__(operation, name)
        self.operation, self.name = operation, name

    def __str__(self) -> str:
        return f"nobody approved to {self.operation} {self.name!r} as it is now"


class NotEditable(Withheld):
    """This library may not change that skill, or not in that way."""

    code = "not_editable"

    def __init__(self, source: str, why: str, fix: str = "") -> None:
        super().__init__(source, why, fix)
        self.source, self.why, self.fix = source, why, fix

    def __str__(self) -> str:
        return f"skills from {self.source} cannot be changed here: {self.why}"


class Failed(SkillError):
    """Ours, or the machine's; the input may be right."""


class StateUnavailable(Failed):
    """The table of what is enabled cannot be read or written."""

    code = "state_unavailable"

    def __init__(self, why: str, fix: str = "") -> None:
        super().__init__(why, fix)
        self.why, self.fix = why, fix

    def __str__(self) -> str:
        return f"what is enabled cannot be read or written: {self.why}"


class SourceUnavailable(Failed):
    """A source root cannot be read."""

    code = "source_unavailable"

    def __init__(self, source: str, why: str, fix: str = "") -> None:
        super().__init__(source, why, fix)
        self.source, self.why, self.fix = source, why, fix

    def __str__(self) -> str:
        return f"the {self.source} skills cannot be read: {self.why}"


class StoreFailed(Failed):
    """A step of a mutation failed; the skill is as it was."""

    code = "store_failed"

    def __init__(self, step: str, why: str, fix: str = "") -> None:
        super().__init__(step, why, fix)
        self.step, self.why, self.fix = step, why, fix

    def __str__(self) -> str:
        return f"the skills folder could not be changed ({self.step}): {self.why}"


class Busy(Failed):
    """Something is held by another for longer than we wait."""

    code = "busy"
    fix = "try again in a moment"

    def __init__(self, held: str) -> None:
        super().__init__(held)
        self.held = held

    def __str__(self) -> str:
        return f"{self.held} is in use by another process"


class InDoubt(Failed):
    """Whether it happened is not known."""

    code = "in_doubt"
    fix = "look at the skill before doing anything else"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"whether {self.name!r} was changed is not known"
