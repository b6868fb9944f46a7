"""The context clause follows what is on: at transitions only, and never with anything that is off or hidden."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import suppress
from typing import Any

import pytest
from attrs import evolve
from kestrel_sdk.features.contributions import ContextClauseRegistration
from kestrel_sdk.hooks.base import HookEvent, HookInput, HookOutput

from kestrel_skills_adapters.memory.mirror import MemoryMirror
from kestrel_skills_core.domain.commands import Delete, SetState
from kestrel_skills_core.domain.errors import InDoubt, SkillError, StaleRevision
from kestrel_skills_core.domain.names import SkillName, parse_address
from tests.sovereign.agent import HIDING, Agent, PrivacyConfig, TransitionLock, asked, host_modules
from tests.sovereign.booted import COMMIT, URL, Feature, booted, document, write

SOW = {"name": "sow", "description": "Use to sow.", "body": "# Sow\n"}
LINE = '<skill name="sow">Use to sow.</skill>'


def rendered(agent: Agent) -> int:
    """How often the clause was rendered until now."""
    return len(agent.feature_contribution_runtime.rendered)


def test_it_is_rendered_once_for_each_transition(agent: Agent) -> None:
    """Enabled, edited, moved and disabled: once each, and not at all where its bytes stay, be it read or listed."""

    async def test(feature: Feature) -> None:
        assert rendered(agent) == 1
        await agent.use("skill_create", **SOW)
        for tool, args in (("skill_list", {}), ("skill_search", {"query": "sow"}), ("skill_read", {"name": "sow"})):
            await agent.use(tool, **args)
        assert (rendered(agent), agent.prompt) == (1, "")
        await agent.use("skill_enable", name="sow")
        assert rendered(agent) == 2
        assert LINE in agent.prompt
        await agent.use("skill_edit", name="sow", append="More.\n")
        await agent.use("skill_enable", name="sow", priority=3)
        await agent.use("skill_list")
        assert rendered(agent) == 2
        await agent.use("skill_edit", name="sow", old_text="Use to sow.", new_text="Use to sow well.")
        assert rendered(agent) == 3
        assert "sow well" in agent.prompt
        await agent.use("skill_disable", name="sow")
        assert (rendered(agent), agent.prompt) == (4, "")

    booted(agent, test)


def test_it_is_there_from_the_start(agent: Agent) -> None:
    """What was on before the agent ended is in the prompt when it starts again; its bytes are those from before."""

    async def first(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)

    booted(agent, first)
    before = agent.prompt
    agent.feature_contribution_runtime.__init__()

    async def then(feature: Feature) -> None:
        assert agent.prompt == before
        assert rendered(agent) == 1

    booted(agent, then)


@pytest.mark.parametrize("by", ["editing", "breaking", "deleting", "making anew"])
def test_what_a_person_does_by_hand_is_followed_at_the_next_list(agent: Agent, by: str) -> None:
    """No enabling outlives what was enabled; what was only edited stays on."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        if by in {"deleting", "making anew"}:
            shutil.rmtree(agent.skills / "sow")
        if by == "breaking":
            write(agent, "sow", "no frontmatter")
        if by in {"editing", "making anew"}:
            write(agent, "sow", document("sow", "Use with care."))
        await agent.use("skill_list")
        assert ("Use with care." in agent.prompt) is (by == "editing")
        assert LINE not in agent.prompt

    booted(agent, test)


LOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "reading": ("skill_read", {"name": "sow"}),
    "reading a file": ("skill_read", {"name": "sow", "path": "SKILL.md"}),
    "being refused an edit": ("skill_edit", {"name": "sow", "old_text": "no such text", "new_text": ""}),
    "being refused a deletion": ("skill_delete", {"name": "sow", "delete_revision": "0" * 64}),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("by", ["switching off", "deleting", "deleting by hand", "switching off and on"])
