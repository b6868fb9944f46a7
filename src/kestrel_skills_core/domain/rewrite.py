"""A `SKILL.md` that was written for other readers, rewritten into the two-field form.

Rule 1: the head alone is written anew; the body is kept to the byte, and so are the line ends and a byte order mark.
Rule 2: a file without faults is not touched, so that rewriting twice is rewriting once.
Rule 3: what comes out is judged like any file, and what the judge refuses is refused: nothing invisible is taken out,
        nothing missing is made up, and what may mean two things is not guessed at.
Rule 4: everything that was changed is told, first of all what holds no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from attrs import frozen

from . import rules
from .canonical import render_head
from .document import examine
from .errors import BadDocument
from .findings import Finding, faults_of
from .foreign import Foreign, opened
from .frontmatter import UNREADABLE, restricts
from .limits import LIMITS
from .names import SkillName
from .text import escaped, folded

__all__ = ["Alteration", "Rewritten", "is_rewritable", "rewritten"]

_SHOWN: Final = 160
_TOLD: Final = (
    rules.UNKNOWN_FIELD,
    rules.BAD_NAME,
    rules.DEVICE_NAME,
    rules.NAME_DIFFERS,
    rules.LONG_DESCRIPTION,
)
"""Faults whose mending is told in words of its own."""


@frozen
class Alteration:
    """One thing that adapting changes, in one line that is safe to print.

    `loses` is set where something that the author laid down is in force no more: a person should read that.
    """

    text: str
    loses: bool = False

    def __str__(self) -> str:
        return self.text


@frozen
class Rewritten:
    """A legal `SKILL.md`; the head that it had before, to the byte; and what was changed, the weighty first.

    The head is empty where nothing was changed and it could not be kept: it is longer than the record of it may be.
    """

    document: bytes
    head: str
    changes: tuple[Alteration, ...] = ()


def rewritten(content: bytes, name: SkillName, stated: Foreign | None = None) -> Rewritten:
    """Bring the bytes of a `SKILL.md` into the two-field form, for a skill of that name.

    `stated` is what `opened` makes of the bytes, where that is known already.

    Raises:
        BadDocument: With every fault that rewriting the head does not mend.
    """
    _, findings = examine(content, name)
    faults = faults_of(findings)
    foreign = stated or opened(content)
    if not faults:
        return Rewritten(content, "" if foreign is None else foreign.head)
    said = None if foreign is None else foreign.said("description")
    if foreign is None or said is None:
        raise BadDocument(name, [fault for fault in faults if fault.rule not in _TOLD] or faults)
    description = _within_cap(said)
    document = (foreign.mark + render_head(name, description, foreign.eol)).encode() + foreign.body
    head, left = examine(document, name)
    if head is None:
        broken = {fault.rule for fault in faults_of(left)}
        raise BadDocument(name, [fault for fault in faults if fault.rule in broken] or faults_of(left))
    changes = [*_lifted(foreign), *_renamed(foreign, name), *_described(foreign, said, description)]
    changes += _mended(faults, foreign)
    return Rewritten(document, foreign.head, tuple(sorted(changes, key=lambda change: not change.loses)))


def is_rewritable(content: bytes, name: SkillName, lifted: str = "") -> bool:
    """Whether rewriting mends a `SKILL.md`: all that is wrong with it, and nothing is lost.

    `lifted` is a head that was lifted out of it before. What has another one by now was edited since, and the head that
    is on record would be lost to the one that is lifted out next.
    """
    foreign = opened(content)
    if foreign is None or lifted not in ("", foreign.head):
        return False
    try:
        rewritten(content, name, foreign)
    except BadDocument:
        return False
    return True


def _within_cap(text: str) -> str:
    """A description that is no longer than one may be: cut where a word ends, with a sign that it is."""
    most = LIMITS.description_chars
    if len(text) <= most:
        return text
    begin = text[: most - 1]
    return f"{begin.rpartition(' ')[0] or begin}…"


def _lifted(foreign: Foreign) -> Iterator[Alteration]:
    """Every field that is neither the name nor the description, and what restricts in either; that is told whole."""
    kept = {*foreign.values("name"), *foreign.values("description")}
    for entry in foreign.entries:
        names = entry.names - {entry.key} if entry in kept else entry.names
        if any(map(restricts, names)):
            shown, done = escaped(folded(entry.verbatim)), "is no field" if entry in kept else "is lifted out"
            yield Alteration(f"the restriction `{shown}` {done}: nothing here enforces it", loses=True)
        elif entry not in kept:
            yield Alteration(f"the field `{_cut(entry.key)}` is lifted out")


def _renamed(foreign: Foreign, name: SkillName) -> Iterator[Alteration]:
    said = foreign.said("name")
    if said is None:
        yield Alteration(f"the name `{name}` is written: it had none that could be read")
    elif said != name:
        yield Alteration(f"the name `{_cut(said)}` becomes `{name}`")
    yield from _respelt(foreign, "name")


def _described(foreign: Foreign, said: str, description: str) -> Iterator[Alteration]:
    if description != said:
        most, size = LIMITS.description_chars, len(said)
        yield Alteration(f"the description is cut to {most:,} of its {size:,} characters", loses=True)
    if any("\n" in (entry.value or "").strip() for entry in foreign.values("description")):
        yield Alteration("the lines of the description are folded into one")
    yield from _respelt(foreign, "description")


def _respelt(foreign: Foreign, field: str) -> Iterator[Alteration]:
    for entry in foreign.values(field):
        if entry.key != field:
            yield Alteration(f"the field `{_cut(entry.key)}` is spelt `{field}`")


def _mended(faults: Iterable[Finding], foreign: Foreign) -> Iterator[Alteration]:
    """Whatever else was wrong. Of the two fields, only the name can be missing here.

    A field that the strict reader saw, and that in what is no YAML is none by its line, is told of by its fault.
    """
    told = {escaped(UNREADABLE.sub("\ufffd", entry.key)[:80]) for entry in foreign.entries}
    for fault in faults:
        named = fault.message.partition("`")[2].rpartition("`")[0]
        if fault.rule is rules.UNKNOWN_FIELD and named not in told:
            yield Alteration(f"the field `{named}` is lifted out")
        elif fault.rule not in (*_TOLD, rules.MISSING_FIELD):
            yield Alteration(f"mended: {fault.message}")


def _cut(text: str) -> str:
    shown = escaped(text)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
