"""Creating, editing and deleting over fakes."""

from __future__ import annotations

import pytest

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.memory.files import Odd
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Create, Delete, Edit, RemoveFile, SetState
from kestrel_skills_core.domain.edit import Append, Change, Replace, Whole
from kestrel_skills_core.domain.errors import (
    BadDocument,
    NotEditable,
    SkillAbsent,
    SkillError,
    SkillExists,
    SourceUnavailable,
    StaleRevision,
    StateUnavailable,
    StoreFailed,
    TooLarge,
    Unconditional,
    Unmatched,
)
from kestrel_skills_core.domain.names import (
    Generation,
    ResourcePath,
    Revision,
    SkillName,
    SourceId,
    parse_address,
    resource_path,
)
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.store import Fence
from kestrel_skills_core.service.library import Outcome

from .shelf import BEYOND, ROOT, Shelf, from_git, shelf, skill

LINT = SkillName("lint")
ROW, SHARED_ROW = StateKey(LINT), StateKey(LINT, shared=True)
NOTES = ResourcePath("notes.md")
STALE = Revision("0" * 64)
AWAY = SourceUnavailable("agent-local", "it is away", "bring it back")
SILENT = StateUnavailable("it is away", "bring it back")
FULL = StoreFailed("stage", "the disk is full", "make room")
MARK = Fence(priority=100, reason="it was turned off")

local, shared, git = SourceId.AGENT_LOCAL, SourceId.HOST_SHARED, SourceId.GIT


def create(on: Shelf, name: str = "lint", *, enabled: bool = False, priority: int = 100) -> Outcome:
    """Make a skill."""
    command = Create.written(SkillName(name), "Use when testing.", "Run.", enabled=enabled, priority=priority)
    return finish(on.library.create(command))


def edit(
    on: Shelf, change: Change, path: str = "SKILL.md", address: str = "lint", expected: str | None = None
) -> SkillRecord | Rejection:
    """Edit a file."""
    expected_revision = None if expected is None else Revision(expected)
    command = Edit(
        address=parse_address(address), path=resource_path(path), change=change, expected_revision=expected_revision
    )
    return finish(on.library.edit(command))


def remove(on: Shelf, path: str, expected: Revision | None, address: str = "lint") -> SkillRecord | Rejection:
    """Take a file out."""
    command = RemoveFile(address=parse_address(address), path=resource_path(path), expected_revision=expected)
    return finish(on.library.remove_file(command))


def delete(on: Shelf, token: str | None, address: str = "lint") -> Outcome:
    """Delete a folder."""
    return finish(on.library.delete(Delete(address=parse_address(address), delete_revision=str(token))))


def turn(on: Shelf, address: str, *, enabled: bool) -> None:
    """Turn a skill on or off."""
    finish(on.library.set_state(SetState(address=parse_address(address), enabled=enabled)))


def listed(on: Shelf, address: str = "lint") -> SkillRecord | Rejection:
    """What a listing says of an address."""
    return finish(on.library.catalog()).catalog.find(parse_address(address))


def token(on: Shelf, address: str = "lint") -> str:
    """The delete token that a listing shows."""
    binding = listed(on, address).delete_binding(on.library.agent)
    assert binding is not None
    return binding.token


def bytes_of(on: Shelf, path: str = "SKILL.md") -> bytes:
    """What a file of `lint` holds."""
    folder = on.local.folders["lint"]
    assert isinstance(folder, dict)
    content = folder[path]
    assert isinstance(content, Content)
    return content.data


def rows(on: Shelf) -> dict[StateKey, SkillState]:
    """The table."""
    return dict(finish(on.states.rows()))


def refused(call) -> SkillError:
    """The error of a call."""
    with pytest.raises(SkillError) as caught:
        call()
    return caught.value


# Create


def test_a_new_skill_is_off_and_listed_as_it_was_told() -> None:
    """What is given is what a listing then shows; nothing was written to the table."""
    on = shelf()
    outcome = create(on)
    assert isinstance(outcome.found, SkillRecord)
    assert (outcome.found.description, outcome.found.enabled, outcome.problem) == ("Use when testing.", False, None)
    assert outcome.found == listed(on)
    assert rows(on) == {}


