"""A third-party skill becomes one of two fields, and is put back."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.adapt import (
    Adaptation,
    adapted,
    adapted_in_place,
    as_it_is,
    unadapted,
    valid_name,
)
from kestrel_skills_core.domain.errors import BadDocument, BadName, SkillError
from kestrel_skills_core.domain.names import SkillName, is_skill_name, resource_path
from kestrel_skills_core.domain.parcel import Parcel, packed
from kestrel_skills_core.domain.provenance import Adapted, Provenance, dump_provenance, installed, load_provenance
from kestrel_skills_core.domain.tree import Content, SkillTree
from kestrel_skills_core.domain.verdict import verdict_on
from tests.domain.test_foreign import frontmatters
from tests.examples import examples

HEAD = "---\nname: bird\ndescription: Use when it flies.\nlicense: MIT\n---\n"
FOREIGN = HEAD.encode() + b"Do it.\n"
MADE = b'---\nname: "bird"\ndescription: "Use when it flies."\n---\nDo it.\n'
GOOD = b"---\nname: bird\ndescription: Use when it flies.\n---\nDo it.\n"


def parcel(**files: bytes) -> Parcel:
    """A parcel of files; `__` in a name stands for a slash, `_` for a point."""
    spelt = {path.replace("__", "/").replace("_", "."): data for path, data in files.items()}
    return packed((path, Content(data)) for path, data in spelt.items())


class TestAdapted:
    def test_what_would_land(self) -> None:
        """The document rewritten, the other files as they are, and everything for the record."""
        found = adapted(parcel(SKILL_md=FOREIGN, a__b_md=b"b"), "bird")
        assert found.name == "bird"
        assert found.tree == SkillTree(
            {resource_path("SKILL.md"): Content(MADE), resource_path("a/b.md"): Content(b"b")}
        )
        assert found.lines == ("the field `license` is lifted out",)
        original = SkillTree({resource_path("SKILL.md"): Content(FOREIGN), resource_path("a/b.md"): Content(b"b")})
        assert found.adapted == Adapted(
            original_digest=original.revision,
            frontmatter=HEAD,
            changes=found.lines,
            omitted=(),
            document=sha256(MADE).hexdigest(),
        )

    def test_files_are_left_out_by_name(self) -> None:
        """They are in the digest of what came, and not in what lands."""
        found = adapted(parcel(SKILL_md=GOOD, logo_png=b"\xff"), "bird")
        assert [*found.tree.files] == ["SKILL.md"]
        assert found.lines == ("`logo.png` is left out: not text, the byte 0xff at offset 0 is not UTF-8",)
        assert found.adapted is not None
        assert (found.adapted.changes, found.adapted.omitted) == ((), found.lines)
        whole = SkillTree({resource_path("SKILL.md"): Content(GOOD), resource_path("logo.png"): Content(b"\xff")})
        assert found.adapted.original_digest == whole.revision
        assert unadapted(GOOD, found.adapted) == GOOD

    def test_a_skill_that_needs_nothing(self) -> None:
        """It lands as it came, without a record."""
        came = parcel(SKILL_md=GOOD, a_md=b"a")
        assert adapted(came, "bird") == Adaptation(name=SkillName("bird"), tree=SkillTree(came.files))

    @pytest.mark.parametrize(
        ("asked", "name", "told"),
        [
            ("bird", "bird", []),
            ("", "bird", []),
            ("cow", "cow", ["the name `bird` becomes `cow`"]),
            ("Bird", "bird", ["the folder `Bird` becomes `bird`"]),
            ("The Cow", "the-cow", ["the name `bird` becomes `the-cow`", "the folder `The Cow` becomes `the-cow`"]),
        ],
    )
    def test_the_name(self, asked: str, name: str, told: list[str]) -> None:
        """The one that was asked for, made valid; the skill's own where none was."""
        found = adapted(parcel(SKILL_md=GOOD), asked)
        assert (found.name, [*found.lines]) == (name, told)
        assert verdict_on(found.name, found.tree).head is not None

    @pytest.mark.parametrize("document", [b"# Fly\n", b"---\nname: '!'\ndescription: a\n---\nDo.\n"])
    def test_a_skill_without_any_name(self, document: bytes) -> None:
        """Somebody has to say one."""
        with pytest.raises(BadName) as caught:
            adapted(parcel(SKILL_md=document), "")
        assert caught.value.fix == "say which name it shall have"

    @pytest.mark.parametrize(
        ("files", "codes"),
        [
            ({}, ["KS301"]),
            ({"a_md": b"a", "logo_png": b"\xff"}, ["KS301"]),
            ({"skill_md": FOREIGN, "logo_png": b"\xff"}, ["KS302"]),
            ({"SKILL_md": HEAD.encode(), "logo_png": b"\xff"}, ["KS117"]),
        ],
    )
    def test_what_no_adapting_mends(self, files: dict[str, bytes], codes: list[str]) -> None:
        """Only that is told."""
        with pytest.raises(BadDocument) as caught:
            adapted(parcel(**files), "bird")
        assert [fault.code for fault in caught.value.faults] == codes

    def test_a_parcel_that_nobody_packed(self) -> None:
        """Paths that clash make no skill, wherever they come from."""
        files = {resource_path(path): Content(GOOD) for path in ("SKILL.md", "a.md", "A.md")}
        with pytest.raises(BadDocument) as caught:
            adapted(Parcel(files), "bird")
        assert [fault.code for fault in caught.value.faults] == ["KS311"]

    def test_a_record_has_room(self) -> None:
        """Thousands of fields and files are told in full, and put on record as far as there is room."""
        fields = "".join(f"f{number}: x\n" for number in range(850))
        document = HEAD.replace("license: MIT\n", fields).encode() + b"Do it.\n"
        files = {f"{number:04}{'x' * 90}.bin": b"\xff" for number in range(600)}
        came = packed((path, Content(data)) for path, data in {"SKILL.md": document, **files}.items())
        found = adapted(came, "bird")
        assert (len(found.changes), len(found.omitted)) == (850, 600)
        assert found.adapted is not None
        assert found.adapted.changes[:2] == ("the field `f0` is lifted out", "the field `f1` is lifted out")
        assert 500 < len(found.adapted.changes) < 850
        assert found.adapted.changes[-1] == f"and {851 - len(found.adapted.changes)} more"
        assert found.adapted.omitted[-1] == f"and {601 - len(found.adapted.omitted)} more"
        assert len(json.dumps(found.adapted.omitted)) < 33_000
        record = Provenance(kind="archive", files=installed(found.tree.inventory), adapted=found.adapted)
        assert load_provenance(dump_provenance(record)) == record