def test_what_another_does_is_followed_by_whoever_looks(agent: Agent, by: str, look: str) -> None:
    """Another host on the same table, the command line, or a person; the host is told once, by the look at the name."""

    async def test(feature: Feature) -> None:
        made = await agent.use("skill_create", **SOW, enabled=True)
        another = evolve((await feature.desk()).library, mirror=None)
        sow = parse_address("sow")
        if by.startswith("switching off"):
            await another.set_state(SetState(address=sow, enabled=False))
        if by == "deleting":
            await another.delete(Delete(address=sow, delete_revision=made["data"]["delete_revision"]))
        if by == "deleting by hand":
            shutil.rmtree(agent.skills / "sow")
        before = rendered(agent)
        assert LINE in agent.prompt
        tool, args = LOOKS[look]
        for _ in range(2):
            await agent.use(tool, **args)
            assert agent.prompt == ""
        assert rendered(agent) == before + 1
        if by == "switching off and on":
            await another.set_state(SetState(address=sow, enabled=True))
            await agent.use(tool, **args)
            assert LINE in agent.prompt

    booted(agent, test)


def test_reading_what_nobody_changed_is_no_news(agent: Agent) -> None:
    """What a list sees of a folder on the disk, a look at it alone sees too: nothing else is told, to no mirror."""

    async def test(feature: Feature) -> None:
        names = ["sow", "knots", "broken"]
        await agent.use("skill_create", **SOW, enabled=True)
        write(agent, "sow", "More.\n", "notes/more.md")
        write(agent, "sow", "x", "left.bin")
        source = {"source_url": URL, "skill_name": "knots"}
        digest = (await agent.use("skill_preview_install", **source))["data"]["digest"]
        await agent.use("skill_install", **source, ref=COMMIT, digest=digest)
        write(agent, "broken", "no frontmatter")
        told = MemoryMirror()
        library = evolve((await feature.desk()).library, mirror=told)
        await library.catalog()
        assert set(told.found) == set(names)
        for name in names:
            await library.read(parse_address(name))
        assert told.told == [False]

    booted(agent, test)


def test_a_table_that_does_not_answer_is_followed_by_whoever_reads(agent: Agent) -> None:
    """What it says to be on cannot be known; as soon as it answers, it is."""

    async def fails() -> None:
        raise LookupError("/srv/kite")

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        agent.database.answers = fails
        assert (await agent.use("skill_read", name="sow"))["status"] == "partial"
        assert agent.prompt == ""
        agent.database.answers = None
        await agent.use("skill_read", name="sow")
        assert LINE in agent.prompt

    booted(agent, test)


def test_a_root_that_cannot_be_read_is_followed_by_whoever_reads(agent: Agent) -> None:
    """Nobody knows what is in it: the skill is not said to be on, and it comes back with the root."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        away = agent.skills.rename(agent.home / "away")
        agent.skills.write_text("in its place")
        assert (await agent.use("skill_read", name="sow"))["status"] == "error"
        assert agent.prompt == ""
        agent.skills.unlink()
        away.rename(agent.skills)
        await agent.use("skill_read", name="sow")
        assert LINE in agent.prompt

    booted(agent, test)


def test_a_deleted_skill_that_is_made_again_is_off(agent: Agent) -> None:
    """Through the tools too."""

    async def test(feature: Feature) -> None:
        made = await agent.use("skill_create", **SOW, enabled=True)
        await agent.use("skill_delete", name="sow", delete_revision=made["data"]["delete_revision"])
        assert agent.prompt == ""
        await agent.use("skill_create", **SOW)
        assert agent.prompt == ""

    booted(agent, test)


def test_a_publication_that_fails_is_told_and_retried(agent: Agent, caplog: pytest.LogCaptureFixture) -> None:
    """The change itself stands; nothing of the host's exception is told."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW)
        agent.feature_contribution_runtime.refuses = True
        assert (await agent.use("skill_enable", name="sow"))["data"]["enabled"]
        assert agent.prompt == ""
        noted = (await agent.use("skill_list"))["data"]["notes"]
        assert any("prompt still has the context clause" in note for note in noted)
        agent.feature_contribution_runtime.refuses = False
        await agent.use("skill_list")
        assert LINE in agent.prompt
        assert not any("prompt still" in note for note in (await agent.use("skill_list"))["data"].get("notes", []))

    booted(agent, test)
    assert "ContributionError" in caplog.text
    assert "/srv" not in caplog.text


