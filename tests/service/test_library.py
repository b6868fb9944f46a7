"""The use cases over fakes."""

from __future__ import annotations

import pytest

from kestrel_skills_adapters.memory.files import Entry
from kestrel_skills_adapters.memory.world import MemoryOffload
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.errors import (
    BadDocument,
    BadName,
    NotEditable,
    SkillAbsent,
    SkillError,
    SourceUnavailable,
    StaleRevision,
    StateUnavailable,
    TooLarge,
)
from kestrel_skills_core.domain.names import (
    DOCUMENT,
    Address,
    Generation,
    ResourcePath,
    Revision,
    SkillName,
    SourceId,
    parse_address,
)
from kestrel_skills_core.domain.proposal import Proposal
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.service.queries import FileReading, Reading

from .shelf import BEYOND, ROOT, TOO_LARGE, Shelf, from_git, shelf, skill

LINT = StateKey(SkillName("lint"))
SHARED_LINT = StateKey(SkillName("lint"), shared=True)
AWAY_LOCAL = SourceUnavailable("agent-local", "it is away", "bring it back")
AWAY_SHARED = SourceUnavailable("host-shared", "it is away", "bring it back")
AWAY_STATES = StateUnavailable("it is away", "bring it back")
SHARED_ON = SkillState(enabled=True, subject=Subject(root=ROOT))
GONE_ON = SkillState(enabled=True, priority=5, subject=Subject(generation=Generation("0" * 64)))

local, shared, git = SourceId.AGENT_LOCAL, SourceId.HOST_SHARED, SourceId.GIT


def read(on: Shelf, address: str) -> Reading:
    """Read what an address means."""
    return finish(on.library.read(parse_address(address)))


def described(on: Shelf, address: str) -> str:
    """The description of the skill that is read under an address: which copy it is."""
    found = read(on, address).found
    assert isinstance(found, SkillRecord)
    return found.description


def turn(on: Shelf, address: str, enabled: bool, priority: int | None = None, pin: Revision | None = None):
    """Set a state."""
    command = SetState(address=parse_address(address), enabled=enabled, priority=priority, pin=pin)
    return finish(on.library.set_state(command))


def enabled(on: Shelf) -> list[str]:
    """The names of the skills that are on, in catalog order."""
    return [record.name for record in finish(on.library.catalog()).catalog.enabled]


def refused(call) -> SkillError:
    """The error of a call."""
    with pytest.raises(SkillError) as caught:
        call()
    return caught.value


# List and search


def test_a_catalog_lists_every_root() -> None:
    """Skills of both roots are listed by name, all off at first."""
    on = shelf({"pdf": skill("pdf")}, {"lint": skill("lint")})
    observed = finish(on.library.catalog())
    assert [(record.name, record.source, record.enabled) for record in observed.catalog.records] == [
        ("lint", shared, False),
        ("pdf", local, False),
    ]
    assert observed.unavailable is None


def test_a_catalog_lists_what_is_broken() -> None:
    """A folder with faults is an entry, and changes nothing for another."""
    on = shelf({"pdf": {}, "lint": skill("lint")})
    catalog = finish(on.library.catalog()).catalog
    assert [record.name for record in catalog.records] == ["lint"]
    assert [rejection.label for rejection in catalog.rejected] == ["pdf"]


