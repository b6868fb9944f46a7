"""Bringing skills in, over fakes."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.memory.git import Entry, MemoryGitSource, MemoryRepository
from kestrel_skills_adapters.memory.world import MemoryClock
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Install, Preview, SetState
from kestrel_skills_core.domain.errors import (
    Abandoned,
    BadDocument,
    BadName,
    BadSource,
    GitFailed,
    NotEditable,
    OtherDigest,
    SkillError,
    SkillExists,
    StateUnavailable,
)
from kestrel_skills_core.domain.fence import Fence
from kestrel_skills_core.domain.git_address import git_ref, git_url
from kestrel_skills_core.domain.names import Generation, Revision, SkillName, SourceId, parse_address
from kestrel_skills_core.domain.offer import Package, Repository
from kestrel_skills_core.domain.parcel import packed
from kestrel_skills_core.domain.record import Rejection, SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.service.installer import Arrival, Installation, Installer

from .shelf import BEYOND, ROOT, Shelf, shelf, skill
from .test_interruptions import enabled
from .traps import How, Trap, Trapped, trapped

URL = git_url("https://git.example/tools")
COMMIT, LATER = "1" * 40, "2" * 40
NOW = datetime(2026, 5, 6, tzinfo=UTC)
LINT, ROW = SkillName("lint"), StateKey(SkillName("lint"))
FOREIGN = b"---\nname: lint\ndescription: Use when testing.\nallowed-tools: Bash\n---\nStep one.\n"


def text(name: str, description: str = "Use when testing.") -> Content:
    """A small `SKILL.md`."""
    return Content(f"---\nname: {name}\ndescription: {description}\n---\nStep one.\n".encode())


MONOREPO: Mapping[str, Entry] = {
    "SKILL.md": text("tools", "Use all."),
    "skills/lint/SKILL.md": text("lint"),
    "skills/lint/run.sh": Content(b"#!/bin/sh\n", executable=True),
    "skills/cat/b/SKILL.md": text("b"),
    "skills/cat/b/references/README.md": Content(b"Read on.\n"),
    "plugins/p/skills/c/SKILL.md": Content(FOREIGN.replace(b"lint", b"c")),
    ".claude/skills/d/SKILL.md": text("d"),
    "_shared/notes.md": Content(b"shared\n"),
    "vendor/library": "another repository",
    "skills/big/SKILL.md": text("big"),
    "skills/big/model.bin": Content(b"\0" * 9),
    "skills/linked/SKILL.md": text("linked"),
    "skills/linked/notes.md": "a link",
}
MOVED: Mapping[str, Entry] = {"skills/lint/SKILL.md": text("lint", "Use when it moved.")}
REPOSITORY = MemoryRepository(
    {"HEAD": COMMIT, "refs/heads/main": COMMIT, "refs/heads/some/branch": COMMIT, "refs/tags/v1": COMMIT},
    {COMMIT: MONOREPO, LATER: MOVED},
)
TOOLS = Repository(URL)


def git(repository: MemoryRepository = REPOSITORY) -> MemoryGitSource:
    """A source that has one repository."""
    return MemoryGitSource({URL: repository})


def installer(on: Shelf, source: Any = None) -> Installer:
    """What installs into the library of a shelf."""
    return Installer(library=on.library, git=source or git(), clock=MemoryClock(NOW))


def install(on: Shelf, name: str = "lint", source: Any = TOOLS, **more: Any) -> Arrival:
    """Install one skill."""
    return finish(installer(on).install(Install(source=source, name=name, **more)))


def preview(on: Shelf, name: str = "lint", source: Any = TOOLS, *, adapt: bool = False) -> Installation:
    """Preview one skill."""
    return finish(installer(on).preview(Preview(source=source, name=name, adapt=adapt)))


def package(document: bytes = FOREIGN, name: str = "lint") -> Package:
    """A folder that a person brought."""
    return Package(kind="folder", name=name, parcel=packed([("SKILL.md", Content(document))]))


class TestSkills:
    """What a repository has."""

    def test_all_are_found_with_their_descriptions(self) -> None:
        """T14: in every place where skills are looked for, in order of their folders; nothing of a plain folder."""
        stock = finish(installer(shelf()).skills(TOOLS))
        assert stock.commit == COMMIT
        assert [(each.folder, each.name, each.needs) for each in stock.skills] == [
            (None, "tools", "nothing"),
            (".claude/skills/d", "d", "nothing"),
            ("plugins/p/skills/c", "c", "adapting"),
            ("skills/big", "big", "nothing"),
            ("skills/cat/b", "b", "nothing"),
            ("skills/linked", "linked", "nothing"),
            ("skills/lint", "lint", "nothing"),
        ]
        assert [each.description for each in stock.skills][:2] == ["Use all.", "Use when testing."]

    def test_a_document_that_is_too_large_is_there(self) -> None:
        """Nothing of it is known but its folder."""
        large = MemoryRepository({"HEAD": COMMIT}, {COMMIT: {"skills/x/SKILL.md": Content(b"x" * 300_000)}})
        (found,) = finish(installer(shelf(), git(large)).skills(TOOLS)).skills
        assert (found.name, found.description, found.needs) == ("x", "", "mending")

    def test_one_text_in_many_folders_is_one_text(self) -> None:
        """It is ready in the folder of its name, and in no other."""
        same = MemoryRepository({"HEAD": COMMIT}, {COMMIT: {f"{name}/SKILL.md": text("b") for name in "abc"}})
        found = finish(installer(shelf(), git(same)).skills(TOOLS)).skills
        assert [(each.name, each.description, each.needs) for each in found] == [
            ("a", "Use when testing.", "adapting"),
            ("b", "Use when testing.", "nothing"),
            ("c", "Use when testing.", "adapting"),
        ]

    def test_whoever_went_away_is_let_go(self) -> None:
        """Between two skills too: however many there are, no further one is judged."""
        on, source = shelf(), git()
        judged = 0

        class Leaving(MemoryGitSource):
            def list(self, *arguments: Any, **more: Any) -> Any:
                nonlocal judged
                for each in super().list(*arguments, **more):
                    judged += 1
                    on.offload.gone = judged == 3
                    yield each

        with pytest.raises(Abandoned, match="listing the skills"):
            finish(installer(on, Leaving(source.repositories)).skills(TOOLS))
        assert judged == 3

    def test_a_list_ends_with_its_time(self) -> None:
        """Where judging takes longer than a transfer may, it is refused, and one skill can still be had by its name."""
        clock = MemoryClock(NOW, timedelta(seconds=30))
        slow = Installer(library=shelf().library, git=git(), clock=clock)
        with pytest.raises(GitFailed, match="could not all be judged within 120 seconds") as refused:
            finish(slow.skills(TOOLS))
        assert (refused.value.stage, refused.value.fix) == ("file", "ask for one of them, by its name or path")
        assert finish(slow.install(Install(source=TOOLS, name="lint"))).found.name == "lint"

    def test_each_command_is_one_transfer(self) -> None:
        """Whatever is asked of a repository by one command is asked of one transfer, and never of the source itself."""
        asked: list[str] = []

        class Noting(MemoryGitSource):
            def transfer(self) -> MemoryGitSource:
                asked.append("transfer")
                return MemoryGitSource(self.repositories)

            def resolve(self, *arguments: Any, **more: Any) -> Any:
                asked.append("resolve")
                return super().resolve(*arguments, **more)

        by = installer(shelf(), Noting(git().repositories))
        finish(by.skills(TOOLS))
        finish(by.preview(Preview(source=TOOLS, name="lint")))
        finish(by.install(Install(source=TOOLS, name="skills/lint")))
        assert asked == ["transfer"] * 3


class TestPreview:
    """What installing would do."""

    def test_everything_that_a_person_decides_on(self) -> None:
        """The whole commit, the digest, the files with their sizes, the description; and that nothing has the name."""
        seen = preview(shelf())
        offer = seen.offer
        assert (offer.origin.commit, offer.origin.ref, offer.origin.subpath) == (COMMIT, "HEAD", "skills/lint")
        assert [(item.path, item.size, item.executable) for item in offer.files] == [
            ("SKILL.md", 60, False),
            ("run.sh", 10, True),
        ]
        assert offer.description == "Use when testing."
        assert offer.digest is not None
        assert seen.taken is None
        assert isinstance(seen.then, SkillRecord)
        assert (seen.then.source, seen.then.shadowed, seen.problems) == (SourceId.GIT, (), ())

    def test_advice_is_given(self) -> None:
        """A link to nothing is told of before it is installed."""
        broken = package(text("lint").data + b"See [this](nowhere.md).\n")
        assert "KS501" in [finding.code for finding in preview(shelf(), "", broken).offer.findings]

    def test_what_it_shadows(self) -> None:
        """A folder of one's own comes before the host's."""
        then = preview(shelf(shared={"lint": skill("lint")}), "", package(text("lint").data)).then
        assert isinstance(then, SkillRecord)
        assert (then.source, [loser.source for loser in then.shadowed]) == ("agent-local", ["host-shared"])

    def test_what_comes_before_it(self) -> None:
        """What is installed from git does not come before the host's own."""
        then = preview(shelf(shared={"lint": skill("lint")})).then
        assert isinstance(then, SkillRecord)
        assert (then.source, [loser.source for loser in then.shadowed]) == ("host-shared", ["git"])

    def test_what_has_the_name(self) -> None:
        """A skill or rejected folder of the agent's own, which will not be written over."""
        assert isinstance(preview(shelf({"lint": skill("lint")})).taken, SkillRecord)
        assert isinstance(preview(shelf({"lint": {"notes.md": Content(b"x")}})).taken, Rejection)

    def test_what_cannot_be_told(self) -> None:
        """A root or table that does not answer is a problem to be told, and nothing is claimed of it."""
        on = shelf(local={"lint": BEYOND})
        seen = preview(on)
        assert (seen.taken, seen.then, [problem.code for problem in seen.problems]) == (None, None, ["too_large"])
        on = shelf()
        on.states.unavailable = StateUnavailable("it is away")
        assert [problem.code for problem in preview(on).problems] == ["state_unavailable"]

    def test_what_would_be_refused_is_told_whole(self) -> None:
        """A preview shows what came, every fault, and what adapting would do; it lands nowhere."""
        seen = preview(shelf(), "c")
        assert seen.offer.digest is None
        assert [finding.code for finding in seen.offer.findings] == ["KS108"]
        assert seen.offer.adaptation is not None
        assert (seen.taken, seen.then) == (None, None)

    def test_nothing_lands(self) -> None:
        """A preview makes no folder, and no row."""
        on = shelf()
        preview(on)
        assert (on.local.folders, finish(on.states.rows())) == ({}, {})


