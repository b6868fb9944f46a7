"""What a caller may ask for, as values: legal by construction, decided elsewhere."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Self

from attrs import Attribute, field, frozen
from attrs.validators import optional

from .document import render
from .edit import Change
from .names import DOCUMENT, Address, ResourcePath, Revision, SkillName, digest
from .record import PRIORITIES

if TYPE_CHECKING:  # what it takes to know a git address is read by those who have one
    from .offer import Package, Repository

__all__ = [
    "KEEP",
    "Adapt",
    "Create",
    "Delete",
    "Edit",
    "Install",
    "Keep",
    "Preview",
    "RemoveFile",
    "SetState",
    "Unadapt",
]


def _in_range(_: object, attribute: Attribute[Any], value: object) -> None:
    if type(value) is not int or value not in PRIORITIES:
        raise ValueError(f"{attribute.name} must be a whole number from {PRIORITIES[0]:,} to {PRIORITIES[-1]:,}")


def _revision(_: object, attribute: Attribute[Any], value: str) -> None:
    if digest(value) is None:
        raise ValueError(f"{attribute.name} must be a revision, 64 lower-case hex digits")


def _revision_to_turn_on(command: SetState, attribute: Attribute[Any], value: Any) -> None:
    if value is None or value is KEEP:
        return
    _revision(command, attribute, value)
    if command.enabled is False:
        raise ValueError(f"{attribute.name} says which revision to turn on, so it cannot go with turning off")


class Keep(Enum):
    """That something stays as it is."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


@frozen(kw_only=True)
class Create:
    """Make a skill of one file, the whole `SKILL.md`, to the byte.

    Raises:
        ValueError: The priority is out of range.
    """

    name: SkillName
    document: bytes
    enabled: bool = False
    priority: int = field(default=100, validator=_in_range)

    @classmethod
    def written(
        cls, name: SkillName, description: str, body: str, *, enabled: bool = False, priority: int = 100
    ) -> Self:
        """Make one of its parts, in the canonical form."""
        document = render(name, description, body)
        return cls(name=name, document=document, enabled=enabled, priority=priority)


@frozen(kw_only=True)
class Edit:
    """Change one file of a skill, or add one.

    `expected_revision` is what was looked at; none means whatever is there, which a change of a whole file that is
    there does not allow.

    Raises:
        ValueError: The revision is none.
    """

    address: Address
    path: ResourcePath = DOCUMENT
    change: Change
    expected_revision: Revision | None = field(default=None, validator=optional(_revision))


@frozen(kw_only=True)
class RemoveFile:
    """Take one file out of a skill that was looked at.

    Raises:
        ValueError: The revision is none.
    """

    address: Address
    path: ResourcePath
    expected_revision: Revision | None = field(default=None, validator=optional(_revision))


@frozen(kw_only=True)
class Adapt:
    """Bring the `SKILL.md` of a folder into the two-field form, in its place.

    Raises:
        ValueError: The revision is none.
    """

    address: Address
    expected_revision: Revision | None = field(default=None, validator=optional(_revision))


@frozen(kw_only=True)
class Unadapt:
    """Put back the `SKILL.md` that a folder had before it was adapted.

    Raises:
        ValueError: The revision is none.
    """

    address: Address
    expected_revision: Revision | None = field(default=None, validator=optional(_revision))


@frozen(kw_only=True)
class Preview:
    """See a skill as it would land, without anything landing.

    In a repository, `name` says which skill: its name, or the path of its folder. Of a package, which is one skill, it
    says how it shall be called, as `called` does of any; both empty means as it is called there. `adapt` brings it into
    the two-field form first.
    """

    source: Repository | Package
    name: str = ""
    called: str = ""
    adapt: bool = False


@frozen(kw_only=True)
class Install(Preview):
    """Bring a skill in, off. With a `digest`, exactly what a preview with the same `adapt` showed it for, or nothing.

    Raises:
        ValueError: The digest is none.
    """

    digest: Revision | None = field(default=None, validator=optional(_revision))


@frozen(kw_only=True)
class Delete:
    """Delete the folder of that name in the agent's own root, as it was when its `delete_revision` was shown.

    The name alone will do, whatever else resolves under it: only one folder has that token.
    """

    address: Address
    delete_revision: str


@frozen(kw_only=True)
class SetState:
    """Turn a skill on or off, move it in the order, or pin it to a revision; what is left out stays as it is.

    `enabled` none is left out, and so is `priority` none, and `pin` `KEEP`, which keeps the pin of a skill that is on.
    `pin` is the revision that was looked at; none takes the pin away. `expected_etag` is the etag of the record that
    was looked at, or the revision of a rejected folder; none means whatever state it is in.

    Raises:
        ValueError: The priority is out of range; the pin is no revision, or goes with turning off.
    """

    address: Address
    enabled: bool | None = None
    priority: int | None = field(default=None, validator=optional(_in_range))
    pin: Revision | Keep | None = field(default=KEEP, validator=_revision_to_turn_on)
    expected_etag: str | None = None