def test_without_a_table_everything_is_off_and_listed() -> None:
    """Where the table does not answer, the catalog is whole, nothing is on, and it says why."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    on.states.unavailable = AWAY_STATES
    observed = finish(on.library.catalog())
    assert [(record.name, record.enabled) for record in observed.catalog.records] == [("lint", False)]
    assert observed.unavailable is AWAY_STATES
    assert observed.clause(on.library.budget).text == ""


def test_a_root_that_is_away_is_a_problem_of_its_own() -> None:
    """What the other root holds is listed, with the problem beside it."""
    on = shelf({"pdf": skill("pdf")}, {"lint": skill("lint")})
    on.local.problem = AWAY_LOCAL
    catalog = finish(on.library.catalog()).catalog
    assert [record.name for record in catalog.records] == ["lint"]
    assert catalog.problems == ((local, AWAY_LOCAL),)


def test_a_root_that_comes_back_was_not_forgotten() -> None:
    """What was known of a root before it went away is known when it is back, so that nothing is opened again for it."""
    on = shelf({"lint": skill("lint")})
    for problem in (None, AWAY_LOCAL, None):
        on.local.problem = problem
        finish(on.library.catalog())
    assert [known and set(known.sightings) for known in on.local.knew] == [None, {"lint"}, {"lint"}]


def test_the_clause_is_of_what_is_on() -> None:
    """Skills that are on are in the clause, and no others."""
    on = shelf({"lint": skill("lint", "Checks."), "pdf": skill("pdf", "Prints.")})
    turn(on, "lint", enabled=True)
    text = finish(on.library.catalog()).clause(on.library.budget).text
    assert '<skill name="lint">Checks.</skill>' in text
    assert "pdf" not in text


def test_a_search_finds_words() -> None:
    """The skills that hold every word, best first, on or off."""
    on = shelf(
        {"pdf-forms": skill("pdf-forms", "Fill in."), "lint": skill("lint", "Not for pdf.")}, {"pdf": skill("pdf")}
    )
    assert [record.name for record in finish(on.library.search("PDF")).records] == ["pdf", "pdf-forms", "lint"]
    found = finish(on.library.search("pdf fill"))
    assert found.records[0].name == "pdf-forms"
    assert found.observed is finish(on.library.catalog())


def test_an_empty_search_finds_all() -> None:
    """In the order of the catalog; one without a word finds none."""
    on = shelf({"pdf": skill("pdf"), "lint": skill("lint")})
    assert [record.name for record in finish(on.library.search(" ")).records] == ["lint", "pdf"]
    assert finish(on.library.search("--")).records == ()


# Read


def test_reading_gives_the_procedure_and_every_file() -> None:
    """A reading holds the record, the parsed document, and the bytes of each file."""
    on = shelf({"lint": skill("lint", body="Run ruff.") | {"notes.md": Content(b"More.\n")}})
    reading = read(on, "lint")
    assert (reading.name, reading.found.source) == ("lint", local)
    assert reading.document.body.strip() == "Run ruff."
    assert reading.content(ResourcePath("notes.md")) == b"More.\n"
    assert b"Run ruff." in reading.content(DOCUMENT)


def test_a_file_that_is_not_there() -> None:
    """Asking a reading for a file that it has not names the skill and the file."""
    error = refused(lambda: read(shelf({"lint": skill("lint")}), "lint").content(ResourcePath("other.md")))
    assert isinstance(error, SkillAbsent)
    assert (error.name, error.path) == ("lint", "other.md")
    assert error.fix


def test_reading_touches_one_folder_of_each_root() -> None:
    """Reading one skill looks at no other, and surveys nothing."""
    on = shelf({f"skill-{number}": skill(f"skill-{number}") for number in range(5)}, {"skill-1": skill("skill-1")})
    read(on, "skill-1")
    assert on.local.asked == on.shared.asked == ["read skill-1"]


def test_setting_a_state_touches_one_folder_of_each_root() -> None:
    """So does turning one on or off."""
    on = shelf({f"skill-{number}": skill(f"skill-{number}") for number in range(5)})
    turn(on, "skill-1", enabled=True)
    turn(on, "skill-1", enabled=False)
    assert on.local.asked == on.shared.asked == ["read skill-1"] * 2


def test_a_shadowed_copy_is_read_by_its_source() -> None:
    """The name means the copy that wins; each copy is read as name@source."""
    on = shelf({"lint": skill("lint", "Ours.")}, {"lint": skill("lint", "Theirs.")})
    assert described(on, "lint") == described(on, "lint@agent-local") == "Ours."
    assert described(on, "lint@host-shared") == "Theirs."
    reading = read(on, "lint@host-shared")
    assert b"Theirs." in reading.content(DOCUMENT)


def test_a_copy_from_git_is_outranked_by_the_shared_one() -> None:
    """The shared copy wins over one that was installed by git, which is read by its source."""
    on = shelf({"lint": from_git("lint", "Installed.")}, {"lint": skill("lint", "Theirs.")})
    assert described(on, "lint") == "Theirs."
    assert described(on, "lint@git") == "Installed."
    assert isinstance(refused(lambda: read(on, "lint@agent-local")), SkillAbsent)


def test_a_rejected_folder_is_read() -> None:
    """A folder with faults is read like any other, so that it can be repaired; its document says what is wrong."""
    on = shelf({"lint": {"SKILL.md": Content(b"no fence\n"), "a.md": Content(b"fine\n")}}, {"lint": skill("lint")})
    reading = read(on, "lint")
    assert isinstance(reading.found, Rejection)
    assert reading.found.holds_back is not None
    assert reading.content(ResourcePath("a.md")) == b"fine\n"
    error = refused(lambda: reading.document)
    assert isinstance(error, BadDocument)
    assert [fault.code for fault in error.faults] == [fault.code for fault in reading.found.faults]


def test_what_is_held_back_is_read_by_its_source() -> None:
    """The copy behind a rejected folder is read only by its source."""
    on = shelf({"lint": {}}, {"lint": skill("lint", "Theirs.")})
    assert described(on, "lint@host-shared") == "Theirs."


@pytest.mark.parametrize(
    ("own", "theirs", "away", "reads", "fails"),
    [
        # The agent's own root may hold the name, so that nothing below it answers to it.
        (None, "Theirs.", "local", ["lint@host-shared"], ["lint", "lint@agent-local", "lint@git"]),
        # What the shared root holds, if anything, is outranked by the agent's own copy.
        ("Ours.", None, "shared", ["lint", "lint@agent-local"], ["lint@host-shared"]),
        # The shared root may hold a copy that outranks the one from git.
        ("git", None, "shared", ["lint@git"], ["lint", "lint@host-shared"]),
        # The shared root may hold the only copy.
        (None, None, "shared", [], ["lint", "lint@host-shared"]),
    ],
)
def test_a_root_that_is_away_holds_what_it_outranks(own, theirs, away, reads, fails) -> None:
    """A root that cannot be read hides no copy that outranks it, and exposes none that it may outrank."""
    mine = from_git("lint") if own == "git" else skill("lint", own) if own else None
    on = shelf({"lint": mine} if mine else {}, {"lint": skill("lint", theirs)} if theirs else {})
    if away == "local":
        on.local.problem = AWAY_LOCAL
    else:
        on.shared.problem = AWAY_SHARED
    for address in reads:
        assert read(on, address).name == "lint"
    for address in fails:
        assert refused(lambda address=address: read(on, address)) is (AWAY_LOCAL if away == "local" else AWAY_SHARED)


def test_what_an_away_root_outranks_is_read_and_off() -> None:
    """Reading a copy by its source says the same of it as a listing does."""
    on = shelf({}, {"lint": skill("lint")})
    turn(on, "lint@host-shared", enabled=True)
    assert [record.name for record in finish(on.library.catalog()).catalog.enabled] == ["lint"]
    on.local.problem = AWAY_LOCAL
    found = read(on, "lint@host-shared").found
    assert isinstance(found, SkillRecord)
    assert not found.enabled
    assert not any(record.enabled for record in finish(on.library.catalog()).catalog.records)


def test_where_the_other_root_is_away_what_is_absent_is_absent() -> None:
    """An address in a root that was read is absent, whatever the other root may hold."""
    on = shelf({"pdf": skill("pdf")})
    on.shared.problem = AWAY_SHARED
    assert isinstance(refused(lambda: read(on, "lint@agent-local")), SkillAbsent)


def test_a_folder_beyond_the_caps_holds_its_name() -> None:
    """A folder that is too large to be shown whole is refused, and the shared copy read by its source only."""
    on = shelf({"lint": skill("lint") | BEYOND}, {"lint": skill("lint", "Theirs.")})
    assert isinstance(refused(lambda: read(on, "lint")), TooLarge)
    assert described(on, "lint@host-shared") == "Theirs."


@pytest.mark.parametrize("text", ["UPPER", "UPPER@agent-local", "Bad Name", r"Bad\x20Name", r"Bad\x07"])
def test_a_folder_that_has_no_skill_name_is_to_be_renamed(text: str) -> None:
    """Whoever types what a listing shows is told why nothing is called so."""
    on = shelf({"UPPER": skill("UPPER"), "Bad Name": {}, "Bad\x07": {}}, {"lint": skill("lint")})
    error = refused(lambda: finish(on.library.address(text)))
    assert isinstance(error, BadName)
    assert error.fix.startswith("rename the folder of that name in the agent-local skills by hand: use 1 to 64 of")


def test_an_address_is_read_as_somebody_typed_it() -> None:
    """No root is looked at for a good one; one that is nowhere is refused as what it is."""
    on = shelf({}, {"lint": skill("lint")})
    assert finish(on.library.address("lint@host-shared")) == Address(SkillName("lint"), SourceId.HOST_SHARED)
    assert on.local.asked == on.shared.asked == []
    error = refused(lambda: finish(on.library.address("UPPER")))
    assert error.fix.startswith("use 1 to 64 of")


def test_single_files_of_a_folder_beyond_the_caps_are_read() -> None:
    """Each file that is within the caps itself is readable, so that the folder can be repaired."""
    folder = skill("lint", body="Run ruff.") | BEYOND | {"big.md": TOO_LARGE}
    on = shelf({"lint": folder}, {"lint": skill("lint", body="Theirs.")})
    assert b"Run ruff." in finish(on.library.read_file(parse_address("lint"), DOCUMENT)).content
    assert b"Theirs." in finish(on.library.read_file(parse_address("lint@host-shared"), DOCUMENT)).content
    big, other = ResourcePath("big.md"), ResourcePath("other.md")
    assert isinstance(refused(lambda: finish(on.library.read_file(parse_address("lint"), big))), TooLarge)
    assert isinstance(refused(lambda: finish(on.library.read_file(parse_address("lint"), other))), SkillAbsent)
    assert isinstance(refused(lambda: finish(on.library.read_file(parse_address("pdf"), DOCUMENT))), SkillAbsent)


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ({}, False),
        ({"notes.md": Content(b"b")}, True),
        ({"SKILL.md": Content(b"no skill")}, True),
        ({"other.md": Content(b"c")}, True),
        # Beyond the caps nobody can tell what it is, and it was within them when it was pinned.
        (BEYOND, True),
        ({"notes.md": Content(b"b")} | BEYOND, True),
    ],
    ids=["as pinned", "the file", "another file", "a new file", "beyond the caps", "both"],
)
def test_a_file_of_a_skill_that_left_its_pin_says_so(change: dict[str, Entry], left: bool) -> None:
    """The pin is held against the very folder whose file is given, be it a skill, rejected, or beyond the caps."""
    notes = ResourcePath("notes.md")
    on = shelf({"lint": skill("lint") | {"notes.md": Content(b"a")}})
    pin = read(on, "lint").tree.revision
    finish(on.library.set_state(SetState(address=parse_address("lint"), enabled=True, pin=pin)))
    folder = on.local.folders["lint"]
    assert isinstance(folder, dict)
    folder |= change
    file = finish(on.library.read_file(parse_address("lint"), notes))
    assert file == FileReading(content=b"b" if "notes.md" in change else b"a", has_left_pin=left)
    turn(on, "lint", enabled=False)
    assert not finish(on.library.read_file(parse_address("lint"), notes)).has_left_pin


def test_a_reading_of_a_skill_that_left_its_pin_says_so() -> None:
    """What is on for certain bytes, and has others; a rejected folder is no skill."""
    on = shelf({"lint": skill("lint")})
    pin = read(on, "lint").tree.revision
    finish(on.library.set_state(SetState(address=parse_address("lint"), enabled=True, pin=pin)))
    assert not read(on, "lint").has_left_pin
    on.local.folders["lint"] |= skill("lint", body="Else.")
    assert read(on, "lint").has_left_pin
    on.local.folders["lint"] |= {"SKILL.md": Content(b"no skill")}
    assert not read(on, "lint").has_left_pin


def test_reading_without_a_table() -> None:
    """Where the table does not answer, a skill is read all the same, and is off."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    on.states.unavailable = AWAY_STATES
    found = read(on, "lint").found
    assert isinstance(found, SkillRecord)
    assert not found.enabled


