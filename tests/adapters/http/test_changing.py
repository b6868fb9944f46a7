"""The routes that change a skill, and what they demand of who asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_core.domain.errors import Busy, StateUnavailable, StoreFailed
from kestrel_skills_core.domain.tree import Content
from tests.service.shelf import Shelf, shelf, skill
from tests.service.test_installer import FOREIGN

from .serving import Browser, browsing, desk_of

NEW = {"name": "knots", "description": "Use when tying.", "body": "Tie."}
OTHER = "0" * 64


@pytest.fixture
def on() -> Shelf:
    """Two skills of the agent's own, one that is foreign, and one that the host shares."""
    return shelf(
        {
            "lint": skill("lint") | {"notes.md": Content(b"N\n")},
            "ace": skill("ace"),
            "alien": {"SKILL.md": Content(FOREIGN)},
        },
        {"sail": skill("sail"), "lint": skill("lint", "The host's.")},
    )


@pytest.fixture
def browser(on: Shelf) -> Iterator[Browser]:
    """Whoever changes them."""
    with browsing(desk_of(on.library)) as browser:
        yield browser


def seen(browser: Browser, name: str = "lint") -> dict[str, Any]:
    """A skill as the catalog shows it."""
    catalog = browser.get("")
    (found,) = [each for each in (*catalog["skills"], *catalog["rejected"]) if each["name"] == name]
    return found


def revision(browser: Browser, name: str = "lint") -> str:
    """What its files are now."""
    return browser.get(f"/{name}/tree")["revision"]


def refused(answer: Any, status: int, code: str) -> dict[str, Any]:
    """See that an answer is a problem of that kind; gives its members."""
    assert (answer.status_code, answer.json().get("code")) == (status, code), answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    return answer.json()


class TestCreate:
    """Making one."""

    def test_it_is_made_off(self, browser: Browser) -> None:
        """201, with where it is, its revision as the tag, and no advice where there is none to give."""
        answer = browser.ask("POST", "", NEW)
        made = answer.json()
        assert answer.status_code == 201
        assert answer.headers["Location"] == "/api/procedural-skills/knots/tree"
        assert answer.headers["ETag"] == f'"{made["found"]["revision"]}"'
        assert (made["found"]["enabled"], made["problem"], made["warnings"]) == (False, None, [])
        assert browser.get("/knots/file?path=SKILL.md")["content"].endswith("\n\nTie.\n")

    def test_it_may_be_on_at_once(self, browser: Browser) -> None:
        """At its place; it is then in the clause."""
        made = browser.post("", NEW | {"enabled": True, "priority": 7})["found"]
        assert (made["enabled"], made["priority"], made["context_included"]) == (True, 7, True)

    def test_what_could_not_follow_is_told(self, on: Shelf, browser: Browser) -> None:
        """It is made, and off, as the table was away."""
        on.states.unavailable = StateUnavailable("it is away", "bring it back")
        made = browser.post("", NEW | {"enabled": True})
        assert (made["found"]["enabled"], made["problem"]["code"]) == (False, "state_unavailable")

    def test_advice_comes_with_it(self, browser: Browser) -> None:
        """A link to nothing, say."""
        made = browser.post("", NEW | {"body": "See [it](it.md)."})
        assert [each["code"] for each in made["warnings"]] == ["KS501"]

    def test_what_is_refused(self, browser: Browser) -> None:
        """A name that is taken, one that is none, and a text with faults: each by its own status."""
        refused(browser.ask("POST", "", NEW | {"name": "lint"}), 409, "exists")
        refused(browser.ask("POST", "", NEW | {"name": "../x"}), 422, "bad_name")
        faults = refused(browser.ask("POST", "", NEW | {"description": " "}), 422, "bad_document")["faults"]
        assert [(each["code"], each["line"]) for each in faults] == [("KS114", 3)]
        refused(browser.ask("POST", "", NEW | {"body": "x" * 300_000}), 413, "too_large")
        refused(browser.ask("POST", "", NEW | {"priority": 100_001}), 422, "bad_request")

    def test_without_a_root_of_its_own_nothing_is_made(self) -> None:
        """403: it is not the input that is wrong."""
        with browsing(desk_of(shelf({}, store=False).library)) as browser:
            refused(browser.ask("POST", "", NEW), 403, "not_editable")


