"""What each tool gives: its shape where it succeeds, and of each refusal the code, the reason and the fix."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.sovereign.answers import REASONS
from tests.sovereign.agent import Agent, asked, host_modules
from tests.sovereign.booted import COMMIT, URL, Feature, booted, document, reach, write

ZERO = "0" * 64
RECORD = {
    "name",
    "description",
    "enabled",
    "priority",
    "token_cost",
    "context_included",
    "source",
    "editable",
    "deletable",
    "revision",
    "etag",
    "delete_revision",
    "shadowed",
}


def sow(agent: Agent, **more: Any) -> Any:
    """Make the skill `sow`."""
    return agent.use("skill_create", **{"name": "sow", "description": "Use to sow.", "body": "# Sow\n", **more})


# What comes back


def test_a_list_has_skills_rejected_folders_and_the_clause_in_figures(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Skills before rejected folders, in one list of which `total` is the length; no notes, as nothing is wrong."""
    host_modules(monkeypatch, agent.home)
    monkeypatch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")

    async def test(feature: Feature) -> None:
        await sow(agent, enabled=True)
        write(agent, "broken", "---\nname: other\n---\nWords.\n")
        result = await agent.use("skill_list")
        data = result["data"]
        assert set(data) == {"skills", "rejected", "total", "next_offset", "context"}
        (shown,), (rejected,) = data["skills"], data["rejected"]
        assert set(shown) == RECORD
        assert (shown["name"], shown["enabled"], shown["context_included"]) == ("sow", True, True)
        assert (rejected["name"], rejected["source"], rejected["holds_back"]) == ("broken", "agent-local", None)
        assert rejected["faults"][0]["file"] == "SKILL.md"
        assert (data["total"], data["next_offset"]) == (2, None)
        assert data["context"] == {"included": 1, "omitted": 0, "bytes": len(agent.prompt), "budget": 8192}
        assert result["confirmation"] == "1 skill, 1 enabled, 1 rejected"
        only = (await agent.use("skill_list", enabled_only=True))["data"]
        assert (len(only["skills"]), only["rejected"], only["total"]) == (1, [], 1)

    booted(agent, test)


def test_a_list_goes_on_where_it_ended(agent: Agent) -> None:
    """Windows put together are the list; one that begins behind its end is refused."""

    async def test(feature: Feature) -> None:
        for name in ("one", "three", "two"):
            write(agent, name)
        first = (await agent.use("skill_list", limit=2))["data"]
        assert ([each["name"] for each in first["skills"]], first["next_offset"]) == (["one", "three"], 2)
        rest = (await agent.use("skill_list", offset=2))["data"]
        assert ([each["name"] for each in rest["skills"]], rest["next_offset"]) == (["two"], None)
        assert (await agent.use("skill_list", offset=4))["data"]["reason_code"] == "out_of_range"
        assert (await agent.use("skill_list", limit=0))["data"]["reason_code"] == "out_of_range"

    booted(agent, test)


def test_a_search_finds_the_best_first(agent: Agent) -> None:
    """By every word; an empty query finds all, and one that fits nothing none."""

    async def test(feature: Feature) -> None:
        write(agent, "sow")
        write(agent, "reap", document("reap", "Use after you sow."))
        found = (await agent.use("skill_search", query="sow"))["data"]
        assert [each["name"] for each in found["skills"]] == ["sow", "reap"]
        assert (found["total"], found["next_offset"]) == (2, None)
        assert (await agent.use("skill_search", query=" "))["data"]["total"] == 2
        assert (await agent.use("skill_search", query="mow"))["data"]["skills"] == []

    booted(agent, test)