CHANGES: dict[str, dict[str, Any]] = {
    "skill_create": {"name": "reap", "description": "Use to reap.", "body": "B.", "enabled": True},
    "skill_edit": {"name": "sow", "old_text": "Use to sow.", "new_text": "Use to sow well."},
    "skill_enable": {"name": "stow"},
    "skill_disable": {"name": "sow"},
    "skill_delete": {"name": "sow"},
}


@pytest.mark.parametrize("tool", CHANGES)
def test_a_change_says_that_the_prompt_does_not_show_it_yet(agent: Agent, tool: str) -> None:
    """It stands, and is told as partial; what follows later is whole, and so is one that the prompt has."""

    async def test(feature: Feature) -> None:
        made = await agent.use("skill_create", **SOW, enabled=True)
        await agent.use("skill_create", **SOW | {"name": "stow"})
        before = agent.prompt
        token = {"delete_revision": made["data"]["delete_revision"]} if tool == "skill_delete" else {}
        agent.feature_contribution_runtime.refuses = True
        changed = await agent.use(tool, **CHANGES[tool], **token)
        assert changed["status"] == "partial"
        assert "the agent's prompt still has the context clause from before" in changed["error"]
        assert "the host did not take the new one" in changed["error"]
        assert agent.prompt == before
        agent.feature_contribution_runtime.refuses = False
        assert (await agent.use("skill_edit", name="stow", append="More.\n"))["status"] == "ok"
        assert agent.prompt != before

    booted(agent, test)


def test_what_the_host_took_back_is_published_again(agent: Agent) -> None:
    """Another feature fails in a change of the privacy mode, for which the host empties every clause."""

    class Failing:
        fails = True

        async def prepare_context_clause_refresh(self) -> None:
            if self.fails:
                raise LookupError

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        agent.feature_contribution_runtime.activate(Failing(), feature.get_context_clause_registrations())
        await agent.set_privacy_mode("public")
        assert agent.prompt == ""
        await agent.use("skill_list")
        assert LINE in agent.prompt

    booted(agent, test)


# Privacy


@pytest.mark.parametrize("mode", HIDING)
def test_a_mode_that_hides_empties_it_until_it_is_left(agent: Agent, mode: str) -> None:
    """The catalog too, and every other question and every change is refused."""

    async def test(feature: Feature) -> None:
        made = await agent.use("skill_create", **SOW, enabled=True)
        before = agent.prompt
        await agent.set_privacy_mode(mode)
        assert agent.prompt == ""
        listed = await agent.use("skill_list")
        assert (listed["data"]["skills"], listed["data"]["total"]) == ([], 0)
        assert mode in listed["data"]["notes"][0]
        for tool, args in (
            ("skill_read", {"name": "sow"}),
            ("skill_create", SOW | {"name": "reap"}),
            ("skill_edit", {"name": "sow", "append": "x"}),
            ("skill_enable", {"name": "sow"}),
            ("skill_disable", {"name": "sow"}),
            ("skill_delete", {"name": "sow", "delete_revision": made["data"]["delete_revision"]}),
            ("skill_preview_install", {"source_url": "https://git.example/knots.git"}),
            ("skill_install", {"source_url": "https://git.example/knots.git", "skill_name": "knots"}),
        ):
            refused = await agent.use(tool, **args)
            assert (refused["status"], refused["data"]["reason_code"]) == ("error", "hidden"), tool
        assert agent.prompt == ""
        await agent.set_privacy_mode("normal")
        assert agent.prompt == before
        assert (await agent.use("skill_list"))["data"]["skills"][0]["enabled"]

    booted(agent, test)


