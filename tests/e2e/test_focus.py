"""Where a person is: the focus stays in the panel, keys are heard, and what is typed or shown goes where it belongs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.host.client import until

from .homes import many, skill
from .test_order import grip, opened, order, priorities
from .test_panel import document, pick, row, rows, says, write
from .test_unsaved import HOSTED, TURN, hosted

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from .places import Desktop

pytestmark = pytest.mark.e2e

HAS = """() => {
  const it = document.activeElement;
  const said = it.querySelector('span')?.textContent || it.getAttribute('aria-label') || it.textContent;
  return `${it.tagName} ${it.getAttribute('role') ?? ''} ${it.matches('h2, button') ? said : ''}`.trim();
}"""
SENT = """async () => {
  const API = (await import('/js/api.js')).default;
  globalThis.sent = [];
  API.requestForAgent = (path, options, agent) => {
    if (options.method !== 'GET') globalThis.sent.push([agent, options.method, path]);
    return API.request(path, options);
  };
}"""


@pytest.fixture
def desktop(page_desktop: Desktop) -> Desktop:
    """One of everything, in the page of `serve`: what is asked here is asked of the panel's own modules too."""
    return page_desktop


def has(page: Page, wanted: str) -> None:
    """Wait until that has the focus."""
    found: list[str] = []

    def it_has() -> bool:
        found[:] = [page.evaluate(HAS)]
        return found == [wanted]

    try:
        until(it_has, within=5)
    except TimeoutError:
        pytest.fail(f"{found} has the focus, not {wanted}")


def look(page: Page) -> None:
    """A person comes back to the window, so that the panel looks again."""
    page.wait_for_timeout(1100)
    with page.expect_response("**/api/procedural-skills"):
        page.evaluate("window.dispatchEvent(new Event('focus'))")
    page.wait_for_timeout(200)


class TestKeys:
    """They are heard wherever nothing else takes them."""

    def test_a_page_that_was_only_loaded_hears_them(self, desktop: Desktop) -> None:
        """Nothing was clicked yet; a slash that is written somewhere is one."""
        page = desktop.open()
        row(page, "deploy").wait_for()
        page.keyboard.press("/")
        has(page, "INPUT")
        page.keyboard.type("a/b")
        assert page.get_by_label("Search skills").input_value() == "a/b"

    def test_they_are_not_heard_behind_a_question(self, desktop: Desktop) -> None:
        """Nor with another key held."""
        page = desktop.open()
        row(page, "deploy").wait_for()
        page.keyboard.press("Control+/")
        has(page, "BODY")
        page.get_by_role("button", name="New", exact=True).click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").focus()
        page.keyboard.press("/")
        has(page, "BUTTON  Cancel")


class TestFocus:
    """It is never on the page itself after something was done by key."""

    def test_files_are_opened_saved_and_left(self, desktop: Desktop) -> None:
        """In the tree it stays on the file; after a link it is on the tab's contents; after saving, in the text."""
        page = desktop.open()
        pick(page, "review-a-diff")
        link = page.get_by_role("link", name="the checklist")
        link.focus()
        page.keyboard.press("Enter")
        page.get_by_label("references/checklist.md of review-a-diff").wait_for()
        has(page, "DIV tabpanel")
        page.get_by_role("button", name="SKILL.md").focus()
        page.keyboard.press("Enter")
        page.get_by_label("SKILL.md of review-a-diff").wait_for()
        has(page, "BUTTON  SKILL.md")
        write(page, document("review-a-diff"))
        page.get_by_role("button", name="Save", exact=True).focus()
        page.keyboard.press("Enter")
        says(page, "SKILL.md is saved.")
        has(page, "TEXTAREA")
        page.keyboard.press("Escape")
        has(page, "DIV listbox")

    def test_a_text_is_taken_up_again(self, desktop: Desktop) -> None:
        """Where nothing was chosen yet, it is on what is now."""
        page = desktop.open()
        hosted(page)
        pick(page, "pdf-forms", "Files")
        write(page, document("pdf-forms", body="Mine.\n"))
        for agent in ("ben", "anna"):
            page.evaluate(TURN, agent)
            row(page, "deploy").wait_for()
        page.get_by_role("button", name="Go on writing").focus()
        page.keyboard.press("Enter")
        page.get_by_text("This is what you wrote before and did not save.").wait_for()
        has(page, "H2  pdf-forms")

    def test_what_was_done_takes_its_button_away(self, desktop: Desktop) -> None:
        """Adapt, and Undo: what is shown instead has it."""
        page = desktop.open()
        pick(page, "release-train")
        page.get_by_role("button", name="Adapt", exact=True).focus()
        page.keyboard.press("Enter")
        says(page, "release-train is adapted")
        has(page, "DIV tabpanel")
        page.get_by_role("tab", name="Origin").click()
        page.get_by_text("Every file is as it was when this was adapted here.").wait_for()
        page.get_by_role("button", name="Undo the adaptation").focus()
        page.keyboard.press("Enter")
        says(page, "It is as it was before it was adapted.")
        has(page, "DIV tabpanel")
        page.keyboard.press("Escape")
        has(page, "DIV listbox")

    def test_a_handle_keeps_it_beyond_what_is_listed(self, desktop: Desktop) -> None:
        """What is tried is listed wherever it stands."""
        page = desktop.open()
        catalog: dict[str, Any] = page.evaluate(
            "async () => (await import('/js/api.js')).default.request('/api/procedural-skills')"
        )
        some = next(each for each in catalog["skills"] if each["name"] == "long-tail-9")
        more = [some | {"name": f"many-{number:03}", "priority": 1000 + number} for number in range(300)]
        fit = {**catalog["context"], "omitted": catalog["context"]["omitted"] + [each["name"] for each in more]}
        told = catalog | {"skills": catalog["skills"] + more, "context": fit}
        page.route("**/api/procedural-skills", lambda route: route.fulfill(json=told))
        page.route("**/fit", lambda route: route.fulfill(json=fit))
        page.reload()
        opened(page)
        assert page.get_by_text("and 103 more").is_visible()
        grip(page, "long-tail-9").press("End")
        page.get_by_text("Not saved: this is what 1 change would make").wait_for()
        assert order(page)[-1] == "long-tail-9"
        assert page.evaluate("document.activeElement.ariaLabel") == "Move long-tail-9"


