"""What a caller may ask for, as values: legal by construction, decided elsewhere."""

from __future__ import annotations

from attrs import Attribute, field, frozen

from .names import Address, Revision
from .record import PRIORITIES

__all__ = ["SetState"]


def _in_range(_: object, attribute: Attribute[int | None], value: int | None) -> None:
    if value is not None and value not in PRIORITIES:
        raise ValueError(f"{attribute.name} must be from {PRIORITIES[0]:,} to {PRIORITIES[-1]:,}")


@frozen(kw_only=True)
class SetState:
    """Turn a skill on or off, move it in the order, or pin it to a revision.

    `priority` none keeps what it was. `pin` is the revision that was looked at; none leaves the skill unpinned.

    Raises:
        ValueError: The priority is out of range.
    """

    address: Address
    enabled: bool
    priority: int | None = field(default=None, validator=_in_range)
    pin: Revision | None = None
