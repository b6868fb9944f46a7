"""`edit`: change one file of a skill, in an editor, or to a text that is given."""

from __future__ import annotations

import click
from attrs import frozen

from kestrel_skills_core.domain.commands import Edit, RemoveFile
from kestrel_skills_core.domain.edit import Whole
from kestrel_skills_core.domain.errors import SkillError, StaleRevision
from kestrel_skills_core.domain.names import DOCUMENT, Address, ResourcePath, Revision, resource_path
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.service.queries import Reading

from ..changes import FROM, IF_MATCH, asked, begin, differences, refusal, short, shown
from ..completion import addresses
from ..draft import Draft, drafted, given_text
from ..failures import DONE, Misuse
from ..invocation import BUDGET, OUTPUT, WHERE, Invocation, accepts, of
from ..session import Session

__all__ = ["command"]


@click.command("edit", short_help="Change one file of a skill, or add one.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.argument("name", metavar="NAME[@SOURCE]", shell_complete=addresses)
@click.argument("path", default=DOCUMENT)
@FROM
@IF_MATCH
@click.option("--remove", is_flag=True, help="Take the file out of the skill instead; needs --if-match.")
@click.pass_context
def command(
    context: click.Context,
    name: str,
    path: str,
    source: str | None,
    seen: Revision | None,
    remove: bool,  # noqa: FBT001  # click's signature
) -> int:
    """Change one file of a skill or rejected folder, or add one: PATH, or else its SKILL.md.

    Without --from, the file opens in $VISUAL or $EDITOR. If it changed meanwhile nothing is written, both changes are
    shown, and your text stays in a file that is named. A whole text that is given needs --if-match where the file is
    there already.
    """
    invocation = of(context)
    wanted = resource_path(path)
    if remove and source is not None:
        raise Misuse("--remove and --from exclude each other", "give one of them")
    session = invocation.session()
    address = session.address(name)
    begin(session, invocation)
    if remove:
        found = session.remove_file(RemoveFile(address=address, path=wanted, expected_revision=seen))
        return _tell(invocation, session, found, f"{wanted} is removed")
    if source is not None:
        change = Whole(given_text(source))
        found = session.edit(Edit(address=address, path=wanted, change=change, expected_revision=seen))
        return _tell(invocation, session, found, f"{wanted} is written")
    reading = session.read(address)
    if seen not in (None, reading.tree.revision):
        raise StaleRevision(address.name, seen, reading.tree.revision)
    editing = Editing(invocation, session, address, wanted, reading.tree.revision)
    with drafted(invocation.screen(), wanted, _bytes(reading, wanted), editing.going_on) as draft:
        return editing.run(draft)


@frozen
class Editing:
    """One file in a person's editor, and what its skill was when it was opened."""

    invocation: Invocation
    session: Session
    address: Address
    path: ResourcePath
    seen: Revision

    def going_on(self, text: str, revision: Revision | None = None) -> str:
        """The command that writes the text of a file, if nothing changed since, or since a revision."""
        return self.invocation.command("edit", str(self.address), self.path, from_=text, if_match=revision or self.seen)

    def run(self, draft: Draft) -> int:
        """Let the person write until it can be taken, or they give up; what they wrote is never lost."""
        screen = self.invocation.screen()
        while True:
            text = draft.edited(self.invocation.environ)
            if text == draft.before:
                draft.drop()
                screen.note("nothing was changed")
                return DONE
            command = Edit(address=self.address, path=self.path, change=Whole(text), expected_revision=self.seen)
            try:
                found = self.session.edit(command)
            except StaleRevision as error:
                return self._stale(error, draft, text)
            except SkillError as error:
                code = refusal(self.invocation, error, text=draft.path)
                if asked("edit it again?"):
                    continue
                screen.note(f"nothing was changed; your text is in {draft.path}; mend it, then:")
                screen.note(f"  {self.going_on(draft.path)}")
                return code
            draft.drop()
            return _tell(self.invocation, self.session, found, f"{self.path} is written")

    def _stale(self, error: StaleRevision, draft: Draft, text: bytes) -> int:
        """Show what both did since the file was opened, and how to go on."""
        screen, kept = self.invocation.screen(), draft.path
        screen.note(f"nothing was changed; your text is in {kept}")
        try:
            now = self.session.read(self.address)
        except SkillError:
            return refusal(self.invocation, error, text=kept)
        differences(screen, draft.before, _bytes(now, self.path), "what changed meanwhile")
        differences(screen, draft.before, text, "what you changed")
        screen.note("bring the two together there, then:")
        screen.note(f"  {self.going_on(kept, now.tree.revision)}")
        return refusal(self.invocation, error, text=kept, revision=now.tree.revision)


def _bytes(reading: Reading, path: ResourcePath) -> bytes:
    """What a file holds; nothing where it is to be made."""
    content = reading.tree.files.get(path)
    return b"" if content is None else content.data


def _tell(invocation: Invocation, session: Session, found: SkillRecord | Rejection, done: str) -> int:
    screen = invocation.screen()
    if invocation.json:
        screen.members(shown(session, found))
        return DONE
    screen.line(f"{done}; revision {short(found.revision)}")
    if isinstance(found, Rejection):
        screen.note(f"{found.label} is still rejected, {len(found.faults)} to mend:")
        for fault in found.faults:
            screen.note(f"{fault}; fix: {fault.fix}")
    elif found.lapsed:
        screen.note(f"{found.name} is off now: it was pinned to what it was; enable it again")
    return DONE