def test_a_read_gives_the_procedure_and_the_files_beside_it(agent: Agent) -> None:
    """The raw document and any file by their paths; the files only with the beginning of the procedure."""

    async def test(feature: Feature) -> None:
        write(agent, "sow", document("sow", body="One.\nTwo.\n"))
        write(agent, "sow", "Deep.\n", "notes/deep.md")
        data = (await agent.use("skill_read", name="sow"))["data"]
        revision = (await reach(agent, "sow"))["revision"]
        assert data == {
            "name": "sow",
            "path": "",
            "content": "One.\nTwo.\n",
            "offset": 0,
            "next_offset": None,
            "total_chars": 10,
            "revision": revision,
            "skill": {"source": "agent-local", "enabled": False},
            "inventory": [{"path": "notes/deep.md", "bytes": 6}],
            "inventory_total": 1,
        }
        later = (await agent.use("skill_read", name="sow", offset=5, expected_revision=revision))["data"]
        assert (later["content"], "inventory" in later) == ("Two.\n", False)
        raw = (await agent.use("skill_read", name="sow", path="SKILL.md"))["data"]
        assert (raw["content"], "inventory" in raw) == (document("sow", body="One.\nTwo.\n"), False)
        file = (await agent.use("skill_read", name="sow", path="notes/deep.md"))["data"]
        assert (file["content"], file["path"]) == ("Deep.\n", "notes/deep.md")

    booted(agent, test)


