"""Records, rejections, and when a skill is on."""

from __future__ import annotations

import hashlib

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain import rules
from kestrel_skills_core.domain.approval import ApprovalBinding
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.provenance import Provenance
from kestrel_skills_core.domain.record import PRIORITIES, Rejection, SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.tree import Unlisted
from tests.domain.given import (
    FAULT,
    GENERATION,
    GIT,
    OTHER_FILES,
    REVISION,
    ROOT,
    digests,
    priorities,
    record,
    sighting,
)

HERE = Subject(generation=GENERATION)
REJECTION = Rejection(
    label="bird",
    name="bird",
    source=SourceId.AGENT_LOCAL,
    faults=(FAULT,),
    revision=REVISION,
    generation=GENERATION,
    unlisted=(),
)

subjects = st.none() | st.builds(Subject, generation=digests) | st.builds(Subject, root=digests) | st.just(HERE)
states = st.builds(
    SkillState,
    enabled=st.booleans(),
    priority=priorities,
    subject=subjects,
    pin=st.none() | digests | st.just(REVISION),
)


@pytest.mark.parametrize(
    ("state", "on"),
    [
        (SkillState(), False),
        (SkillState(enabled=True), False),
        (SkillState(enabled=True, subject=HERE), True),
        (SkillState(enabled=False, subject=HERE), False),
        (SkillState(enabled=True, subject=HERE, pin=REVISION), True),
        (SkillState(enabled=True, subject=HERE, pin="00" * 32), False),
        (SkillState(enabled=True, subject=Subject(generation="00" * 32)), False),
        (SkillState(enabled=True, subject=Subject(root=ROOT)), False),
    ],
)
def test_a_skill_is_on_if_the_row_speaks_of_what_is_there(state, on):
    """The row must be on, name that very birth, and, if it pins, those very bytes."""
    assert record(state=state).enabled is on


@given(states, digests)
def test_a_new_birth_is_never_on(state, generation):
    """Whatever a row says, a folder that it does not name is off: delete and recreate never inherits."""
    born = record(state=state, generation=generation)
    assert not born.enabled or state.subject == Subject(generation=generation)
    assert not record(state=state, generation=None).enabled


def test_a_shared_skill_is_named_by_its_root():
    """It has no marker; without a known root nothing could be switched on."""
    shared = record(source=SourceId.HOST_SHARED)
    assert shared.subject == Subject(root=ROOT)
    assert record(source=SourceId.HOST_SHARED, root=None).subject is None
    assert shared.in_state(SkillState(enabled=True, subject=Subject(root=ROOT))).enabled
    assert not shared.in_state(SkillState(enabled=True, subject=HERE)).enabled


def test_a_local_skill_is_named_by_its_birth():
    """Installed ones too; without a marker nothing could be switched on."""
    assert record().subject == HERE
    assert record(source=SourceId.GIT).subject == HERE
    assert record(generation=None).subject is None


def test_in_another_state_it_is_the_same_skill():
    """Only the state differs, and the order follows it."""
    moved = record().in_state(SkillState(priority=-5))
    assert moved.priority == -5
    assert attrs.evolve(moved, state=SkillState()) == record()


def test_records_are_equal_where_they_show_the_same():
    """A file that was written again as it was moves a stamp, and is no news; other bytes are."""
    first, touched, other = (sighting(stamps=1), sighting(stamps=2), sighting(packed=OTHER_FILES))
    made = [SkillRecord(seen=seen, source=SourceId.AGENT_LOCAL) for seen in (first, touched, other)]
    assert first != touched
    assert (made[0] == made[1], hash(made[0]) == hash(made[1]), made[0] == made[2]) == (True, True, False)


def test_priorities_have_a_range():
    """A hundred thousand either side of zero."""
    assert (PRIORITIES[0], PRIORITIES[-1]) == (-100_000, 100_000)


