"""Which skill a name means. The cases in `cases/resolver/*.json` are written by hand.

A case says what stands under the name `bird` in the agent's own root and in the shared one, and which rows there are:
`local on this` is the row of the local folder, on, and naming this birth. What is expected is told as
`bird agent-local on, shadows host-shared`.
"""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.clause import render_clause
from kestrel_skills_core.domain.errors import SkillAbsent, SourceUnavailable
from kestrel_skills_core.domain.names import Address, SkillName, SourceId, is_skill_name
from kestrel_skills_core.domain.provenance import Provenance
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.resolver import Catalog, Resolver, Survey, leads_to
from kestrel_skills_core.domain.state_row import StateKey
from tests.domain.given import FAULT, GENERATION, GIT, ROOT, few_names, priorities, sighting

CASES_OF = Path(__file__).parent / "cases" / "resolver"
CASES = [
    pytest.param(case, id=f"{path.stem}: {case['says']}")
    for path in sorted(CASES_OF.glob("*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))
]
AGENT, SHARED, INSTALLED = SourceId.AGENT_LOCAL, SourceId.HOST_SHARED, SourceId.GIT
HERE, THERE = Subject(generation=GENERATION), Subject(root=ROOT)


def surveys_of(case: dict) -> list[Survey]:
    """What a case says of the two roots."""
    surveys = [Survey(source=AGENT), Survey(source=SHARED, root=ROOT)]
    for survey, kind in zip(surveys, (case["agent"], case["host"]), strict=True):
        if kind is not None:
            provenance = GIT if "git" in kind else None
            survey.sightings["bird"] = sighting("bird", valid="rejected" not in kind, provenance=provenance)
    return surveys


def states_of(case: dict) -> dict[StateKey, SkillState]:
    """What a case says of the rows."""
    states = {}
    for row in case.get("rows", []):
        whose, turned, what = row.split()
        shared = whose == "shared"
        other = Subject(root="00" * 32) if shared else Subject(generation="00" * 32)
        subject = {"this": THERE if shared else HERE, "other": other, "nothing": None}[what]
        states[StateKey("bird", shared)] = SkillState(enabled=turned == "on", subject=subject)
    return states


def told(record: SkillRecord) -> str:
    """A skill's source, and whether it is on."""
    return f"{record.source} on" if record.enabled else str(record.source)


def told_record(record: SkillRecord) -> str:
    """A skill with what it shadows."""
    shadowed = ", ".join(told(each) for each in record.shadowed)
    return f"{record.name} {told(record)}" + (f", shadows {shadowed}" if shadowed else "")


def told_rejection(rejection: Rejection) -> str:
    """A rejection with what it holds back."""
    held = rejection.holds_back
    return f"{rejection.label} {rejection.source}" + (f", holds back {told(held)}" if held else "")


@pytest.mark.parametrize("case", CASES)
def test_a_case_resolves_as_written(case):
    """T6: what each case file says of copies of one name."""
    catalog = Resolver().resolve(surveys_of(case), states_of(case))
    assert [told_record(record) for record in catalog.records] == case["records"]
    assert [told_rejection(rejection) for rejection in catalog.rejected] == case["rejected"]


def test_the_cases_cover_every_combination():
    """Five things the agent's root can hold, by three the shared one can, and each of them once."""
    precedence = json.loads((CASES_OF / "precedence.json").read_text(encoding="utf-8"))
    agent = [None, "authored", "git", "rejected authored", "rejected git"]
    assert sorted(str((case["agent"], case["host"])) for case in precedence) == sorted(
        str((one, other)) for one in agent for other in (None, "valid", "rejected")
    )


def test_records_come_by_priority_then_name():
    """Lower priorities first, and names in order among equals: on or off does not matter."""
    survey = Survey(source=AGENT, sightings={name: sighting(name) for name in ("c", "a", "b", "d")})
    states = {
        StateKey("c"): SkillState(priority=-1),
        StateKey("d"): SkillState(enabled=True, priority=100, subject=HERE),
        StateKey("a"): SkillState(enabled=True, priority=101, subject=HERE),
    }
    catalog = Resolver().resolve([survey], states)
    assert [record.name for record in catalog.records] == ["c", "b", "d", "a"]
    assert [record.name for record in catalog.enabled] == ["d", "a"]


def test_a_folder_without_a_skill_name_is_an_entry():
    """It is listed with its name escaped and cut, and cannot be addressed."""
    names = ["No Name", "con", "a\u202eb\n", "\udcff", "X" * 200]
    survey = Survey(source=AGENT, sightings={name: sighting(name, valid=False) for name in names})
    rejected = Resolver().resolve([survey]).rejected
    assert [rejection.label for rejection in rejected] == ["No Name", "X" * 80, "\\udcff", "a\\u202eb\\x0a", "con"]
    assert {rejection.name for rejection in rejected} == {None}


def test_a_rejection_keeps_what_was_seen():
    """Faults, advice, digest, inventory, marker and entries beside it: all that repair and deletion need."""
    seen = sighting("bird", valid=False, unlisted=None)
    survey = Survey(source=AGENT, sightings={"bird": seen})
    found = survey.found("bird", {})
    assert isinstance(found, Rejection)
    assert (found.faults, found.findings, found.revision) == ((FAULT,), (FAULT,), seen.revision)
    assert (found.inventory, found.generation, found.unlisted) == ((), GENERATION, None)


def test_agents_share_what_no_row_speaks_of():
    """One value for all who resolve one survey; where a row says something, the agent has its own."""
    survey = Survey(source=AGENT, sightings={name: sighting(name) for name in ("a", "b")})
    on = SkillState(enabled=True, subject=HERE)
    one = Resolver().resolve([survey], {StateKey(SkillName("b")): on}).meanings
    other = Resolver().resolve([survey]).meanings
    assert one["a"] is other["a"]
    assert (one["b"].enabled, other["b"].enabled) == (True, False)
    assert attrs.evolve(one["b"], state=SkillState()) == other["b"]


def test_what_adapting_mends_is_the_agents_own():
    """A shared folder is its operator's to mend."""
    for source in (SourceId.AGENT_LOCAL, SourceId.HOST_SHARED):
        found = sighting("bird", valid=False, adaptable=True)
        catalog = Resolver().resolve([Survey(source=source, sightings={SkillName("bird"): found})], {})
        assert catalog.rejected[0].adaptable is (source is SourceId.AGENT_LOCAL)


def test_a_folder_of_the_shared_root_stays_shared():
    """Whatever a provenance file in it claims: only the agent's own root holds installed skills."""
    survey = Survey(source=SHARED, root=ROOT, sightings={"bird": sighting("bird", provenance=GIT)})
    assert [record.source for record in Resolver().resolve([survey]).records] == [SHARED]


@pytest.mark.parametrize("kind", ["folder", "archive", "adapted"])
def test_what_was_not_installed_by_git_is_the_agents_own(kind):
    """Only `git` ranks as git."""
    survey = Survey(source=AGENT, sightings={"bird": sighting("bird", provenance=Provenance(kind=kind))})
    assert [record.source for record in Resolver().resolve([survey]).records] == [AGENT]


def test_a_source_that_cannot_be_read_is_told():
    """The others resolve, and the problem is named beside them."""
    problem = SourceUnavailable("host-shared", "no permission")
    surveys = [
        Survey(source=SHARED, root=ROOT, problem=problem),
        Survey(source=AGENT, sightings={"bird": sighting("bird")}),
    ]
    catalog = Resolver().resolve(surveys)
    assert catalog.problems == ((SHARED, problem),)
    assert [record.name for record in catalog.records] == ["bird"]


def test_how_full_a_root_is_is_told():
    """Of each root that could be read, in order of rank."""
    problem = SourceUnavailable("host-shared", "no permission")
    surveys = [Survey(source=SHARED, root=ROOT, problem=problem), Survey(source=AGENT, entries=7)]
    assert Resolver().resolve(surveys).entries == ((AGENT, 7),)
    surveys = [Survey(source=SHARED, root=ROOT, entries=5), Survey(source=AGENT, entries=7)]
    assert Resolver().resolve(surveys).entries == ((AGENT, 7), (SHARED, 5))


@pytest.mark.parametrize(
    ("agent", "host", "source", "found"),
    [
        ("authored", "valid", None, AGENT),
        ("authored", "valid", SHARED, SHARED),
        ("git", "valid", None, SHARED),
        ("git", "valid", INSTALLED, INSTALLED),
        ("rejected authored", "valid", None, AGENT),
        ("rejected authored", "valid", SHARED, SHARED),
        ("rejected git", "valid", None, SHARED),
        ("rejected git", "valid", INSTALLED, INSTALLED),
        ("rejected git", "rejected", None, SHARED),
    ],
)
def test_every_copy_is_addressable(agent, host, source, found):
    """A name means what resolves under it, or the rejection that holds it; `name@source` the copy in that source."""
    catalog = Resolver().resolve(surveys_of({"agent": agent, "host": host}))
    assert catalog.find(Address("bird", source)).source is found


@pytest.mark.parametrize(
    ("name", "source", "text", "fix"),
    [
        ("bir", None, "there is no skill 'bir'", "did you mean bird?"),
        ("birds", None, "there is no skill 'birds'", "did you mean bird?"),
        ("fish", None, "there is no skill 'fish'", "list the skills to see their names"),
        ("bird", SHARED, "there is no skill 'bird@host-shared'", "did you mean bird?"),
    ],
)
def test_what_was_not_seen_is_absent(name, source, text, fix):
    """The answer names what was asked for, and what may have been meant."""
    catalog = Resolver().resolve(surveys_of({"agent": "authored", "host": None}))
    with pytest.raises(SkillAbsent) as absent:
        catalog.find(Address(name, source))
    assert (str(absent.value), absent.value.fix) == (text, fix)


def test_at_most_three_names_are_suggested():
    """In the order of names."""
    survey = Survey(source=AGENT, sightings={name: sighting(name) for name in ("b4", "b1", "b3", "b2")})
    with pytest.raises(SkillAbsent) as absent:
        Resolver().resolve([survey]).find(Address("b"))
    assert absent.value.fix == "did you mean b1, b2, b3?"


@pytest.mark.parametrize("agent", ["rejected authored", "rejected git"])
def test_a_rejected_folder_may_be_what_was_meant(agent):
    """It is addressed by its name like others, and so it is guessed at like others."""
    with pytest.raises(SkillAbsent) as absent:
        Resolver().resolve(surveys_of({"agent": agent, "host": None})).find(Address("birds"))
    assert absent.value.fix == "did you mean bird?"


@pytest.mark.parametrize(("agent", "empty"), [(None, True), ("authored", False), ("rejected authored", False)])
def test_a_catalog_is_empty_where_there_is_no_folder(agent, empty):
    """A rejected folder is an entry, and not a gap."""
    assert Resolver().resolve(surveys_of({"agent": agent, "host": None})).is_empty is empty


@pytest.mark.parametrize(
    ("failed", "on"),
    [((), {"local", "shared", "fetched"}), ((SHARED,), {"local"}), ((AGENT,), set()), ((AGENT, SHARED), set())],
)
def test_what_an_unread_root_outranks_is_off(failed, on):
    """A root that could not be read may hold any name: what it outranks is listed, and off."""
    agent = {"local": sighting("local"), "fetched": sighting("fetched", provenance=GIT)}
    surveys = [
        Survey(source=source, root=root, problem=SourceUnavailable(source, "the disk reports an error"))
        if source in failed
        else Survey(source=source, root=root, sightings=sightings)
        for source, root, sightings in ((AGENT, None, agent), (SHARED, ROOT, {"shared": sighting("shared")}))
    ]
    states = {StateKey(name): SkillState(enabled=True, subject=HERE) for name in agent}
    states[StateKey("shared", shared=True)] = SkillState(enabled=True, subject=THERE)
    catalog = Resolver().resolve(surveys, states)
    assert {record.name for record in catalog.enabled} == on
    assert len(catalog.records) == sum(len(survey.sightings) for survey in surveys)
    assert [source for source, _ in catalog.problems] == list(failed)


@pytest.mark.parametrize(
    ("agent", "host", "leads"),
    # Where `bird`, and `bird` of each source by rank, lead: to a folder that was seen, to a root that was not (?).
    [
        ("authored", "there", "agent-local, agent-local, host-shared, -"),
        ("rejected authored", "there", "agent-local, agent-local, host-shared, -"),
        ("git", "there", "host-shared, -, host-shared, agent-local"),
        ("git", None, "agent-local, -, -, agent-local"),
        (None, "there", "host-shared, -, host-shared, -"),
        (None, None, "-, -, -, -"),
        ("unread", "there", "agent-local?, agent-local?, host-shared, agent-local?"),
        ("unread", None, "agent-local?, agent-local?, -, agent-local?"),
        ("authored", "unread", "agent-local, agent-local, host-shared?, -"),
        ("git", "unread", "host-shared?, -, host-shared?, agent-local"),
        (None, "unread", "host-shared?, -, host-shared?, -"),
        ("unread", "unread", "agent-local?, agent-local?, host-shared?, agent-local?"),
    ],
)
def test_an_address_leads_to_one_root(agent, host, leads):
    """The first by rank that saw such a folder, or that may hold one because it could not be read."""
    seen = surveys_of({"agent": None if agent == "unread" else agent, "host": None if host == "unread" else host})
    surveys = [
        attrs.evolve(survey, problem=SourceUnavailable(survey.source, "it is away")) if kind == "unread" else survey
        for survey, kind in zip(seen, (agent, host), strict=True)
    ]

    def told_root(source: SourceId | None) -> str:
        found = leads_to(Address("bird", source), reversed(surveys))
        return "-" if found is None else f"{found.source}{'' if found.problem is None else '?'}"

    assert ", ".join(told_root(source) for source in (None, *SourceId)) == leads


kinds = st.sampled_from(["valid", "rejected"])
odd = st.sampled_from(["No Name", "con", "X" * 90, "X" * 91, "\u202e"])
subjects = st.sampled_from([None, HERE, THERE])


@st.composite
def worlds(draw):
    """Two roots with a few folders each, named or not, and a few rows."""
    surveys = []
    for source, root in ((AGENT, None), (SHARED, ROOT)):
        folders = draw(st.dictionaries(few_names | odd, kinds, max_size=6))
        surveys.append(
            Survey(
                source=source,
                root=root,
                sightings={
                    name: sighting(
                        name,
                        valid=kind == "valid" and is_skill_name(name),
                        provenance=draw(st.sampled_from([None, GIT])),
                        packed=("SKILL.md", number, bytes(32), False),
                    )
                    for number, (name, kind) in enumerate(folders.items())
                },
            )
        )
    keys = st.builds(StateKey, few_names, st.booleans())
    rows = st.builds(SkillState, enabled=st.booleans(), priority=priorities, subject=subjects)
    return surveys, draw(st.dictionaries(keys, rows, max_size=6))


def entries(catalog: Catalog) -> list[SkillRecord | Rejection]:
    """Everything in a catalog, each once."""
    below = [each for record in catalog.records for each in record.shadowed]
    held = [each.holds_back for each in catalog.rejected if each.holds_back is not None]
    under_held = [each for record in held for each in record.shadowed]
    return [*catalog.records, *below, *catalog.rejected, *held, *under_held]


@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_looking_does_not_matter(world, random):
    """Surveys, folders and rows in any order give the same catalog."""
    surveys, states = world
    shuffled = [
        attrs.evolve(survey, sightings=dict(random.sample(list(survey.sightings.items()), len(survey.sightings))))
        for survey in random.sample(surveys, len(surveys))
    ]
    rows = dict(random.sample(list(states.items()), len(states)))
    assert Resolver().resolve(shuffled, rows) == Resolver().resolve(surveys, states)


@given(worlds())
def test_resolving_again_changes_nothing(world):
    """The same sightings give the same catalog."""
    assert Resolver().resolve(*world) == Resolver().resolve(*world)


@given(worlds())
def test_nothing_that_was_seen_is_lost(world):
    """Every folder is a record, shadowed, rejected or held back, and exactly one of them."""
    surveys, states = world
    found = entries(Resolver().resolve(surveys, states))
    seen = [survey.found(name, states) for survey in surveys for name in survey.sightings]
    bare = [
        attrs.evolve(each, **({"shadowed": ()} if isinstance(each, SkillRecord) else {"holds_back": None}))
        for each in found
    ]
    assert sorted(map(repr, bare)) == sorted(map(repr, seen))


@given(worlds())
def test_a_name_has_one_record_and_its_source_wins(world):
    """No name resolves twice, and nothing that was seen under it has a better rank."""
    catalog = Resolver().resolve(*world)
    names = [record.name for record in catalog.records]
    assert len(names) == len(set(names))
    for record in catalog.records:
        assert all(record.source.rank <= each.source.rank for each in entries(catalog) if each.name == record.name)


@given(worlds())
def test_a_held_name_does_not_resolve(world):
    """Where a rejection holds something back, no record has that name."""
    catalog = Resolver().resolve(*world)
    held = {each.holds_back.name for each in catalog.rejected if each.holds_back is not None}
    assert held.isdisjoint(record.name for record in catalog.records)


@given(worlds())
def test_what_does_not_resolve_is_never_in_the_clause(world):
    """Neither a shadowed nor a held back nor a rejected skill, whatever its row says."""
    catalog = Resolver().resolve(*world)
    clause = render_clause(catalog.records)
    on = [record.name for record in catalog.records if record.enabled]
    assert [*clause.included, *clause.omitted] == on
    assert clause.text.count("<skill ") == len(on)


@given(worlds(), worlds())
def test_a_catalog_that_is_amended_means_what_was_found_since(older, newer):
    """With all that names mean in a newer one it has the newer one's skills, in their order, and what holds a name."""
    before, after = Resolver().resolve(*older), Resolver().resolve(*newer)
    names = {each.name for catalog in (before, after) for each in entries(catalog) if each.name is not None}
    held = {each.name: each for each in reversed(after.rejected) if each.name is not None}
    found = dict.fromkeys(names) | held | {record.name: record for record in after.records}
    amended = before.amended(found)
    assert amended.records == after.records
    nameless = [each for each in before.rejected if each.name is None]
    holding = [each for each in held.values() if each.name not in {record.name for record in after.records}]
    assert sorted(map(repr, amended.rejected)) == sorted(map(repr, [*nameless, *holding]))
    assert (amended.problems, amended.entries) == (before.problems, before.entries)


@given(worlds())
def test_a_catalog_that_is_amended_with_nothing_newer_is_the_same(world):
    """To the order of its parts."""
    catalog = Resolver().resolve(*world)
    assert catalog.amended({}) is catalog


@given(worlds())
def test_what_names_mean_is_what_they_are_found_by(world):
    """By the name alone, each that a folder has; a folder without a skill's name is of none."""
    catalog = Resolver().resolve(*world)
    names = {each.name for each in entries(catalog) if each.name is not None}
    assert catalog.meanings == {name: catalog.find(Address(name)) for name in names}