NONSENSE: dict[str, tuple[dict[str, Any], ...]] = {
    "skill_list": ({"offset": -1}, {"limit": "many"}, {"enabled_only": "perhaps"}),
    "skill_search": ({"query": "sow", "offset": "x"}, {"query": 7}),
    "skill_read": ({"name": "../x"}, {"name": "sow", "path": "../x"}, {"name": "sow", "offset": -1}),
    "skill_create": ({"name": "No", "description": "", "body": ""}, SOW | {"priority": 10**8}),
    "skill_edit": ({"name": "sow"}, {"name": "sow", "content": "x", "append": "x"}, {"name": "", "append": "x"}),
    "skill_enable": ({"name": "sow", "pin": "x"}, {"name": "sow@nowhere"}),
    "skill_disable": ({"name": ""},),
    "skill_delete": ({"name": "sow", "delete_revision": ""}, {"name": "a b", "delete_revision": "x"}),
    "skill_preview_install": ({"source_url": "http://x"}, {"source_url": "", "offset": "x"}),
    "skill_install": ({"source_url": "x", "skill_name": ""}, {"source_url": "https://git.example/x", "skill_name": ""}),
}


@pytest.mark.parametrize("tool", NONSENSE)
def test_while_all_is_hidden_that_is_why_whatever_else_is_wrong(agent: Agent, tool: str) -> None:
    """No tool tells a wrong argument from a right one then."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW)
        for args in NONSENSE[tool]:
            shown = await getattr(feature, tool)(**args)
            assert shown.data["reason_code"] != "hidden"
        await agent.set_privacy_mode("ephemeral")
        for args in NONSENSE[tool]:
            refused = await getattr(feature, tool)(**args)
            assert refused.data["reason_code"] == "hidden", args

    booted(agent, test)


class HidesAsItIsLetGo(TransitionLock):
    """Lets a mode that hides begin as soon as nobody holds it any more."""

    def __init__(self, agent: Agent) -> None:
        super().__init__()
        self.agent = agent

    async def __aexit__(self, *raised: object) -> None:
        """Leave, and hide."""
        await super().__aexit__(*raised)
        if not self.locked():
            self.agent.privacy_config = PrivacyConfig("ephemeral")


INSTALL = {"source_url": URL, "skill_name": "knots", "ref": COMMIT}
SAID = {
    "skill_create": "reap is made, and on",
    "skill_edit": "SKILL.md of sow is written",
    "skill_enable": "stow is enabled",
    "skill_disable": "sow is disabled",
    "skill_delete": "sow is deleted",
    "skill_install": f"knots is installed from the commit {COMMIT}, disabled",
}


@pytest.mark.parametrize("tool", SAID)
def test_of_a_change_that_is_hidden_as_it_ends_no_more_is_told_than_that_it_was_made(agent: Agent, tool: str) -> None:
    """It stands, so that it is not told as refused; nothing of what is kept is in the answer."""

    async def test(feature: Feature) -> None:
        made = await agent.use("skill_create", **SOW, enabled=True)
        await agent.use("skill_create", **SOW | {"name": "stow"})
        token = {"delete_revision": made["data"]["delete_revision"]} if tool == "skill_delete" else {}
        args = INSTALL if tool == "skill_install" else CHANGES[tool] | token
        whole, agent.lock = agent.lock, HidesAsItIsLetGo(agent)
        changed = await asked(feature, tool, **args)
        assert (changed["status"], changed["confirmation"], changed["data"]) == ("partial", SAID[tool], {})
        assert "skills are hidden" in changed["error"]
        assert "Use to" not in str(changed)
        agent.lock = whole
        await agent.set_privacy_mode("normal")
        found = {each["name"]: each for each in (await agent.use("skill_list"))["data"]["skills"]}
        assert {
            "skill_create": "reap" in found,
            "skill_edit": "sow" in found and found["sow"]["description"] == "Use to sow well.",
            "skill_enable": found["stow"]["enabled"],
            "skill_disable": "sow" in found and not found["sow"]["enabled"],
            "skill_delete": "sow" not in found,
            "skill_install": "knots" in found,
        }[tool]

    booted(agent, test)


LOOKED: dict[str, dict[str, Any]] = {
    "skill_search": {"query": "sow"},
    "skill_read": {"name": "sow"},
    "skill_preview_install": {"source_url": URL, "skill_name": "knots"},
}


def hiding(agent: Agent, error: SkillError | None = None) -> type[Feature]:
    """A feature each of whose answers is hidden as it ends; nothing is found then, or this error."""

    class Late(Feature):
        async def answered(self, name: str, answer: Any) -> Any:
            async def late(desk: Any) -> Any:
                given = await answer(desk)
                if desk.library.privacy.hidden() is None:
                    agent.privacy_config = PrivacyConfig("ephemeral")
                    if error is not None:
                        raise error
                return given

            return await super().answered(name, late)

    return Late


@pytest.mark.parametrize("tool", LOOKED)
def test_what_is_hidden_as_a_look_ends_is_not_told(agent: Agent, tool: str) -> None:
    """Whatever was found by then."""

    async def test(feature: Feature) -> None:
        write(agent, "sow", document("sow", "Use to sow."))
        result = await asked(feature, tool, **LOOKED[tool])
        assert (result["status"], result["data"]["reason_code"]) == ("error", "hidden")

    booted(agent, test, hiding(agent))


def test_a_list_that_is_hidden_as_it_ends_is_empty(agent: Agent) -> None:
    """As one is that begins then."""

    async def test(feature: Feature) -> None:
        write(agent, "sow", document("sow", "Use to sow."))
        result = await asked(feature, "skill_list")
        assert (result["status"], result["data"]["skills"], result["data"]["total"]) == ("partial", [], 0)
        assert "ephemeral" in result["error"]

    booted(agent, test, hiding(agent))


@pytest.mark.parametrize(
    ("error", "code"), [(StaleRevision("sow", "a" * 64, "b" * 64), "hidden"), (InDoubt("sow"), "in_doubt")], ids=str
)
def test_what_is_refused_as_all_is_hidden_is_hidden_but_a_doubt_is_told(
    agent: Agent, error: SkillError, code: str
) -> None:
    """A refusal tells of what is kept; whether a change was made at all must not be told as if nothing had been."""

    async def test(feature: Feature) -> None:
        write(agent, "sow", document("sow", "Use to sow."))
        result = await asked(feature, "skill_edit", name="sow", append="More.\n")
        assert result["data"]["reason_code"] == code
        assert "b" * 64 not in str(result)

    booted(agent, test, hiding(agent, error))


@pytest.mark.parametrize("mode", ["anonymous", "public", "normal"])
def test_other_modes_hide_nothing(agent: Agent, mode: str) -> None:
    """The clause stays."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        await agent.set_privacy_mode(mode)
        assert LINE in agent.prompt

    booted(agent, test)