class TestFiles:
    """Writing and taking out one file."""

    def test_a_file_is_written_over_what_was_seen(self, browser: Browser) -> None:
        """With the revision that was seen, bare or in quotes; a new file likewise."""
        first = revision(browser)
        answer = browser.ask("PUT", "/lint/file?path=notes.md", {"content": "ü\n"}, headers={"If-Match": f'"{first}"'})
        second = answer.json()["found"]["revision"]
        assert answer.headers["ETag"] == f'"{second}"'
        browser.ask("PUT", "/lint/file?path=a/b.md", {"content": "new"}, headers={"If-Match": second})
        assert browser.get("/lint/file?path=notes.md")["content"] == "ü\n"
        assert browser.get("/lint/file?path=a/b.md")["content"] == "new"

    def test_who_saw_something_else_changes_nothing(self, browser: Browser) -> None:
        """412, with what is there now, also where the tag is none; 404, where nothing is."""
        for tag in (OTHER, "W/", f'W/"{OTHER}"', f'"{OTHER}", "{OTHER}"', "a"):
            for method, path, body in (
                ("PUT", "/lint/file?path=notes.md", {"content": "mine"}),
                ("DELETE", "/lint/file?path=notes.md", None),
                ("POST", "/lint/adapt", None),
                ("POST", "/lint/unadapt", None),
            ):
                answer = browser.ask(method, path, body, headers={"If-Match": tag})
                assert refused(answer, 412, "stale")["found"] == revision(browser)
                absent = browser.ask(method, path.replace("lint", "none"), body, headers={"If-Match": tag})
                refused(absent, 404, "absent")
        assert browser.get("/lint/file?path=notes.md")["content"] == "N\n"

    def test_what_is_no_text_is_told_where(self, browser: Browser) -> None:
        """Half a character has no bytes, and JSON may hold it."""
        headers = {"If-Match": revision(browser)}
        answer = browser.ask("PUT", "/lint/file?path=z.md", {"content": "ab\n\ud800"}, headers=headers)
        faults = refused(answer, 422, "bad_document")["faults"]
        assert [(each["file"], each["line"]) for each in faults] == [("z.md", 2)]

    @pytest.mark.parametrize("tag", [None, "*", '""', "  "])
    def test_who_does_not_say_what_they_saw_changes_nothing(self, browser: Browser, tag: str | None) -> None:
        """428, even where the file would be new: and so for everything that a change would lose."""
        headers = {"If-Match": tag}
        for method, path, body in (
            ("PUT", "/lint/file?path=new.md", {"content": "mine"}),
            ("DELETE", "/lint/file?path=notes.md", None),
            ("POST", "/lint/adapt", None),
            ("POST", "/lint/unadapt", None),
            ("PATCH", "/lint/state", {"enabled": True}),
            ("DELETE", "/lint", None),
        ):
            refused(browser.ask(method, path, body, headers=headers), 428, "precondition_required")

    def test_a_file_is_taken_out(self, browser: Browser) -> None:
        """And is not there any more; the procedure cannot be."""
        headers = {"If-Match": revision(browser)}
        assert browser.ask("DELETE", "/lint/file?path=notes.md", headers=headers).status_code == 200
        assert browser.ask("GET", "/lint/file?path=notes.md").status_code == 404
        headers = {"If-Match": revision(browser)}
        refused(browser.ask("DELETE", "/lint/file?path=SKILL.md", headers=headers), 403, "not_editable")
        refused(browser.ask("DELETE", "/lint/file?path=none.md", headers=headers), 404, "absent")

    def test_a_procedure_with_faults_is_refused_with_their_places(self, browser: Browser) -> None:
        """An edit never makes a rejected folder of a skill."""
        body = {"content": "---\nname: lint\ndescription: Use: now\n---\nGo.\n"}
        answer = browser.ask("PUT", "/lint/file?path=SKILL.md", body, headers={"If-Match": revision(browser)})
        (fault,) = refused(answer, 422, "bad_document")["faults"]
        assert (fault["code"], fault["line"], fault["column"]) == ("KS105", 3, 17)

    def test_a_rejected_folder_is_mended(self, browser: Browser) -> None:
        """By the same route."""
        body = {"content": "---\nname: alien\ndescription: Use it.\n---\nGo.\n"}
        answer = browser.ask("PUT", "/alien/file?path=SKILL.md", body, headers={"If-Match": revision(browser, "alien")})
        assert answer.json()["found"]["description"] == "Use it."

    def test_a_rejected_folder_tells_its_revision(self, browser: Browser) -> None:
        """So that whoever mends it in several steps need not ask anew, and so take what another wrote for their own."""
        for content in ("---\nname: other\n---\nGo.\n", "---\nname: alien\n---\nGo.\n"):
            seen = {"If-Match": revision(browser, "alien")}
            answer = browser.ask("PUT", "/alien/file?path=SKILL.md", {"content": content}, headers=seen).json()
            assert "faults" in answer["found"]
            assert answer["revision"] == revision(browser, "alien")

    def test_what_is_the_hosts_is_not_written(self, browser: Browser) -> None:
        """403."""
        headers = {"If-Match": revision(browser, "sail")}
        refused(browser.ask("PUT", "/sail/file?path=a.md", {"content": ""}, headers=headers), 403, "not_editable")

    def test_a_file_that_is_too_large(self, browser: Browser) -> None:
        """413."""
        body = {"content": "x" * (256 * 1024 + 1)}
        answer = browser.ask("PUT", "/lint/file?path=a.md", body, headers={"If-Match": revision(browser)})
        refused(answer, 413, "too_large")

    def test_a_store_that_fails(self, on: Shelf, browser: Browser) -> None:
        """503, and nothing was changed; where it is only held by another, with when to ask again."""
        headers = {"If-Match": revision(browser)}
        on.local.broken = StoreFailed("stage", "no space is left", "make room")
        refused(browser.ask("PUT", "/lint/file?path=a.md", {"content": ""}, headers=headers), 503, "store_failed")
        on.local.broken = Busy("the store")
        answer = browser.ask("PUT", "/lint/file?path=a.md", {"content": ""}, headers=headers)
        refused(answer, 503, "busy")
        assert answer.headers["Retry-After"] == "2"


