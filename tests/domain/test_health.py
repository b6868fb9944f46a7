"""How well things are, by what was observed."""

from __future__ import annotations

import pytest

from kestrel_skills_core.domain.census import Census
from kestrel_skills_core.domain.errors import SourceUnavailable, StateUnavailable, StoreFailed
from kestrel_skills_core.domain.health import (
    Health,
    adoption_health,
    kept_health,
    mark_health,
    marker_health,
    owner_health,
    recovery_health,
    root_health,
    skill_health,
    state_health,
    watch_health,
)
from kestrel_skills_core.domain.names import Generation, SkillName, SourceId
from kestrel_skills_core.domain.owner import Elsewhere, Owner
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.resolver import Catalog, Resolver, Survey
from kestrel_skills_core.domain.state_row import StateKey

from .given import ROOT, sighting

AGENT, SHARED = SourceId.AGENT_LOCAL, SourceId.HOST_SHARED


def catalog(*surveys: Survey) -> Catalog:
    """What these surveys resolve to."""
    return Resolver().resolve(surveys)


def test_a_root_that_a_listing_refuses_fails() -> None:
    """Whatever the problem is, it is told with its fix, and the other root is as it is."""
    problem = SourceUnavailable(AGENT, "it is a symbolic link", "name the folder that the link points to")
    found = catalog(Survey(source=AGENT, problem=problem), Survey(source=SHARED, root=ROOT, entries=3))
    assert root_health("root", AGENT, "/a", found) == Health(
        "root",
        "fail",
        "/a: the agent-local skills cannot be read: it is a symbolic link",
        "name the folder that the link points to",
    )
    assert root_health("shared root", SHARED, "/b", found) == Health("shared root", "ok", "/b, 3 of 4,096 entries")


@pytest.mark.parametrize(("entries", "status"), [(0, "ok"), (3686, "ok"), (3687, "warn"), (4096, "warn")])
def test_a_root_is_crowded_from_nine_tenths_on(entries: int, status: str) -> None:
    """Before it is refused, a person is warned, and told what to do."""
    health = root_health("root", AGENT, "/a", catalog(Survey(source=AGENT, entries=entries)))
    assert health.status == status
    assert bool(health.fix) is (status == "warn")


def test_markers_are_well_where_each_skill_has_one_and_new_ones_can() -> None:
    """A root without skills is well too, if it can be written."""
    assert marker_health(catalog(Survey(source=AGENT)), writable=True).status == "ok"
    assert marker_health(catalog(Survey(source=AGENT, sightings={"a": sighting()})), writable=True).status == "ok"


def test_a_skill_without_a_marker_is_a_warning_that_counts() -> None:
    """Shadowed ones count; those of the host need none, nor do rejected folders to be told of as such."""
    bare = {"a": sighting("a", generation=None), "b": sighting("b", generation=None, valid=False)}
    shared = Survey(source=SHARED, root=ROOT, sightings={"c": sighting("c", generation=None)})
    health = marker_health(catalog(Survey(source=AGENT, sightings=bare), shared), writable=True)
    assert (health.status, health.message) == ("warn", "1 without a marker, which cannot be switched on")
    assert health.fix


def test_a_root_that_cannot_be_written_is_a_warning() -> None:
    """What is on stays on, but nothing new can be switched on."""
    health = marker_health(catalog(Survey(source=AGENT, sightings={"a": sighting()})), writable=False)
    assert health.status == "warn"
    assert health.fix


def test_a_table_that_does_not_answer_fails() -> None:
    """Its own words and fix are told."""
    health = state_health("/a.sqlite3", StateUnavailable("it is damaged", "restore it"), lapsed=(), writable=True)
    assert health == Health("states", "fail", "/a.sqlite3: it is damaged", "restore it")


@pytest.mark.parametrize(
    ("census", "writable", "status"),
    [
        (Census(on=1, off=2), True, "ok"),
        (Census(on=1, inert=1), True, "warn"),
        (Census(), False, "fail"),
        (Census(inert=1), False, "fail"),
    ],
)
def test_a_table_is_well_where_it_can_be_written_and_nothing_is_inert(
    census: Census, writable: bool, status: str
) -> None:
    """Nothing else is said of it."""
    health = state_health("here", census, lapsed=["tea"] if census.inert else [], writable=writable)
    assert health.status == status
    assert bool(health.fix) is (status != "ok")
    counts = f"here: {census.on} on, {census.off} off, {census.inert} inert, {census.astray} astray"
    assert health.message.removesuffix("; it cannot be written") == counts


def test_a_rejected_folder_is_a_warning() -> None:
    """It says where to look."""
    found = catalog(Survey(source=AGENT, sightings={"a": sighting("a"), "b": sighting("b", valid=False)}))
    assert skill_health(found, "list here").message == "1 resolve, 1 rejected"
    assert skill_health(found, "list here").fix == "run `list here` to see why"
    assert skill_health(catalog(), "list here") == Health("skills", "ok", "0 resolve, 0 rejected")


def test_what_is_inert_is_named_as_far_as_it_is_seen() -> None:
    """Five names at most; a row of what only a mark keeps off has none."""
    census = Census(inert=1)
    fix = "enable again what should still be on, since it is not what was switched on"
    assert state_health("here", census, lapsed=[], writable=True).fix == fix
    assert state_health("here", census, lapsed=["a", "b"], writable=True).fix == f"{fix}: a, b"
    assert state_health("here", census, lapsed=[*"abcdefg"], writable=True).fix == f"{fix}: a, b, c, d, e and 2 more"