class TestPriorities:
    """What is typed as one."""

    @pytest.mark.parametrize("typed", ["99999999", "1.5", "-"])
    @pytest.mark.parametrize("is_meter", [False, True])
    def test_what_is_none_is_told_and_not_taken(self, desktop: Desktop, typed: str, is_meter: bool) -> None:
        """The field says that it is wrong; once it is left it has again what counts."""
        page = desktop.open()
        before = priorities(page)
        if is_meter:
            field = opened(page).get_by_label("Priority of incident-notes")
        else:
            pick(page, "incident-notes")
            field = page.locator(".ksk-state").get_by_label("Priority")
        field.fill("")
        assert field.get_attribute("aria-invalid") == "false"
        field.press_sequentially(typed)
        page.get_by_text("A priority is a whole number from -100,000 to 100,000.", exact=True).wait_for()
        assert field.get_attribute("aria-invalid") == "true"
        page.keyboard.press("Tab")
        page.get_by_text("A priority is a whole number from -100,000 to 100,000. It stays").wait_for()
        assert field.get_attribute("aria-invalid") == "false"
        assert field.input_value() == ("20" if typed == "-" or not is_meter else {"9": "99999", "1": "1"}[typed[0]])
        assert priorities(page) == before

    def test_what_is_typed_for_one_agent_is_not_set_for_another(self, desktop: Desktop) -> None:
        """The field is left because the other one's skills are shown."""
        page = desktop.open()
        page.evaluate(HOSTED)
        page.evaluate(SENT)
        page.evaluate(TURN, "anna")
        pick(page, "incident-notes")
        field = page.locator(".ksk-state").get_by_label("Priority")
        field.select_text()
        field.press_sequentially("7")
        page.get_by_text("With 7: in the prompt").wait_for()
        page.evaluate("globalThis.sent = []")
        page.evaluate(TURN, "ben")
        row(page, "deploy").wait_for()
        page.wait_for_timeout(500)
        assert page.evaluate("globalThis.sent") == []

    def test_another_agent_meanwhile_is_no_error(self, desktop: Desktop) -> None:
        """What a priority would come to is answered when nobody asks any more."""
        page = desktop.open()
        hosted(page)
        pick(page, "incident-notes")
        page.route("**/fit", lambda route: page.evaluate(TURN, "ben") or route.continue_())
        with page.expect_response("**/fit"):
            page.locator(".ksk-state").get_by_label("Priority").fill("7")
        page.wait_for_timeout(300)
        assert page.locator(".ksk-problem").count() == 0


