"""Entries of an answer, bounded: one of them never fills it, whatever its author or a server wrote into it.

What is cut is prose, and the ends of lists, with their lengths beside them; names, tokens and figures stay whole. The
bounds are such that the largest entry fits into the smallest answer, beside all that may be said there.
"""

from __future__ import annotations

from typing import Final

from kestrel_skills_core.domain.paging import cost, fitted

from ..records import Members

__all__ = ["bounded", "finding", "preview"]

_PROVENANCE: Final = 500
_OWN: Final = 2_000
_SHADOW: Final = 1_400
_SHADOWS: Final = 2
"""How many shadowed copies a record shows whole: there are no more sources than one more than that."""
_FINDING: Final = 600


def bounded(members: Members) -> Members:
    """A record or rejection that costs at most 5,000 characters, and most often all of itself."""
    if "faults" not in members:
        return _record(members, _OWN)
    rejection = members | {"faults": [finding(each) for each in members["faults"]]}
    if members["holds_back"] is not None:
        rejection["holds_back"] = _record(members["holds_back"], _SHADOW)
    return fitted(rejection, _OWN + cost(rejection["holds_back"]), "faults")


def finding(members: Members) -> Members:
    """A finding whose message, fix and path may be cut."""
    return fitted(members, _FINDING, "file", "fix", "message")


def preview(members: Members, room: int) -> Members:
    """What an installation would bring, without its longest list, in so much room, of which 3,500 are enough."""
    cut = members | {"provenance": fitted(members["provenance"], _PROVENANCE, "subpath", "ref", "url")}
    if "findings" in members:
        cut["findings"] = [finding(each) for each in members["findings"]]
    for name in ("taken", "then"):
        if members.get(name) is not None:
            cut[name] = _alone(members[name])
    if members.get("adaptation") is not None:
        cut["adaptation"] = fitted(members["adaptation"], room // 4, "changes", "omitted")
    return fitted(cut, room, "left_out", "pointers", "findings", "problems", "description")


def _record(members: Members, room: int) -> Members:
    record = members | {"shadowed": [_record(each, _SHADOW) for each in members["shadowed"][:_SHADOWS]]}
    if "provenance" in record:
        record["provenance"] = fitted(record["provenance"], _PROVENANCE, "ref", "url")
    return fitted(record, room + cost(record["shadowed"]), "description")


def _alone(members: Members) -> Members:
    """A record without what it shadows, or a rejection without what it holds back."""
    hides = "holds_back" if "faults" in members else "shadowed"
    return fitted(bounded(members | {hides: None if hides == "holds_back" else []}), _SHADOW, "faults", "description")