def test_a_name_that_is_not_there_suggests_others() -> None:
    """An absent name is told with those that somebody may have meant, of every root, broken ones included."""
    on = shelf({"release-notes": skill("release-notes"), "Release!": {}}, {"release-note": {}, "pdf": skill("pdf")})
    error = refused(lambda: read(on, "relase-notes"))
    assert (str(error), error.fix) == (
        "there is no skill 'relase-notes'",
        "did you mean release-notes, release-note?",
    )


def test_a_name_that_is_nowhere() -> None:
    """Where nothing is near, the fix is to list; and only then was anything surveyed."""
    on = shelf({"pdf": skill("pdf")})
    assert refused(lambda: read(on, "lint")).fix == "list the skills to see their names"
    assert on.local.asked == ["read lint", "survey"]


def test_a_name_in_another_source() -> None:
    """A name that is there, only not in that source, is suggested."""
    assert refused(lambda: read(shelf({"lint": skill("lint")}), "lint@git")).fix == "did you mean lint?"


# Check


def test_the_checks_of_a_good_skill_are_advice() -> None:
    """A skill without faults is given advice: broken links, litter beside it."""
    on = shelf({"lint": skill("lint", body="See [more](more.md).\n") | {".DS_Store": Content(b"")}})
    findings = finish(on.library.checks(parse_address("lint")))
    assert "error" not in {finding.severity for finding in findings}
    assert [finding.file for finding in findings] == [".DS_Store", "SKILL.md"]
    assert "more.md" in findings[1].message