class TestAdapt:
    """Into the two-field form, and back."""

    def test_there_and_back(self, browser: Browser) -> None:
        """What is changed is told; what comes back is what was there, to the byte."""
        before = browser.get("/alien/file?path=SKILL.md")["content"]
        browser.ask("PUT", "/alien/file?path=SKILL.md", {"content": before.replace("lint", "alien")},
                    headers={"If-Match": revision(browser, "alien")})  # fmt: skip
        answer = browser.ask("POST", "/alien/adapt", headers={"If-Match": revision(browser, "alien")})
        adapted = answer.json()
        assert answer.status_code == 200
        assert adapted["found"]["name"] == "alien"
        assert any("allowed-tools" in each["text"] for each in adapted["adaptation"]["changes"])
        answer = browser.ask("POST", "/alien/unadapt", headers={"If-Match": adapted["found"]["revision"]})
        assert "faults" in answer.json()["found"]
        assert browser.get("/alien/file?path=SKILL.md")["content"] == before.replace("lint", "alien")

    def test_of_what_was_not_seen_nothing_is_made(self, browser: Browser) -> None:
        """412; and what was never adapted cannot be put back."""
        refused(browser.ask("POST", "/alien/adapt", headers={"If-Match": OTHER}), 412, "stale")
        answer = browser.ask("POST", "/lint/unadapt", headers={"If-Match": revision(browser)})
        refused(answer, 403, "not_editable")


