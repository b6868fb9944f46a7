"""What a caller may ask for, as values: legal by construction, decided elsewhere."""

from __future__ import annotations

from typing import Any

from attrs import Attribute, field, frozen

from .names import Address, Revision, digest
from .record import PRIORITIES

__all__ = ["SetState"]


def _in_range(_: object, attribute: Attribute[Any], value: object) -> None:
    if value is not None and (type(value) is not int or value not in PRIORITIES):
        raise ValueError(f"{attribute.name} must be a whole number from {PRIORITIES[0]:,} to {PRIORITIES[-1]:,}")


def _revision_to_turn_on(command: SetState, attribute: Attribute[Any], value: str | None) -> None:
    if value is None:
        return
    if digest(value) is None:
        raise ValueError(f"{attribute.name} must be a revision, 64 lower-case hex digits")
    if not command.enabled:
        raise ValueError(f"{attribute.name} says which revision to turn on, so it cannot go with turning off")


@frozen(kw_only=True)
class SetState:
    """Turn a skill on or off, move it in the order, or pin it to a revision.

    `priority` none keeps what it was. `pin` is the revision that was looked at; none leaves the skill unpinned.

    Raises:
        ValueError: The priority is out of range; the pin is no revision, or goes with turning off.
    """

    address: Address
    enabled: bool
    priority: int | None = field(default=None, validator=_in_range)
    pin: Revision | None = field(default=None, validator=_revision_to_turn_on)