def test_a_copy_that_is_shadowed_is_read_by_its_source(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `name@source`; it is listed under the one that shadows it."""
    shared = tmp_path / "shared"
    (shared / "sow").mkdir(parents=True)
    (shared / "sow" / "SKILL.md").write_text(document("sow", body="Theirs.\n"))
    monkeypatch.setenv("KESTREL_SHARED_SKILLS_DIR", str(shared))

    async def test(feature: Feature) -> None:
        await sow(agent, enabled=True)
        shown = await reach(agent, "sow")
        assert [each["source"] for each in shown["shadowed"]] == ["host-shared"]
        assert (await agent.use("skill_read", name="sow@host-shared"))["data"]["content"] == "Theirs.\n"
        assert "Sow" in (await agent.use("skill_read", name="sow"))["data"]["content"]
        on = await agent.use("skill_enable", name="sow@host-shared")
        assert (on["status"], on["data"]["source"]) == ("partial", "host-shared")
        assert "another skill has its name" in on["error"]
        assert "Use to sow." in agent.prompt
        gone = await agent.use("skill_delete", name="sow", delete_revision=shown["delete_revision"])
        assert (gone["data"]["source"], gone["data"]["enabled"]) == ("host-shared", True)
        assert "another has the name now" in gone["confirmation"]
        assert "Use when testing." in agent.prompt

    booted(agent, test)


def test_a_folder_beyond_the_caps_is_read_file_by_file(agent: Agent) -> None:
    """Its document too; that it has no revision is said beside."""

    async def test(feature: Feature) -> None:
        write(agent, "vast")
        for number in range(9):
            write(agent, "vast", "x" * 256 * 1024, f"part-{number}.md")
        refused = await agent.use("skill_read", name="vast")
        assert (refused["status"], refused["data"]["reason_code"]) == ("error", "too_large")
        file = await agent.use("skill_read", name="vast", path="SKILL.md")
        assert (file["status"], file["data"]["content"], file["data"]["revision"]) == (
            "partial",
            document("vast"),
            None,
        )
        assert "beyond the caps" in file["error"]

    booted(agent, test)


def test_a_rejected_folder_is_read_and_mended(agent: Agent) -> None:
    """Its procedure cannot be; the refusal has every fault, and its raw file can be read and written."""

    async def test(feature: Feature) -> None:
        write(agent, "bent", "---\nname: bent\ncolour: red\n---\nWords.\n")
        refused = await agent.use("skill_read", name="bent")
        assert refused["data"]["reason_code"] == "bad_document"
        assert refused["data"]["faults"]
        raw = (await agent.use("skill_read", name="bent", path="SKILL.md"))["data"]
        mended = await agent.use("skill_edit", name="bent", content=document("bent"), expected_revision=raw["revision"])
        assert (mended["status"], mended["data"]["name"], mended["data"]["enabled"]) == ("ok", "bent", False)

    booted(agent, test)


def test_a_new_skill_is_off_and_has_its_warnings(agent: Agent) -> None:
    """The record, and advice that keeps nothing from being made."""

    async def test(feature: Feature) -> None:
        made = await sow(agent, body="See [the notes](notes.md).\n", priority=7)
        assert set(made["data"]) == RECORD | {"warnings"}
        assert (made["data"]["enabled"], made["data"]["priority"]) == (False, 7)
        (warning,) = made["data"]["warnings"]
        assert "notes.md" in warning
        assert made["confirmation"] == "sow is made, and off"
        assert agent.prompt == ""

    booted(agent, test)


def test_an_edit_replaces_appends_or_writes_whole(agent: Agent) -> None:
    """Each gives the record as it is then."""

    async def test(feature: Feature) -> None:
        await sow(agent)
        made = await agent.use("skill_edit", name="sow", relative_path="notes.md", content="One.\n")
        assert made["status"] == "ok"
        await agent.use("skill_edit", name="sow", relative_path="notes.md", append="Two.\n")
        await agent.use("skill_edit", name="sow", relative_path="notes.md", old_text="One", new_text="Three")
        done = await agent.use("skill_edit", name="sow", relative_path="notes.md", old_text="Two.\n")
        assert done["data"]["revision"] == (await reach(agent, "sow"))["revision"]
        assert (await agent.use("skill_read", name="sow", path="notes.md"))["data"]["content"] == "Three.\n"
        whole = await agent.use(
            "skill_edit",
            name="sow",
            relative_path="notes.md",
            content="New.\n",
            expected_revision=done["data"]["revision"],
        )
        assert whole["confirmation"] == "notes.md of sow is written"

    booted(agent, test)


def test_a_pinned_skill_is_off_once_its_bytes_are_others(agent: Agent) -> None:
    """And whoever reads it is told so; its place is kept."""

    async def test(feature: Feature) -> None:
        made = await sow(agent, priority=3)
        on = await agent.use("skill_enable", name="sow", pin=made["data"]["revision"])
        assert (on["data"]["enabled"], on["data"]["priority"], on["data"]["pin"]) == (True, 3, made["data"]["revision"])
        await agent.use("skill_edit", name="sow", append="More.\n")
        assert agent.prompt == ""
        read = await agent.use("skill_read", name="sow")
        assert (read["status"], read["data"]["content"]) == ("partial", "# Sow\nMore.\n".rjust(13, "\n"))
        assert "other bytes" in read["error"]

    booted(agent, test)


def test_what_does_not_fit_into_the_budget_is_told(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """By whoever enables it, or makes it enabled; the list says how many are left out."""
    monkeypatch.setenv("KESTREL_SKILLS_BUDGET_BYTES", "300")

    async def test(feature: Feature) -> None:
        first = await sow(agent, enabled=True)
        assert first["status"] == "ok"
        made = await sow(agent, name="stow", enabled=True, description="Use to stow. " * 20)
        assert (made["status"], made["confirmation"]) == ("partial", "stow is made, and on")
        on = await agent.use("skill_enable", name="stow")
        assert (on["status"], on["data"]["context_included"]) == ("partial", False)
        assert "budget" in on["error"]
        context = (await agent.use("skill_list"))["data"]["context"]
        assert (context["included"], context["omitted"], context["budget"]) == (1, 1, 300)

    booted(agent, test)


def test_a_deleted_skill_is_gone(agent: Agent) -> None:
    """What was looked at; nothing has its name then."""

    async def test(feature: Feature) -> None:
        await sow(agent, enabled=True)
        token = (await reach(agent, "sow"))["delete_revision"]
        gone = await agent.use("skill_delete", name="sow", delete_revision=token)
        assert (gone["confirmation"], gone["data"]) == ("sow is deleted; nothing has the name now", {})
        assert agent.prompt == ""
        assert not (agent.skills / "sow").exists()

    booted(agent, test)


def test_a_preview_lists_a_repository_and_shows_a_skill(agent: Agent) -> None:
    """Without a name the skills; with one, the commit in full, the digest and every file."""

    async def test(feature: Feature) -> None:
        stock = (await agent.use("skill_preview_install", source_url=URL))["data"]
        assert [each["name"] for each in stock["skills"]] == ["knots", "splices"]
        assert (stock["commit"], stock["total"], stock["next_offset"]) == (COMMIT, 2, None)
        second = (await agent.use("skill_preview_install", source_url=URL, offset=1))["data"]
        assert [each["name"] for each in second["skills"]] == ["splices"]
        one = (await agent.use("skill_preview_install", source_url=URL, skill_name="knots"))["data"]
        assert (one["commit"], one["provenance"]["commit"]) == (COMMIT, COMMIT)
        assert [(each["path"], each["bytes"]) for each in one["files"]] == [("SKILL.md", 55), ("bends.md", 9)]
        assert (one["description"], one["taken"], len(one["digest"])) == ("Use to tie.", None, 64)
        assert not list(agent.skills.glob("knots"))

    booted(agent, test)


def test_what_was_previewed_is_installed_or_nothing(agent: Agent) -> None:
    """Disabled, bound to the commit and the digest; a name that is taken is refused."""

    async def test(feature: Feature) -> None:
        seen = (await agent.use("skill_preview_install", source_url=URL, skill_name="knots"))["data"]
        bound = {"source_url": URL, "skill_name": "knots", "ref": COMMIT}
        other = await agent.use("skill_install", **bound, digest=ZERO)
        assert (other["data"]["reason_code"], list(agent.skills.glob("knots"))) == ("other_digest", [])
        there = await agent.use("skill_install", **bound, digest=seen["digest"])
        assert (there["status"], there["data"]["enabled"], there["data"]["source"]) == ("ok", False, "git")
        assert (there["data"]["commit"], there["data"]["digest"]) == (COMMIT, seen["digest"])
        again = await agent.use("skill_install", **bound)
        assert again["data"]["reason_code"] == "exists"
        taken = await agent.use("skill_preview_install", source_url=URL, skill_name="knots")
        assert taken["data"]["taken"]["name"] == "knots"
        assert "taken" in taken["confirmation"]

    booted(agent, test)


def test_a_skill_of_more_fields_is_installed_adapted_or_refused(agent: Agent) -> None:
    """The refusal says what adapting would do; so does the preview; what was done is told."""

    async def test(feature: Feature) -> None:
        what = {"source_url": URL, "skill_name": "splices"}
        seen = await agent.use("skill_preview_install", **what)
        assert (seen["data"]["digest"], bool(seen["data"]["adaptation"]["changes"])) == (None, True)
        assert "refused" in seen["confirmation"]
        refused = await agent.use("skill_install", **what)
        assert refused["data"]["reason_code"] == "bad_document"
        assert "adapted" in refused["data"]["fix"]
        would = (await agent.use("skill_preview_install", **what, adapt=True))["data"]
        assert would["adaptation"]["changes"]
        assert len(would["digest"]) == 64
        there = await agent.use("skill_install", **what, adapt=True, digest=would["digest"])
        assert there["data"]["adaptation"]["changes"]
        assert (await agent.use("skill_read", name="splices"))["data"]["content"] == "Splice.\n"

    booted(agent, test)


# What is refused

CALLS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a read of a name that is none": ("skill_read", {"name": "../x"}, "bad_name"),
    "a read of what is not there": ("skill_read", {"name": "nowhere"}, "absent"),
    "a read of a file that is not there": ("skill_read", {"name": "sow", "path": "no.md"}, "absent"),
    "a read of a path that leads out": ("skill_read", {"name": "sow", "path": "../x"}, "bad_path"),
    "a read behind the end": ("skill_read", {"name": "sow", "offset": 99}, "out_of_range"),
    "a read of what is no text": ("skill_read", {"name": "drawn", "path": "image.png"}, "absent"),
    "a page of another revision": ("skill_read", {"name": "sow", "expected_revision": ZERO}, "stale"),
    "a source that there is not": ("skill_read", {"name": "sow@nowhere"}, "bad_name"),
    "a new skill without a good name": ("skill_create", {"name": "No", "description": "D.", "body": "B."}, "bad_name"),
    "a new skill of two lines": ("skill_create", {"name": "a", "description": "\x00", "body": "B."}, "bad_document"),
    "a new skill without a body": ("skill_create", {"name": "a", "description": "D.", "body": " "}, "bad_document"),
    "a new skill of a name that is taken": (
        "skill_create",
        {"name": "sow", "description": "D.", "body": "B"},
        "exists",
    ),
    "a new skill far back": (
        "skill_create",
        {"name": "a", "description": "D.", "body": "B.", "priority": 10**6},
        "bad_argument",
    ),
    "an edit of nothing": ("skill_edit", {"name": "sow"}, "bad_argument"),
    "an edit in two ways": ("skill_edit", {"name": "sow", "content": "x", "append": "y"}, "bad_argument"),
    "an edit of new text alone": ("skill_edit", {"name": "sow", "new_text": "y"}, "bad_argument"),
    "an edit of a whole file unseen": ("skill_edit", {"name": "sow", "content": document("sow")}, "unconditional"),
    "an edit of another revision": ("skill_edit", {"name": "sow", "append": "x", "expected_revision": ZERO}, "stale"),
    "an edit of no revision": ("skill_edit", {"name": "sow", "append": "x", "expected_revision": "9"}, "bad_argument"),
    "an edit of what is not in it": ("skill_edit", {"name": "sow", "old_text": "mow"}, "unmatched"),
    "an edit that ends it": ("skill_edit", {"name": "sow", "old_text": "description"}, "bad_document"),
    "an edit of a file that is not there": ("skill_edit", {"name": "sow", "relative_path": "n.md", "append": "x"}, ""),
    "an edit of a reserved name": ("skill_edit", {"name": "sow", "relative_path": ".git/x", "append": "x"}, "bad_path"),
    "an edit of what is not there": ("skill_edit", {"name": "nowhere", "append": "x"}, "absent"),
    "enabling what is not there": ("skill_enable", {"name": "nowhere"}, "absent"),
    "enabling another revision": ("skill_enable", {"name": "sow", "pin": ZERO}, "stale"),
    "enabling no revision": ("skill_enable", {"name": "sow", "pin": "sow"}, "bad_argument"),
    "disabling what is not there": ("skill_disable", {"name": "nowhere"}, "absent"),
    "deleting by another token": ("skill_delete", {"name": "sow", "delete_revision": ZERO}, "stale"),
    "deleting by no token": ("skill_delete", {"name": "sow", "delete_revision": ""}, "stale"),
    "deleting what is not there": ("skill_delete", {"name": "nowhere", "delete_revision": ZERO}, "absent"),
    "a preview of no address": ("skill_preview_install", {"source_url": "file:///etc"}, "bad_source"),
    "a preview of nothing there": ("skill_preview_install", {"source_url": "https://git.example/none"}, "git_failed"),
    "a preview of no such skill": ("skill_preview_install", {"source_url": URL, "skill_name": "bows"}, "bad_source"),
    "a preview behind the end": ("skill_preview_install", {"source_url": URL, "offset": 9}, "out_of_range"),
    "installing no skill": ("skill_install", {"source_url": URL, "skill_name": " "}, "bad_argument"),
    "installing by no digest": (
        "skill_install",
        {"source_url": URL, "skill_name": "knots", "digest": "9"},
        "bad_argument",
    ),
    "installing a ref that is none": (
        "skill_install",
        {"source_url": URL, "skill_name": "knots", "ref": "a b"},
        "bad_source",
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_refusal_has_a_code_a_reason_and_a_fix(agent: Agent, call: str) -> None:
    """And nothing of the machine; nothing is changed by it."""
    tool, args, code = CALLS[call]

    async def test(feature: Feature) -> None:
        await sow(agent)
        write(agent, "drawn")
        (agent.skills / "drawn" / "image.png").write_bytes(b"\x89PNG\xff")
        before = {path: path.read_bytes() for path in agent.skills.glob("*/[!.]*") if path.is_file()}
        result = await agent.use(tool, **args)
        if code:
            assert (result["status"], result["data"]["reason_code"]) == ("error", code)
            assert result["data"]["fix"]
            assert result["error"].endswith(result["data"]["fix"])
            assert code in REASONS
            assert str(agent.home) not in str(result)
            assert before == {path: path.read_bytes() for path in agent.skills.glob("*/[!.]*") if path.is_file()}

    booted(agent, test)


def test_an_argument_that_is_missing_or_none_of_the_tools_is_named(agent: Agent) -> None:
    """With what it is for, or with those that there are; and every tool names each that it needs."""

    async def test(feature: Feature) -> None:
        missing = await agent.use("skill_read", path="SKILL.md")
        assert missing["data"]["reason_code"] == "bad_argument"
        assert missing["error"].startswith("the argument name is missing; give it: The skill's name, as in your prompt")
        unknown = await agent.use("skill_read", name="sow", file="SKILL.md")
        assert unknown["data"]["reason_code"] == "bad_argument"
        assert unknown["error"] == (
            "the argument file is none of this tool's; its arguments are name, path, offset, expected_revision"
        )
        for tool in feature.get_tools():
            assert "nope" in (await agent.use(tool.name, nope=1))["error"]
            assert not any("self" in each.name for each in tool.schema.parameters)
            for needed in [each.name for each in tool.schema.parameters if each.required]:
                others = {each.name: "x" for each in tool.schema.parameters if each.required and each.name != needed}
                refused = await agent.use(tool.name, **others)
                assert refused["data"]["reason_code"] == "bad_argument"
                assert f"the argument {needed} is missing" in refused["error"]
        await agent.set_privacy_mode("ephemeral")
        for wrong in ({}, {"name": "sow", "file": "SKILL.md"}):
            assert (await agent.use("skill_read", **wrong))["data"]["reason_code"] == "hidden"

    booted(agent, test)


WRONG: list[Any] = [7, 7.5, True, [], ["sow"], {}, {"name": "sow"}, "\ud800"]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_an_argument_of_a_wrong_type_is_refused(agent: Agent, wrong: Any) -> None:
    """Every argument of every tool, without any change, by the tool or by the SDK before it; and never as a bug."""
    good: dict[str, Any] = {
        "name": "sow",
        "description": "D.",
        "body": "B.",
        "query": "sow",
        "delete_revision": ZERO,
        "source_url": URL,
        "skill_name": "nowhere",
    }

    async def test(feature: Feature) -> None:
        await sow(agent)
        for tool in feature.get_tools():
            needed = [each.name for each in tool.schema.parameters if each.required]
            for parameter in tool.schema.parameters:
                args = {name: good[name] for name in needed} | {parameter.name: wrong}
                if tool.name == "skill_create" and parameter.name != "name":
                    args["name"] = "sow"  # which is taken: nothing is ever made
                result = await agent.use(tool.name, **args)
                reason = result.get("data", {}).get("reason_code", "")
                assert reason != "internal", (tool.name, parameter.name, result)
                if parameter.type == "string" and not isinstance(wrong, bool):
                    assert reason in {"bad_argument", "bad_name", "out_of_range"} or not wrong, (tool.name, parameter)
        assert [path.name for path in agent.skills.iterdir() if not path.name.startswith(".")] == ["sow"]

    booted(agent, test)


def test_what_an_older_host_hands_as_text_is_meant(agent: Agent) -> None:
    """Figures, flags and quoted words; without the SDK's own check of types, as before 0.39."""

    async def test(feature: Feature) -> None:
        made = await feature.skill_create("'sow'", "Use to sow.", "B.", enabled="true", priority=" 7 ")  # type: ignore[arg-type]
        assert made.data is not None
        assert (made.data["name"], made.data["enabled"], made.data["priority"]) == ("sow", True, 7)
        listed = await feature.skill_list(enabled_only="yes", offset="0", limit="1")  # type: ignore[arg-type]
        assert listed.data is not None
        assert listed.data["total"] == 1
        off = await feature.skill_list(enabled_only="off", offset=0.0, limit="")  # type: ignore[arg-type]
        assert off.data is not None
        assert off.data["total"] == 1
        read = await feature.skill_read('"sow"', path="''", offset="", expected_revision="")  # type: ignore[arg-type]
        assert read.data is not None
        assert read.data["content"]
        for wrong in ("seven", "1e3", "٣", "1" * 30, 7.5, 10**30, True):
            refused = await feature.skill_list(offset=wrong)  # type: ignore[arg-type]
            assert refused.data is not None
            assert refused.data["reason_code"] == "bad_argument"
        refused = await feature.skill_list(enabled_only="perhaps")  # type: ignore[arg-type]
        assert refused.data is not None
        assert refused.data["reason_code"] == "bad_argument"

    booted(agent, test)


def test_what_is_optional_may_be_given_empty(agent: Agent) -> None:
    """An empty text, or nothing, is not given."""

    async def test(feature: Feature) -> None:
        await sow(agent, priority=7)
        for nothing in ("", None, "  "):
            on = await feature.skill_enable("sow", priority=nothing or "", pin=nothing)  # type: ignore[arg-type]
            assert on.data is not None
            assert on.data["priority"] == 7
            read = await asked(feature, "skill_read", name="sow", path=nothing, expected_revision=nothing)
            assert read["data"]["inventory"] == []
            edited = await asked(
                feature,
                "skill_edit",
                name="sow",
                relative_path=nothing,
                content="",
                expected_revision=nothing,
                old_text="",
                new_text="",
                append="More.\n",
            )
            assert edited["status"] == "ok", edited
            shown = await asked(feature, "skill_preview_install", source_url=URL, skill_name=nothing, ref=nothing)
            assert shown["data"]["total"] == 2

    booted(agent, test)


def test_a_file_may_be_made_empty(agent: Agent) -> None:
    """By an empty content alone; where all is given empty, nothing is, and no `SKILL.md` is empty."""

    async def test(feature: Feature) -> None:
        made = await sow(agent)
        edited = await agent.use("skill_edit", name="sow", relative_path="lib/__init__.py", content="")
        assert edited["status"] == "ok", edited
        assert (agent.skills / "sow" / "lib" / "__init__.py").read_bytes() == b""
        write(agent, "sow", "Words.\n", "notes.md")
        empty = {"name": "sow", "relative_path": "notes.md", "content": ""}
        for more in ({}, {"old_text": "", "new_text": "", "append": ""}, {"expected_revision": "0" * 64}):
            refused = await agent.use("skill_edit", **empty, **more)
            assert refused["data"]["reason_code"] in {"unconditional", "bad_argument", "stale"}
            assert (agent.skills / "sow" / "notes.md").read_text() == "Words.\n"
        seen = (await agent.use("skill_read", name="sow"))["data"]["revision"]
        assert (await agent.use("skill_edit", **empty, expected_revision=seen))["status"] == "ok"
        assert (agent.skills / "sow" / "notes.md").read_bytes() == b""
        refused = await agent.use("skill_edit", name="sow", content="", expected_revision=made["data"]["revision"])
        assert refused["data"]["reason_code"] == "bad_argument"

    booted(agent, test)


def test_what_should_not_happen_is_told_without_its_text(agent: Agent, caplog: pytest.LogCaptureFixture) -> None:
    """A model learns that it is a bug; the log has the rest."""

    class Broken(Feature):
        def git(self) -> Any:
            raise LookupError("/srv/secret")

    async def test() -> None:
        feature = await agent.boot(Broken(agent))
        result = await agent.use("skill_preview_install", source_url=URL)
        assert (result["status"], result["data"]) == ("error", {"reason_code": "internal"})
        assert "secret" not in str(result)
        await feature.shutdown()

    asyncio.run(test())
    assert "/srv/secret" in caplog.text


def test_the_reasons_are_a_closed_vocabulary() -> None:
    """Those of the library's errors, and two of the tools; programs may rely on them."""
    words = """
        abandoned absent bad_argument bad_document bad_name bad_path bad_source busy exists git_failed hidden in_doubt
        internal kept_absent not_editable other_digest out_of_range source_unavailable stale state_unavailable
        store_failed switched_off too_large unconditional unmatched
    """
    assert set(words.split()) == REASONS
    assert all(reasons == REASONS for reasons in Feature.tool_reason_codes.values())
    assert len(Feature.tool_reason_codes) == 10
