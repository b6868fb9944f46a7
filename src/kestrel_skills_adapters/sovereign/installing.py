"""The tools that bring skills in from git: see what would come, and install exactly that."""

from __future__ import annotations

from typing import Final

from kestrel_sdk.tools.result import ToolResult

from kestrel_skills_core.domain.commands import Install, Preview
from kestrel_skills_core.domain.git_address import git_ref, git_url
from kestrel_skills_core.domain.names import Revision
from kestrel_skills_core.domain.offer import Repository
from kestrel_skills_core.domain.paging import FIGURE, fitted, window
from kestrel_skills_core.domain.record import SkillRecord
from kestrel_skills_core.domain.text import counted
from kestrel_skills_core.service.installer import Installation

from ..records import Members, adaptation_members, installation_members, stock_members
from .answers import Frame
from .arguments import BadArgument, flag, legal, number, word
from .declaring import Made, Tools, told
from .desk import Desk
from .entries import preview

__all__ = ["Installing"]

_HEAD: Final = "HEAD"


class Installing(Tools):
    """The tools that reach a git server."""

    @told(
        "preview",
        "See what installing a skill from a public git repository would bring, without installing anything: the "
        "full commit, the digest to approve, every file with its size, what is wrong with it, what adapting it "
        "would change, and what it would meet here. Without a skill_name: the skills of the repository. Call "
        "skill_install with ref = commit and digest = digest to install exactly what this showed.",
    )
    async def skill_preview_install(
        self,
        source_url: str,
        skill_name: str = "",
        ref: str = _HEAD,
        adapt: bool = False,  # noqa: FBT001, FBT002 - the host calls by name
        offset: int = 0,
    ) -> ToolResult:
        """See what would come.

        Args:
            source_url: The repository's address, https://host/path; without credentials.
            skill_name: The skill's name, or the path of its folder in the repository; empty to list the skills found.
            ref: A branch, a tag or a full commit id.
            adapt: true to bring a skill with more frontmatter fields than name and description into that form, on
                record.
            offset: Where to begin in the list of files or skills: 0, or the next_offset of the answer before.
        """

        async def answer(desk: Desk) -> ToolResult:
            begin, wanted = number("offset", offset, 0), word("skill_name", skill_name)
            repository, adapted = _repository(source_url, ref), flag("adapt", adapt)
            room = desk.room // 2
            if not wanted:
                stock = await desk.installer().skills(repository)
                said = f"{counted(len(stock.skills), 'skill')} in {repository.url} at {stock.commit}"
                members = stock_members(stock)
                skills = members.pop("skills")
                return _listed("skills", said, desk.room, fitted(members, room, "ref", "url"), skills, begin)
            command = Preview(source=repository, name=wanted, adapt=adapted)
            installation = await desk.installer().preview(command)
            members = installation_members(installation, desk.shown())
            files = members.pop("files")
            members["commit"] = installation.offer.origin.commit
            return _listed("files", _said(installation), desk.room, preview(members, room), files, begin)

        return await self.answered("skill_preview_install", answer)

    @told(
        "install",
        "Install one skill from a public git repository, disabled. First see it with skill_preview_install; then "
        "give its full commit as ref, and its digest, and exactly those bytes are installed, or nothing. Without "
        "a digest it installs what the ref holds, and says which commit that was. A name that is taken is "
        "refused.",
    )
    async def skill_install(
        self,
        source_url: str,
        skill_name: str,
        ref: str = _HEAD,
        digest: str | None = None,
        adapt: bool = False,  # noqa: FBT001, FBT002 - the host calls by name
    ) -> ToolResult:
        """Install a skill.

        Args:
            source_url: The repository's address, https://host/path; without credentials.
            skill_name: The skill's name, or the path of its folder in the repository.
            ref: The full commit id of the preview; or a branch or tag.
            digest: The digest of the preview.
            adapt: As in the preview.
        """

        async def answer(desk: Desk) -> Made:
            repository, seen = _repository(source_url, ref), word("digest", digest)
            wanted = word("skill_name", skill_name)
            if not wanted:
                raise BadArgument("skill_name", "is empty", "see the skills with skill_preview_install, and name one")
            command = legal(
                Install,
                source=repository,
                name=wanted,
                adapt=flag("adapt", adapt),
                digest=Revision(seen) if seen else None,
            )
            arrival = await desk.installer().install(command)
            origin = arrival.offer.origin
            said = f"{arrival.found.name} is installed from the commit {origin.commit}, disabled"
            is_meant = isinstance(arrival.then, SkillRecord) and arrival.then.source is arrival.found.source
            problem = "" if is_meant else "its name means another one, which comes before it"
            more: Members = {"commit": origin.commit, "digest": arrival.offer.digest}
            if arrival.offer.adaptation is not None:
                adaptation = adaptation_members(arrival.offer.adaptation)
                more["adaptation"] = fitted(adaptation, desk.room // 4, "changes", "omitted")
            return Made(said=said, found=arrival.found, problem=problem, more=more)

        return await self.answered("skill_install", answer)


def _repository(source_url: str, ref: str) -> Repository:
    return Repository(git_url(word("source_url", source_url)), git_ref(word("ref", ref) or _HEAD))


def _said(installation: Installation) -> str:
    offer = installation.offer
    if installation.taken is not None:
        return f"the name {offer.name} is taken here: it would be refused"
    if offer.digest is None:
        return f"{offer.name} is refused as it is; nothing would be installed"
    return f"{offer.name} would be installed, disabled, with the digest {offer.digest}"


def _listed(name: str, said: str, allowed: int, beside: Members, listed: list[Members], offset: int) -> ToolResult:
    """What would come, with as much of its longest list as there is room for."""
    frame = Frame(tool="skill_preview_install", allowed=allowed, said=said)
    data = beside | {"offset": offset, "total": len(listed), name: [], "next_offset": FIGURE}
    room = frame.room(data)
    part = window(
        listed,
        lambda each: fitted(each, room - len("[]"), "description", "name", "folder", "path"),
        offset=offset,
        limit=max(len(listed), 1),
        room=room,
    )
    return frame.result(data | {name: list(part.items), "next_offset": part.next_offset})