class TestShown:
    """What is said and listed is so."""

    def test_what_is_chosen_is_in_sight(self, desktop: Desktop) -> None:
        """After the page was loaded again, and where it is new; but who scrolls away is not brought back."""
        many(desktop.skills, 200)
        page = desktop.open()
        row(page, "deploy").wait_for()
        page.get_by_role("listbox").press("End")
        page.get_by_role("heading", name="long-tail-9").wait_for()
        page.reload()
        page.get_by_role("heading", name="long-tail-9").wait_for()
        assert row(page, "long-tail-9").get_attribute("aria-selected") == "true"
        page.get_by_role("listbox").evaluate("it => { it.scrollTop = 0; }")
        row(page, "deploy").wait_for()
        skill(desktop.skills, "another", "Use when it came meanwhile.")
        look(page)
        assert page.get_by_role("listbox").evaluate("it => it.scrollTop") == 0
        page.get_by_role("button", name="New", exact=True).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("skill-0100-and-a-half")
        dialog.get_by_label("Description").fill("Use when it is new.")
        dialog.locator(".btn-primary:enabled").click()
        says(page, "skill-0100-and-a-half is made.")
        row(page, "skill-0100-and-a-half").wait_for()

    def test_how_much_is_found_is_so(self, desktop: Desktop) -> None:
        """Also once it is filtered, or something came; and an order that was put back is not called unsaved."""
        page = desktop.open()
        page.get_by_label("Search skills").fill("long")
        says(page, "10 entries found.")
        page.get_by_label("Show").select_option("rejected")
        says(page, "0 entries found.")
        page.get_by_label("Show").select_option("all")
        says(page, "10 entries found.")
        skill(desktop.skills, "long-tail-10", "Use when it came meanwhile.")
        look(page)
        says(page, "11 entries found.")
        grip(opened(page), "long-tail-0").press("ArrowUp")
        says(page, "Not saved.")
        page.get_by_role("button", name="Put back").click()
        says(page, "The order is as it was.")

    def test_another_agent_is_not_searched_for_what_was_sought_of_one(self, desktop: Desktop) -> None:
        """Nor filtered."""
        page = desktop.open()
        hosted(page)
        page.get_by_label("Search skills").fill("pdf")
        page.get_by_label("Show").select_option("disabled")
        says(page, "1 entry found.")
        page.evaluate(TURN, "ben")
        row(page, "deploy").wait_for()
        assert page.get_by_label("Search skills").input_value() == ""
        assert page.get_by_label("Show").input_value() == "all"

    def test_a_state_is_a_word(self, desktop: Desktop) -> None:
        """For those who see it too, and what is broken names its file."""
        page = desktop.open()
        row(page, "deploy").wait_for()
        told = rows(page).all_inner_texts()
        assert "KS105, SKILL.md, line 3" in told[0]
        assert "held back" in told[1]
        assert "disabled" in row(page, "pdf-forms").inner_text()
        assert page.locator(".ksk-glyph").first.get_attribute("title") == "Rejected"


class TestSeen:
    """What is done is done to what was looked at."""

    def test_what_changed_since_is_not_adapted(self, desktop: Desktop) -> None:
        """It is shown first."""
        page = desktop.open()
        pick(page, "release-train")
        page.get_by_role("button", name="Adapt", exact=True).wait_for()
        file = desktop.file("release-train/SKILL.md")
        file.write_text(file.read_text().replace("One by one.", "Theirs."))
        page.get_by_role("button", name="Adapt", exact=True).click()
        says(page, "release-train was changed meanwhile. This is how it is now; nothing was done.")
        assert "version: 2" in file.read_text()
        page.get_by_role("button", name="Adapt", exact=True).click()
        says(page, "release-train is adapted")

    def test_what_changed_since_is_not_undone(self, desktop: Desktop) -> None:
        """Nor put back."""
        page = desktop.open()
        pick(page, "release-train")
        page.get_by_role("button", name="Adapt", exact=True).click()
        says(page, "release-train is adapted")
        page.get_by_role("tab", name="Origin").click()
        undo = page.get_by_role("button", name="Undo the adaptation")
        undo.wait_for()
        (desktop.file("release-train") / "more.md").write_text("More.\n")
        undo.click()
        says(page, "release-train was changed meanwhile.")
        assert "version: 2" not in desktop.file("release-train/SKILL.md").read_text()

    def test_what_cannot_be_asked_is_not_offered_again(self, desktop: Desktop) -> None:
        """A folder whose name is none of a skill: its faults are shown, and asked for once."""
        shutil.copytree(desktop.file("pdf-forms"), desktop.file("No Name"))
        page = desktop.open()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/checks" in request.url else None)
        pick(page, "No Name")
        page.locator(".ksk-findings").wait_for()
        for tab in ("Procedure", "Files", "Origin"):
            page.get_by_role("tab", name=tab).click()
            page.get_by_role("alert").wait_for()
            assert page.get_by_role("button", name="Try again").count() == 0, tab
        assert len(asked) == 1
