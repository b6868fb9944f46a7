"""Adapting a folder in its place, undoing that, and comparing it with its record, over fakes."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256

import pytest

from kestrel_skills_adapters.memory.files import Entry
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Adapt, Edit, SetState, Unadapt
from kestrel_skills_core.domain.edit import Replace
from kestrel_skills_core.domain.errors import (
    BadDocument,
    NotEditable,
    SkillAbsent,
    SkillError,
    StaleRevision,
    StateUnavailable,
    StoreFailed,
)
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.names import Generation, Revision, SkillName, parse_address
from kestrel_skills_core.domain.provenance import Adapted, Provenance, dump_provenance, load_provenance
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.domain.verify import Difference, Verification
from kestrel_skills_core.service.adapting import Adapting

from .shelf import Shelf, shelf, skill

LINT = SkillName("lint")
ROW = StateKey(LINT)
BORN = Generation("b1" * 32)
HEAD = "---\r\nname: Lint\r\nlicense: MIT\r\ndescription: Use: when\r\n---\r\n"
ORIGINAL = HEAD.encode() + b"\nRun it.\n"
MADE = b'---\r\nname: "lint"\r\ndescription: "Use: when"\r\n---\r\n\nRun it.\n'
RECORD = ".kestrel-provenance.json"
FOREIGN: dict[str, Entry] = {
    "SKILL.md": Content(ORIGINAL, executable=True),
    "notes.md": Content(b"a"),
    ".kestrel-generation": Content(render_marker(BORN)),
}
GIT = Provenance(kind="git", url="https://example.org/skills", commit="9a" * 20, digest=Revision("12" * 32))


def adapt(on: Shelf, address: str = "lint", expected: str | None = None) -> Adapting:
    """Bring a folder into the form."""
    revision = None if expected is None else Revision(expected)
    return finish(on.library.adapt(Adapt(address=parse_address(address), expected_revision=revision)))


def undo(on: Shelf, address: str = "lint", expected: str | None = None) -> SkillRecord | Rejection:
    """Put back what it was before."""
    revision = None if expected is None else Revision(expected)
    return finish(on.library.unadapt(Unadapt(address=parse_address(address), expected_revision=revision)))


def verify(on: Shelf, address: str = "lint") -> Verification:
    """Compare it with its record."""
    return finish(on.library.verify(parse_address(address)))


def listed(on: Shelf, address: str = "lint") -> SkillRecord | Rejection:
    """What a listing says of an address."""
    return finish(on.library.catalog()).catalog.find(parse_address(address))


def put(on: Shelf, data: bytes, path: str = "SKILL.md") -> None:
    """Write a file by hand."""
    folder = on.local.folders["lint"]
    assert isinstance(folder, dict)
    folder[path] = Content(data)


def content(on: Shelf, path: str = "SKILL.md") -> Content:
    """A file of the folder."""
    folder = on.local.folders["lint"]
    assert isinstance(folder, dict)
    found = folder[path]
    assert isinstance(found, Content)
    return found


def record(on: Shelf) -> Provenance:
    """What the folder's record says."""
    return load_provenance(content(on, RECORD).data)


def refused(call) -> SkillError:
    """The error of a call."""
    with pytest.raises(SkillError) as caught:
        call()
    return caught.value


