"""The tools that look: list, search, read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen
from kestrel_sdk.tools.result import ToolResult

from kestrel_skills_core.domain.errors import BadDocument, SkillAbsent, StaleRevision, TooLarge
from kestrel_skills_core.domain.names import DOCUMENT, Address, ResourcePath, resource_path
from kestrel_skills_core.domain.paging import FIGURE, clipped, first_page, page, window
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.text import counted
from kestrel_skills_core.service.observed import Observed
from kestrel_skills_core.service.queries import Reading

from ..records import Members
from .answers import Frame
from .arguments import flag, number, text, word
from .declaring import Tools, told
from .desk import Desk
from .entries import bounded

__all__ = ["Asking"]

_LISTED: Final = 50
_FOUND: Final = 20
"""How many entries are shown, where nobody says."""
_NOTE: Final = 250
"""What one note on the whole catalog may cost, and how many there are at most."""
_NOTES: Final = 4
_LEFT_PIN: Final = "it was switched on for other bytes than these, so that it is off; nobody approved these"


class Asking(Tools):
    """The tools that change nothing."""

    @told(
        "list",
        "List the procedural skills of this agent: names, when to use each, whether it is enabled, its tokens for"
        " editing and deleting, and the folders that are rejected with what is wrong in them. Use it to see what "
        "there is; use skill_search to find a skill for a task. Goes on at next_offset, if that is not null.",
    )
    async def skill_list(self, enabled_only: bool = False, offset: int = 0, limit: int = _LISTED) -> ToolResult:  # noqa: FBT001, FBT002 - the host calls by name
        """List what there is.

        Args:
            enabled_only: true to see only the skills that are enabled, and so in your prompt; false to see all, and
                rejected folders too.
            offset: Where to begin: 0, or the next_offset of the answer before; 0 again if total is another than it was
                there.
            limit: How many entries at most; fewer come where an answer would be too long.
        """

        async def answer(desk: Desk) -> ToolResult:
            only = flag("enabled_only", enabled_only)
            begin, most = number("offset", offset, 0), number("limit", limit, _LISTED)
            observed = await desk.library.catalog()
            catalog = observed.catalog
            listed: Sequence[SkillRecord | Rejection]
            listed = catalog.enabled if only else (*catalog.records, *catalog.rejected)
            count, on = counted(len(catalog.records), "skill"), len(catalog.enabled)
            said = f"{count}, {on:,} enabled, {len(catalog.rejected):,} rejected"
            asked = _Asked(tool="skill_list", said=said, offset=begin, limit=most)
            return _window(asked, desk, observed, listed)

        return await self.answered("skill_list", answer)

    @told(
        "search",
        "Find the skills whose name or description has every word of the query, best first. Use it before you "
        "begin a task that may have a procedure, and where your prompt says that there are more skills than it "
        "shows. Then read the one that fits with skill_read.",
    )
    async def skill_search(self, query: str, offset: int = 0, limit: int = _FOUND) -> ToolResult:
        """Find skills.

        Args:
            query: A few words of what is to be done, as "review diff"; empty finds all.
            offset: Where to begin: 0, or the next_offset of the answer before; 0 again if total is another than it was
                there.
            limit: How many skills at most; fewer come where an answer would be too long.
        """

        async def answer(desk: Desk) -> ToolResult:
            wanted = text("query", query)
            begin, most = number("offset", offset, 0), number("limit", limit, _FOUND)
            found = await desk.library.search(wanted)
            said = counted(len(found.records), "skill")
            asked = _Asked(tool="skill_search", said=said, offset=begin, limit=most)
            return _window(asked, desk, found.observed, found.records)

        return await self.answered("skill_search", answer)

    @told(
        "read",
        "Read a skill's procedure before you follow it, or one of its files. Without a path: the procedure, and "
        "on its first page the list of the skill's files. Long texts come in pages: go on with offset = "
        "next_offset and expected_revision = revision until next_offset is null; the pages put together are the "
        "exact text.",
    )
    async def skill_read(
        self, name: str, path: str = "", offset: int = 0, expected_revision: str | None = None
    ) -> ToolResult:
        """Read one text.

        Args:
            name: The skill's name, as in your prompt or in skill_list; or name@source, as lint@host-shared, for a
                copy that another one shadows.
            path: Empty for the procedure; SKILL.md for the raw file with its frontmatter; else a path from the list
                of files.
            offset: Where to begin, in characters: 0, or the next_offset of the page before.
            expected_revision: The revision of the page before, so that pages of different versions never mix; leave
                it out on the first page.
        """

        async def answer(desk: Desk) -> ToolResult:
            address = await desk.library.address(word("name", name))
            begin, seen = number("offset", offset, 0), word("expected_revision", expected_revision)
            asked = word("path", path)
            wanted = resource_path(asked) if asked else None
            try:
                reading = await desk.library.read(address)
            except TooLarge:
                if wanted is None:
                    raise
                return await _beyond_caps(desk, address, wanted, begin)
            if seen and seen != reading.tree.revision:
                raise StaleRevision(address.name, seen, reading.tree.revision)
            return _text_of(desk, reading, address, wanted, begin)

        return await self.answered("skill_read", answer)


@frozen(kw_only=True)
class _Asked:
    """Which part of a list is asked for, of which tool, and what is said of it."""

    tool: str
    said: str
    offset: int
    limit: int


def _window(asked: _Asked, desk: Desk, observed: Observed, found: Sequence[SkillRecord | Rejection]) -> ToolResult:
    """The entries of a catalog from an offset on, as many as there is room for."""
    clause = observed.clause(desk.library.budget)
    shown, room = desk.shown(clause), desk.room
    data: Members = {"skills": [], "rejected": [], "total": len(found), "next_offset": FIGURE}
    receipt = clause.receipt
    data["context"] = {
        "included": receipt.included,
        "omitted": receipt.omitted,
        "bytes": receipt.bytes,
        "budget": receipt.budget,
    }
    problems = [f"{problem}; {problem.fix}" for problem in observed.problems]
    if notes := [*problems, *desk.notes(observed)]:
        more = len(notes) - _NOTES
        data["notes"] = [clipped(note, _NOTE) for note in notes[:_NOTES]]
        data["notes"] += [f"and {more:,} more, in the log"] if more > 0 else []
    frame = Frame(tool=asked.tool, allowed=room, said=asked.said, problem=clipped("".join(problems[:1]), _NOTE))
    left = frame.room(data)
    part = window(found, lambda each: bounded(shown.found(each)), offset=asked.offset, limit=asked.limit, room=left)
    seen = found[asked.offset : asked.offset + len(part.items)]
    count = sum(isinstance(each, SkillRecord) for each in seen)
    data |= {"skills": list(part.items[:count]), "rejected": list(part.items[count:]), "next_offset": part.next_offset}
    return frame.result(data)


def _text_of(desk: Desk, reading: Reading, address: Address, path: ResourcePath | None, offset: int) -> ToolResult:
    """A page of one text of a skill that was read whole."""
    content = _procedure(reading) if path is None else _decoded(reading.content(path), address, path)
    files = _files(reading) if path is None and offset == 0 else None
    data: Members = {"name": str(address), "path": path or "", "content": "", "offset": offset, "next_offset": FIGURE}
    data |= {"total_chars": len(content), "revision": reading.tree.revision, "skill": _skill(reading.found)}
    if files is not None:
        data |= {"inventory": [], "inventory_total": len(files)}
    what = "the procedure" if path is None else path
    unavailable = reading.unavailable
    is_off = "" if unavailable is None else f"{unavailable}, so that nobody knows whether it is on; {unavailable.fix}"
    problem = _LEFT_PIN if reading.has_left_pin else is_off
    frame = Frame(
        tool="skill_read", allowed=desk.room, said=f"{what} of {address}, {len(content):,} characters", problem=problem
    )
    room = frame.room(data)
    if files is not None:
        part, data["inventory"] = first_page(content, files, room)
    else:
        part = page(content, offset, room)
    return frame.result(data | {"content": part.content, "next_offset": part.next_offset})


def _skill(found: SkillRecord | Rejection) -> Members:
    """Which one was read. Of a command's answer, a host prints data only where one of them is a list or object."""
    return {"source": found.source.value, "enabled": isinstance(found, SkillRecord) and found.enabled}