def test_an_agent_that_starts_hidden_shows_all_afterwards(agent: Agent) -> None:
    """What the start of an agent takes is done when its skills may be seen."""

    async def first(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)

    booted(agent, first)

    async def hide() -> None:
        await agent.set_privacy_mode("ephemeral")

    asyncio.run(hide())
    agent.feature_contribution_runtime.__init__()

    async def then(feature: Feature) -> None:
        assert agent.prompt == ""
        await agent.set_privacy_mode("normal")
        assert LINE in agent.prompt

    booted(agent, then)


async def begun(agent: Agent, feature: Feature) -> tuple[asyncio.Task[Any], asyncio.Event]:
    """A list that waits for the database, and what lets it go on; all others are answered at once."""
    waits, goes_on = asyncio.Event(), asyncio.Event()

    async def answers() -> None:
        waits.set()
        await goes_on.wait()

    agent.database.answers = answers
    looking = asyncio.create_task(feature.skill_list())
    await waits.wait()
    agent.database.answers = None
    return looking, goes_on


def test_a_look_that_began_before_the_mode_shows_nothing_after(agent: Agent) -> None:
    """A list that waits for the database while a mode that hides begins ends empty, and empties nothing later."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        looking, goes_on = await begun(agent, feature)
        await agent.set_privacy_mode("ephemeral")
        goes_on.set()
        result = await looking
        assert result.data is not None
        assert result.data["skills"] == []
        assert agent.prompt == ""
        await agent.set_privacy_mode("normal")
        assert LINE in agent.prompt

    booted(agent, test)


def test_a_look_that_ends_after_the_mode_was_left_shows_what_is(agent: Agent) -> None:
    """It began while nothing was hidden, and ends so: what the mode hid in between is told as it is now."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        looking, goes_on = await begun(agent, feature)
        await agent.set_privacy_mode("ephemeral")
        await agent.set_privacy_mode("normal")
        await agent.use("skill_disable", name="sow")
        goes_on.set()
        await looking
        assert agent.prompt == ""

    booted(agent, test)


