"""The tools that change one skill: create, edit, enable, disable, delete."""

from __future__ import annotations

from typing import Final

from kestrel_sdk.tools.result import ToolResult

from kestrel_skills_core.domain.commands import Create, Delete, Edit, SetState
from kestrel_skills_core.domain.edit import Append, Change, Replace, Whole
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.names import (
    DOCUMENT,
    Address,
    ResourcePath,
    Revision,
    SourceId,
    resource_path,
    skill_name,
)
from kestrel_skills_core.domain.record import Rejection, SkillRecord

from ..records import error_members
from .arguments import BadArgument, flag, legal, number, text, word
from .declaring import Made, Tools, told
from .desk import Desk

__all__ = ["Changing"]

_PLACE: Final = 100
"""The priority, where nobody says."""
_WAYS: Final = "give content; or old_text and new_text; or append"


class Changing(Tools):
    """The tools that change one skill of the agent's."""

    @told(
        "create",
        "Make a new skill of a name, one line that says when to use it, and a procedure in Markdown. It is "
        "disabled unless enabled is true. A procedure over 10,000 characters does not fit into one call: create "
        "the skill with its beginning, up to the end of a line, then add the rest with skill_edit and append.",
    )
    async def skill_create(
        self,
        name: str,
        description: str,
        body: str,
        enabled: bool = False,  # noqa: FBT001, FBT002 - the host calls by name
        priority: int = _PLACE,
    ) -> ToolResult:
        """Make a skill.

        Args:
            name: Lower-case letters, digits, - and _, at most 64; as review-a-diff.
            description: One line of at most 1,024 characters that says when to use it; it goes into the prompt
                while the skill is enabled.
            body: The procedure, in Markdown, without frontmatter.
            enabled: true to put it into the prompt at once.
            priority: Where it stands in the prompt: lower comes first, and is left out last.
        """

        async def answer(desk: Desk) -> Made:
            parts = (skill_name(word("name", name)), text("description", description), text("body", body))
            on, place = flag("enabled", enabled), number("priority", priority, _PLACE)
            command = legal(lambda **more: Create.written(*parts, **more), enabled=on, priority=place)
            outcome = await desk.library.create(command)
            is_on = on and outcome.problem is None
            said = f"{command.name} is made, and {'on' if is_on else 'off'}"
            problem = _unseen(desk, outcome.found) if is_on else ""
            if outcome.problem is not None:
                problem = f"it could not be switched as asked: {outcome.problem}; {outcome.problem.fix}"
            warnings = await _warnings(desk, Address(command.name, SourceId.AGENT_LOCAL))
            return Made(said=said, found=outcome.found, problem=problem, more={"warnings": warnings})

        return await self.answered("skill_create", answer)

    @told(
        "edit",
        "Change one file of a skill, or add one. Either replace one passage (old_text, exactly once in the file, "
        "by new_text), or add to its end (append), or give the whole content; to replace a whole file that is "
        "there, expected_revision must be the revision that skill_read gave. No argument may be over 10,000 "
        "characters: write long files in pieces. The frontmatter of SKILL.md has exactly the fields name and "
        "description.",
    )
    async def skill_edit(
        self,
        name: str,
        relative_path: str = DOCUMENT,
        content: str | None = None,
        expected_revision: str | None = None,
        old_text: str | None = None,
        new_text: str | None = None,
        append: str | None = None,
    ) -> ToolResult:
        """Change one file.

        Args:
            name: The skill's name.
            relative_path: The file in the skill's folder; SKILL.md, with its frontmatter, by default.
            content: The whole new content of the file; of a file beside SKILL.md it may be empty, where none of
                old_text, new_text and append is given.
            expected_revision: The revision that was read; needed with content where the file is there, allowed with
                the others.
            old_text: A passage that is in the file exactly once, to the last space.
            new_text: What stands in its place then; empty takes it out.
            append: What is added behind the last character, as it is.
        """

        async def answer(desk: Desk) -> Made:
            address = await desk.library.address(word("name", name))
            path = resource_path(word("relative_path", relative_path) or DOCUMENT)
            change = _change(path, content, old_text, new_text, append)
            seen = word("expected_revision", expected_revision)
            command = legal(
                Edit, address=address, path=path, change=change, expected_revision=Revision(seen) if seen else None
            )
            found = await desk.library.edit(command)
            warnings = await _warnings(desk, address)
            return Made(said=f"{path} of {address} is written", found=found, more={"warnings": warnings})

        return await self.answered("skill_edit", answer)

    @told(
        "enable",
        "Enable a skill: its name and description enter your prompt. With a pin it stays enabled only as long as "
        "its bytes are those of that revision.",
    )
    async def skill_enable(self, name: str, priority: int | None = None, pin: str | None = None) -> ToolResult:
        """Enable a skill.

        Args:
            name: The skill's name; or name@source for a copy that another one shadows.
            priority: Where it stands in the prompt: lower comes first; leave it out to keep its place.
            pin: The revision that was looked at, to enable exactly that; leave it out to follow later edits.
        """

        async def answer(desk: Desk) -> Made:
            address, pinned = await desk.library.address(word("name", name)), word("pin", pin)
            command = legal(
                SetState,
                address=address,
                enabled=True,
                priority=number("priority", priority, None),
                pin=Revision(pinned) if pinned else None,
            )
            found = await desk.library.set_state(command)
            return Made(said=f"{address} is enabled", found=found, problem=_unseen(desk, found))

        return await self.answered("skill_enable", answer)

    @told(
        "disable",
        "Disable a skill: its name and description leave your prompt. Nothing of it is deleted.",
    )
    async def skill_disable(self, name: str) -> ToolResult:
        """Disable a skill.

        Args:
            name: The skill's name; or name@source for a copy that another one shadows.
        """

        async def answer(desk: Desk) -> Made:
            address = await desk.library.address(word("name", name))
            found = await desk.library.set_state(SetState(address=address, enabled=False))
            return Made(said=f"{address} is disabled", found=found)

        return await self.answered("skill_disable", answer)

    @told(
        "delete",
        "Delete a skill of this agent's own for good, exactly as it was when skill_list or skill_search showed "
        "its delete_revision: where anything in its folder has changed since, nothing is deleted. Says what has "
        "the name then.",
    )
    async def skill_delete(self, name: str, delete_revision: str) -> ToolResult:
        """Delete a skill.

        Args:
            name: The skill's name.
            delete_revision: The delete_revision of the skill or rejected folder, from skill_list or skill_search.
        """

        async def answer(desk: Desk) -> Made:
            address = await desk.library.address(word("name", name))
            command = Delete(address=address, delete_revision=word("delete_revision", delete_revision))
            outcome = await desk.library.delete(command)
            problem = "" if outcome.problem is None else f"its row or mark is still there: {outcome.problem}"
            then = "nothing has the name now" if outcome.found is None else "another has the name now"
            return Made(said=f"{address.name} is deleted", then=then, found=outcome.found, problem=problem)

        return await self.answered("skill_delete", answer)


