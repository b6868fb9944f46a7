"""What is enabled, one change at a time, against a list that is sorted anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.clause import render_clause
from kestrel_skills_core.domain.enabled import Enabled
from kestrel_skills_core.domain.names import SkillName, SourceId
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState
from tests.domain import given as samples

NAMES = ("a", "b", "c", "d")
found = st.one_of(
    st.none(),
    st.tuples(st.booleans(), st.integers(-3, 3), st.sampled_from(["Use when testing.", "Use it & more."])),
)
changes = st.lists(st.tuples(st.sampled_from(NAMES), found), max_size=30)


def found_as(name: str, on: bool, priority: int, text: str = "Use when testing.") -> SkillRecord:
    """A skill of that name, on or off."""
    return (
        samples.enabled(name, text, priority) if on else samples.record(name, text, state=SkillState(priority=priority))
    )


@given(changes, st.integers(0, 600))
def test_changed_one_by_one_it_is_what_it_is_all_at_once(steps, budget):
    """After any changes the clause is, to the byte, that of the same skills rendered anew."""
    enabled, now = Enabled(), {}
    for name, state in steps:
        now[name] = None if state is None else found_as(name, *state)
        enabled.put(SkillName(name), now[name])
        held = [each for each in now.values() if each is not None and each.enabled]
        assert enabled.clause(Budget(budget)) == render_clause(held, Budget(budget))
        assert enabled.get(SkillName(name)) == next((each for each in held if each.name == name), None)
    again = Enabled()
    again.put(SkillName("a"), found_as("a", True, 0, "Use it otherwise."))
    again.clause(Budget(budget))
    again.fill([each for each in now.values() if each is not None])
    assert again.clause(Budget(budget)) == enabled.clause(Budget(budget))


def test_a_rejected_folder_is_never_enabled():
    """Where a name now means a rejected folder, nothing of it stays in the clause."""
    enabled = Enabled()
    enabled.put(SkillName("a"), found_as("a", True, 0))
    assert enabled.clause(Budget()).included == ("a",)
    enabled.put(SkillName("a"), Rejection(label="a", name=SkillName("a"), source=SourceId.AGENT_LOCAL, faults=()))
    assert enabled.clause(Budget()).text == ""


def test_filled_with_the_very_same_again_it_stays_as_it_is():
    """Until one of them was changed: then it holds them as they are given, and no longer as they were changed."""
    records = (found_as("a", True, 0), found_as("b", False, 0))
    enabled = Enabled()
    for _ in range(2):
        enabled.fill(records)
        assert enabled.clause(Budget()).included == ("a",)
    enabled.put(SkillName("a"), None)
    assert enabled.clause(Budget()).included == ()
    enabled.fill(records)
    assert enabled.clause(Budget()).included == ("a",)