def test_nothing_is_published_in_the_middle_of_a_change_of_the_mode(agent: Agent) -> None:
    """The host would empty the clauses of every feature; whoever lists is not kept waiting, and it follows later."""

    class Slow:
        def __init__(self) -> None:
            self.asked, self.goes_on = asyncio.Event(), asyncio.Event()

        async def prepare_context_clause_refresh(self) -> None:
            self.asked.set()
            await self.goes_on.wait()

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        slow = Slow()
        agent.feature_contribution_runtime.activate(slow, feature.get_context_clause_registrations())
        changing = asyncio.create_task(agent.set_privacy_mode("public"))
        await slow.asked.wait()
        write(agent, "sow", document("sow", "Use with care."))
        listed = await feature.skill_list()
        assert listed.data is not None
        assert "Use with care." in str(listed.data["skills"])
        slow.goes_on.set()
        await changing
        assert "Use with care." in agent.prompt

    booted(agent, test)


def test_a_look_that_fails_as_the_mode_changes_empties_no_other_clause(agent: Agent) -> None:
    """Ours is empty then, as the host asks for it; those of other features stay."""

    class Other:
        async def prepare_context_clause_refresh(self) -> None:
            pass

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        clause = ContextClauseRegistration(owner="other", name="other", priority=1, renderer=lambda: "Of another.")
        agent.feature_contribution_runtime.activate(Other(), [clause])
        await feature.shutdown()
        agent.did = ""
        await agent.set_privacy_mode("public")
        assert agent.prompt == "Of another."

    booted(agent, test)


