"""What only the host's Console has: other agents, and a feature that is switched off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.host.lab import AGENT, FEATURE

from .conftest import OTHER
from .homes import skill
from .places import API, Console, InConsole
from .test_panel import document, pick, row, rows, write

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.e2e


@pytest.fixture
def desktop(console: Console, console_desktop: InConsole) -> InConsole:
    """One of everything, of the first agent; the other has one skill of its own."""
    skill(console.skills_of(OTHER), "sail", "Use to sail.")
    return console_desktop


def turn(page: Page, agent: str) -> None:
    """Choose an agent among those of the host."""
    page.locator("#agents-pane").get_by_text(agent, exact=True).click()
    page.locator("#nav-agent-name", has_text=agent).wait_for()


class TestAgents:
    """One panel, and the agents of one host."""

    def test_each_has_its_own(self, desktop: InConsole) -> None:
        """Chosen, filtered and searched anew; what is shared is there for both."""
        page = desktop.open()
        page.get_by_label("Search skills").fill("pdf")
        pick(page, "pdf-forms")
        turn(page, OTHER)
        row(page, "sail").wait_for()
        assert row(page, "house-style").count() == 1
        assert row(page, "pdf-forms").count() == 0
        assert page.get_by_role("heading", name="pdf-forms").count() == 0
        desktop.shot(page, "another-agent")
        turn(page, AGENT)
        row(page, "pdf-forms").wait_for()
        assert row(page, "sail").count() == 0

    def test_what_is_done_is_done_to_the_one_that_is_chosen(self, desktop: InConsole, console: Console) -> None:
        """And to no other, though both have a skill of that name."""
        skill(console.skills_of(OTHER), "pdf-forms", "Use it. The other's.")
        page = desktop.open()
        turn(page, OTHER)
        pick(page, "pdf-forms", "Files")
        write(page, document("pdf-forms", "Use when the other one wrote."))
        page.keyboard.press("Control+s")
        page.locator(".ksk-live", has_text="SKILL.md is saved.").wait_for()
        assert "the other one wrote" in (console.skills_of(OTHER) / "pdf-forms" / "SKILL.md").read_text()
        assert "the other one wrote" not in desktop.file("pdf-forms/SKILL.md").read_text()

    def test_an_answer_that_comes_late_is_not_taken_for_anothers(self, desktop: InConsole) -> None:
        """What was asked of one agent, and answered after another was chosen, is dropped."""
        page = desktop.open()
        row(page, "pdf-forms").wait_for()
        held: list[Route] = []
        page.wait_for_timeout(1100)
        page.route(f"**/agents/{AGENT}{API}", lambda route: held.append(route))  # noqa: PLW0108 - the driver writes into it
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        while not held:
            page.wait_for_timeout(50)
        turn(page, OTHER)
        row(page, "sail").wait_for()
        with page.expect_response(f"**/agents/{AGENT}{API}"):
            held[0].continue_()
        page.wait_for_timeout(300)
        assert row(page, "sail").count() == 1
        assert row(page, "pdf-forms").count() == 0

    def test_what_is_unsaved_waits_for_its_agent(self, desktop: InConsole) -> None:
        """The Console asks nobody before it turns to another agent: the text is kept, and offered on coming back."""
        page = desktop.open()
        pick(page, "pdf-forms", "Files")
        write(page, "mine")
        turn(page, OTHER)
        row(page, "sail").wait_for()
        assert page.get_by_role("button", name="Go on writing").count() == 0
        turn(page, AGENT)
        page.get_by_role("button", name="Go on writing").click()
        page.locator(".ksk-file-foot", has_text="Unsaved").wait_for()
        assert page.locator(".ksk-file textarea").input_value() == "mine"
        assert "mine" not in desktop.file("pdf-forms/SKILL.md").read_text()


@contextmanager
def switched_off(desktop: InConsole) -> Iterator[None]:
    """The agent's feature is disabled."""
    desktop.client.switch_feature(FEATURE, on=False)
    try:
        yield
    finally:
        desktop.client.switch_feature(FEATURE, on=True)


def test_a_feature_that_is_switched_off_is_told(desktop: InConsole) -> None:
    """The panel that is open says that there is nothing to ask; with the feature, all is back."""
    page = desktop.open()
    row(page, "pdf-forms").wait_for()
    with switched_off(desktop):
        page.wait_for_timeout(1100)
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        page.get_by_text("The skills of this agent are switched off.").wait_for()
        assert not rows(page).first.is_visible()
        desktop.shot(page, "switched-off")
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name="Try again").wait_for(state="detached")
    assert rows(page).count() > 0


def test_a_whole_visit_changes_nothing_that_is_looked_at(desktop: InConsole) -> None:
    """Opening the panel and reading in it writes no file of a skill, and switches nothing."""
    before = {path: path.read_bytes() for path in desktop.skills.rglob("SKILL.md")}
    catalog = desktop.client.of_agent("GET", API).body
    page = desktop.open()
    for tab in ("Procedure", "Files", "Origin", "Checks"):
        pick(page, "review-a-diff", tab)
    assert desktop.client.of_agent("GET", API).body == catalog
    assert {path: path.read_bytes() for path in desktop.skills.rglob("SKILL.md")} == before