def test_the_checks_of_a_rejected_folder_are_everything_at_once() -> None:
    """Faults of the folder and advice on a text that can be read come together, in reading order, each once."""
    folder = skill("lint", body="See [more](more.md).\n") | {"big.bin": Content(b"\xff")}
    findings = finish(shelf({"lint": folder}).library.checks(parse_address("lint")))
    assert [(finding.file, finding.severity) for finding in findings] == [("SKILL.md", "warning"), ("big.bin", "error")]


def test_the_checks_are_no_more_than_sixty_four() -> None:
    """What is wrong with the folder and what is advised on its text are capped together; the last says so."""
    links = "".join(f"[a](gone-{number}.md)\n" for number in range(60))
    binaries = {f"{number:02}.bin": Content(b"\xff") for number in range(30)}
    findings = finish(shelf({"lint": skill("lint", body=links) | binaries}).library.checks(parse_address("lint")))
    assert [finding.severity for finding in findings] == ["error"] * 30 + ["warning"] * 34
    assert [finding.message.endswith("; more was found than is shown") for finding in findings] == [False] * 63 + [True]


@pytest.mark.parametrize("folder", [{}, {"SKILL.md": Content(b"no fence\n")}])
def test_the_checks_where_there_is_no_text(folder: dict[str, Content]) -> None:
    """Without a document that can be read, the faults are all there is to say."""
    on = shelf({"lint": folder})
    findings = finish(on.library.checks(parse_address("lint")))
    assert findings == read(on, "lint").found.findings
    assert findings