class TestState:
    """On, off, its place, and its pin."""

    def patch(self, browser: Browser, body: dict[str, Any], etag: str | None = None, name: str = "lint") -> Any:
        """Change the state of a skill as it is, or as it was seen."""
        return browser.ask("PATCH", f"/{name}/state", body, headers={"If-Match": etag or seen(browser, name)["etag"]})

    def test_each_part_by_itself(self, browser: Browser) -> None:
        """What is left out stays as it is."""
        on = self.patch(browser, {"enabled": True}).json()["found"]
        assert (on["enabled"], on["priority"], on["context_included"]) == (True, 100, True)
        pinned = self.patch(browser, {"pin": on["revision"]}).json()["found"]
        moved = self.patch(browser, {"priority": -5}).json()["found"]
        assert (moved["enabled"], moved["priority"], moved["pin"]) == (True, -5, pinned["pin"])
        free = self.patch(browser, {"pin": None}).json()["found"]
        assert (free["enabled"], free["priority"], "pin" in free) == (True, -5, False)
        off = self.patch(browser, {"enabled": False}).json()["found"]
        assert (off["enabled"], off["priority"]) == (False, -5)
        assert self.patch(browser, {}).json()["found"] == off

    def test_the_tag_of_the_answer_is_good_for_the_next(self, browser: Browser) -> None:
        """Nobody has to look in between."""
        answer = self.patch(browser, {"enabled": True})
        assert self.patch(browser, {"priority": 1}, answer.headers["ETag"]).status_code == 200

    def test_who_saw_another_state_changes_nothing(self, browser: Browser) -> None:
        """412, with the etag that it has now."""
        old = seen(browser)["etag"]
        new = self.patch(browser, {"enabled": True}, old).json()["found"]["etag"]
        assert refused(self.patch(browser, {"enabled": False}, old), 412, "stale")["found"] == new
        assert seen(browser)["enabled"]

    def test_of_two_that_saw_the_same_one_comes_too_late(self, browser: Browser) -> None:
        """However close they are."""
        etag = seen(browser)["etag"]

        async def both() -> list[Any]:
            import asyncio

            return await asyncio.gather(
                *(
                    browser.send("PATCH", "/lint/state", {"priority": place}, headers={"If-Match": etag})
                    for place in range(1, 9)
                )
            )

        assert sorted(answer.status_code for answer in browser.run(both())) == [200, *[412] * 7]

    def test_a_copy_that_is_shadowed_by_its_address(self, browser: Browser) -> None:
        """It is on, should the other go."""
        (shadowed,) = seen(browser)["shadowed"]
        answer = self.patch(browser, {"enabled": True}, shadowed["etag"], "lint@host-shared")
        assert answer.json()["found"]["enabled"]

    def test_what_is_refused(self, on: Shelf, browser: Browser) -> None:
        """A folder with faults, a pin on other bytes, a skill that is not there; and a table that does not answer."""
        answer = self.patch(browser, {"enabled": True}, revision(browser, "alien"), "alien")
        refused(answer, 422, "bad_document")
        refused(self.patch(browser, {"enabled": True, "pin": OTHER}), 412, "stale")
        refused(self.patch(browser, {"enabled": True}, OTHER, "none"), 404, "absent")
        etag = seen(browser)["etag"]
        on.states.unavailable = StateUnavailable("it is away", "bring it back")
        refused(self.patch(browser, {"enabled": True}, etag), 503, "state_unavailable")

    @pytest.mark.parametrize("body", [{"priority": 5}, {}, {"pin": None}])
    def test_what_stays_must_be_known(self, on: Shelf, browser: Browser, body: dict[str, Any]) -> None:
        """A skill that is only moved is not switched off because the table does not answer."""
        assert self.patch(browser, {"enabled": True, "priority": 7}).status_code == 200
        etag = seen(browser)["etag"]
        on.states.unavailable = StateUnavailable("it is away", "bring it back")
        refused(self.patch(browser, body, etag), 503, "state_unavailable")
        refused(self.patch(browser, body, seen(browser)["etag"]), 503, "state_unavailable")
        on.states.unavailable = None
        assert (seen(browser)["enabled"], seen(browser)["priority"]) == (True, 7)

    def test_what_is_off_is_not_pinned(self, browser: Browser) -> None:
        """Nobody is told that it is."""
        refused(self.patch(browser, {"pin": revision(browser)}), 409, "switched_off")
        refused(self.patch(browser, {"enabled": False, "pin": revision(browser)}), 422, "bad_request")


class TestDelete:
    """Away with one."""

    def test_exactly_what_was_seen(self, browser: Browser) -> None:
        """What has the name then is told."""
        token = seen(browser)["delete_revision"]
        answer = browser.ask("DELETE", "/lint", headers={"If-Match": f'"{token}"'})
        assert (answer.json()["found"]["source"], answer.json()["problem"]) == ("host-shared", None)
        token = seen(browser, "ace")["delete_revision"]
        assert browser.ask("DELETE", "/ace", headers={"If-Match": token}).json()["found"] is None

    def test_a_rejected_folder_too(self, browser: Browser) -> None:
        """By its own token."""
        token = seen(browser, "alien")["delete_revision"]
        assert browser.ask("DELETE", "/alien", headers={"If-Match": token}).status_code == 200
        assert browser.get("")["rejected"] == []

    def test_what_was_changed_since_stays(self, browser: Browser) -> None:
        """412: nobody approved to destroy that."""
        token = seen(browser)["delete_revision"]
        browser.ask("PUT", "/lint/file?path=a.md", {"content": "mine"}, headers={"If-Match": revision(browser)})
        refused(browser.ask("DELETE", "/lint", headers={"If-Match": token}), 412, "stale")
        assert browser.get("/lint/file?path=a.md")["content"] == "mine"

    def test_what_is_not_ours_to_delete(self, browser: Browser) -> None:
        """403 for what the host shares, 404 for what is not there."""
        refused(browser.ask("DELETE", "/sail", headers={"If-Match": OTHER}), 403, "not_editable")
        refused(browser.ask("DELETE", "/none", headers={"If-Match": OTHER}), 404, "absent")


