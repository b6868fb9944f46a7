"""Texts that are not written and states that are not set, judged as if they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.clause import render_clause
from kestrel_skills_core.domain.document import render
from kestrel_skills_core.domain.errors import SkillAbsent
from kestrel_skills_core.domain.names import SkillName, is_skill_name
from kestrel_skills_core.domain.proposal import Proposal, judged, proposed
from kestrel_skills_core.domain.record import SkillState
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.domain.verdict import judged as verdict
from tests.domain.given import descriptions, enabled, names, record

A, B, C = SkillName("a"), SkillName("b"), SkillName("c")


def codes(findings: object) -> list[str]:
    """The codes of some findings."""
    return [each.code for each in findings]


class TestTexts:
    """What is wrong with a name, a description or a whole document."""

    def test_what_is_not_given_is_not_judged(self) -> None:
        """Nothing is wrong with nothing."""
        assert judged() == judged(name="lint", description="Use it.")
        assert not judged().has_faults

    @pytest.mark.parametrize(
        ("name", "code"), [("", "KS201"), ("Lint", "KS201"), ("../x", "KS201"), ("con", "KS203"), ("a" * 65, "KS201")]
    )
    def test_a_bad_name(self, name: str, code: str) -> None:
        """It is told by the rule that its folder would break, and by that alone; nothing is said of a line."""
        found = judged(name=name)
        assert codes(found.name) == [code]
        assert (found.name[0].line, found.name[0].column) == (0, 0)
        assert found.has_faults
        assert (found.description, found.text) == ((), ())

    @pytest.mark.parametrize(
        ("description", "code"), [("", "KS114"), (" \n", "KS114"), ("x" * 1025, "KS115"), ("a\u200bb", "KS116")]
    )
    def test_a_bad_description(self, description: str, code: str) -> None:
        """So is it; the name beside it has no say."""
        assert codes(judged(description=description, name="lint").description) == [code]

    def test_a_document_is_judged_in_its_own_folder(self) -> None:
        """Without a name, in one that is called as it says; with one, in that."""
        text = "---\nname: lint\ndescription: Use it.\n---\nGo.\n"
        assert judged(text=text).text == ()
        assert codes(judged(text=text, name="knots").text) == ["KS202"]

    def test_a_document_is_told_everything_with_its_place(self) -> None:
        """Faults and what cannot be seen, each with line and column."""
        found = judged(text="---\nname: lint\nlicense: MIT\n---\nGo\u200b.\n").text
        assert [(each.code, each.line) for each in found] == [("KS107", 1), ("KS108", 3), ("KS504", 5)]

    def test_what_is_no_text_is_refused(self) -> None:
        """A lone surrogate cannot be written."""
        assert codes(judged(text="\ud800").text) == ["KS120"]

    @given(names | st.text(max_size=8), descriptions | st.text(max_size=20))
    def test_it_says_what_writing_would(self, name: str, description: str) -> None:
        """A skill of the two is refused if, and only if, one of them has a fault."""
        if is_skill_name(name):
            written = verdict(name, {"SKILL.md": Content(render(SkillName(name), description, "Go."))})
            assert judged(name=name, description=description).has_faults == bool(written.faults)
        else:
            assert judged(name=name).has_faults


class TestStates:
    """What would be in the prompt."""

    def test_what_is_proposed_is_what_the_clause_would_be_of(self) -> None:
        """One comes in, one goes out, one moves; the others are as they are."""
        records = [record("a"), enabled("b"), enabled("c", priority=5), enabled("d")]
        proposals = {A: Proposal(enabled=True, priority=1), B: Proposal(enabled=False), C: Proposal(priority=900)}
        clause = render_clause(proposed(records, proposals), Budget())
        assert clause.included == ("a", "d", "c")
        assert [each.enabled for each in records] == [False, True, True, True]

    def test_a_pin_goes_with_the_switch(self) -> None:
        """Whoever switches on what left its pin means what is there now; whoever moves it does not."""
        left = record("a", state=SkillState(enabled=True, subject=enabled().subject, pin="0" * 64))
        assert [each.enabled for each in proposed([left], {A: Proposal(priority=1)})] == [False]
        assert [each.enabled for each in proposed([left], {A: Proposal(enabled=True)})] == [True]

    def test_what_cannot_be_switched_on_stays_off(self) -> None:
        """It has no marker, so that nothing could be bound to it."""
        unmarked = record("a", generation=None)
        assert [each.enabled for each in proposed([unmarked], {A: Proposal(enabled=True)})] == [False]

    def test_a_name_that_is_not_there(self) -> None:
        """Is told, and not left out in silence."""
        with pytest.raises(SkillAbsent, match="'b'"):
            proposed([record("a")], {B: Proposal(enabled=True)})

    def test_a_priority_that_is_none(self) -> None:
        """Cannot be proposed."""
        with pytest.raises(ValueError, match="priority must be from"):
            Proposal(priority=100_001)