@pytest.mark.parametrize(
    ("provenance", "edited"),
    [
        (None, None),
        (GIT, None),
        (attrs.evolve(GIT, digest=REVISION), False),
        (attrs.evolve(GIT, digest="00" * 32), True),
    ],
)
def test_an_installed_skill_is_as_it_was_or_edited(provenance, edited):
    """Told where the record of the installation says what was installed."""
    assert record(provenance=provenance).edited is edited


def test_the_etag_is_a_digest_over_revision_and_state():
    """A known form: revision, on or off, priority and pin, a line each."""
    on = record(state=SkillState(enabled=True, priority=7, subject=HERE, pin=REVISION))
    text = f"kestrel-skill-etag-v1\n{REVISION}\n1\n7\n{REVISION}"
    assert on.etag == hashlib.sha256(text.encode()).hexdigest()


@given(states, states)
def test_the_etag_tells_effective_states_apart(one, other):
    """Equal etags mean the same revision, priority and pin, and that it is on or off alike; and only they do."""
    first, second = record(state=one), record(state=other)
    same = (first.enabled, one.priority, one.pin) == (second.enabled, other.priority, other.pin)
    assert (first.etag == second.etag) == same


def test_a_deletion_is_bound_to_everything_it_destroys():
    """The binding names the operation, the agent, and the folder with everything in it."""
    litter = (Unlisted("notes~", "file", 7, 1, 2),)
    assert record("bird", unlisted=litter).delete_binding("did:x") == ApprovalBinding(
        operation="delete",
        agent="did:x",
        name="bird",
        source=SourceId.AGENT_LOCAL,
        generation=GENERATION,
        revision=REVISION,
        unlisted=litter,
    )
    assert REJECTION.delete_binding("did:x") == record("bird").delete_binding("did:x")


@given(states, st.lists(st.just(record("shadow", source=SourceId.HOST_SHARED)), max_size=2))
def test_a_deletion_is_not_bound_to_what_it_leaves(state, shadowed):
    """Neither the state nor what is shadowed changes the token."""
    token = record("bird").delete_binding("did:x").token
    assert record("bird", state=state, shadowed=tuple(shadowed)).delete_binding("did:x").token == token


@pytest.mark.parametrize(
    "found",
    [
        record(source=SourceId.HOST_SHARED),
        record(generation=None),
        record(unlisted=None),
        record(unlisted=(Unlisted(".git", "folder", 0, 0, 0),)),
        record(unlisted=(Unlisted("vendor/.GIT", "file", 0, 0, 0),)),
        attrs.evolve(REJECTION, name=None),
        attrs.evolve(REJECTION, source=SourceId.HOST_SHARED),
        attrs.evolve(REJECTION, revision=None),
        attrs.evolve(REJECTION, generation=None),
        attrs.evolve(REJECTION, unlisted=None),
    ],
)
def test_what_cannot_be_bound_cannot_be_deleted(found):
    """The host's, the unmarked, the unseen, the unnamed, and what holds a repository of its own."""
    assert found.delete_binding("did:x") is None


def test_a_sighting_rejects_by_its_faults_only():
    """Advice is no reason to keep a skill out."""
    advice = Finding(rules.LONG_BODY, "SKILL.md", "600 lines")
    assert sighting(valid=True).faults == ()
    assert attrs.evolve(sighting(valid=False), findings=(advice, FAULT)).faults == (FAULT,)


def test_provenance_tells_the_source():
    """Only what came by git ranks as git."""
    kinds = {kind: Provenance(kind=kind, commit=GIT.commit).source for kind in ("git", "folder", "archive", "adapted")}
    assert kinds == {
        "git": SourceId.GIT,
        "folder": SourceId.AGENT_LOCAL,
        "archive": SourceId.AGENT_LOCAL,
        "adapted": SourceId.AGENT_LOCAL,
    }


@pytest.mark.parametrize(
    "make",
    [
        lambda: SkillState(priority=100_001),
        lambda: SkillState(priority=-100_001),
        lambda: SkillState(pin="3f9a"),
    ],
)
def test_a_state_that_no_row_could_keep_cannot_be_made(make):
    """What is no digest, or a priority out of range, would be lost on its way to the table."""
    with pytest.raises(ValueError, match="must be"):
        make()