class TestAdapt:
    def test_the_document_alone_is_rewritten(self) -> None:
        """Two fields, quoted; line ends, body, mode and all other files as they were; and what it is, is listed so."""
        on = shelf({"lint": dict(FOREIGN)})
        adapting = adapt(on)
        assert content(on) == Content(MADE, executable=True)
        assert content(on, "notes.md") == Content(b"a")
        assert isinstance(adapting.found, SkillRecord)
        assert adapting.found == listed(on)
        assert not adapting.found.enabled
        assert adapting.found.generation == BORN
        assert adapting.adaptation.lines == (
            "the field `license` is lifted out",
            "the name `Lint` becomes `lint`",
            "mended: a colon and a space inside an unquoted value",
        )

    def test_what_was_changed_is_on_record(self) -> None:
        """The whole head to the byte, what was there, what was made, and every file as it then is."""
        on = shelf({"lint": dict(FOREIGN)})
        before = listed(on).revision
        adapting = adapt(on)
        found = record(on)
        assert found.adapted == Adapted(
            original_digest=str(before),
            frontmatter=HEAD,
            changes=adapting.adaptation.lines,
            document=sha256(MADE).hexdigest(),
        )
        assert (found.kind, found.digest) == ("adapted", adapting.found.revision)
        assert found.files is not None
        assert found.files[SkillName("SKILL.md")] == (sha256(MADE).hexdigest(), True)  # type: ignore[index]
        assert len(found.files) == 2

    def test_a_record_of_where_it_came_from_is_kept(self) -> None:
        """What was installed, and when, stays; the adaptation is added."""
        on = shelf({"lint": FOREIGN | {RECORD: Content(dump_provenance(GIT))}})
        adapt(on)
        found = record(on)
        assert (found.kind, found.commit, found.digest, found.files) == ("git", GIT.commit, GIT.digest, None)
        assert found.adapted is not None
        assert found.adapted.frontmatter == HEAD

    def test_a_good_skill_is_not_touched(self) -> None:
        """Nothing is written, and it stays on."""
        on = shelf({"lint": skill("lint") | {".kestrel-generation": Content(render_marker(BORN))}})
        finish(on.library.set_state(SetState(address=parse_address("lint"), enabled=True)))
        before = dict(on.local.folders["lint"])  # type: ignore[arg-type]
        adapting = adapt(on)
        assert adapting.adaptation.adapted is None
        assert adapting.found == listed(on)
        assert isinstance(adapting.found, SkillRecord)
        assert adapting.found.enabled
        assert on.local.folders["lint"] == before

    def test_adapting_twice_is_adapting_once(self) -> None:
        """The second time there is nothing to change, and nothing is turned off."""
        on = shelf({"lint": dict(FOREIGN)})
        adapt(on)
        finish(on.library.set_state(SetState(address=parse_address("lint"), enabled=True)))
        before = dict(on.local.folders["lint"])  # type: ignore[arg-type]
        again = adapt(on)
        assert again.adaptation.adapted is None
        assert isinstance(again.found, SkillRecord)
        assert again.found.enabled
        assert on.local.folders["lint"] == before

    def test_what_was_rejected_is_off(self) -> None:
        """A row that turned the folder on before it was broken turns nothing on; its place is kept."""
        on = shelf({"lint": dict(FOREIGN)})
        state = SkillState(enabled=True, priority=7, subject=Subject(generation=BORN))
        finish(on.states.put(ROW, state))
        found = adapt(on).found
        assert isinstance(found, SkillRecord)
        assert (found.enabled, found.lapsed, found.priority) == (False, False, 7)
        assert found == listed(on)
        assert on.local.marks == {}

    def test_where_the_table_is_silent_nothing_is_adapted(self) -> None:
        """Nobody knows whether the folder was on, so that nobody knows whether it would be."""
        on = shelf({"lint": dict(FOREIGN)})
        on.states.unavailable = StateUnavailable("it is away", "bring it back")
        assert isinstance(refused(lambda: adapt(on)), StateUnavailable)
        assert on.local.folders["lint"] == FOREIGN

    @pytest.mark.parametrize(
        ("document", "beside", "mends"),
        [
            (ORIGINAL, {}, True),
            (ORIGINAL, {RECORD: Content(dump_provenance(GIT))}, True),
            (ORIGINAL, {"logo.png": Content(b"\xff")}, False),
            (ORIGINAL, {RECORD: Content(b"{")}, False),
            (b"# Run it\n", {}, False),
            (MADE, {}, False),
        ],
    )
    def test_a_rejected_folder_says_whether_adapting_mends_it(
        self, document: bytes, beside: dict[str, Entry], mends: bool
    ) -> None:
        """And it is then what adapting does."""
        on = shelf({"lint": FOREIGN | {"SKILL.md": Content(document)} | beside})
        before = listed(on)
        assert (isinstance(before, Rejection) and before.adaptable) is mends
        with suppress(SkillError):
            adapt(on)
        assert (isinstance(before, Rejection) and isinstance(listed(on), SkillRecord)) is mends

    def test_what_was_edited_since_it_was_adapted_is_not_said_to_be_mended_by_it(self) -> None:
        """The frontmatter that is on record would be lost; what was put back may be adapted again."""
        on = shelf({"lint": dict(FOREIGN)})
        adapt(on)
        put(on, MADE.replace(b'"lint"', b'"lint"\r\nlicense: MIT'))
        change = Replace("MIT", "Apache-2.0")
        edited = finish(on.library.edit(Edit(address=parse_address("lint"), change=change)))
        for found in (edited, listed(on)):
            assert isinstance(found, Rejection)
            assert not found.adaptable
        assert isinstance(refused(lambda: adapt(on)), NotEditable)
        put(on, ORIGINAL)
        found = listed(on)
        assert isinstance(found, Rejection)
        assert found.adaptable

    def test_what_else_is_wrong_stays_wrong(self) -> None:
        """A folder with a picture is still rejected, for the picture alone."""
        on = shelf({"lint": FOREIGN | {"logo.png": Content(b"\xff")}})
        found = adapt(on).found
        assert isinstance(found, Rejection)
        assert [fault.code for fault in found.faults] == ["KS306"]
        assert content(on).data == MADE

    @pytest.mark.parametrize("expected", [None, "right"])
    def test_the_revision_that_was_seen(self, expected: str | None) -> None:
        """Without one, and with the one that is there, it is done."""
        on = shelf({"lint": dict(FOREIGN)})
        adapt(on, expected=expected and str(listed(on).revision))
        assert content(on).data == MADE

    def test_another_revision_is_refused(self) -> None:
        """Nothing is written, not even the record."""
        on = shelf({"lint": dict(FOREIGN)})
        assert isinstance(refused(lambda: adapt(on, expected="0" * 64)), StaleRevision)
        assert on.local.folders["lint"] == FOREIGN

    def test_what_no_adapting_mends_is_refused(self) -> None:
        """Only what is left is told of: not the field, but the body that is not there."""
        on = shelf({"lint": FOREIGN | {"SKILL.md": Content(HEAD.encode())}})
        error = refused(lambda: adapt(on))
        assert isinstance(error, BadDocument)
        assert [(fault.code, fault.line) for fault in error.faults] == [("KS117", 5)]
        assert RECORD not in on.local.folders["lint"]  # type: ignore[operator]

    def test_a_folder_without_a_document_is_refused(self) -> None:
        """There is nothing to adapt."""
        on = shelf({"lint": {"notes.md": Content(b"a")}})
        error = refused(lambda: adapt(on))
        assert isinstance(error, BadDocument)
        assert [fault.code for fault in error.faults] == ["KS301"]

    def test_the_hosts_skills_are_not_adapted(self) -> None:
        """They are the operator's."""
        on = shelf({}, {"lint": dict(FOREIGN)})
        for call in (adapt, undo):
            assert isinstance(refused(lambda call=call: call(on)), NotEditable)

    def test_a_record_that_cannot_be_read_is_not_written_over(self) -> None:
        """It may be the only one that says what the skill was."""
        on = shelf({"lint": FOREIGN | {RECORD: Content(b"{")}})
        for call in (adapt, undo):
            assert isinstance(refused(lambda call=call: call(on)), NotEditable)
        assert content(on, RECORD).data == b"{"

    def test_a_head_that_was_lifted_out_is_never_lost(self) -> None:
        """What was adapted, and then broken by hand, is not adapted over the record of the first time."""
        on = shelf({"lint": dict(FOREIGN)})
        adapt(on)
        put(on, MADE.replace(b"description", b"model: x\r\ndescription"))
        before = record(on)
        error = refused(lambda: adapt(on))
        assert isinstance(error, NotEditable)
        assert "verify" in error.fix
        assert record(on) == before


