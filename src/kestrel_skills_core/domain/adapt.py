"""A third-party Agent Skill becomes a skill of two fields, with everything that was changed on record; and back.

Rule 1: nothing is adapted unasked. Where it was not asked for, the refusal holds the very adaptation.
Rule 2: nothing is lost: the record has the original head to the byte, and each file that was left out by its name.
Rule 3: a skill that needs no adapting is not touched, so that adapting twice is adapting once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from attrs import evolve, frozen

from . import rules
from .carry import Omitted, carried
from .errors import BadDocument, BadName
from .foreign import opened
from .names import DOCUMENT, ResourcePath, SkillName, is_device_name, is_skill_name
from .parcel import Parcel
from .provenance import Adapted, within_room
from .rewrite import Alteration, rewritten
from .text import escaped
from .tree import Content, SkillTree, inventory_of, revision_of
from .verdict import judged

__all__ = ["Adaptation", "adapted", "adapted_in_place", "as_it_is", "own_name", "unadapted", "valid_name"]

_NAME_CHARS: Final = 64
_OTHERS: Final = re.compile(r"[^a-z0-9_-]+")


@frozen(kw_only=True)
class Adaptation:
    """What adapting makes of a skill, whether it is shown, refused or done.

    `name` is the one that the skill must have, and `tree` what lands under it. `adapted` is for the record, and nothing
    where nothing was changed.
    """

    name: SkillName
    tree: SkillTree
    changes: tuple[Alteration, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    adapted: Adapted | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """Everything that is changed or left out, a line each, the weighty first."""
        return (*map(str, self.changes), *map(str, self.omitted))

    def __str__(self) -> str:
        parts = [_counted("changes", len(self.changes), "thing"), _counted("leaves out", len(self.omitted), "file")]
        return " and ".join(filter(None, parts)) or "changes nothing"


def adapted(parcel: Parcel, name: str) -> Adaptation:
    """What would land of a parcel that was asked for under that name; under its own where none is given.

    Raises:
        BadName: No skill name can be made of it.
        BadDocument: With every fault that adapting does not mend.
    """
    document = _document(parcel.files, name)
    named = valid_name(name or own_name(parcel))
    found = rewritten(document.data, named, parcel.stated)
    files, omitted = carried({**parcel.files, DOCUMENT: document._replace(data=found.document)})
    changes = found.changes
    if name not in ("", named):
        changes = (*changes, Alteration(f"the folder `{escaped(name[:_NAME_CHARS])}` becomes `{named}`"))
    _refuse_faults(named, files)
    adaptation = Adaptation(name=named, tree=SkillTree(files), changes=changes, omitted=omitted)
    return _recorded(adaptation, parcel.files, found.head)


def adapted_in_place(tree: SkillTree, name: SkillName) -> Adaptation:
    """What adapting makes of a folder that is there already: its `SKILL.md` alone is another. It may be no skill yet.

    Raises:
        BadDocument: With every fault of the `SKILL.md` that adapting does not mend.
    """
    document = _document(tree.files, name)
    found = rewritten(document.data, name)
    files = {**tree.files, DOCUMENT: document._replace(data=found.document)}
    return _recorded(Adaptation(name=name, tree=SkillTree(files), changes=found.changes), tree.files, found.head)


def as_it_is(parcel: Parcel, name: str) -> SkillTree:
    """What would land of a parcel under that name if nothing may be changed; under its own where none is given.

    Raises:
        BadDocument: With every fault, and what adapting would do about them, where it would make a skill of it.
    """
    named = name or own_name(parcel)
    faults = judged(named, parcel.files).faults
    if not faults:
        return SkillTree(parcel.files)
    try:
        adaptation = adapted(parcel, name)
    except (BadDocument, BadName):
        adaptation = None
    raise BadDocument(named, faults, adaptation)


def own_name(parcel: Parcel) -> str:
    """The name that a skill gives itself in its `SKILL.md`, were it none; empty where it does not."""
    return "" if parcel.stated is None else parcel.stated.said("name") or ""


def unadapted(document: bytes, record: Adapted) -> bytes | None:
    """The `SKILL.md` before it was adapted, to the byte; itself where its head is the one that was lifted out.

    Nothing where it was edited since, or where the record does not say what it was when it was adapted.
    """
    found = opened(document)
    if found is not None and found.head == record.frontmatter:
        return document
    if found is None or sha256(document).hexdigest() != record.document:
        return None
    return record.frontmatter.encode() + found.body


def valid_name(text: str) -> SkillName:
    """A skill name that is as near to a text as can be.

    Raises:
        BadName: It has no letter or digit of a skill name.
    """
    if is_skill_name(text):
        return SkillName(text)
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = _OTHERS.sub("-", plain).strip("-_")[:_NAME_CHARS].strip("-_")
    if is_device_name(name):
        name += "-skill"
    if not is_skill_name(name):
        raise BadName(escaped(text[:_NAME_CHARS]), "none can be made of it", "say which name it shall have")
    return SkillName(name)


def _document(files: Mapping[ResourcePath, Content], name: str) -> Content:
    document = files.get(DOCUMENT)
    if document is None:
        lacking = (rules.NO_DOCUMENT, rules.MISSPELT_DOCUMENT)
        raise BadDocument(name, [fault for fault in judged(name, files).faults if fault.rule in lacking])
    return document


def _refuse_faults(name: SkillName, files: Mapping[ResourcePath, Content]) -> None:
    faults = judged(name, files).faults
    if faults:
        raise BadDocument(name, faults)


def _recorded(adaptation: Adaptation, before: Mapping[ResourcePath, Content], head: str) -> Adaptation:
    """An adaptation with what goes on record of it: what was there before, and its head."""
    if not adaptation.lines:
        return adaptation
    record = Adapted(
        original_digest=revision_of(inventory_of(before)),
        frontmatter=head,
        changes=within_room([*map(str, adaptation.changes)]),
        omitted=within_room([*map(str, adaptation.omitted)]),
        document=sha256(adaptation.tree.files[DOCUMENT].data).hexdigest(),
    )
    return evolve(adaptation, adapted=record)


def _counted(does: str, number: int, what: str) -> str:
    return f"{does} {number:,} {what}{'s' * (number > 1)}" if number else ""
