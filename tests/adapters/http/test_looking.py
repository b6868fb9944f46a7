"""The routes that look."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from attrs import evolve

from kestrel_skills_adapters.memory.files import Odd
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_core.domain.errors import SourceUnavailable, StateUnavailable
from kestrel_skills_core.domain.tree import Content
from tests.service.shelf import BEYOND, Shelf, from_git, shelf, skill

from .serving import BASE, Browser, browsing, desk_of

NOTES = Content(b"See [the procedure](../SKILL.md).\n")
BROKEN = {"SKILL.md": Content(b"---\nname: broken\ndescription: Use: when broken\n---\nGo.\n")}


@pytest.fixture
def on() -> Shelf:
    """Two skills of the agent's own and a broken one, and three that the host shares."""
    return shelf(
        {"lint": skill("lint", body="# Steps\n\nSee [notes](notes/a.md).") | {"notes/a.md": NOTES}, "broken": BROKEN,
         "knots": from_git("knots")},
        {"lint": skill("lint", "The host's."), "broken": skill("broken"), "sail": skill("sail")},
    )  # fmt: skip


@pytest.fixture
def browser(on: Shelf) -> Iterator[Browser]:
    """Whoever looks at them."""
    with browsing(desk_of(on.library)) as browser:
        yield browser


class TestCatalog:
    """Everything at once."""

    def test_it_has_everything_in_catalog_order(self, browser: Browser) -> None:
        """Skills with what they shadow, rejected folders with what is wrong and what they hold back, and the clause."""
        catalog = browser.get("")
        assert [(each["name"], each["source"]) for each in catalog["skills"]] == [
            ("knots", "git"),
            ("lint", "agent-local"),
            ("sail", "host-shared"),
        ]
        assert [each["source"] for each in catalog["skills"][1]["shadowed"]] == ["host-shared"]
        (rejected,) = catalog["rejected"]
        assert (rejected["name"], rejected["holds_back"]["source"]) == ("broken", "host-shared")
        assert [(each["code"], each["line"]) for each in rejected["faults"]] == [("KS105", 3)]
        assert (catalog["count"], catalog["enablement_available"], catalog["problems"]) == (3, True, [])
        assert catalog["context"] == {"text": "", "included": [], "omitted": [], "bytes": 0, "budget": 8192}
        assert "hidden" not in catalog
        assert catalog["notes"] == []

    def test_what_else_is_wrong(self, on: Shelf) -> None:
        """As whoever runs the agent is to know it, beside what was observed."""
        desk = evolve(desk_of(on.library), notes=lambda observed: [f"{len(observed.catalog.records)} are much"])
        with browsing(desk) as browser:
            assert browser.get("")["notes"] == ["3 are much"]

    def test_who_has_it_is_told_so(self, browser: Browser) -> None:
        """With the tag that came with it, weak or in a list, or any; not with another, and not when it has changed."""
        tag = browser.ask("GET", "").headers["ETag"]
        for told in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            answer = browser.ask("GET", "", headers={"If-None-Match": told})
            assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", tag)
        assert browser.ask("GET", "", headers={"If-None-Match": '"x"'}).status_code == 200
        browser.post("", {"name": "new", "description": "Use it.", "body": "Go."})
        assert browser.ask("GET", "", headers={"If-None-Match": tag}).status_code == 200

    def test_it_is_made_once_while_nothing_changes(self, on: Shelf) -> None:
        """What was sent is kept for who asks next; a change makes another."""
        desk = desk_of(on.library)
        with browsing(desk) as browser:
            sent = browser.ask("GET", "").content
            made_of = browser.run(on.library.catalog()), []
            assert desk.catalog.of(made_of) == sent
            browser.post("", {"name": "new", "description": "Use it.", "body": "Go."})
            assert browser.ask("GET", "").content != sent
            assert desk.catalog.of(made_of) is None

    def test_a_browser_asks_again_each_time(self, browser: Browser) -> None:
        """And nobody in between keeps what it was told."""
        assert browser.ask("GET", "").headers["Cache-Control"] == "private, no-cache"

    def test_a_reload_looks_as_if_for_the_first_time(self, browser: Browser, on: Shelf) -> None:
        """It gives the same, and knew nothing."""
        answer = browser.ask("GET", "")
        assert browser.post("/reload", headers={"If-None-Match": answer.headers["ETag"]}) == answer.json()
        assert on.local.knew[-1] is None

    def test_without_a_table_it_says_why_nothing_is_on(self, browser: Browser, on: Shelf) -> None:
        """All is listed, off."""
        on.states.unavailable = StateUnavailable("it is away", "bring it back")
        catalog = browser.get("")
        assert catalog["count"] == 3
        assert not catalog["enablement_available"]
        assert catalog["enablement_error"]["code"] == "state_unavailable"

    def test_a_root_that_is_away_is_told(self, browser: Browser, on: Shelf) -> None:
        """What the other holds is listed."""
        on.shared.problem = SourceUnavailable("host-shared", "it is away", "bring it back")
        (problem,) = browser.get("")["problems"]
        assert (problem["source"], problem["code"]) == ("host-shared", "source_unavailable")

    def test_while_it_is_hidden_it_is_empty_and_says_why(self) -> None:
        """It is not refused, so that a panel has something to say; everything else is."""
        privacy = MemoryPrivacy()
        with browsing(desk_of(shelf({"lint": skill("lint")}, privacy=privacy).library)) as browser:
            assert browser.get("")["count"] == 1
            privacy.mode = "ephemeral"
            catalog = browser.get("")
            assert (catalog["skills"], catalog["context"]["text"]) == ([], "")
            assert catalog["hidden"]["code"] == "hidden"
            assert "'ephemeral'" in catalog["hidden"]["message"]
            for path in ("/lint/tree", "/lint/file?path=SKILL.md", "/lint/preview", "/lint/checks", "/lint/verify"):
                answer = browser.ask("GET", path)
                assert (answer.status_code, answer.json()["code"]) == (403, "hidden")
            privacy.mode = None
            assert browser.get("")["count"] == 1