class TestUndo:
    def test_the_original_is_back_to_the_byte(self) -> None:
        """So is the revision; the folder is rejected as it was, and can be adapted again."""
        on = shelf({"lint": dict(FOREIGN)})
        before = listed(on).revision
        adapt(on)
        found = undo(on)
        assert isinstance(found, Rejection)
        assert found == listed(on)
        assert found.revision == before
        assert content(on) == Content(ORIGINAL, executable=True)
        assert record(on) == Provenance(kind="adapted")
        adapt(on)
        assert content(on).data == MADE

    def test_other_files_may_have_changed(self) -> None:
        """Only the SKILL.md is put back."""
        on = shelf({"lint": dict(FOREIGN)})
        adapt(on)
        put(on, b"b", "notes.md")
        undo(on, expected=str(listed(on).revision))
        assert (content(on).data, content(on, "notes.md").data) == (ORIGINAL, b"b")

    @pytest.mark.parametrize("edited", [MADE + b"More.\n", MADE.replace(b"when", b"then"), b"anything"])
    def test_an_edited_document_is_not_undone(self, edited: bytes) -> None:
        """An edit of head or body since is a person's, and stays; the fix says where the head is."""
        on = shelf({"lint": dict(FOREIGN)})
        adapt(on)
        put(on, edited)
        error = refused(lambda: undo(on))
        assert isinstance(error, NotEditable)
        assert "edited since" in str(error)
        assert "verify" in error.fix
        assert content(on).data == edited

    def test_there_is_nothing_to_undo(self) -> None:
        """Of a skill without a record, one that was only installed, and one that was undone already."""
        on = shelf({"lint": dict(FOREIGN)})
        assert isinstance(refused(lambda: undo(on)), NotEditable)
        put(on, dump_provenance(GIT), RECORD)
        assert isinstance(refused(lambda: undo(on)), NotEditable)
        adapt(on)
        undo(on)
        assert record(on) == GIT
        assert isinstance(refused(lambda: undo(on)), NotEditable)

    def test_a_document_that_is_gone_is_told(self) -> None:
        """There is nothing to put the head back on."""
        on = shelf({"lint": dict(FOREIGN)})
        adapt(on)
        del on.local.folders["lint"]["SKILL.md"]  # type: ignore[index]
        assert isinstance(refused(lambda: undo(on)), SkillAbsent)

    def test_another_revision_is_refused(self) -> None:
        """Nothing is put back over what nobody saw."""
        on = shelf({"lint": dict(FOREIGN)})
        adapt(on)
        assert isinstance(refused(lambda: undo(on, expected="0" * 64)), StaleRevision)
        assert content(on).data == MADE

    def test_which_files_never_came_stays_on_record(self) -> None:
        """They are not here, and undoing does not bring them; adapting again does not forget them either."""
        on = shelf({"lint": FOREIGN | {"SKILL.md": Content(MADE)}})
        left = ("`logo.png` is left out: not text",)
        made = Adapted("cd" * 32, HEAD, ("something",), left, sha256(MADE).hexdigest())
        put(on, dump_provenance(Provenance(kind="archive", adapted=made)), RECORD)
        undo(on)
        assert content(on).data == ORIGINAL
        assert record(on).adapted == Adapted("cd" * 32, HEAD, (), left)
        assert verify(on).adaptation is None
        assert isinstance(refused(lambda: undo(on)), NotEditable)
        adapt(on)
        again = record(on).adapted
        assert again is not None
        assert (again.original_digest, again.omitted, again.document) == ("cd" * 32, left, made.document)

    def test_where_only_files_were_left_out_there_is_nothing_to_undo(self) -> None:
        """Nothing was lifted out: so a person's later edit may be adapted, over what the record says of the head."""
        left = ("`logo.png` is left out: not text",)
        came = Adapted("cd" * 32, "---\nname: lint\ndescription: a\n---\n", (), left, "12" * 32)
        on = shelf({"lint": FOREIGN | {RECORD: Content(dump_provenance(Provenance(kind="archive", adapted=came)))}})
        assert isinstance(refused(lambda: undo(on)), NotEditable)
        adapt(on)
        made = record(on).adapted
        assert made is not None
        assert (made.frontmatter, made.omitted, made.original_digest) == (HEAD, left, "cd" * 32)
        undo(on)
        assert content(on).data == ORIGINAL


