"""A home that the 0.1.0 release really left opens with nothing lost, and with nothing on that was not on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kestrel_skills_adapters.wiring import library_of, settings_of
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.commands import SetState
from kestrel_skills_core.domain.names import parse_address
from kestrel_skills_core.service.library import SkillLibrary
from kestrel_skills_core.service.upkeep import Started
from tests.host.homes.old import ON, OldHome, unpack

SHOWN = {
    "sow": ("agent-local", True, 20),
    "dig": ("host-shared", True, 30),
    "mow": ("agent-local", False, 50),
    "bud": ("git", False, 100),
    "burn": ("agent-local", False, 100),
    "graft": ("git", True, 100),
    "idle": ("agent-local", False, 100),
    "prune": ("host-shared", False, 100),
    "rake": ("agent-local", True, 100),
    "vine": ("host-shared", True, 100),
}
RECOVERY = ".kestrel-skill-recovery-4efd0b5518474c3bb2e824efefd4b0c5"
ABSOLUTE = re.compile(r"(?<![\w:/])/\w")
"""Where a path of a machine begins: not one inside of an address."""
INSTALLED = "https://localhost:"


@pytest.fixture
def home(tmp_path: Path) -> OldHome:
    """The home."""
    return unpack(tmp_path / "skills", tmp_path / "shared")


@pytest.fixture
def library(home: OldHome, tmp_path: Path) -> SkillLibrary:
    """A library over it, that has not been started."""
    home.fill(tmp_path / "kestrel_prime.db")
    settings = settings_of(
        {"HOME": str(tmp_path)},
        root=home.skills,
        shared=home.shared,
        state=tmp_path / "kestrel_prime.db",
        agent=home.agent,
    )
    return library_of(settings)


@pytest.fixture
def started(library: SkillLibrary) -> Started:
    """What came of its first start."""
    return finish(library.start())


def test_it_shows_everything(library: SkillLibrary, started: Started) -> None:
    """Each skill has the source, the state and the priority that it had; nothing is rejected, no root is missed."""
    catalog = finish(library.catalog()).catalog
    shown = {record.name: (record.source, record.enabled, record.priority) for record in catalog.records}
    assert shown == SHOWN
    assert (catalog.rejected, catalog.problems, started.problems) == ((), (), ())


def test_it_shows_what_the_release_showed(home: OldHome, library: SkillLibrary, started: Started) -> None:
    """All that the release said it had, and as on or off as it said, but for the skill that it was deleting."""
    said = {each["name"]: (each["enabled"], each["priority"]) for each in home.said}
    assert said.pop("cut") == (True, 100)
    assert said == {name: (enabled, priority) for name, (_, enabled, priority) in SHOWN.items()}


def test_the_clause_names_what_is_on(library: SkillLibrary, started: Started) -> None:
    """The model is told of the skills that are on, in their order, and of no other."""
    clause = finish(library.catalog()).clause(Budget())
    assert (clause.included, clause.omitted) == (ON, ())


def test_what_is_shadowed_is_reachable(library: SkillLibrary, started: Started) -> None:
    """An override has the shared skill below it, and a shared skill the one from git; each can be read."""
    catalog = finish(library.catalog()).catalog
    below = {record.name: [each.source for each in record.shadowed] for record in catalog.records if record.shadowed}
    assert below == {"rake": ["host-shared"], "vine": ["git"]}
    for name in ("rake@host-shared", "vine@git"):
        assert finish(library.read(parse_address(name))).found.name == name.partition("@")[0]


def test_where_a_skill_came_from_is_known(library: SkillLibrary, started: Started) -> None:
    """An installed skill still names its repository and commit."""
    catalog = finish(library.catalog()).catalog
    provenance = {record.name: record.provenance for record in catalog.records if record.provenance}
    assert set(provenance) == {"bud", "graft"}
    for each in provenance.values():
        assert each.kind == "git"
        assert str(each.url).startswith(INSTALLED)
        assert len(str(each.commit)) == 40


def test_what_failed_closed_is_off_until_a_person_decides(library: SkillLibrary, started: Started) -> None:
    """The row says on, the mark keeps it off; switching it on clears the mark."""
    (burn,) = (record for record in finish(library.catalog()).catalog.records if record.name == "burn")
    assert not burn.enabled
    finish(library.set_state(SetState(address=parse_address("burn"), enabled=True)))
    assert "burn" in finish(library.catalog()).clause(Budget()).included


def test_a_row_without_a_folder_is_inert(home: OldHome, library: SkillLibrary, started: Started) -> None:
    """A folder that comes back under that name is off: nobody approved it."""
    folder = home.skills / "gone"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: gone\ndescription: Use to be gone.\n---\n\nBegin.\n")
    (gone,) = (record for record in finish(library.catalog()).catalog.records if record.name == "gone")
    assert not gone.enabled


def test_a_recovery_folder_stays_and_is_told_of(home: OldHome, started: Started) -> None:
    """What the release was deleting when it was killed is left to a person, to the byte."""
    assert RECOVERY in str(started.swept)
    kept = home.skills / ".kestrel-internal" / RECOVERY
    assert sorted(path.name for path in kept.iterdir()) == [
        ".kestrel-generation",
        *(f"{each}.md" for each in range(8)),
        "SKILL.md",
    ]
    assert (kept / "7.md").read_text() == "Again.\n" * 35_000


def test_a_second_start_changes_nothing(home: OldHome, library: SkillLibrary, started: Started) -> None:
    """What was looked at once is not looked at again."""
    before = finish(library.catalog()).catalog
    again = finish(library.start())
    assert again.adopted == {}
    assert finish(library.catalog()).catalog == before


def test_it_holds_nothing_of_the_machine_it_was_made_on(home: OldHome) -> None:
    """No file and no row names a folder of a machine, or holds a key."""
    told = [(home.skills.parent / "dump", str((home.rows, home.nodes, home.said)))]
    told += [(path, path.read_text()) for path in home.skills.parent.rglob("*") if path.is_file()]
    for path, text in told:
        assert not ABSOLUTE.search(text), path
        assert "PRIVATE" not in text, path