def test_what_is_on_and_is_no_skill_is_named_with_what_to_do() -> None:
    """It may come back, so that only a person can say whether it is meant."""
    fix = "mend or bring back what is on and is no skill now, or disable it: gone, tea"
    health = state_health("here", Census(astray=2), astray=["gone", "tea"], writable=True)
    assert health == Health("states", "warn", "here: 0 on, 0 off, 0 inert, 2 astray", fix)
    both = state_health("here", Census(inert=1, astray=2), lapsed=["milk"], astray=["gone", "tea"], writable=True)
    assert both.fix == f"enable again what should still be on, since it is not what was switched on: milk; {fix}"


def test_a_table_that_is_missed_is_a_warning() -> None:
    """Nobody can tell whether none was ever made, or it is somewhere else."""
    health = state_health("here", Census(), writable=True, missed=True)
    assert (health.status, health.message) == ("warn", "here: there is no state file, so that every skill is off")
    assert "--state" in health.fix


def test_a_table_on_a_server_is_called_one() -> None:
    """Its fixes speak of a table, and of no file or folder."""
    missed = state_health("here", Census(), writable=True, missed=True, served=True)
    assert missed.message == "here: there is no table of states, so that every skill is off"
    assert "file" not in missed.fix
    closed = state_health("here", Census(), writable=False, served=True)
    assert closed.status == "fail"
    assert closed.fix == "let yourself read and write the table bootstrap_config, or make it"


def test_a_recovery_tells_what_it_did() -> None:
    """All is well but what is not ours, and what could not be done."""
    assert recovery_health() == Health("recovery", "ok", "nothing was left by interrupted changes")
    done = recovery_health(purged=2, restored=["tea"])
    assert done == Health("recovery", "ok", "2 leftovers removed, tea put back")
    left = recovery_health(purged=1, left=["x", "y"])
    assert left.status == "warn"
    assert left.message == "1 leftover removed, 2 entries of `.kestrel-internal` stay: x, y"
    assert left.fix
    refused = recovery_health(left=["x"], why={"x": "permission is denied, at `y`"})
    assert refused.message == "1 entry of `.kestrel-internal` stays: x (permission is denied, at `y`)"
    assert refused.fix.startswith(f"{left.fix}; what could not be removed is ended by itself once it can be")
    failed = recovery_health(StoreFailed("sweep", "the disk is full", "free some space"))
    assert (failed.status, failed.fix) == ("warn", "free some space")
    assert "the disk is full" in failed.message


def test_what_is_kept_is_a_warning() -> None:
    """It says how many there are, and where to look; or why nobody knows."""
    assert kept_health([], "kept here") == Health("kept", "ok", "nothing of a person's met a change")
    assert kept_health(["a", "b"], "kept here") == Health(
        "kept", "warn", "2 of a person's files or folders", "run `kept here`"
    )
    blind = kept_health(StoreFailed("look", "permission is denied", "let yourself read it"), "kept here")
    assert (blind.status, blind.fix) == ("warn", "let yourself read it")
    assert "permission is denied" in blind.message


def test_an_adoption_names_what_is_on_and_what_is_not() -> None:
    """A row that speaks of nothing is off; a shared skill's old row is, and its new one is not."""
    born, shared = Subject(generation=Generation("ab" * 32)), Subject(root=ROOT)
    tea, milk, gone = SkillName("tea"), SkillName("milk"), SkillName("gone")
    rows = {
        StateKey(tea): SkillState(enabled=True, subject=born),
        StateKey(milk, shared=True): SkillState(enabled=True, subject=shared),
        StateKey(milk): SkillState(enabled=True, subject=Subject()),
    }
    assert adoption_health(rows) == Health("adoption", "ok", "of the rows of 0.1.0, on: milk, tea; off: none")
    off = adoption_health(rows | {StateKey(gone): SkillState(enabled=True, subject=Subject())})
    assert (off.status, off.message) == ("warn", "of the rows of 0.1.0, on: milk, tea; off: gone")
    assert off.fix
    assert adoption_health(StateUnavailable("it is away", "bring it back")).status == "fail"


def test_marks_are_named_and_fail_where_they_cannot_be_read() -> None:
    """A name that is kept off is a warning; where nobody knows which are, all are off."""
    assert mark_health([]) == Health("marks", "ok", "no skill is kept off by a mark")
    marked = mark_health(["milk", "tea"])
    assert (marked.status, marked.message) == ("warn", "kept off by a mark: milk, tea")
    assert marked.fix
    blind = mark_health(None)
    assert blind.status == "fail"
    assert "every skill is off" in blind.message
    assert blind.fix


def test_whose_the_root_is() -> None:
    """Well where what is said is what the owner's host sees; else a warning, with what asks for that."""
    owner = Owner(agent="did:example:kite", table="postgres")
    well = owner_health(owner, None, "")
    assert well == Health("owner", "ok", "did:example:kite, whose host sees what is said here")
    elsewhere = Elsewhere(owner, ("agent",), meant=True)
    told = owner_health(owner, elsewhere, "give `--agent did:example:kite`")
    assert (told.status, told.fix) == ("warn", "give `--agent did:example:kite`")
    assert told.message == f"{elsewhere}; that is not what is said here"


def test_a_watch_that_was_asked_for_is_there_or_what_it_lacks_is_said() -> None:
    """Without it each look is right, and takes longer: a warning."""
    assert watch_health([]).status == "ok"
    missing, elsewhere = watch_health(None), watch_health(["/srv/skills"])
    assert (missing.status, elsewhere.status) == ("warn", "warn")
    assert missing.fix.startswith("run `pip install 'kestrel-feature-skills[watch]'`, or unset KESTREL_SKILLS_WATCH")
    assert elsewhere.message.startswith("/srv/skills: not watched")
    assert elsewhere.fix.endswith("or unset KESTREL_SKILLS_WATCH, which asks for it")