class TestOne:
    """One skill."""

    def test_its_files(self, browser: Browser) -> None:
        """Each with its size and digest, in path order; the revision is the tag."""
        answer = browser.ask("GET", "/lint/tree")
        tree = answer.json()
        assert [(each["path"], each["bytes"]) for each in tree["files"]] == [("SKILL.md", 85), ("notes/a.md", 34)]
        assert (tree["name"], tree["source"], tree["editable"]) == ("lint", "agent-local", True)
        assert answer.headers["ETag"] == f'"{tree["revision"]}"'

    def test_the_same_bytes_from_elsewhere_are_not_the_same(self, on: Shelf, browser: Browser) -> None:
        """A revision is of files, for `If-Match`; whose they are is told to whoever had them as well."""
        on.shared.folders["lint"] = dict(on.local.folders["lint"])
        own = browser.ask("GET", "/lint/tree")
        del on.local.folders["lint"]
        for path in ("tree", "file?path=SKILL.md", "preview"):
            answer = browser.ask("GET", f"/lint/{path}", headers={"If-None-Match": own.headers["ETag"]})
            assert (answer.status_code, answer.headers["ETag"]) == (200, own.headers["ETag"])
        tree = browser.get("/lint/tree")
        assert (own.json()["source"], tree["source"], tree["editable"]) == ("agent-local", "host-shared", False)

    @pytest.mark.parametrize(
        ("name", "editable"), [("lint@host-shared", False), ("knots@git", True), ("broken", True), ("sail", False)]
    )
    def test_each_copy_by_its_address(self, browser: Browser, name: str, editable: bool) -> None:
        """What is shadowed, what came from git, and what is rejected."""
        assert browser.get(f"/{name}/tree")["editable"] is editable

    def test_a_text_comes_as_it_is(self, browser: Browser) -> None:
        """To the byte; the procedure with its frontmatter, and a folder's with its faults."""
        text = browser.get("/lint/file?path=notes/a.md")
        assert (text["content"], text["bytes"]) == (NOTES.data.decode(), 34)
        assert browser.get("/broken/file?path=SKILL.md")["content"] == BROKEN["SKILL.md"].data.decode()

    def test_a_file_that_is_no_text_is_told_where(self, on: Shelf, browser: Browser) -> None:
        """It is not shown wrong."""
        on.local.folders["lint"] |= {"data.txt": Content(b"ok\n\xff")}
        answer = browser.ask("GET", "/lint/file?path=data.txt")
        assert answer.status_code == 422
        assert [(each["file"], each["line"]) for each in answer.json()["faults"]] == [("data.txt", 2)]

    def test_a_folder_beyond_the_caps_shows_single_files(self, on: Shelf, browser: Browser) -> None:
        """Without a revision, as nobody has seen all of it; as a whole it is not shown."""
        on.local.folders["vast"] = skill("vast") | BEYOND
        assert browser.get("/vast/file?path=SKILL.md")["revision"] is None
        answer = browser.ask("GET", "/vast/tree")
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")

    def test_a_procedure_is_shown_as_a_page(self, browser: Browser) -> None:
        """Without its frontmatter; a link to a file is marked with its path from the file that has it."""
        page = browser.get("/lint/preview")
        assert page["html"].startswith("<h1>Steps</h1>")
        assert 'data-path="notes/a.md"' in page["html"]
        assert "description" not in page["html"]
        assert 'data-path="SKILL.md"' in browser.get("/lint/preview?path=notes/a.md")["html"]

    def test_a_broken_procedure_is_shown_whole(self, browser: Browser) -> None:
        """As nobody can say where it begins."""
        assert "description: Use: when broken" in browser.get("/broken/preview")["html"]

    def test_only_markdown_is_shown_as_a_page(self, browser: Browser) -> None:
        """Of another file the text can be had."""
        answer = browser.ask("GET", "/lint/preview?path=run.sh")
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_path")

    def test_its_checks(self, browser: Browser) -> None:
        """All at once, and whether it is kept out."""
        assert browser.get("/lint/checks") == {"name": "lint", "ok": True, "findings": []}
        broken = browser.get("/broken/checks")
        assert not broken["ok"]
        assert [each["code"] for each in broken["findings"]] == ["KS105"]

    def test_whether_it_is_as_it_was_installed(self, browser: Browser) -> None:
        """And where it came from."""
        assert browser.get("/lint/verify") == {"name": "lint", "verdict": "not recorded"}
        assert browser.get("/knots/verify")["provenance"]["url"] == "https://example.org/skills"

    @pytest.mark.parametrize(
        "path", ["/none/tree", "/lint@git/checks", "/lint/file?path=none.md", "/lint/preview?path=n.md"]
    )
    def test_what_is_not_there(self, browser: Browser, path: str) -> None:
        """404, for a skill and for a file in one."""
        answer = browser.ask("GET", path)
        assert (answer.status_code, answer.json()["code"]) == (404, "absent")

    @pytest.mark.parametrize("path", ["/Lint/tree", "/con/verify", "/lint@here/tree", "/..%2f/tree", "/lint/file"])
    def test_what_is_no_name_or_asks_for_nothing(self, browser: Browser, path: str) -> None:
        """Refused as such."""
        assert browser.ask("GET", path).status_code in (404, 422)

    def test_a_root_that_is_away(self, on: Shelf, browser: Browser) -> None:
        """503: the input may be right."""
        on.local.problem = SourceUnavailable("agent-local", "it is away", "bring it back")
        answer = browser.ask("GET", "/lint/tree")
        assert (answer.status_code, answer.json()["code"]) == (503, "source_unavailable")

    def test_a_skill_may_be_called_as_a_route_is(self, on: Shelf, browser: Browser) -> None:
        """All is done with it as with any other; where its path would be another's, by its source."""
        for name in ("install", "validate", "fit", "reload"):
            on.local.folders[name] = skill(name)
            assert browser.get(f"/{name}/tree")["name"] == name
            (record,) = [each for each in browser.get("")["skills"] if each["name"] == name]
            seen = {"If-Match": record["delete_revision"]}
            answer = browser.ask("DELETE", f"/{name}", headers=seen)
            assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
            assert browser.get(f"/{name}@agent-local/preview")["html"] == "<p>Step one.</p>\n"
            assert browser.ask("DELETE", f"/{name}@agent-local", headers=seen).status_code == 200

    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("GET", "/install/preview", "POST"),
            ("GET", "/reload", "POST"),
            ("PUT", "/validate", "POST"),
            ("DELETE", "", "GET, POST"),
            ("PATCH", "/lint/file", "DELETE, GET, PUT"),
            ("POST", "/lint", "DELETE"),
            ("HEAD", "/lint/tree", "GET"),
            ("PUT", "/install/0123", "DELETE, GET"),
        ],
    )
    def test_what_a_path_may_be_asked_is_told(self, browser: Browser, method: str, path: str, allowed: str) -> None:
        """All of it, whichever route has it."""
        answer = browser.run(browser.client.request(method, f"{BASE}{path}", headers=browser.headers))
        assert (answer.status_code, answer.headers["Allow"]) == (405, allowed)


def test_what_is_not_foreseen_is_a_problem_without_its_text(on: Shelf) -> None:
    """A defect is 500, and says nothing of itself."""

    def fail(_: str) -> str:
        raise RuntimeError("a path, and a secret")

    with browsing(evolve(desk_of(on.library), html=fail)) as browser:
        answer = browser.ask("GET", "/lint/preview")
    assert answer.status_code == 500
    assert json.loads(answer.text)["code"] == "defect"
    assert "secret" not in answer.text


def test_a_special_file_is_never_opened(on: Shelf, browser: Browser) -> None:
    """A link in a folder is told as a fault, and is no file."""
    on.local.folders["lint"] |= {"passwd": Odd("link", "it is a link")}
    assert browser.ask("GET", "/lint/file?path=passwd").status_code in (404, 422)
