"""`run-live-suite.sh skills`: the life of a skill in the Console of a real host, and what its agent makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.e2e.places import API, Console, InConsole, Pages
from tests.e2e.test_panel import document, pick, row, rows, says, write
from tests.host.lab import FEATURE, Host
from tests.host.model import ScriptedModel

from .conftest import HomeOf

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("no_model_is_asked")]

USE = "Use when the tide has to be known."
"""A description."""


@pytest.fixture(scope="module")
def console(home_of: HomeOf, model: ScriptedModel) -> Iterator[Console]:
    """The host that all tests of this suite share."""
    host = Host(home_of(), model)
    yield Console(host)
    host.stop()


@pytest.fixture
def desktop(console: Console, pages: Pages) -> InConsole:
    """The panel of the agent, which has no skill."""
    console.clear()
    return console.desktop(pages)


def make(page: Page, name: str, description: str) -> None:
    """Make a skill in the panel, as a person does."""
    page.get_by_role("button", name="New", exact=True).first.click()
    dialog = page.get_by_role("dialog", name="New skill")
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("Description").fill(description)
    dialog.locator("button:enabled", has_text="Create").click()
    says(page, f"{name} is made.")


def prompt(page: Page) -> str:
    """What the agent sees of its skills, as the panel shows it."""
    page.get_by_role("button", name="In the prompt").click()
    return page.locator(".ksk-meter .ksk-clause").inner_text()


def test_a_skill_lives_from_its_making_to_its_end(desktop: InConsole) -> None:
    """Made, written, switched on and deleted in the panel; the disk, HTTP and a command of the agent's say the same."""
    page = desktop.open()
    assert rows(page).count() == 0
    make(page, "tide-table", USE)
    assert USE in desktop.file("tide-table/SKILL.md").read_text()

    pick(page, "tide-table", "Files")
    text = document("tide-table", USE, "# Tides\n\nHigh at nine.\n")
    write(page, text)
    page.keyboard.press("Control+s")
    says(page, "SKILL.md is saved.")
    assert desktop.file("tide-table/SKILL.md").read_text() == text
    assert '"context": {\n    "included": 0,' in desktop.client.say("!skill list")

    page.get_by_role("switch").click()
    says(page, "tide-table is enabled.")
    assert f'<skill name="tide-table">{USE}</skill>' in prompt(page)
    assert '"context": {\n    "included": 1,' in desktop.client.say("!skill list")
    assert "High at nine." in desktop.client.say("!skill read tide-table")
    (seen,) = desktop.client.of_agent("GET", API)["skills"]
    assert (seen["name"], seen["enabled"]) == ("tide-table", True)

    page.get_by_role("button", name="Delete…").click()
    dialog = page.get_by_role("dialog", name="Delete tide-table")
    dialog.get_by_role("textbox").fill("tide-table")
    dialog.get_by_role("button", name="Delete").click()
    says(page, "tide-table is deleted.")
    assert rows(page).count() == 0
    assert not desktop.file("tide-table").exists()
    assert desktop.client.of_agent("GET", API)["context"]["included"] == []


def test_it_lives_on_where_the_host_is_started_again(desktop: InConsole, console: Console) -> None:
    """On, with its priority, and in the prompt."""
    page = desktop.open()
    make(page, "knots", "Use when something has to be tied.")
    page.get_by_role("switch").click()
    says(page, "knots is enabled.")
    page.context.close()
    console.host.restart()
    page = console.desktop(desktop.pages).open()
    pick(page, "knots")
    assert page.get_by_role("switch").get_attribute("aria-checked") == "true"
    assert '<skill name="knots">' in prompt(page)


def test_a_folder_with_a_fault_is_shown_with_its_mending(desktop: InConsole) -> None:
    """Dropped into the folder by hand: the line is told, the text is mended where it is shown, and it is a skill."""
    folder = desktop.skills / "soundings"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: soundings\ndescription: Use when: it is shallow\n---\nSound.\n")
    page = desktop.open()
    assert "KS105, SKILL.md, line 3" in row(page, "soundings").inner_text()
    pick(page, "soundings", "Files")
    write(page, document("soundings", "Use when it is shallow."))
    page.keyboard.press("Control+s")
    says(page, "SKILL.md is saved.")
    assert "KS105" not in row(page, "soundings").inner_text()


def test_what_an_operator_does_is_guarded(desktop: InConsole) -> None:
    """Without the key nothing is told, and nothing is deleted without the header that the host demands for that."""
    page = desktop.open()
    make(page, "anchors", "Use when the ground is sand.")
    (seen,) = desktop.client.of_agent("GET", API)["skills"]
    bound = {"If-Match": seen["delete_revision"]}
    assert desktop.client.of_agent("GET", API, headers={"X-API-Key": None}).status == 401
    unsaid = {**bound, "X-Kestrel-Allow-Destructive": None}
    assert desktop.client.of_agent("DELETE", f"{API}/anchors", headers=unsaid).status == 403
    assert desktop.client.of_agent("DELETE", f"{API}/anchors", headers={**bound, "X-API-Key": None}).status == 401
    assert desktop.file("anchors/SKILL.md").exists()
    assert desktop.client.of_agent("DELETE", f"{API}/anchors", headers=bound).status == 200
    assert not desktop.file("anchors").exists()


def test_the_agent_is_asked_before_it_changes_anything(desktop: InConsole) -> None:
    """By the levels that the feature declares; a test agent has nobody to ask, so that what asks is not run."""
    levels = desktop.client.permissions(FEATURE)
    assert {name for name, level in levels.items() if level == "allow"} == {"skill_list", "skill_read", "skill_search"}
    assert {name for name, level in levels.items() if level == "always_ask"} == {"skill_delete", "skill_install"}
    assert "approv" in desktop.client.say("!skill create drift 'Use when adrift.' 'Row.'")
    assert not desktop.file("drift").exists()