class TestInstall:
    """What is brought in."""

    @pytest.mark.parametrize("ref", ["HEAD", "main", "v1", "some/branch", "refs/tags/v1", COMMIT])
    @pytest.mark.parametrize(
        ("asked", "name", "folder"),
        [
            ("tools", "tools", "."),
            (".", "tools", "."),
            ("lint", "lint", "skills/lint"),
            ("skills/lint", "lint", "skills/lint"),
            ("b", "b", "skills/cat/b"),
            ("plugins/p/skills/c/", "c", "plugins/p/skills/c"),
            ("d", "d", ".claude/skills/d"),
        ],
    )
    def test_a_skill_of_a_repository_of_many(self, asked: str, name: str, folder: str, ref: str) -> None:
        """T14: by name or path, at a branch, a tag or a commit; the record has all that finds it again."""
        on = shelf()
        if name == "tools":  # the whole repository is its skill, and holds what no skill may
            with pytest.raises(BadSource, match="another repository"):
                install(on, asked, Repository(URL, git_ref(ref)))
            return
        found = install(on, asked, Repository(URL, git_ref(ref)), adapt=True).found
        assert (found.name, found.source, found.enabled) == (name, "git", False)
        record = found.provenance
        assert record is not None
        assert (record.kind, record.url, record.commit) == ("git", URL, COMMIT)
        assert (record.ref, record.subpath) == (ref, folder)
        assert (record.digest, record.installed_at) == (found.revision, NOW)
        assert record.files is not None
        assert list(record.files) == [item.path for item in found.inventory]
        assert finish(on.library.verify(parse_address(name))).intact

    def test_the_top_of_a_repository(self) -> None:
        """It goes by the name that it gives itself."""
        top = MemoryRepository({"HEAD": COMMIT}, {COMMIT: {"SKILL.md": text("tools"), "a/b.md": Content(b"x")}})
        on = shelf()
        found = finish(installer(on, git(top)).install(Install(source=TOOLS, name="tools"))).found
        assert (found.name, [item.path for item in found.inventory]) == ("tools", ["SKILL.md", "a/b.md"])

    def test_what_a_skill_may_not_hold(self) -> None:
        """T14: a link refuses it, by name; a file that is no text is left out by name, if it is to be adapted."""
        on = shelf()
        with pytest.raises(BadSource, match=r"'notes\.md' .* is a link"):
            install(on, "linked")
        arrived = install(on, "big", adapt=True)
        assert [item.path for item in arrived.found.inventory] == ["SKILL.md"]
        assert arrived.offer.adaptation is not None
        assert arrived.offer.adaptation.lines == ("`model.bin` is left out: not text, a NUL at offset 0",)

    def test_a_forced_push_changes_nothing_that_was_seen(self) -> None:
        """T14: with the commit and the digest of a preview, just that lands, wherever the branch has gone since."""
        on, source = shelf(), git()
        seen = finish(installer(on, source).preview(Preview(source=TOOLS, name="lint"))).offer
        source.repositories[URL] = MemoryRepository({"HEAD": LATER}, REPOSITORY.commits)
        bound = Install(source=TOOLS, name="lint", digest=seen.digest)
        with pytest.raises(OtherDigest):
            finish(installer(on, source).install(bound))
        assert on.local.folders == {}
        at = Repository(URL, git_ref(COMMIT))
        found = finish(installer(on, source).install(Install(source=at, name="skills/lint", digest=seen.digest))).found
        assert found.revision == seen.digest

    def test_the_digest_is_of_what_lands(self) -> None:
        """That of a preview without adapting is no digest of what adapting makes."""
        on = shelf()
        seen = preview(on, "", package(), adapt=True).offer.digest
        assert install(on, "", package(), adapt=True, digest=seen).found.revision == seen
        with pytest.raises(OtherDigest):
            install(shelf(), "", package(), adapt=True, digest=Revision("0" * 64))

    def test_a_package_of_a_person(self) -> None:
        """A folder or archive is a skill of the agent's own; where it lay is not on record."""
        found = install(shelf(), "", package(text("lint").data)).found
        assert (found.source, found.enabled) == ("agent-local", False)
        assert found.provenance is not None
        assert (found.provenance.kind, found.provenance.url) == ("folder", None)

    def test_a_package_gets_the_name_that_is_asked_for(self) -> None:
        """If it may be adapted; else the name must be its own."""
        with pytest.raises(BadDocument):
            install(shelf(), "bends", package(text("lint").data))
        assert install(shelf(), "bends", package(text("lint").data), adapt=True).found.name == "bends"

    def test_any_skill_gets_the_name_that_it_shall_have(self) -> None:
        """Also one of a repository, of whose own name none can be made."""
        source = git(MemoryRepository({"HEAD": COMMIT}, {COMMIT: {"skills/\u65e5\u672c/SKILL.md": text("lint")}}))
        on = shelf()
        maker = Installer(library=on.library, git=source, clock=MemoryClock(NOW))
        with pytest.raises(BadName, match="none can be made of it"):
            finish(maker.install(Install(source=TOOLS, name="skills/\u65e5\u672c", adapt=True)))
        with pytest.raises(BadDocument):
            finish(maker.install(Install(source=TOOLS, name="skills/\u65e5\u672c", called="bends")))
        command = Install(source=TOOLS, name="skills/\u65e5\u672c", called="bends", adapt=True)
        found = finish(maker.install(command)).found
        assert (found.name, found.provenance and found.provenance.subpath) == ("bends", "skills/\u65e5\u672c")
        assert install(on, "x", package(), called="lint", adapt=True).found.name == "lint"

    def test_what_needs_adapting(self) -> None:
        """It is refused unless it is asked for, and the refusal has what would be done; nothing lands."""
        on = shelf()
        with pytest.raises(BadDocument) as refused:
            install(on, "", package())
        assert refused.value.adaptation is not None
        assert on.local.folders == {}
        arrived = install(on, "", package(), adapt=True)
        assert arrived.offer.adaptation is not None
        assert arrived.found.provenance is not None
        assert arrived.found.provenance.adapted is not None

    @pytest.mark.parametrize("taken", [skill("lint"), {"notes.md": Content(b"x")}, BEYOND])
    def test_a_name_that_is_taken(self, taken: dict[str, Any]) -> None:
        """A skill, a rejected folder or one beyond the caps is never written over, nor touched."""
        on = shelf({"lint": dict(taken)})
        with pytest.raises(SkillExists):
            install(on)
        assert {path: on.local.folders["lint"][path] for path in taken} == taken
        assert on.local.folders["lint"].keys() - taken.keys() <= {".kestrel-generation"}

    def test_the_host_comes_first(self) -> None:
        """A skill from git is there, off, and not what its name means while the host shares one."""
        on = shelf(shared={"lint": skill("lint")})
        finish(on.states.put(StateKey(LINT, shared=True), SkillState(enabled=True, subject=Subject(root=ROOT))))
        arrived = install(on)
        assert arrived.found.source is SourceId.GIT
        assert arrived.then is not None
        assert arrived.then.source is SourceId.HOST_SHARED
        assert enabled(on) == {"host-shared"}

    @pytest.mark.parametrize("marked", [False, True])
    @pytest.mark.parametrize("subject", [None, Subject(), Subject(generation=Generation("b1" * 32))])
    def test_what_is_left_of_an_earlier_skill_turns_nothing_on(self, subject: Subject | None, marked: bool) -> None:
        """A row of another birth, of none, or of the 0.1.0 release, and a mark: it is off, and stays off at a start."""
        on = shelf()
        row = SkillState(enabled=True, priority=3, subject=subject)
        finish(on.states.put(ROW, row))
        if marked:
            on.local.fence(LINT, Fence(priority=3, reason="it was turned off"), cancelled=never)
        assert not install(on).found.enabled
        assert finish(on.states.rows()) == {ROW: row}
        assert finish(on.library.start()).problems == ()
        assert enabled(on) == set()
        finish(on.library.set_state(SetState(address=parse_address("lint"), enabled=True)))
        assert enabled(on) == {"git"}

    def test_a_row_that_would_have_been_enabled_is_of_a_birth(self) -> None:
        """Deleted by hand and installed again, the very same bytes are off: it is another birth."""
        on = shelf()
        install(on)
        finish(on.library.set_state(SetState(address=parse_address("lint"), enabled=True)))
        del on.local.folders["lint"]
        assert not install(on).found.enabled

    def test_nothing_is_asked_of_the_store_before_all_is_fetched(self) -> None:
        """A server that fails, or a name that is nowhere, costs no look at any folder."""
        on, source = shelf(), git()
        with pytest.raises(BadSource) as refused:
            install(on, "lints")
        assert refused.value.fix.startswith("did you mean `lint`")
        source.problem = GitFailed("refs", "it is away")
        with pytest.raises(GitFailed):
            finish(installer(on, source).install(Install(source=TOOLS, name="lint")))
        assert on.local.asked == on.shared.asked == []

    def test_whoever_went_away_is_let_go(self) -> None:
        """Cancelling is passed on to the transfer, which ends it."""
        on = shelf()
        on.offload.gone = True
        with pytest.raises(Abandoned, match="reading the repository was given up"):
            install(on)
        assert on.local.folders == {}

    def test_there_is_no_place(self) -> None:
        """Without a root that may be changed, it is refused."""
        with pytest.raises(NotEditable):
            install(shelf(store=False))