def test_what_changed_during_a_turn_of_another_is_published_after_it(agent: Agent) -> None:
    """A list outside of the turn is not kept waiting by it."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        async with agent.turn():
            shutil.rmtree(agent.skills / "sow")
            listed = await asyncio.create_task(feature.skill_list())
            assert listed.data is not None
            assert listed.data["skills"] == []
            assert any("prompt still" in note and "turn" in note for note in listed.data["notes"])
            assert LINE in agent.prompt
        await feature._clause.settled()
        assert agent.prompt == ""

    booted(agent, test)


@pytest.mark.parametrize("tool", ["skill_list", "skill_read"])
def test_what_publishes_later_has_no_right_of_the_turn_it_was_born_in(agent: Agent, tool: str) -> None:
    """A tool of a turn that another tool of it keeps from the lock: what it saw is published when the turn is over.

    Whatever it started with the turn's right would hold up the turn's end, and publish beside it.
    """

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        goes_on = asyncio.Event()

        async def hold() -> None:
            async with agent.lock:
                await goes_on.wait()

        async with agent.turn():
            with agent.lock.right():
                holding = asyncio.create_task(hold())
                await asyncio.sleep(0)
                shutil.rmtree(agent.skills / "sow")
                await asyncio.create_task(feature.use(tool))
            assert agent.lock.lent == 1
            goes_on.set()
            await holding
            for _ in range(9):
                await asyncio.sleep(0)
            assert agent.lock.lent == 1
            assert LINE in agent.prompt
        await feature._clause.settled()
        assert agent.prompt == ""

    class Uses(Feature):
        async def use(self, tool: str) -> None:
            with suppress(SkillError):
                desk = await self.desk()
                await (desk.library.catalog() if tool == "skill_list" else desk.library.read(parse_address("sow")))

    booted(agent, test, Uses)


def test_a_tool_of_a_turn_publishes_at_once(agent: Agent) -> None:
    """Be it run in a task of its own, which has the turn's right."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        async with agent.turn():
            with agent.lock.right():
                await asyncio.create_task(feature.skill_disable("sow"))
            assert agent.prompt == ""

    booted(agent, test)