class TestCutShort:
    def broken(self, at: int) -> Shelf:
        """A folder whose adapting failed at that change."""
        on = shelf({"lint": dict(FOREIGN)})
        plain, left = on.local._begin, [at]

        def begin() -> None:
            left[0] -= 1
            if left[0] < 0:
                raise StoreFailed("stage", "the disk is full", "make room")
            plain()

        on.local._begin = begin  # type: ignore[method-assign]
        assert isinstance(refused(lambda: adapt(on)), StoreFailed)
        on.local._begin = plain  # type: ignore[method-assign]
        return on

    def test_before_anything_was_written(self) -> None:
        """The folder is as it was."""
        assert self.broken(0).local.folders["lint"] == FOREIGN

    def test_between_record_and_document(self) -> None:
        """The record says what was about to be; verify tells, and adapting again goes on without a second record."""
        on = self.broken(1)
        assert content(on).data == ORIGINAL
        assert (verify(on).adaptation, verify(on).verdict) == ("undone", "edited here")
        before = content(on, RECORD)
        adapt(on)
        assert (content(on).data, content(on, RECORD)) == (MADE, before)
        assert (verify(on).adaptation, verify(on).verdict) == ("made", "as installed")

    def test_undoing_goes_on_too(self) -> None:
        """What was not made yet is undone by settling the record."""
        on = self.broken(1)
        assert isinstance(undo(on), Rejection)
        assert content(on).data == ORIGINAL
        assert record(on) == Provenance(kind="adapted")


class TestVerify:
    def test_file_by_file(self) -> None:
        """What was added, changed and taken out since, beside the verdict."""
        on = shelf({"lint": FOREIGN | {"a.md": Content(b"a"), "b.md": Content(b"b")}})
        adapt(on)
        assert verify(on).verdict == "as installed"
        put(on, b"c", "a.md")
        put(on, b"c", "c.md")
        del on.local.folders["lint"]["b.md"]  # type: ignore[index]
        found = verify(on)
        assert (found.verdict, found.adaptation) == ("edited here", "made")
        assert found.differences == (
            Difference("a.md", "changed"),  # type: ignore[arg-type]
            Difference("b.md", "removed"),  # type: ignore[arg-type]
            Difference("c.md", "added"),  # type: ignore[arg-type]
        )

    def test_without_a_record_there_is_no_verdict(self) -> None:
        """A skill of one's own, and one that is not there."""
        on = shelf({"lint": skill("lint")})
        assert verify(on) == Verification(provenance=None)
        assert isinstance(refused(lambda: verify(on, "other")), SkillAbsent)