READING = {"resolve", "list", "fetch"}


@pytest.mark.parametrize(
    "part", ["\U000f0000" * 63, "\ue000" * 84, "é" * 126, "\u0301" * 127], ids=["planes", "private", "letters", "marks"]
)
def test_however_its_folder_is_spelt_it_is_of_git(part: str) -> None:
    """Its record is read again: it ranks after the host's of its name, and takes nothing off the air."""
    folder = f"{'/'.join([part] * 4)}/lint"[-1024:].lstrip("/")
    on = shelf(shared={"lint": skill("lint")})
    source = git(MemoryRepository({"HEAD": COMMIT}, {COMMIT: {f"{folder}/SKILL.md": text("lint")}}))
    found = finish(
        Installer(library=on.library, git=source, clock=MemoryClock(NOW)).install(Install(source=TOOLS, name=folder))
    )
    assert (found.found.source, found.then and found.then.source) == (SourceId.GIT, SourceId.HOST_SHARED)
    catalog = finish(on.library.catalog()).catalog
    assert [each.source for each in catalog.records] == [SourceId.HOST_SHARED]
    assert [each.provenance and each.provenance.subpath for each in catalog.records[0].shadowed] == [folder]


class Broken(Trap):
    """A trap that knows git too."""

    def before(self, method: str, port: Any) -> Any:
        """Meet a call."""
        if method in READING and self.called + 1 == self.at and self.how == "raises":
            self.called, self.sprung = self.at, True
            raise GitFailed("fetch", "the connection was cut")
        return super().before(method, port)