class TestProposals:
    """What a change would come to; nothing is written."""

    def test_texts_are_judged_by_the_rules_that_they_would_meet(self, browser: Browser) -> None:
        """Each by itself, so that a form can say it beside the field."""
        found = browser.post("/validate", {"name": "Knots", "description": "Use it.", "text": "no\n"})
        assert not found["ok"]
        assert [each["code"] for each in found["name"]] == ["KS201"]
        assert found["description"] == []
        assert [(each["code"], each["line"]) for each in found["text"]] == [("KS101", 1)]
        assert browser.post("/validate", {"name": "knots", "description": "Use it."})["ok"]

    def test_a_name_that_is_taken_is_told(self, browser: Browser) -> None:
        """By what has it here; what the host shares may be shadowed."""
        assert browser.post("/validate", {"name": "lint"})["taken"]["source"] == "agent-local"
        assert "faults" in browser.post("/validate", {"name": "alien"})["taken"]
        assert browser.post("/validate", {"name": "sail"})["taken"] is None
        assert browser.post("/validate", {"name": "none"})["taken"] is None
        assert browser.post("/validate", {})["taken"] is None

    def test_a_fit_shows_the_prompt_as_it_would_be(self, browser: Browser) -> None:
        """In the order that is proposed, within a budget; and nothing is on."""
        states = [{"name": "lint", "enabled": True, "priority": 9}, {"name": "ace", "enabled": True, "priority": 1}]
        fit = browser.post("/fit", {"states": states})
        assert (fit["included"], fit["omitted"], fit["budget"]) == (["ace", "lint"], [], 8192)
        assert fit["text"].count("<skill ") == 2
        assert browser.post("/fit", {"states": states, "budget": 1})["omitted"] == ["ace", "lint"]
        assert browser.get("")["context"]["included"] == []

    def test_a_fit_of_what_is_not_there(self, browser: Browser) -> None:
        """Is told."""
        refused(browser.ask("POST", "/fit", {"states": [{"name": "none", "enabled": True}]}), 404, "absent")
        refused(browser.ask("POST", "/fit", {"states": [{"name": "No"}]}), 422, "bad_name")


def test_while_all_is_hidden_nothing_is_changed() -> None:
    """403, whatever is asked; and where the mode cannot be held in time, 503."""
    privacy = MemoryPrivacy()
    with browsing(desk_of(shelf({"lint": skill("lint")}, privacy=privacy).library)) as browser:
        tags = seen(browser)
        privacy.busy = "a turn of the agent's own"
        answer = browser.ask("PATCH", "/lint/state", {"enabled": True}, headers={"If-Match": tags["etag"]})
        refused(answer, 503, "busy")
        privacy.busy, privacy.mode = None, "isolated"
        for method, path, body, tag in (
            ("POST", "", NEW, None),
            ("POST", "/validate", {"name": "lint"}, None),
            ("POST", "/validate", {"description": "Use it."}, None),
            ("POST", "/fit", {"states": []}, None),
            ("PUT", "/lint/file?path=a.md", {"content": ""}, tags["revision"]),
            ("DELETE", "/lint/file?path=a.md", None, tags["revision"]),
            ("POST", "/lint/adapt", None, tags["revision"]),
            ("POST", "/lint/unadapt", None, tags["revision"]),
            ("PATCH", "/lint/state", {"enabled": True}, tags["etag"]),
            ("DELETE", "/lint", None, tags["delete_revision"]),
            ("POST", "/install/preview", {"source_url": "https://git.example/tools"}, None),
        ):
            refused(browser.ask(method, path, body, headers={"If-Match": tag}), 403, "hidden")
        privacy.mode = None
        assert seen(browser) == tags