def _change(path: ResourcePath, content: str | None, old: str | None, new: str | None, append: str | None) -> Change:
    """The one change that was asked for; a model that leaves out an argument may also give it empty.

    So an empty file, which no `SKILL.md` is, is asked for by an empty content alone.
    """
    is_to_be_empty = content == "" and path != DOCUMENT and all(each is None for each in (old, new, append))
    if is_to_be_empty or (content and not old and not new and not append):
        return Whole(text("content", content).encode())
    if old and not content and not append:
        return Replace(text("old_text", old), text("new_text", new))
    if append and not content and not old and not new:
        return Append(text("append", append))
    given = [name for name, value in (("content", content), ("old_text", old), ("append", append)) if value]
    if not given:
        raise BadArgument("content", "is not given, nor is any other change", _WAYS)
    raise BadArgument(given[0], "is not the only change that is given", _WAYS)


def _unseen(desk: Desk, found: SkillRecord | Rejection | None) -> str:
    """Why a skill that was switched on is not in the prompt; empty where it is."""
    if not isinstance(found, SkillRecord) or desk.clause.shows(found):
        return ""
    return "it is not in the prompt: another skill has its name, or it does not fit into the budget"


async def _warnings(desk: Desk, address: Address) -> list[str]:
    """The advice on a skill, a line each; none where it cannot be read whole."""
    try:
        findings = await desk.library.checks(address)
    except SkillError as error:
        return [error_members(error)["message"]]
    return [f"{each}; {each.fix}" for each in findings if each.severity != "error"]