class TrappedGit(Trapped):
    """A source whose calls go through a trap, those of a transfer too."""

    def transfer(self) -> TrappedGit:
        """The same."""
        return self


def attempt(on: Shelf, trap: Trap, name: str, source: Any) -> None:
    """Install through ports that are trapped."""
    caught = Installer(library=trapped(on, trap), git=TrappedGit(git(), trap), clock=MemoryClock(NOW))
    finish(caught.install(Install(source=source, name=name)))


SOURCES = {"by name": ("lint", TOOLS), "by path": ("skills/lint", TOOLS), "brought": ("", package(text("lint").data))}


def calls(case: str) -> int:
    """How many calls an installation makes that nobody interrupts."""
    trap = Broken(at=0, how="raises")
    attempt(shelf(), trap, *SOURCES[case])
    return trap.called


POINTS = [
    (case, at, how)
    for case in SOURCES
    for at in range(1, calls(case) + 1)
    for how in ("raises", "in doubt", "cancelled before", "cancelled after")
]


def unmarked(on: Shelf) -> dict[str, Any]:
    """Every file of every folder, byte for byte; of the mark, which each birth has of its own, that it is there."""
    return {
        name: {path: path if path == ".kestrel-generation" else content for path, content in folder.items()}
        for name, folder in on.local.folders.items()
    }