def test_checking_does_not_block_the_loop() -> None:
    """Parsing Markdown is offloaded, as reading the folder and the marks is."""
    on = shelf({"lint": skill("lint")})
    finish(on.library.checks(parse_address("lint")))
    assert on.offload == MemoryOffload(ran=3)


# Set the state


def test_turning_on_and_off() -> None:
    """What is turned on is on at once and in every listing, until it is turned off."""
    on = shelf({"lint": skill("lint")})
    assert turn(on, "lint", enabled=True).enabled
    assert enabled(on) == ["lint"]
    assert read(on, "lint").found.enabled
    assert not turn(on, "lint", enabled=False).enabled
    assert enabled(on) == []


def test_the_priority_is_kept_until_it_is_given() -> None:
    """Turning on or off keeps the priority; a given one is written either way."""
    on = shelf({"lint": skill("lint")})
    assert turn(on, "lint", enabled=True).priority == 100
    assert turn(on, "lint", enabled=True, priority=3).priority == 3
    assert turn(on, "lint", enabled=False).priority == 3
    assert turn(on, "lint", enabled=False, priority=4).priority == 4
    assert turn(on, "lint", enabled=True).priority == 4


def test_priority_orders_the_catalog() -> None:
    """Lower comes first, then names."""
    on = shelf({name: skill(name) for name in ("a", "b", "c")})
    for name, priority in (("a", 5), ("b", -5), ("c", 5)):
        turn(on, name, enabled=True, priority=priority)
    assert enabled(on) == ["b", "a", "c"]


