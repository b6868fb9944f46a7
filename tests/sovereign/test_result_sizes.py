"""No result is longer than what a host shows whole, whatever lies in the roots or comes from a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.memory.files import Entry
from kestrel_skills_adapters.memory.git import MemoryGitSource, MemoryRepository
from kestrel_skills_adapters.sovereign import ProceduralSkillsFeature
from kestrel_skills_adapters.sovereign.desk import Desk
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.git_address import git_url
from kestrel_skills_core.domain.names import Address, Revision, SkillName, SourceId
from kestrel_skills_core.domain.provenance import Provenance, dump_provenance
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.git import GitSource
from tests.examples import examples
from tests.service.shelf import Shelf, shelf, skill
from tests.sovereign.agent import asked, host_modules

OWL: Final = "\U0001f989"
"""Twelve characters of JSON."""
URL: Final = "https://git.example/" + "x" * 1_000
CAPS: Final = [8_000, 7_000]
NOWHERE: Final = Path("/nowhere")
NAMES: Final = ["a" * 64, "lint", "z-9"]

long = st.sampled_from([OWL * 1024, "é" * 1024, "\\" * 1024, "Use when testing.", "a " * 400])
names = st.sampled_from(NAMES)
folders = st.sampled_from([f"{number}" for number in range(3)])
refs = st.sampled_from([None, "refs/heads/" + "é" * 1_000, "v" * 2_048, OWL * 500])
kinds = st.sampled_from(["git", "folder", "archive", "adapted"])


def origin(kind: Any, ref: str | None) -> dict[str, Entry]:
    """Where a folder came from."""
    record = Provenance(kind=kind, url=URL, commit="9a" * 20, ref=ref) if kind == "git" else Provenance(kind=kind)
    return {".kestrel-provenance.json": Content(dump_provenance(record))}


def many_files(depth: int, count: int = 30) -> dict[str, Entry]:
    """Files with paths about as long as they may be, which are longer still where they are shown."""
    stem = f"{'é' * 120}/" * depth
    return {f"{stem}{number}.md": Content(b"x") for number in range(count)}


def bad_files(count: int) -> dict[str, Entry]:
    """Files none of which may be in a skill: each is a fault of its own."""
    return {f"{OWL * 50} {number}\x07.md": Content(b"x") for number in range(count)}


@st.composite
def entries(draw: st.DrawFn) -> dict[str, Entry] | Entry:
    """A folder of a root: a good skill with everything at its caps, or a rejected one with hundreds of faults."""
    name = draw(names)
    folder = skill(name, json.dumps(draw(long), ensure_ascii=False), draw(long))
    if draw(st.booleans()):
        folder |= origin(draw(kinds), draw(refs))
    if draw(st.booleans()):
        folder |= many_files(draw(st.integers(0, 3)))
    if draw(st.integers(0, 3)) == 0:
        folder |= bad_files(draw(st.sampled_from([1, 150])))
    if draw(st.integers(0, 3)) == 0:
        folder["SKILL.md"] = Content(b"---\n" + b"".join(b"k%d: \xf0\x9f\xa6\x89\n" % n for n in range(150)) + b"---\n")
    return folder


roots = st.dictionaries(st.one_of(names, st.sampled_from([OWL * 60, "Not a name " * 20])), entries(), max_size=3)


class Bench(ProceduralSkillsFeature):
    """The feature over roots in memory, with all that may be said beside at its longest."""

    def __init__(self, on: Shelf, git: GitSource | None = None, *, notes: int = 9) -> None:
        super().__init__(SimpleNamespace())
        self.on = on
        self.from_git = git or MemoryGitSource()
        self.noted = [f"{OWL * 200} {number}" for number in range(notes)]

    async def desk(self) -> Desk:
        """On the shelf."""
        return Desk(
            library=self.on.library,
            clause=self._clause,
            owner=None,
            git=lambda: self.from_git,
            notes=lambda _: self.noted,
        )


def ask(bench: Bench, cap: int, tool: str, **args: Any) -> dict[str, Any]:
    """What a tool gives: within the cap, and nothing that should not happen."""
    with pytest.MonkeyPatch.context() as patch:
        host_modules(patch, NOWHERE, cap=cap)
        patch.setenv("KESTREL_DISABLED_FEATURES", "SkillsFeature")
        result = asyncio.run(asked(bench, tool, cap=cap, **args))
    assert result.get("data", {}).get("reason_code") != "internal", result
    return result


@pytest.mark.parametrize("cap", CAPS)
@settings(max_examples=examples(60))
@given(local=roots, shared=roots, fails=st.booleans())
def test_lists_and_searches(cap: int, local: Mapping[str, Any], shared: Mapping[str, Any], fails: bool) -> None:
    """Each entry comes once, in windows that all fit."""
    on = shelf(local, shared)
    if fails:
        on.states.problem = StateUnavailable(OWL * 500, OWL * 500)
    bench = Bench(on)
    listed = asyncio.run(on.library.catalog()).catalog
    for tool, args, whole in (
        ("skill_list", {}, [*listed.records, *listed.rejected]),
        ("skill_search", {"query": ""}, listed.records),
    ):
        offset, seen = 0, []
        while offset is not None:
            data = ask(bench, cap, tool, offset=offset, **args)["data"]
            seen += [*data["skills"], *data.get("rejected", [])]
            assert data["total"] == len(whole)
            offset = data["next_offset"]
        assert [each["name"] for each in seen] == [getattr(each, "label", each.name) for each in whole]


@pytest.mark.parametrize("cap", CAPS)
@settings(max_examples=3)
@given(local=roots, shared=roots)
@example(local={"lint": skill("lint") | many_files(3, 100)}, shared={})
def test_reads_edits_and_switches(cap: int, local: Mapping[str, Any], shared: Mapping[str, Any]) -> None:
    """Of every name and source, and of each skill's longest path; so does what deletes it."""
    bench = Bench(shelf(local, shared))
    for name in {*local, *shared}:
        for address in (name, f"{name}@host-shared"):
            read = ask(bench, cap, "skill_read", name=address)
            for file in read["data"].get("inventory", [])[-1:]:
                assert ask(bench, cap, "skill_read", name=address, path=file["path"])["data"]["content"] == "x"
            ask(bench, cap, "skill_read", name=address, path="SKILL.md")
            ask(bench, cap, "skill_enable", name=address)
            ask(bench, cap, "skill_disable", name=address)
            ask(bench, cap, "skill_edit", name=address, append=OWL * 700)
            ask(bench, cap, "skill_edit", name=address, relative_path=f"{'é' * 120}/" * 3 + "new.md", append="x")
            ask(bench, cap, "skill_edit", name=address, old_text=OWL, new_text="\x07" * 3_000)
    listed = asyncio.run(bench.on.library.catalog()).catalog
    for found in (*listed.records, *listed.rejected):
        binding = found.delete_binding("did:test:abc")
        if binding is not None and found.name is not None:
            ask(bench, cap, "skill_delete", name=found.name, delete_revision=binding.token)


