"""Long procedures: the host cuts results over 8,000 characters, and refuses arguments over 10,000."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from .lab import Host
from .model import Call

pytestmark = pytest.mark.host


def put(host: Host, name: str, body: str) -> None:
    """A skill that a person wrote, with a body that begins right behind the fence."""
    folder = host.home.skills / name
    folder.mkdir(parents=True)
    text = f"---\nname: {name}\ndescription: Use to {name}.\n---\n{body}"
    (folder / "SKILL.md").write_text(text, encoding="utf-8", newline="")


def read_whole(host: Host, name: str, path: str = "") -> tuple[str, list[Any]]:
    """What the agent reads, page by page as each page says, and the pages."""

    def following(results: Sequence[str]) -> Call | None:
        args: dict[str, object] = {"name": name, "path": path}
        if results:
            last = json.loads(results[-1])["data"]
            if last["next_offset"] is None:
                return None
            args |= {"offset": last["next_offset"], "expected_revision": last["revision"]}
        return Call("skill_read", args)

    pages = [answer["data"] for answer in host.play(following)]
    return "".join(page["content"] for page in pages), pages


LINE = 'Step {0:04}: say "yes" \\ no, wait for the "café" ☕ to open, then go on.\n'


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("lines", "".join(LINE.format(each) for each in range(560))),
        ("one-line", "x" * 40_960 + "THE END"),
        ("escapes", '"\\\t' * 13_700 + "THE END"),
    ],
)
def test_a_40_kb_procedure_is_read_to_its_last_byte(host: Host, name: str, body: str) -> None:
    """The pages that the model gets are the exact text, none of them cut by the host."""
    assert len(body.encode()) > 40_000
    put(host, name, body)
    whole, pages = read_whole(host, name)
    assert whole == body
    assert len(pages) > 5
    assert {page["total_chars"] for page in pages} == {len(body)}


def test_a_resource_is_read_to_its_last_byte(host: Host) -> None:
    """A file of the skill is paged as the procedure is."""
    put(host, "with-files", "Begin.\n")
    text = "".join(LINE.format(each) for each in range(400))
    (host.home.skills / "with-files" / "long.md").write_text(text, encoding="utf-8")
    assert read_whole(host, "with-files", "long.md")[0] == text


def test_a_30_000_character_procedure_is_authored_in_pieces(host: Host) -> None:
    """What does not fit into one argument is created by its beginning and added to; it reads back whole."""
    body = "# Long\n\n" + "".join(LINE.format(each) for each in range(440))
    assert len(body) > 30_000
    begin_end = body.index(
        LINE.format(100)
    )  # `skill_create` ends a document with a line; `append` adds to the character
    pieces = [body[:begin_end], *(body[at : at + 9_000] for at in range(begin_end, len(body), 9_000))]
    begin = {"name": "authored", "description": "Use to go on for long.", "body": pieces[0]}
    calls = [Call("skill_create", begin)]
    calls += [Call("skill_edit", {"name": "authored", "append": piece}) for piece in pieces[1:]]
    assert [answer["status"] for answer in host.play(calls)] == ["ok"] * len(calls)
    assert read_whole(host, "authored")[0] == "\n" + body  # an empty line parts it from the frontmatter
    replaced = {"name": "authored", "old_text": LINE.format(7), "new_text": "Step 0007 is left out.\n"}
    (answer,) = host.play([Call("skill_edit", replaced)])
    assert answer["status"] == "ok"
    whole = read_whole(host, "authored")[0]
    assert whole == "\n" + body.replace(LINE.format(7), "Step 0007 is left out.\n")


def test_the_host_refuses_a_long_argument(host: Host) -> None:
    """The reason for all this: over 10,000 characters no tool is run."""
    body = {"name": "refused", "description": "Use never.", "body": "x" * 10_001}
    script = host.model.script([Call("skill_create", body)])
    host.client.say(script.words)
    assert "10" in script.results[0]
    assert not (host.home.skills / "refused").exists()