def test_an_edited_skill_stays_on() -> None:
    """An edit keeps the marker, and what was turned on is that folder."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    on.local.folders["lint"] |= skill("lint", "Edited.")
    assert enabled(on) == ["lint"]


def test_a_pinned_skill_goes_off_with_any_byte() -> None:
    """A pinned skill whose bytes changed is off, in the listing and on the bytes that are read, until they are back."""
    on = shelf({"lint": skill("lint") | {"notes.md": Content(b"a")}})
    pin = read(on, "lint").found.revision
    assert turn(on, "lint", enabled=True, pin=pin).enabled
    on.local.folders["lint"]["notes.md"] = Content(b"b")
    assert not read(on, "lint").found.enabled
    assert enabled(on) == []
    on.local.folders["lint"]["notes.md"] = Content(b"a")
    assert read(on, "lint").found.enabled


def test_turning_on_again_without_a_pin_unpins() -> None:
    """A pin holds for the command that gave it."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True, pin=read(on, "lint").found.revision)
    turn(on, "lint", enabled=True)
    on.local.folders["lint"]["notes.md"] = Content(b"new")
    assert enabled(on) == ["lint"]


def test_a_pin_of_other_bytes_is_stale() -> None:
    """Pinning a revision that is not there changes nothing."""
    on = shelf({"lint": skill("lint")})
    assert isinstance(refused(lambda: turn(on, "lint", enabled=True, pin=Revision("0" * 64))), StaleRevision)
    assert finish(on.states.rows()) == {}


def test_a_skill_that_was_made_anew_is_off() -> None:
    """A folder that was deleted and made again under its old name is another one."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    on.local.folders["lint"] = skill("lint")
    assert enabled(on) == []
    turn(on, "lint", enabled=True)
    assert enabled(on) == ["lint"]


def test_an_override_is_off_and_gives_the_state_back() -> None:
    """Shadowing a shared skill that is on leaves the name off; without the override the shared one is on again."""
    on = shelf({}, {"lint": skill("lint", "Theirs.")})
    turn(on, "lint", enabled=True)
    on.local.folders["lint"] = skill("lint", "Ours.")
    assert enabled(on) == []
    turn(on, "lint", enabled=True, priority=1)
    assert enabled(on) == ["lint"]
    del on.local.folders["lint"]
    catalog = finish(on.library.catalog()).catalog
    assert [(record.description, record.priority) for record in catalog.enabled] == [("Theirs.", 100)]


def test_a_shared_skill_of_another_root_is_off() -> None:
    """What was turned on is the skill of that root: another root with the same names is off."""
    on = shelf({}, {"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    on.shared.root = "6f" * 32
    assert enabled(on) == []


def test_the_state_of_a_shadowed_copy() -> None:
    """A copy's own row is written by its source; the copy that wins is untouched."""
    on = shelf({"lint": skill("lint")}, {"lint": skill("lint")})
    assert turn(on, "lint@host-shared", enabled=True).source is shared
    assert enabled(on) == []
    assert finish(on.states.rows()) == {SHARED_LINT: SHARED_ON}


def test_a_broken_skill_cannot_be_turned_on() -> None:
    """A rejected folder is refused with its faults, and nothing is written."""
    on = shelf({"lint": {}}, {"lint": skill("lint")})
    error = refused(lambda: turn(on, "lint", enabled=True))
    assert isinstance(error, BadDocument)
    assert error.fix
    assert finish(on.states.rows()) == {}