def _files(reading: Reading) -> list[Members]:
    """The files of a skill beside its document, as who reads that needs them."""
    return [{"path": each.path, "bytes": each.size} for each in reading.tree.inventory if each.path != DOCUMENT]


def _procedure(reading: Reading) -> str:
    """The body of a skill's document; of a folder that has no good one, all its faults say why not."""
    try:
        return reading.document.body
    except (BadDocument, SkillAbsent):
        assert isinstance(reading.found, Rejection), "a skill has a good document"
        raise BadDocument(reading.name, reading.found.faults) from None


async def _beyond_caps(desk: Desk, address: Address, path: ResourcePath, offset: int) -> ToolResult:
    """A page of one file of a folder that is beyond the caps, and so has no revision."""
    file = await desk.library.read_file(address, path)
    content = _decoded(file.content, address, path)
    data: Members = {"name": str(address), "path": path, "content": "", "offset": offset, "next_offset": FIGURE}
    data |= {"total_chars": len(content), "revision": None, "skill": {"beyond_caps": True}}
    problem = "the folder is beyond the caps, so that it has no revision, and its pages may be of different versions"
    frame = Frame(tool="skill_read", allowed=desk.room, said=f"{path} of {address}", problem=problem)
    part = page(content, offset, frame.room(data))
    return frame.result(data | {"content": part.content, "next_offset": part.next_offset})


def _decoded(content: bytes, address: Address, path: ResourcePath) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise SkillAbsent(
            address.name, path, fix="it is not UTF-8 text, so that only a person can look at it"
        ) from None