def test_a_lock_that_cannot_be_had_puts_it_off(agent: Agent, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is published beside it; the next list after it was mended does."""

    def broken() -> Any:
        raise RuntimeError("/srv/kite")

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        whole = agent._get_privacy_transition_lock
        agent._get_privacy_transition_lock = broken  # type: ignore[method-assign]
        shutil.rmtree(agent.skills / "sow")
        await agent.use("skill_list")
        await feature._clause.settled()
        assert LINE in agent.prompt
        agent._get_privacy_transition_lock = whole  # type: ignore[method-assign]
        await agent.use("skill_list")
        assert agent.prompt == ""

    booted(agent, test)
    assert "waits for their next change" in caplog.text
    assert "/srv" not in caplog.text


def test_a_publication_that_waits_ends_with_the_feature(agent: Agent) -> None:
    """Shut down in the middle of another's turn, it waits for nothing, and leaves no task behind."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        before = asyncio.all_tasks()
        async with agent.turn():
            shutil.rmtree(agent.skills / "sow")
            await asyncio.create_task(feature.skill_list())
            assert len(asyncio.all_tasks() - before) == 1
            await agent.disable(feature)
            assert asyncio.all_tasks() == before
        assert agent.prompt == ""

    booted(agent, test)


@pytest.mark.parametrize("is_told", [False, True])
def test_a_clause_that_is_stopped_while_it_is_told_waits_for_nobody(agent: Agent, *, is_told: bool) -> None:
    """Nor one that is told afterwards, by a look that began before."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        clause = feature._clause
        before = asyncio.all_tasks()
        async with agent.turn():
            if is_told:
                telling = asyncio.create_task(clause.lost(SkillName("sow")))
                await asyncio.sleep(0)
                await clause.stop()
                await telling
            else:
                await clause.stop()
                await asyncio.create_task(clause.lost(SkillName("sow")))
            assert asyncio.all_tasks() == before
        assert LINE in agent.prompt

    booted(agent, test)


def test_who_tells_beside_a_turn_does_not_wait_for_its_end(agent: Agent) -> None:
    """It is published when the turn is over."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        async with agent.turn():
            telling = asyncio.create_task(feature._clause.lost(SkillName("sow")))
            for _ in range(9):
                await asyncio.sleep(0)
            assert telling.done()
            assert LINE in agent.prompt
        await feature._clause.settled()
        assert agent.prompt == ""

    booted(agent, test)


def test_within_a_turn_a_change_is_published_at_once(agent: Agent) -> None:
    """The turn's own task holds the lock, and the tool that runs in it enters again."""

    async def test(feature: Feature) -> None:
        async with agent.turn():
            await feature.skill_create(**SOW, enabled=True)
            assert LINE in agent.prompt
            shutil.rmtree(agent.skills / "sow")
            await feature.skill_list()
            assert agent.prompt == ""

    booted(agent, test)


# What the host leaves out


def test_a_clause_that_the_host_leaves_out_is_noticed(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """From the turn that has no room for it until one that has; told once in the log, and by each list."""
    told: list[Any] = [None]
    host_modules(monkeypatch, agent.home, tracking=lambda: told[0])
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")

    async def noted() -> bool:
        notes = (await agent.use("skill_list"))["data"].get("notes", [])
        return any("leaves the clause of the skills out" in note for note in notes)

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        assert not await noted()
        told[0] = (["soul"], ["procedural-skills"])
        assert await noted()
        told[0] = None
        assert await noted()
        told[0] = (["procedural-skills"], [])
        assert not await noted()
        told[0] = (["soul"], None)
        assert not await noted()
        told[0] = "otherwise"
        assert not await noted()

    booted(agent, test)
    assert caplog.text.count("leaves the clause of the skills out") == 1


def test_it_is_noticed_as_a_turn_ends(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a hook that lets everything be as it is: a model that sees no skills calls none of their tools."""
    told: list[Any] = [None]
    host_modules(monkeypatch, agent.home, tracking=lambda: told[0])
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        (hook,) = feature.get_hooks()
        assert feature.get_hooks() == [hook]
        assert hook.events == [HookEvent.STOP]
        told[0] = ([], ["procedural-skills"])
        assert await hook.execute(HookInput(session_id="s", hook_event_name="stop")) == HookOutput()
        told[0] = None
        notes = (await agent.use("skill_list"))["data"]["notes"]
        assert any("leaves the clause of the skills out" in note for note in notes)

    booted(agent, test)


def test_where_nothing_is_on_nothing_is_left_out(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host says no more of an empty clause; what it said of the last one holds no longer."""
    told: list[Any] = [([], ["procedural-skills"])]
    host_modules(monkeypatch, agent.home, tracking=lambda: told[0])
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", **SOW, enabled=True)
        assert (await agent.use("skill_list"))["data"]["notes"]
        await agent.use("skill_disable", name="sow")
        assert "notes" not in (await agent.use("skill_list"))["data"]
        told[0] = ([], [])
        await agent.use("skill_enable", name="sow")
        assert "notes" not in (await agent.use("skill_list"))["data"]

    booted(agent, test)


def test_a_look_from_before_it_was_switched_off_and_on_tells_nothing(agent: Agent) -> None:
    """What the skills were then may be told late; the prompt has what is on now."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", name="sow", description="Use to sow.", body="Sow.", enabled=True)
        before = (await feature.desk()).library
        catalog = (await before.catalog()).catalog
        await agent.disable(feature)
        await agent.enable(feature)
        await agent.use("skill_disable", name="sow")
        times = rendered(agent)
        await before.mirror.shown(catalog, hidden=False)
        await before.mirror.changed(catalog.records[0].name, catalog.records[0])
        assert "sow" not in agent.prompt
        await agent.use("skill_enable", name="sow")
        await before.mirror.lost(catalog.records[0].name)
        assert "sow" in agent.prompt
        assert rendered(agent) == times + 1

    booted(agent, test)


def test_the_renderer_shows_nothing_that_is_hidden(agent: Agent) -> None:
    """Though nobody told it yet that the mode changed."""

    async def test(feature: Feature) -> None:
        await agent.use("skill_create", name="sow", description="Use to sow.", body="Sow.", enabled=True)
        (clause,) = feature.get_context_clause_registrations()
        assert "sow" in clause.renderer()
        agent.privacy_config = PrivacyConfig("ephemeral")
        assert clause.renderer() == ""
        agent.privacy_config = None
        assert clause.renderer() == ""

    booted(agent, test)