def test_a_broken_skill_can_be_turned_off() -> None:
    """A rejected folder is turned off like any other, and keeps what was turned on."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    document = on.local.folders["lint"].pop("SKILL.md")
    assert isinstance(turn(on, "lint", enabled=False), Rejection)
    on.local.folders["lint"]["SKILL.md"] = document
    assert enabled(on) == []


def test_a_folder_without_a_marker_cannot_be_turned_on() -> None:
    """In a root that cannot be written there is no marker to bind to: say so."""
    on = shelf({"lint": skill("lint")})
    on.local.chance = None
    assert isinstance(refused(lambda: turn(on, "lint", enabled=True)), NotEditable)
    assert finish(on.states.rows()) == {}


def test_a_table_that_does_not_answer_turns_nothing_on() -> None:
    """Turning on without the table fails as a whole."""
    on = shelf({"lint": skill("lint")})
    on.states.unavailable = AWAY_STATES
    assert refused(lambda: turn(on, "lint", enabled=True)) is AWAY_STATES
    assert on.local.marks == {}


@pytest.mark.parametrize("address", ["lint", "lint@agent-local", "lint@git"])
def test_what_is_gone_can_be_turned_off(address: str) -> None:
    """Turning off works as long as there is a row, without any folder; the row keeps what it spoke of."""
    on = shelf()
    finish(on.states.put(LINT, GONE_ON))
    assert turn(on, address, enabled=False) is None
    assert finish(on.states.rows()) == {LINT: SkillState(priority=5, subject=GONE_ON.subject)}


def test_what_is_gone_of_the_shared_root_can_be_turned_off() -> None:
    """So it does for a shared skill, by its source, and a local one is untouched."""
    on = shelf({"lint": skill("lint")})
    turn(on, "lint", enabled=True)
    finish(on.states.put(SHARED_LINT, SHARED_ON))
    assert turn(on, "lint@host-shared", enabled=False, priority=8) is None
    assert finish(on.states.rows())[SHARED_LINT] == SkillState(priority=8, subject=Subject(root=ROOT))
    assert enabled(on) == ["lint"]


def test_a_name_whose_meaning_is_not_known_is_turned_off_whole() -> None:
    """Where the name may mean a folder that cannot be seen, every row of it is turned off, lest one stays on."""
    on = shelf({}, {"lint": skill("lint")})
    finish(on.states.put(LINT, GONE_ON))
    finish(on.states.put(SHARED_LINT, SHARED_ON))
    on.local.problem = AWAY_LOCAL
    assert turn(on, "lint", enabled=False) is None
    assert not any(state.enabled for state in finish(on.states.rows()).values())


def test_one_source_of_a_name_is_turned_off_alone() -> None:
    """An address with a source means that source, be the other root away or not."""
    on = shelf({}, {"lint": skill("lint")})
    finish(on.states.put(LINT, GONE_ON))
    finish(on.states.put(SHARED_LINT, SHARED_ON))
    on.local.problem = AWAY_LOCAL
    assert turn(on, "lint@agent-local", enabled=False) is None
    assert finish(on.states.rows())[SHARED_LINT].enabled
    assert isinstance(turn(on, "lint@host-shared", enabled=False), SkillRecord)
    assert not finish(on.states.rows())[SHARED_LINT].enabled


def test_the_row_of_another_source_is_not_turned_off() -> None:
    """The row of a folder that is there is not meant by an address of a source that it is not of."""
    on = shelf({"lint": from_git("lint")})
    turn(on, "lint@git", enabled=True)
    assert isinstance(refused(lambda: turn(on, "lint@agent-local", enabled=False)), SkillAbsent)
    assert enabled(on) == ["lint"]


def test_what_never_was_cannot_be_turned_on_or_off() -> None:
    """Without a folder and without a row there is nothing to set; nothing is written, and near names are told."""
    on = shelf({"lint": skill("lint")})
    for enable in (True, False):
        error = refused(lambda enable=enable: turn(on, "lit", enabled=enable))
        assert isinstance(error, SkillAbsent)
        assert error.fix == "did you mean lint?"
    assert finish(on.states.rows()) == {}


def test_what_is_gone_cannot_be_turned_on() -> None:
    """A row alone turns nothing on."""
    on = shelf()
    finish(on.states.put(LINT, GONE_ON))
    assert isinstance(refused(lambda: turn(on, "lint", enabled=True)), SkillAbsent)


def test_nothing_is_turned_on_that_cannot_be_seen() -> None:
    """Where the root that holds the name is away, so are its marks: turning on says so, and turns on no lower copy."""
    on = shelf({}, {"lint": skill("lint")})
    on.local.problem = AWAY_LOCAL
    assert refused(lambda: turn(on, "lint", enabled=True)) is AWAY_LOCAL
    assert isinstance(refused(lambda: turn(on, "lint@host-shared", enabled=True)), StateUnavailable)
    assert finish(on.states.rows()) == {}


def test_a_reload_opens_everything_again() -> None:
    """A look knows what was seen before; a reload knows nothing."""
    on = shelf({"lint": skill("lint")})
    for look in (on.library.catalog, on.library.catalog, on.library.reload, on.library.catalog):
        finish(look())
    assert [known is not None for known in on.local.knew] == [False, True, False, True]


def test_a_fit_is_what_the_clause_would_be_and_writes_nothing() -> None:
    """The names of what would be on, in the order that is proposed; and all is as it was."""
    on = shelf({"lint": skill("lint"), "knots": skill("knots")})
    proposals = {SkillName("lint"): Proposal(enabled=True, priority=1), SkillName("knots"): Proposal(enabled=True)}
    assert finish(on.library.fit(proposals, Budget())).included == ("lint", "knots")
    assert finish(on.library.fit(proposals, Budget(0))).omitted == ("lint", "knots")
    assert finish(on.states.rows(None)) == {}
    assert finish(on.library.catalog()).catalog.enabled == ()


def test_a_state_is_changed_of_what_was_seen() -> None:
    """With the etag of what is there it is; with another, nothing is."""
    on = shelf({"lint": skill("lint")})
    seen = read(on, "lint").found
    assert isinstance(seen, SkillRecord)

    def switch(etag: str, *, enabled: bool) -> object:
        command = SetState(address=parse_address("lint"), enabled=enabled, expected_etag=etag)
        return finish(on.library.set_state(command))

    switch(seen.etag, enabled=True)
    with pytest.raises(StaleRevision) as stale:
        switch(seen.etag, enabled=False)
    now = read(on, "lint").found
    assert isinstance(now, SkillRecord)
    assert now.enabled
    assert (stale.value.seen, stale.value.found) == (seen.etag, now.etag)


def test_a_rejected_folder_is_switched_off_as_it_was_seen() -> None:
    """It has no etag: its revision stands for it. Where it is gone, whoever saw it is told."""
    on = shelf({"lint": {"SKILL.md": Content(b"none")}})
    revision = read(on, "lint").found.revision
    command = SetState(address=parse_address("lint"), enabled=False, expected_etag=revision)
    assert isinstance(finish(on.library.set_state(command)), Rejection)
    del on.local.folders["lint"]
    with pytest.raises(SkillAbsent):
        finish(on.library.set_state(command))


def test_a_name_is_taken_by_what_has_it_in_the_agents_own_root() -> None:
    """A skill or a rejected folder; what the host shares takes no name, as it can be overridden."""
    own = {"lint": skill("lint"), "alien": {}, "brought": from_git("brought")}
    on = shelf(own, {"shared": skill("shared"), "lint": skill("lint")})

    def taken(name: str) -> tuple[type, SourceId] | None:
        found = finish(on.library.occupant(SkillName(name)))
        return None if found is None else (type(found), found.source)

    assert taken("lint") == (SkillRecord, SourceId.AGENT_LOCAL)
    assert taken("alien") == (Rejection, SourceId.AGENT_LOCAL)
    assert taken("brought") == (SkillRecord, SourceId.GIT)
    assert taken("shared") is None
    assert taken("nobody") is None