@pytest.mark.parametrize(("case", "at", "how"), POINTS)
def test_whatever_is_interrupted_leaves_nothing_or_all(case: str, at: int, how: How) -> None:
    """At every network read and every step: nothing or the whole skill, off; asking again comes to it or says it is."""
    row = SkillState(enabled=True, subject=Subject(generation=Generation("b1" * 32)))
    whole, on = shelf(), shelf()
    for each in (whole, on):
        finish(each.states.put(ROW, row))
    attempt(whole, Broken(at=0, how="raises"), *SOURCES[case])
    with suppress(SkillError, CancelledError):
        attempt(on, Broken(at=at, how=how), *SOURCES[case])
    assert on.local.folders in ({}, whole.local.folders)
    assert enabled(on) == set()
    with suppress(SkillExists):
        attempt(on, Broken(at=0, how="raises"), *SOURCES[case])
    finish(on.library.sweep())
    assert unmarked(on) == unmarked(whole)
    assert (finish(on.states.rows()), enabled(on)) == ({ROW: row}, set())


def test_the_traps_are_sprung() -> None:
    """An installation asks every question of git, and the store one thing."""
    met: list[str] = []

    class Noting(Broken):
        def before(self, method: str, port: Any) -> Any:
            met.append(method)

    attempt(shelf(), Noting(at=0, how="raises"), *SOURCES["by name"])
    assert met == ["resolve", "list", "fetch", "read", "read", "fenced", "rows", "publish"]