@pytest.mark.parametrize("cap", CAPS)
@settings(max_examples=6)
@given(
    given_text=st.sampled_from([OWL * 10_000, "x" * 10_000, "\x00" * 10_000, "\u202e" * 3_000, "é/" * 5_000, "a" * 65])
)
def test_refusals_of_what_is_long(cap: int, given_text: str) -> None:
    """Whatever is given as any text: it is never told back whole."""
    bench = Bench(shelf({"lint": skill("lint")}))
    needed: dict[str, str] = {
        "name": "lint",
        "description": "D.",
        "body": "B.",
        "query": "lint",
        "delete_revision": "0" * 64,
        "source_url": "https://git.example/x",
        "skill_name": "lint",
    }
    for tool in bench.get_tools():
        for parameter in tool.schema.parameters:
            if parameter.type == "string":
                args = {each.name: needed[each.name] for each in tool.schema.parameters if each.required}
                ask(bench, cap, tool.name, **args | {parameter.name: given_text})


@pytest.mark.parametrize("cap", CAPS)
@settings(max_examples=6)
@given(remote=st.dictionaries(names, entries(), min_size=1, max_size=3), local=roots, ref=refs, adapt=st.booleans())
def test_previews_and_installations(
    cap: int, remote: Mapping[str, Any], local: Mapping[str, Any], ref: str | None, adapt: bool
) -> None:
    """Of everything that a repository may hold, and that may be met here."""
    commit = "1" * 40
    files = {
        f"skills/{name}/{path}": entry
        for name, folder in remote.items()
        for path, entry in folder.items()
        if not path.startswith(".kestrel")
    }
    url = git_url("https://git.example/" + "x" * 900)
    source = MemoryGitSource(
        {url: MemoryRepository({"HEAD": commit, "refs/heads/" + "b" * 900: commit}, {commit: files})}
    )
    bench = Bench(shelf(local), source)
    offset = 0
    while offset is not None:
        stock = ask(bench, cap, "skill_preview_install", source_url=url, offset=offset)["data"]
        offset = stock["next_offset"]
    for name in remote:
        offset, shown = 0, 0
        for asked_ref in {ref or "HEAD", "b" * 900}:
            result = ask(bench, cap, "skill_preview_install", source_url=url, skill_name=name, ref=asked_ref)
            assert result["status"] in {"ok", "error"}
        while offset is not None:
            result = ask(
                bench, cap, "skill_preview_install", source_url=url, skill_name=name, adapt=adapt, offset=offset
            )
            if result["status"] == "error":
                break
            shown += len(result["data"]["files"])
            assert shown <= result["data"]["total"]
            offset = result["data"]["next_offset"]
        ask(bench, cap, "skill_install", source_url=url, skill_name=name, adapt=adapt)


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("description", [OWL * 1024, "é" * 1024, "\\" * 1024])
def test_a_record_with_everything_at_its_longest(cap: int, description: str) -> None:
    """Made, pinned, shadowing, with a provenance: it comes, with its description cut and its length beside it."""
    name = "a" * 64
    on = shelf({name: skill(name) | origin("git", "é" * 1_000)}, {name: skill(name, description)})
    bench = Bench(on)
    look = asyncio.run(on.library.read(Address(SkillName(name), SourceId.HOST_SHARED)))
    result = ask(bench, cap, "skill_enable", name=name, pin=Revision(look.tree.revision))
    data = result["data"]
    assert data["description_total"] == 1024
    assert data["name"] == name
    assert data["shadowed"][0]["provenance"]["ref_total"] == 1_000
    (listed,) = ask(bench, cap, "skill_list")["data"]["skills"]
    assert listed["pin"] == look.tree.revision
