"""Long procedures: read page by page they are the exact text; they are written in pieces that a host lets through."""

from __future__ import annotations

from typing import Final

import pytest

from tests.sovereign.agent import Agent
from tests.sovereign.booted import Feature, booted, document, write

ARGUMENT: Final = 10_000
"""Characters of one argument, above which the host refuses the call."""
TEXTS: Final = {
    "lines": "".join(f"{number}. Look at each of the {number} parts, and note what is odd.\n" for number in range(700)),
    "one line": "All of it in one line, without an end. " * 1_050,
    "owls": "\U0001f989\U0001f989 hoot\r\n" * 4_000,
    "quotes": '"\\"\t' * 10_000,
}


@pytest.mark.parametrize("text", TEXTS)
def test_the_pages_together_are_the_exact_text(agent: Agent, text: str) -> None:
    """To the last character, each of one revision; a page ends at the end of a line, where there is one."""
    body = TEXTS[text]
    assert len(body) >= 40_000 or len(body.encode()) >= 40_000

    async def test(feature: Feature) -> None:
        folder = agent.skills / "long"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(document("long", body=body).encode())
        read, offset, pages, revision = "", 0, 0, None
        while offset is not None:
            page = (await agent.use("skill_read", name="long", offset=offset, expected_revision=revision))["data"]
            assert page["content"]
            read, revision = read + page["content"], page["revision"]
            offset, pages = page["next_offset"], pages + 1
            assert page["total_chars"] == len(body)
            assert offset is None or "\n" not in body or page["content"].endswith("\n")
        assert read == body
        assert pages > 5

    booted(agent, test)


def test_a_page_of_another_revision_is_refused(agent: Agent) -> None:
    """Whoever goes on reading what somebody changed is told, and mixes nothing."""

    async def test(feature: Feature) -> None:
        write(agent, "long", document("long", body=TEXTS["lines"]))
        first = (await agent.use("skill_read", name="long"))["data"]
        await agent.use("skill_edit", name="long", old_text="1. Look at each of the 1 parts", new_text="1. Look away")
        going_on = {"name": "long", "offset": first["next_offset"], "expected_revision": first["revision"]}
        refused = await agent.use("skill_read", **going_on)
        assert (refused["status"], refused["data"]["reason_code"]) == ("error", "stale")

    booted(agent, test)


def test_a_long_procedure_is_written_in_pieces_and_amended(agent: Agent) -> None:
    """30,000 characters, none of the arguments over 10,000; then read back whole, and one passage of it replaced."""
    lines = TEXTS["lines"].splitlines(keepends=True)
    pieces = ["".join(lines[at : at + 150]) for at in range(0, 600, 150)]
    body = "".join(pieces)
    assert max(map(len, pieces)) <= ARGUMENT
    assert len(body) > 30_000

    async def whole() -> str:
        read, offset = "", 0
        while offset is not None:
            page = (await agent.use("skill_read", name="long", offset=offset))["data"]
            read, offset = read + page["content"], page["next_offset"]
        return read

    async def test(feature: Feature) -> None:
        made = await agent.use("skill_create", name="long", description="Use for long.", body=pieces[0], enabled=True)
        assert made["data"]["enabled"]
        for piece in pieces[1:]:
            assert (await agent.use("skill_edit", name="long", append=piece))["status"] == "ok"
        assert (await whole()).strip("\n") == body.strip("\n")
        await agent.use("skill_edit", name="long", old_text="\n200. Look at each", new_text="\n200. Glance at each")
        assert (await whole()).strip("\n") == body.replace("\n200. Look at each", "\n200. Glance at each").strip("\n")
        assert "long" in agent.prompt

    booted(agent, test)