class TestInPlace:
    def test_the_document_alone_is_another(self) -> None:
        """What cannot be carried stays where it is."""
        before = SkillTree({resource_path("SKILL.md"): Content(FOREIGN), resource_path("logo.png"): Content(b"\xff")})
        found = adapted_in_place(before, SkillName("bird"))
        assert found.tree.files == {**before.files, "SKILL.md": Content(MADE)}
        assert found.lines == ("the field `license` is lifted out",)
        assert found.adapted is not None
        assert found.adapted.original_digest == before.revision

    def test_a_good_one_stays(self) -> None:
        """Whatever else is in its folder."""
        before = SkillTree({resource_path("SKILL.md"): Content(GOOD), resource_path("logo.png"): Content(b"\xff")})
        assert adapted_in_place(before, SkillName("bird")) == Adaptation(name=SkillName("bird"), tree=before)


class TestAsItIs:
    def test_a_skill_without_faults(self) -> None:
        """Everything in it, as it came."""
        came = parcel(SKILL_md=GOOD, a_md=b"a")
        assert as_it_is(came, "bird") == SkillTree(came.files)

    def test_the_refusal_is_the_preview(self) -> None:
        """It has every fault, and the very adaptation that would be made."""
        came = parcel(SKILL_md=FOREIGN, logo_png=b"\xff", big_md=b"x" * 262_145)
        with pytest.raises(BadDocument) as caught:
            as_it_is(came, "Bird")
        assert [fault.code for fault in caught.value.faults] == ["KS202", "KS108", "KS305", "KS306"]
        assert caught.value.adaptation == adapted(came, "Bird")
        assert caught.value.fix == (
            "let it be adapted, which changes 2 things and leaves out 2 files; or else rename the folder to `bird`"
        )

    @pytest.mark.parametrize(
        ("files", "fix"),
        [({"SKILL_md": GOOD, "a_bin": b"\0"}, "leaves out 1 file"), ({"SKILL_md": FOREIGN}, "changes 1 thing")],
    )
    def test_one_of_each(self, files: dict[str, bytes], fix: str) -> None:
        """The fix counts right."""
        with pytest.raises(BadDocument) as caught:
            as_it_is(parcel(**files), "bird")
        assert caught.value.fix.startswith(f"let it be adapted, which {fix}; or else ")

    @pytest.mark.parametrize(("document", "name"), [(HEAD.encode(), "bird"), (FOREIGN, "…")])
    def test_what_cannot_be_adapted_either(self, document: bytes, name: str) -> None:
        """The refusal does not promise it."""
        with pytest.raises(BadDocument) as caught:
            as_it_is(parcel(SKILL_md=document), name)
        assert caught.value.adaptation is None
        assert "adapt" not in caught.value.fix

    def test_more_than_one_skill_may_hold(self) -> None:
        """It is refused with the cap, and adapting says what it would leave out."""
        with pytest.raises(BadDocument) as caught:
            as_it_is(parcel(SKILL_md=GOOD, **{f"n{number}_md": b"x" * 262_144 for number in range(9)}), "bird")
        assert [fault.code for fault in caught.value.faults] == ["KS307"]
        assert caught.value.adaptation is not None
        assert [each.path for each in caught.value.adaptation.omitted] == ["n7.md", "n8.md"]

    def test_an_adaptation_that_changes_nothing_says_so(self) -> None:
        """As a preview would."""
        assert str(adapted(parcel(SKILL_md=GOOD), "bird")) == "changes nothing"