def test_a_new_skill_can_be_on() -> None:
    """Asked for, its row is written once it is there, for that very folder."""
    on = shelf()
    outcome = create(on, enabled=True, priority=7)
    assert isinstance(outcome.found, SkillRecord)
    assert outcome.found.enabled
    assert rows(on) == {ROW: SkillState(enabled=True, priority=7, subject=outcome.found.subject)}
    assert outcome.found == listed(on)


def test_a_new_skill_keeps_its_place_while_it_is_off() -> None:
    """A priority is remembered; that of an earlier skill of the name is not taken over."""
    on = shelf()
    assert create(on, priority=7).found == listed(on)
    assert listed(on).priority == 7
    assert not rows(on)[ROW].enabled
    del on.local.folders["lint"]
    create(on)
    assert listed(on).priority == 100


def test_a_new_skill_is_not_on_by_an_earlier_row() -> None:
    """A row that turned on another folder of that name turns on nothing."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    del on.local.folders["lint"]
    outcome = create(on)
    assert isinstance(outcome.found, SkillRecord)
    assert not outcome.found.enabled
    assert outcome.found == listed(on)


def test_a_new_skill_shadows_a_shared_one() -> None:
    """An override is made off, and the shared copy's own state is untouched."""
    on = shelf({}, {"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    outcome = create(on)
    assert isinstance(outcome.found, SkillRecord)
    assert [loser.source for loser in outcome.found.shadowed] == [shared]
    assert not outcome.found.enabled
    assert rows(on)[SHARED_ROW].enabled


@pytest.mark.parametrize("entry", [skill("lint"), {}, Odd("link"), Content(b"a file")])
def test_a_name_that_is_taken(entry) -> None:
    """Whatever has the name keeps it."""
    on = shelf({"lint": entry})
    assert isinstance(refused(lambda: create(on)), SkillExists)
    assert on.local.folders == {"lint": entry}


def test_what_is_no_skill_is_not_made() -> None:
    """All faults of the text are told, with their places, and nothing is looked at."""
    on = shelf()
    command = Create(name=LINT, document=b"---\nname: other\ndescription:\n---\n")
    error = refused(lambda: finish(on.library.create(command)))
    assert isinstance(error, BadDocument)
    assert [(fault.code, fault.line) for fault in error.faults] == [("KS202", 2), ("KS114", 3), ("KS117", 4)]
    assert on.local.asked == []
    assert on.local.folders == {}


@pytest.mark.parametrize(("description", "body"), [("a\ud800", "b"), ("a", "b\ud800"), ("", "b"), ("a", " ")])
def test_bad_parts_are_refused_as_a_text(description: str, body: str) -> None:
    """Parts that make no skill are faults too, surrogates included."""
    command = Create.written(LINT, description, body)
    assert isinstance(refused(lambda: finish(shelf().library.create(command))), BadDocument)


def test_a_text_beyond_the_cap_is_not_made() -> None:
    """The cap on one file holds for a new skill."""
    command = Create.written(LINT, "Use.", "x" * 256 * 1024)
    assert isinstance(refused(lambda: finish(shelf().library.create(command))), TooLarge)


def test_a_store_that_fails_makes_nothing() -> None:
    """The store's own refusal comes through, and the table is untouched."""
    on = shelf()
    on.local.broken = FULL
    assert refused(lambda: create(on, enabled=True)) is FULL
    assert (on.local.folders, rows(on)) == ({}, {})


def test_a_skill_whose_row_cannot_be_written_is_there_and_off() -> None:
    """The skill was made, and why it is off is told beside it."""
    on = shelf()
    on.states.unavailable = SILENT
    outcome = create(on, enabled=True)
    assert outcome.problem is SILENT
    assert isinstance(outcome.found, SkillRecord)
    assert not outcome.found.enabled
    on.states.unavailable = None
    assert outcome.found == listed(on)


def test_a_mark_of_an_earlier_skill_goes_when_a_new_one_is_made_on() -> None:
    """Making a skill on clears the name's mark; made off, the mark stays until somebody turns it on."""
    on = shelf()
    on.local.fence(LINT, MARK, cancelled=never)
    create(on)
    assert on.local.fenced() == {LINT: MARK}
    del on.local.folders["lint"]
    assert create(on, enabled=True).found == listed(on)
    assert on.local.marks == {}
    assert listed(on).enabled


def test_without_a_root_of_its_own_nothing_is_changed() -> None:
    """A library that was given no root to change says so, whatever is asked."""
    on = shelf({"lint": skill("lint")}, store=False)
    seen = listed(on).revision
    for call in (
        lambda: create(on, "other"),
        lambda: edit(on, Append("More.\n")),
        lambda: remove(on, "SKILL.md", seen),
        lambda: delete(on, token(on)),
    ):
        assert isinstance(refused(call), NotEditable)


# Edit


def test_an_edit_of_the_document_is_seen_at_once() -> None:
    """What is given is what a listing then shows; the folder is the one it was, and still on."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    found = edit(on, Replace("Use when testing.", "Use when it rains."))
    assert isinstance(found, SkillRecord)
    assert (found.description, found.enabled) == ("Use when it rains.", True)
    assert found == listed(on)


def test_an_edit_touches_one_folder() -> None:
    """It looks at one name in each root, and surveys nothing."""
    on = shelf({"lint": skill("lint"), "pdf": skill("pdf")})
    edit(on, Append("More.\n"))
    assert set(on.local.asked) == {"read lint"}
    assert on.shared.asked == ["read lint"]


def test_a_new_file_is_added() -> None:
    """A path that is not there needs no revision; folders need not be there."""
    on = shelf({"lint": skill("lint")})
    found = edit(on, Whole(b"More.\n"), "docs/notes.md")
    assert [item.path for item in found.inventory] == ["SKILL.md", "docs/notes.md"]
    assert found == listed(on)


def test_a_program_stays_one() -> None:
    """An edit keeps what it does not speak of."""
    on = shelf({"lint": skill("lint") | {"run.sh": Content(b"a", executable=True)}})
    found = edit(on, Append("b"), "run.sh")
    assert [item.executable for item in found.inventory] == [False, True]
    assert found == listed(on)


def test_a_whole_file_is_not_written_over_unseen() -> None:
    """The revision that was seen is asked for, and must be the one that is there."""
    on = shelf({"lint": skill("lint") | {"notes.md": Content(b"a")}})
    error = refused(lambda: edit(on, Whole(b"b"), "notes.md"))
    assert isinstance(error, Unconditional)
    assert error.fix
    assert isinstance(refused(lambda: edit(on, Whole(b"b"), "notes.md", expected=STALE)), StaleRevision)
    assert bytes_of(on, "notes.md") == b"a"
    edit(on, Whole(b"b"), "notes.md", expected=listed(on).revision)
    assert bytes_of(on, "notes.md") == b"b"


@pytest.mark.parametrize("change", [Append("b"), Replace("a", "b"), Whole(b"b")])
def test_a_revision_that_is_given_is_held_to(change: Change) -> None:
    """So is one that was not needed."""
    on = shelf({"lint": skill("lint") | {"notes.md": Content(b"a")}})
    error = refused(lambda: edit(on, change, "notes.md", expected=STALE))
    assert isinstance(error, StaleRevision)
    assert (error.seen, error.found) == (STALE, listed(on).revision)
    assert isinstance(refused(lambda: edit(on, Whole(b"new"), "new.md", expected=STALE)), StaleRevision)


def test_a_file_that_could_not_be_read_for_a_moment_did_not_change() -> None:
    """Neither when the skill was looked at nor under the lock: the disk is told of, with the file, and nothing is done.

    But where a person's bytes are kept, that is what has to be told.
    """
    on = shelf({"lint": skill("lint") | {"notes.md": Content(b"a"), "more.md": Content(b"b")}})
    seen = listed(on).revision
    for attempt in (
        lambda: edit(on, Append("!"), "more.md"),
        lambda: edit(on, Append("!"), "more.md", expected=seen),
        lambda: edit(on, Append("!"), "notes.md"),
        lambda: edit(on, Whole(b"new"), "new.md", expected=seen),
        lambda: remove(on, "more.md", seen),
        lambda: remove(on, "notes.md", seen),
    ):
        for look in (1, 2):  # before the decision, and under the lock
            on.local.blurred = (look, "notes.md")
            error = refused(attempt)
            assert isinstance(error, StoreFailed)
            assert str(error).endswith("`notes.md`: it cannot be read: the disk reports an error")
            assert error.fix
    assert listed(on).revision == seen
    on.local.broken = StaleRevision("lint", seen, None, "ab")
    on.local.blurred = (1, "notes.md")
    assert refused(lambda: edit(on, Append("!"), "more.md")) is on.local.broken


def test_an_edit_that_changes_nothing_writes_nothing() -> None:
    """A file that is as it should be is left alone, even where nothing can be written."""
    on = shelf({"lint": skill("lint")})
    on.local.broken = FULL
    assert edit(on, Append("")) == listed(on)


def test_a_skill_is_not_made_a_rejected_folder() -> None:
    """An edit after which the skill would be none is refused, with all that would be wrong."""
    on = shelf({"lint": skill("lint") | {"Notes.md": Content(b"a")}})
    before = bytes_of(on)
    error = refused(lambda: edit(on, Replace("name: lint\n", "name: other\nlicense: MIT\n")))
    assert isinstance(error, BadDocument)
    assert [fault.code for fault in error.faults] == ["KS202", "KS108"]
    for path, content, code in (("notes.md", b"b", "KS311"), ("new.bin", b"\xff", "KS306"), ("new.md", b"\0", "KS306")):
        error = refused(lambda path=path, content=content: edit(on, Whole(content), path))
        assert isinstance(error, BadDocument)
        assert [fault.code for fault in error.faults] == [code]
    assert bytes_of(on) == before


def test_a_rejected_folder_is_mended_in_steps() -> None:
    """Each step may leave it rejected; after the last it is a skill."""
    on = shelf({"lint": {"SKILL.md": Content(b"---\nname: other\nlicense: MIT\n---\n")}})
    for change in (Replace("license: MIT\n", "description: Use.\n"), Append("\nRun.\n")):
        found = edit(on, change)
        assert isinstance(found, Rejection)
        assert found == listed(on)
    found = edit(on, Replace("other", "lint"))
    assert isinstance(found, SkillRecord)
    assert found == listed(on)


def test_a_rejected_folder_takes_text_only() -> None:
    """What is no text cannot be written into it, nor more than a skill may hold."""
    on = shelf({"lint": {}})
    for path in ("SKILL.md", "notes.md"):
        error = refused(lambda path=path: edit(on, Whole(b"\0"), path))
        assert isinstance(error, BadDocument)
        assert [fault.code for fault in error.faults] == ["KS306"]
    assert isinstance(edit(on, Whole(b"anything"), "SKILL.md"), Rejection)


def test_a_skill_does_not_grow_beyond_the_caps() -> None:
    """A file that would be one too many, or too large together, is refused with the figures."""
    files = {f"part-{number}.md": Content(b"x" * 256 * 1024) for number in range(7)}
    on = shelf({"lint": skill("lint") | files})
    assert isinstance(refused(lambda: edit(on, Whole(b"x" * 256 * 1024), "part-8.md")), TooLarge)


def test_what_is_not_there_is_not_edited() -> None:
    """Names, files and texts that are not there are told apart."""
    on = shelf({"lint": skill("lint")})
    assert isinstance(refused(lambda: edit(on, Append("a"), address="lit")), SkillAbsent)
    assert isinstance(refused(lambda: edit(on, Append("a"), "notes.md")), SkillAbsent)
    assert isinstance(refused(lambda: edit(on, Replace("nothing of it", "a"))), Unmatched)


def test_a_shared_skill_is_not_edited() -> None:
    """It is the operator's; a copy from git beneath it is edited by its own address."""
    on = shelf({"lint": from_git("lint")}, {"lint": skill("lint")})
    seen = listed(on).revision
    for call in (lambda: edit(on, Append("a")), lambda: remove(on, "notes.md", seen)):
        error = refused(call)
        assert isinstance(error, NotEditable)
        assert error.source is shared
        assert error.fix
    found = edit(on, Append("More.\n"), address="lint@git")
    assert isinstance(found, SkillRecord)
    assert found.source is git
    assert found == listed(on, "lint@git")


@pytest.mark.parametrize(("problem", "expected"), [(AWAY, SourceUnavailable), (None, TooLarge)])
def test_what_cannot_be_seen_whole_is_not_edited(problem: SkillError | None, expected: type[SkillError]) -> None:
    """A root that is away, and a folder beyond the caps, are told of as such."""
    on = shelf({"lint": BEYOND}, {"lint": skill("lint")})
    on.local.problem = problem
    assert isinstance(refused(lambda: edit(on, Append("a"))), expected)


# Remove a file


def test_a_file_is_removed_if_it_was_seen() -> None:
    """What is given is what a listing then shows."""
    on = shelf({"lint": skill("lint") | {"notes.md": Content(b"a"), "more.md": Content(b"b")}})
    found = remove(on, "notes.md", listed(on).revision)
    assert [item.path for item in found.inventory] == ["SKILL.md", "more.md"]
    assert found == listed(on)


def test_removals_that_are_refused() -> None:
    """The document, a file that is not there, and any file that may have changed, stay."""
    on = shelf({"lint": skill("lint") | {"notes.md": Content(b"a")}})
    seen = listed(on).revision
    assert isinstance(refused(lambda: remove(on, "SKILL.md", seen)), NotEditable)
    assert isinstance(refused(lambda: remove(on, "other.md", seen)), SkillAbsent)
    assert isinstance(refused(lambda: remove(on, "notes.md", None)), Unconditional)
    assert isinstance(refused(lambda: remove(on, "notes.md", STALE)), StaleRevision)
    assert listed(on).revision == seen


# Delete


def test_a_deleted_skill_is_gone_with_its_row() -> None:
    """Nothing resolves under the name, and nothing of it is left."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    assert delete(on, token(on)) == Outcome(found=None)
    assert (on.local.folders, rows(on)) == ({}, {})


def test_a_token_is_of_what_was_seen() -> None:
    """After any change to the folder, or made anew, the token is stale; switching it changes nothing."""
    on = shelf({"lint": skill("lint")})
    seen = token(on)
    turn(on, "lint", enabled=True)
    assert token(on) == seen
    folder = on.local.folders["lint"]
    assert isinstance(folder, dict)
    folder["notes~"] = Content(b"litter")
    assert isinstance(refused(lambda: delete(on, seen)), StaleRevision)
    on.local.folders["lint"] = skill("lint")
    for stale in (seen, "", "0" * 64, "é"):
        assert isinstance(refused(lambda stale=stale: delete(on, stale)), StaleRevision)
    assert "lint" in on.local.folders


def test_what_resolves_after_a_deletion_is_told() -> None:
    """An override gives way to the shared copy, in its own earlier state."""
    on = shelf({}, {"lint": skill("lint", "Theirs.")})
    turn(on, "lint", enabled=True)
    on.local.folders["lint"] = skill("lint", "Ours.")
    outcome = delete(on, token(on))
    assert isinstance(outcome.found, SkillRecord)
    assert (outcome.found.description, outcome.found.enabled) == ("Theirs.", True)
    assert outcome.found == listed(on)


def test_nothing_is_told_of_a_root_that_cannot_be_read() -> None:
    """The deletion is done all the same."""
    on = shelf({"lint": skill("lint")}, {"lint": skill("lint")})
    seen = token(on)
    on.shared.problem = SourceUnavailable("host-shared", "it is away")
    assert delete(on, seen) == Outcome(found=None)


@pytest.mark.parametrize("address", ["lint", "lint@git"])
def test_a_shadowed_copy_is_deleted_by_its_own_token(address: str) -> None:
    """The name alone will do, since the token says which; the copy that resolves stays."""
    on = shelf({"lint": from_git("lint")}, {"lint": skill("lint", "Theirs.")})
    outcome = delete(on, token(on, "lint@git"), address)
    assert on.local.folders == {}
    assert isinstance(outcome.found, SkillRecord)
    assert outcome.found.description == "Theirs."


def test_a_rejected_folder_is_deleted_like_any_other() -> None:
    """Its token binds what is in it."""
    on = shelf({"lint": {"SKILL.md": Content(b"no fence\n"), "latest": Odd("link")}})
    assert delete(on, token(on)).found is None
    assert on.local.folders == {}


def test_what_is_not_ours_is_not_deleted() -> None:
    """A shared copy, a folder with a repository in it, one without a marker, one that could not be seen whole."""
    on = shelf({"repository": skill("repository") | {".git": Odd("folder")}}, {"lint": skill("lint")})
    assert isinstance(refused(lambda: delete(on, STALE)), NotEditable)
    assert isinstance(refused(lambda: delete(on, STALE, "lint@host-shared")), NotEditable)
    error = refused(lambda: delete(on, STALE, "repository"))
    assert isinstance(error, NotEditable)
    assert "`.git`" in str(error)
    on.local.folders["large"] = {**skill("large"), "big.bin": Content(b"x" * 300_000)}
    assert "seen" in str(refused(lambda: delete(on, STALE, "large")))
    on.local.chance = None
    on.local.folders["unmarked"] = skill("unmarked")
    assert "marker" in str(refused(lambda: delete(on, STALE, "unmarked")))
    on.local.folders["beyond"] = BEYOND
    for address in ("beyond", "beyond@agent-local"):
        large = refused(lambda address=address: delete(on, STALE, address))
        assert isinstance(large, TooLarge)
        assert large.fix.endswith("; or look at it, and run `rm -r beyond` in the skills folder")
    on.shared.folders["theirs"] = BEYOND
    assert "rm -r" not in refused(lambda: delete(on, STALE, "theirs")).fix
    assert set(on.local.folders) == {"repository", "large", "unmarked", "beyond"}


def test_what_is_not_there_is_not_deleted() -> None:
    """Nor is a folder of another source than the address names."""
    on = shelf({"lint": skill("lint")})
    assert isinstance(refused(lambda: delete(on, STALE, "lit")), SkillAbsent)
    assert isinstance(refused(lambda: delete(on, token(on), "lint@git")), SkillAbsent)
    on.local.problem = AWAY
    assert refused(lambda: delete(on, STALE)) is AWAY


@pytest.mark.parametrize(
    ("row", "dropped"),
    [
        (SkillState(enabled=True, subject=Subject(generation=Generation("0" * 64))), False),
        (SkillState(enabled=True, subject=None), True),
        (SkillState(priority=3, subject=None), True),
    ],
)
def test_a_row_of_another_folder_stays(row: SkillState, dropped: bool) -> None:
    """Only what speaks of the deleted folder, or of its name alone, goes with it."""
    on = shelf({"lint": skill("lint")})
    finish(on.states.put(ROW, row))
    delete(on, token(on))
    assert (ROW not in rows(on)) is dropped


def test_a_deletion_does_not_need_the_table() -> None:
    """Without the table the folder goes, its row and mark stay, and why is told."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    on.local.fence(LINT, MARK, cancelled=never)
    seen = token(on)
    on.states.unavailable = SILENT
    assert delete(on, seen) == Outcome(found=None, problem=SILENT)
    on.states.unavailable = None
    assert ROW in rows(on)
    assert on.local.fenced() == {LINT: MARK}
    create(on)
    assert not listed(on).enabled


def test_a_deletion_clears_the_mark() -> None:
    """What the mark kept off besides is written off first, so that nothing comes on by the mark's going."""
    on = shelf({}, {"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    on.local.folders["lint"] = skill("lint")
    on.local.fence(LINT, MARK, cancelled=never)
    outcome = delete(on, token(on))
    assert on.local.marks == {}
    assert isinstance(outcome.found, SkillRecord)
    assert not outcome.found.enabled
    assert rows(on) == {SHARED_ROW: SkillState(subject=Subject(root=ROOT))}
    assert outcome.found == listed(on)


def test_a_deletion_is_told_before_it_is_made() -> None:
    """What would go, the token that approves it, and what would resolve then; nothing is done."""
    on = shelf({"lint": skill("lint", "Ours.")}, {"lint": skill("lint", "Theirs.")})
    deletion = finish(on.library.deletion(parse_address("lint")))
    assert deletion.found.source is local
    assert deletion.delete_revision == token(on)
    assert "lint" in on.local.folders
    assert delete(on, deletion.delete_revision).found == deletion.then == listed(on)
    assert isinstance(refused(lambda: finish(on.library.deletion(parse_address("lint")))), NotEditable)
