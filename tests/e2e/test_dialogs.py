"""What a dialog submits runs once, is told of though it was dismissed meanwhile, and is of what was looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .outside import URL, Outside
from .places import API, NARROW, Desktop
from .test_panel import becomes, pick, row, says
from .test_unsaved import TURN, hosted

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Locator, Page, Request, Route

pytestmark = pytest.mark.e2e


@pytest.fixture
def desktop(page_desktop: Desktop) -> Desktop:
    """One of everything, in the page of `serve`."""
    return page_desktop


class Held:
    """Requests of one method and address that the server has answered already, and the page does not know it yet."""

    def __init__(self, page: Page, method: str, address: str) -> None:
        """Hold them from now on."""
        self.page, self.method, self.address = page, method, address
        self.answers: list[tuple[Route, APIResponse]] = []
        page.route(address, self._hold)

    def _hold(self, route: Route) -> None:
        if route.request.method != self.method:
            route.fallback()
            return
        self.answers.append((route, route.fetch()))

    def until_one(self) -> None:
        """Wait until there is one."""
        while not self.answers:
            self.page.wait_for_timeout(20)

    def let_go(self) -> None:
        """Give the page its answers, and hold no more."""
        self.until_one()
        for route, answer in self.answers:
            route.fulfill(response=answer)
        self.page.unroute(self.address)


def new(page: Page, name: str) -> Locator:
    """The dialog for a new skill, with all that it takes."""
    page.get_by_role("button", name="New", exact=True).click()
    dialog = page.get_by_role("dialog", name="New skill").first
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("Description").fill("Use when something is new.")
    dialog.locator("button:enabled", has_text="Create").wait_for()
    return dialog


def delete(page: Page, name: str) -> Locator:
    """The dialog that deletes a skill, with its name typed."""
    pick(page, name)
    page.get_by_role("button", name="Delete…").click()
    dialog = page.get_by_role("dialog", name=f"Delete {name}")
    dialog.get_by_role("textbox").fill(name)
    dialog.locator("button:enabled", has_text="Delete").wait_for()
    return dialog


def asking(page: Page, skill: str = "knots") -> Locator:
    """The dialog that installs, with what to look at."""
    page.get_by_role("button", name="Install", exact=True).click()
    dialog = page.get_by_role("dialog", name="Install from git")
    dialog.get_by_label("Repository").fill(URL)
    dialog.get_by_label("Skill").fill(skill)
    return dialog


def preview(page: Page) -> Locator:
    """The same, with a preview."""
    dialog = asking(page)
    dialog.get_by_role("button", name="Preview").click()
    dialog.get_by_role("button", name="Install exactly this").wait_for()
    return dialog


class TestNew:
    """Making one."""

    def test_it_is_made_once_and_told_though_it_was_dismissed(self, desktop: Desktop) -> None:
        """What a person went on to stays chosen."""
        page = desktop.open()
        pick(page, "pdf-forms")
        dialog = new(page, "late-one")
        held = Held(page, "POST", f"**{API}")
        dialog.get_by_role("button", name="Create").click()
        dialog.get_by_label("Name").press("Enter")
        held.until_one()
        assert dialog.get_by_role("button", name="Create").is_disabled()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Throw it away").click()
        dialog.wait_for(state="detached")
        assert len(held.answers) == 1
        held.let_go()
        says(page, "late-one is made. It is disabled until you enable it.")
        assert row(page, "late-one").is_visible()
        assert page.get_by_role("heading", name="pdf-forms", level=2).is_visible()

    def test_what_was_written_is_not_left_without_a_question(self, desktop: Desktop) -> None:
        """However often Esc is pressed; where nothing was written, nothing is asked."""
        page = desktop.open()
        page.get_by_role("button", name="New", exact=True).click()
        dialog = page.get_by_role("dialog", name="New skill").first
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
        dialog = new(page, "half-written")
        question = page.get_by_text("What you wrote for it is kept nowhere.")
        for _ in range(3):
            page.keyboard.press("Escape")
            question.wait_for()
            page.keyboard.press("Escape")
            question.wait_for(state="detached")
        assert dialog.get_by_label("Name").input_value() == "half-written"
        dialog.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Go on writing").click()
        question.wait_for(state="detached")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Throw it away").click()
        dialog.wait_for(state="detached")
        assert page.evaluate("document.activeElement.textContent") == "New"


class TestDelete:
    """Deleting one."""

    def test_it_is_told_though_it_was_dismissed(self, desktop: Desktop) -> None:
        """It is not in the list any more."""
        page = desktop.open()
        dialog = delete(page, "pdf-forms")
        held = Held(page, "DELETE", "**/pdf-forms*")
        dialog.get_by_role("button", name="Delete").click()
        held.until_one()
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
        held.let_go()
        says(page, "pdf-forms is deleted.")
        row(page, "pdf-forms").wait_for(state="detached")

    def test_what_fails_is_told_though_it_was_dismissed(self, desktop: Desktop) -> None:
        """With what was meant to happen."""
        page = desktop.open()
        dialog = delete(page, "pdf-forms")
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/pdf-forms*", hold)
        dialog.get_by_role("button", name="Delete").click()
        becomes(page, "document.querySelector('.ksk-dialog .btn-danger').disabled")
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
        held[0].abort()
        page.unroute("**/pdf-forms*")
        says(page, "Delete pdf-forms: The server does not answer.")
        assert desktop.file("pdf-forms").exists()

    def test_what_changed_meanwhile_is_looked_at_and_then_deleted(self, desktop: Desktop) -> None:
        """The files that go are listed anew, and what is deleted then is what is listed; before it opens too."""
        page = desktop.open()
        pick(page, "pdf-forms")
        desktop.file("pdf-forms/before.md").write_text("Before.\n")
        dialog = delete(page, "pdf-forms")
        dialog.get_by_text("before.md").wait_for()
        desktop.file("pdf-forms/after.md").write_text("After.\n")
        dialog.get_by_role("button", name="Delete").click()
        dialog.get_by_role("alert").wait_for()
        dialog.get_by_text("after.md").wait_for()
        dialog.locator("button:enabled", has_text="Delete").click()
        says(page, "pdf-forms is deleted.")
        assert not desktop.file("pdf-forms").exists()

    def test_files_that_cannot_be_listed_are_told(self, desktop: Desktop) -> None:
        """Not passed over, as if there were none."""
        page = desktop.open()
        pick(page, "pdf-forms")
        page.route("**/tree", lambda route: route.abort())
        page.get_by_role("button", name="Delete…").click()
        dialog = page.get_by_role("dialog", name="Delete pdf-forms")
        dialog.get_by_text("The server does not answer.").wait_for()
        page.unroute("**/tree")
        dialog.get_by_role("button", name="Try again").click()
        dialog.get_by_text("SKILL.md").wait_for()


class TestInstall:
    """Installing one."""

    def test_dismissed_before_the_server_said_what_it_began_it_is_cancelled(
        self, desktop: Desktop, net: Outside
    ) -> None:
        """And that is said."""
        page = desktop.open()
        dialog = preview(page)
        held = Held(page, "POST", f"**{API}/install")
        net.holds.set()
        try:
            dialog.get_by_role("button", name="Install exactly this").click()
            held.until_one()
            page.keyboard.press("Escape")
            dialog.wait_for(state="detached")
            held.let_go()
            says(page, "Cancelled: nothing was installed.")
        finally:
            net.holds.clear()
        assert not desktop.file("knots").exists()

    def test_a_double_click_installs_once(self, desktop: Desktop) -> None:
        """The second click neither begins another nor cancels the first."""
        page = desktop.open()
        dialog = preview(page)
        sent: list[Request] = []
        page.on("request", lambda told: sent.append(told) if told.url.endswith("/install") else None)
        dialog.get_by_role("button", name="Install exactly this").dblclick()
        says(page, "knots is installed.")
        assert len(sent) == 1

    def test_a_server_that_does_not_answer_meanwhile_is_told(self, desktop: Desktop, net: Outside) -> None:
        """Whoever asked how far it is asks again; whoever cancels can do so again."""
        page = desktop.open()
        dialog = preview(page)
        net.holds.set()
        try:
            dialog.get_by_role("button", name="Install exactly this").click()
            dialog.get_by_text("received").wait_for()
            page.route(f"**{API}/install/*", lambda route: route.abort())
            dialog.get_by_text("The server does not answer.").wait_for()
            dialog.get_by_role("button", name="Cancel").click()
            page.wait_for_timeout(200)
            page.unroute(f"**{API}/install/*")
            dialog.get_by_role("alert").wait_for(state="detached")
            dialog.get_by_role("button", name="Cancel").click()
            dialog.get_by_text("Cancelled: nothing was installed.").wait_for()
        finally:
            net.holds.clear()
        assert page.evaluate("document.activeElement.type") == "url"
        assert not desktop.file("knots").exists()

    def test_for_another_agent_it_does_not_go_on(self, desktop: Desktop, net: Outside) -> None:
        """It is cancelled where it began, and the agent that is shown by then is not told."""
        page = desktop.open()
        hosted(page)
        page.evaluate(
            """async () => {
              const API = (await import('/js/api.js')).default;
              globalThis.asked = [];
              API.requestForAgent = (path, options, agent) => {
                if (path.includes('/install/')) globalThis.asked.push([options.method, agent]);
                return API.request(path, options);
              };
            }"""
        )
        dialog = preview(page)
        net.holds.set()
        try:
            dialog.get_by_role("button", name="Install exactly this").click()
            dialog.get_by_text("received").wait_for()
            page.evaluate(TURN, "ben")
            dialog.wait_for(state="detached")
            becomes(page, "globalThis.asked.some(([method]) => method === 'DELETE')")
        finally:
            net.holds.clear()
        page.wait_for_timeout(600)
        asked = page.evaluate("globalThis.asked")
        assert asked[-1] == ["DELETE", "anna"]
        assert {agent for _, agent in asked} == {"anna"}
        assert "nothing was installed" not in page.locator(".ksk-live").inner_text()
        assert not desktop.file("knots").exists()

    def test_previews_that_were_dismissed_are_not_in_the_way(self, desktop: Desktop, net: Outside) -> None:
        """They end on the server too, of which each agent has but two at a time."""
        page = desktop.open()
        net.holds.set()
        try:
            for _ in range(3):
                dialog = asking(page)
                dialog.get_by_role("button", name="Preview").click()
                dialog.get_by_text("Looking…").wait_for()
                page.wait_for_timeout(400)
                assert dialog.get_by_role("alert").count() == 0
                page.keyboard.press("Escape")
                dialog.wait_for(state="detached")
        finally:
            net.holds.clear()
        assert "Install from git" not in page.locator(".ksk-live").inner_text()
        preview(page)

    def test_what_is_installed_is_what_was_previewed(self, desktop: Desktop) -> None:
        """Whatever was typed while it was looked at."""
        page = desktop.open()
        dialog = asking(page)
        held = Held(page, "POST", f"**{API}/install/preview")
        dialog.get_by_role("button", name="Preview").click()
        held.until_one()
        dialog.get_by_label("Repository").fill("https://git.example/another")
        held.let_go()
        dialog.get_by_role("button", name="Install exactly this").click()
        says(page, "knots is installed.")


def test_on_a_narrow_screen_nothing_in_a_dialog_is_cut_off(desktop: Desktop) -> None:
    """Everything ends where its dialog ends."""
    page = desktop.open(width=NARROW)
    wider = """() => {
      const dialog = document.querySelector('.ksk-dialog');
      const end = dialog.getBoundingClientRect().right;
      const ends = (each) => { const all = document.createRange(); all.selectNodeContents(each); return all; };
      return [...dialog.querySelectorAll('*')]
        .filter((each) => ends(each).getBoundingClientRect().right > end).map((each) => each.textContent);
    }"""
    for button in ("New", "Install"):
        page.get_by_role("button", name=button, exact=True).click()
        page.get_by_role("dialog").wait_for()
        assert page.evaluate(wider) == []
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="detached")