class TestUnadapted:
    RECORD = Adapted("cd" * 32, HEAD, ("x",), (), sha256(MADE).hexdigest())

    def test_the_head_is_put_back(self) -> None:
        """The body stays where it is."""
        assert unadapted(MADE, self.RECORD) == FOREIGN

    def test_the_original_is_itself(self) -> None:
        """Whatever its body is by now."""
        assert unadapted(FOREIGN + b"More.\n", self.RECORD) == FOREIGN + b"More.\n"

    @pytest.mark.parametrize("document", [MADE + b"\n", GOOD, b"", b"\xff"])
    def test_what_was_edited_is_not_put_back(self, document: bytes) -> None:
        """Any byte counts."""
        assert unadapted(document, self.RECORD) is None

    @pytest.mark.parametrize("head", ["", "-", "---\n", "---\nname: "])
    def test_a_part_of_a_head_is_no_head(self, head: str) -> None:
        """A document that begins with it is not what was there before."""
        assert unadapted(MADE, Adapted("cd" * 32, head, (), (), "12" * 32)) is None

    @pytest.mark.parametrize("document", [None, "12" * 32])
    def test_a_record_that_does_not_say_what_was_made(self, document: str | None) -> None:
        """Nobody knows whether that is what is there."""
        assert unadapted(MADE, Adapted("cd" * 32, HEAD, ("x",), (), document)) is None

    def test_a_record_of_something_without_a_head(self) -> None:
        """It was not made here, and there is nothing to put the head before."""
        assert unadapted(b"x", Adapted("cd" * 32, HEAD, ("x",), (), sha256(b"x").hexdigest())) is None


class TestValidName:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("bird", "bird"),
            ("z_9", "z_9"),
            ("Active Directory Attacks", "active-directory-attacks"),
            ("react:components/v2", "react-components-v2"),
            ("  -Ünïcode!- ", "unicode"),
            ("C++", "c"),
            ("a--b", "a--b"),
            ("x" * 70, "x" * 64),
            ("x" * 63 + "-y", "x" * 63),
            ("con", "con-skill"),
            ("COM1", "com1-skill"),
            ("ﬁne", "fine"),
        ],
    )
    def test_as_near_as_can_be(self, text: str, name: str) -> None:
        """Lower case, without accents, and a hyphen for all else."""
        assert valid_name(text) == name

    @pytest.mark.parametrize("text", ["", "-", "日本語", "\u202e", "!!!"])
    def test_what_has_no_letter_of_a_name(self, text: str) -> None:
        """Somebody has to say one."""
        with pytest.raises(BadName):
            valid_name(text)

    @given(st.text(max_size=80))
    def test_any_text(self, text: str) -> None:
        """A skill name that is its own, or a refusal."""
        try:
            name = valid_name(text)
        except BadName:
            return
        assert is_skill_name(name)
        assert valid_name(name) == name


@settings(max_examples=examples(2000))
@given(
    st.binary(max_size=60) | frontmatters.map(lambda text: f"---\n{text}\n---\nDo.\n".encode()),
    st.sampled_from(["", "bird", "The Bird"]),
    st.binary(max_size=4),
)
def test_adapting_is_idempotent_and_undone_to_the_byte(document, name, other):
    """Any bytes become a skill or are refused; doing it again changes nothing; undoing gives back the document."""
    came = packed([("SKILL.md", Content(document)), ("other", Content(other))])
    try:
        found = adapted(came, name)
    except SkillError:
        return
    assert verdict_on(found.name, found.tree).faults == ()
    again = adapted(Parcel(found.tree.files), found.name)
    assert (again.tree, again.adapted) == (found.tree, None)
    if found.adapted is None:
        assert found.tree.files == came.files
        return
    record = load_provenance(dump_provenance(Provenance(kind="folder", adapted=found.adapted)))
    assert record.adapted == found.adapted
    assert unadapted(found.tree.files[resource_path("SKILL.md")].data, record.adapted) == document
