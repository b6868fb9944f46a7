"""What a person wrote and did not save is not lost; what is answered late does not land on what is shown by then."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from .homes import PROGRAM, environ, skill
from .test_panel import document, pick, row, rows, says, write

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from .places import Desktop

pytestmark = pytest.mark.e2e


@pytest.fixture
def desktop(page_desktop: Desktop) -> Desktop:
    """One of everything, in the page of `serve`: what is asked here is asked of the panel's own modules too."""
    return page_desktop


MINE = document("pdf-forms", body="Mine.\n")
HOSTED = """async () => {
  const API = (await import('/js/api.js')).default;
  globalThis.agent = 'anna';
  API.getHostAgent = () => globalThis.agent;
}"""
KEEP = """async (name) => {
  const drafts = await import('/features/proceduralskillsfeature/static/drafts.js');
  drafts.keep({ agent: null, name, path: 'SKILL.md' }, 'mine', 'r');
}"""
TURN = """async (agent) => {
  globalThis.agent = agent;
  (await import('/js/ui-ext/bus.js')).bus.emit('agent:switch', {});
}"""


def text(page: Page) -> str:
    """What is in the editor."""
    return page.locator(".ksk-file textarea").input_value()


def hosted(page: Page) -> None:
    """Have the page believe that it shows the skills of one agent of several, as the Console tells a panel."""
    page.evaluate(HOSTED)
    page.evaluate(TURN, "anna")
    row(page, "deploy").wait_for()


class TestKept:
    """The Console asks nobody before it turns to another agent, and a page may go at any time."""

    def test_another_agent_is_shown_and_the_text_is_there_on_coming_back(self, desktop: Desktop) -> None:
        """It is offered to the agent whose skill it is of, and to no other, and is saved as if nothing had been."""
        page = desktop.open()
        hosted(page)
        pick(page, "pdf-forms", "Files")
        write(page, MINE)
        page.evaluate(TURN, "ben")
        row(page, "deploy").wait_for()
        page.get_by_text("Choose a skill to see its procedure.").wait_for()
        assert page.get_by_role("button", name="Go on writing").count() == 0
        page.evaluate(TURN, "anna")
        page.get_by_role("button", name="Go on writing").click()
        page.get_by_text("This is what you wrote before and did not save.").wait_for()
        assert text(page) == MINE
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Save", exact=True).click()
        says(page, "SKILL.md is saved.")
        assert desktop.file("pdf-forms/SKILL.md").read_text() == MINE
        assert page.get_by_text("This is what you wrote before").count() == 0
        page.reload()
        row(page, "deploy").wait_for()
        assert page.get_by_text("Not saved").count() == 0

    def test_a_page_that_goes_and_comes_back_has_it(self, desktop: Desktop) -> None:
        """The browser asks; where it is let go all the same, the text is in the file's place, and of no other skill."""
        page = desktop.open()
        pick(page, "pdf-forms", "Files")
        write(page, MINE)
        page.reload()
        page.get_by_text("This is what you wrote before and did not save.").wait_for()
        assert text(page) == MINE
        page.locator(".ksk-file").get_by_role("button", name="Throw it away").click()
        assert "1. Begin." in text(page)

    def test_what_was_changed_meanwhile_stands_beside_it(self, desktop: Desktop) -> None:
        """A text that is taken up again is of the revision that it was written on."""
        page = desktop.open()
        hosted(page)
        pick(page, "pdf-forms", "Files")
        write(page, MINE)
        page.evaluate(TURN, "ben")
        desktop.file("pdf-forms/SKILL.md").write_text(document("pdf-forms", body="Theirs.\n"))
        page.evaluate(TURN, "anna")
        page.get_by_role("button", name="Go on writing").click()
        page.get_by_role("button", name="Save", exact=True).click()
        dialog = page.get_by_role("dialog", name="It was changed meanwhile")
        assert "Theirs." in dialog.get_by_label("Theirs").input_value()
        dialog.get_by_role("button", name="Take theirs").click()
        says(page, "Their text is taken.")
        assert "Theirs." in text(page)

    def test_a_skill_that_is_gone_leaves_its_text_to_copy(self, desktop: Desktop) -> None:
        """On screen while it is written in; and later as a text of its own, until it is thrown away."""
        page = desktop.open()
        hosted(page)
        pick(page, "pdf-forms", "Files")
        write(page, MINE)
        shutil.rmtree(desktop.file("pdf-forms"))
        page.wait_for_timeout(1100)
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        says(page, "It is not there any more. What you wrote stays here")
        assert text(page) == MINE
        page.evaluate(TURN, "ben")
        page.evaluate(TURN, "anna")
        page.get_by_role("button", name="Go on writing").click()
        dialog = page.get_by_role("dialog", name="Unsaved text")
        assert dialog.get_by_label("Yours").input_value() == MINE
        dialog.get_by_role("button", name="Throw it away").click()
        page.get_by_role("button", name="Go on writing").wait_for(state="detached")

    def test_what_cannot_be_written_any_more_keeps_its_text(self, desktop: Desktop) -> None:
        """A name that means the shared skill by now shows that; the text that was written in one's own stays."""
        page = desktop.open()
        pick(page, "house-style")
        page.evaluate(KEEP, "house-style")
        page.get_by_role("tab", name="Files").click()
        page.get_by_text("only its operator changes it").wait_for()
        page.wait_for_timeout(600)
        page.get_by_role("button", name="Go on writing").click()
        dialog = page.get_by_role("dialog", name="Unsaved text")
        assert dialog.get_by_label("Yours").input_value() == "mine"

    def test_a_dialog_of_another_agent_is_closed(self, desktop: Desktop) -> None:
        """What is typed in it was meant for the one before."""
        page = desktop.open()
        hosted(page)
        page.get_by_role("button", name="New", exact=True).click()
        page.get_by_label("Name").fill("of-anna")
        page.evaluate(TURN, "ben")
        page.get_by_role("dialog").wait_for(state="detached")
        row(page, "deploy").wait_for()
        assert not desktop.file("of-anna").exists()

    def test_only_so_many_are_kept(self, desktop: Desktop) -> None:
        """The twenty that were written last."""
        page = desktop.open()
        kept = page.evaluate(
            """async () => {
              const drafts = await import('/features/proceduralskillsfeature/static/drafts.js');
              for (let number = 0; number < 25; number += 1) {
                drafts.keep({ agent: 'anna', name: 'x', path: `${number}.md` }, 'text', 'r');
                await new Promise((resolve) => { setTimeout(resolve, 2); });
              }
              return [drafts.ofAgent('anna').map((each) => each.path), drafts.ofAgent('ben').length];
            }"""
        )
        assert kept == [[f"{number}.md" for number in range(5, 25)], 0]

    def test_the_tab_of_the_files_does_not_throw_it_away(self, desktop: Desktop) -> None:
        """Pressed once more, it shows what is there."""
        page = desktop.open()
        pick(page, "pdf-forms", "Files")
        write(page, MINE)
        page.get_by_role("tab", name="Files").click()
        page.wait_for_timeout(300)
        assert text(page) == MINE

    def test_line_ends_and_the_place_in_the_text_stay(self, desktop: Desktop) -> None:
        """A file of CRLF is one after it was saved; a person goes on writing where they were."""
        file = desktop.file("pdf-forms/SKILL.md")
        file.write_bytes(document("pdf-forms").replace("\n", "\r\n").encode())
        page = desktop.open()
        pick(page, "pdf-forms", "Files")
        area = page.locator(".ksk-file textarea")
        area.focus()
        page.keyboard.press("Control+End")
        page.keyboard.type("Step two.\n")
        page.keyboard.press("Control+s")
        says(page, "SKILL.md is saved.")
        page.keyboard.type("Step three.\n")
        page.keyboard.press("Control+s")
        page.get_by_role("button", name="Save", exact=True).and_(page.locator(":disabled")).wait_for()
        page.wait_for_function("() => !document.querySelector('.ksk-unsaved').textContent")
        assert (
            file.read_bytes()
            == document("pdf-forms", body="Step one.\nStep two.\nStep three.\n").replace("\n", "\r\n").encode()
        )


class TestLate:
    """Answers that take their time."""

    def test_a_slow_answer_of_one_skill_does_not_show_in_another(self, desktop: Desktop) -> None:
        """Neither its procedure, nor its files, nor what was set of it."""
        page = desktop.open()
        row(page, "pdf-forms").wait_for()
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/pdf-forms*/tree", hold)
        page.route("**/pdf-forms*/state", hold)
        pick(page, "pdf-forms")
        page.get_by_role("switch").click()
        page.get_by_role("tab", name="Files").click()
        pick(page, "review-a-diff", "Files")
        page.get_by_label("SKILL.md of review-a-diff").wait_for()
        for route in held:
            route.continue_()
        says(page, "pdf-forms is enabled.")
        page.wait_for_timeout(300)
        assert page.get_by_role("heading", level=2, name="review-a-diff").is_visible()
        assert page.locator(".ksk-tree").get_by_text("references/checklist.md").is_visible()
        assert "name: review-a-diff" in text(page)

    @pytest.mark.parametrize("clicks", [2, 3])
    def test_of_quick_toggles_the_last_counts(self, desktop: Desktop, clicks: int) -> None:
        """Each goes on from what came of the one before, and none is taken for somebody else's change."""
        page = desktop.open()
        held: list[Route] = []

        def hold(route: Route) -> None:
            if held:
                route.continue_()
            held.append(route)

        page.route("**/pdf-forms*/state", hold)
        pick(page, "pdf-forms")
        switch = page.get_by_role("switch")
        for _ in range(clicks):
            switch.click()
        is_on = str(clicks % 2 == 1).lower()
        assert switch.get_attribute("aria-checked") == is_on
        (first,) = held
        first.continue_()
        says(page, "pdf-forms is enabled." if clicks % 2 else "pdf-forms is disabled.")
        assert page.get_by_role("alert").count() == 0
        page.reload()
        row(page, "deploy").wait_for()
        pick(page, "pdf-forms")
        assert switch.get_attribute("aria-checked") == is_on

    def test_a_server_that_is_gone_is_told_and_tried_again(self, desktop: Desktop) -> None:
        """In the place where it was missed, with what a person had there."""
        page = desktop.open()
        pick(page, "pdf-forms")
        page.route("**/api/**", lambda route: route.abort())
        page.get_by_role("tab", name="Origin").click()
        page.get_by_role("alert").get_by_text("The server does not answer.").first.wait_for()
        page.unroute("**/api/**")
        page.locator(".ksk-body").get_by_role("button", name="Try again").click()
        page.locator(".ksk-verdict").wait_for()
        page.get_by_role("tab", name="Files").click()
        write(page, MINE)
        page.route("**/api/**", lambda route: route.abort())
        page.get_by_role("button", name="Save", exact=True).click()
        page.locator(".ksk-file").get_by_text("The server does not answer.").wait_for()
        assert text(page) == MINE
        page.unroute("**/api/**")
        page.get_by_role("button", name="Save", exact=True).click()
        says(page, "SKILL.md is saved.")


class TestTold:
    """What is told of the whole."""

    def test_notes_are_shown_as_text_and_dismissed_for_the_session(self, desktop: Desktop) -> None:
        """Those of the feature; where there are none, nothing is shown."""
        page = desktop.open()
        row(page, "deploy").wait_for()
        assert page.locator(".ksk-banner").count() == 0
        catalog = page.evaluate("async () => (await import('/js/api.js')).default.request('/api/procedural-skills')")
        notes = ["the <b>bundled</b> feature is switched off", "another one"]
        page.route("**/api/procedural-skills", lambda route: route.fulfill(json=catalog | {"notes": notes}))
        page.reload()
        first = page.locator(".ksk-banner", has_text="The <b>bundled</b> feature is switched off")
        first.get_by_role("button", name="Dismiss").click()
        page.reload()
        page.get_by_text("Another one").wait_for()
        assert first.count() == 0

    def test_adapting_is_offered_where_it_mends(self, desktop: Desktop) -> None:
        """Not where something else is wrong too, nor where nothing but a person can say what was meant."""
        picture = desktop.file("release-train/logo.png")
        picture.write_bytes(b"\xff\x00")
        bare = desktop.file("bare/SKILL.md")
        bare.parent.mkdir()
        bare.write_text("# No frontmatter\n")
        page = desktop.open()
        adapt = page.get_by_role("button", name="Adapt", exact=True)
        for name, number in {"release-train": 0, "bare": 0, "deploy": 1}.items():
            pick(page, name)
            page.locator(".ksk-findings").wait_for()
            assert adapt.count() == number, name

    def test_each_kind_is_counted_filtered_and_kept(self, desktop: Desktop) -> None:
        """Also what was edited since it was installed; a page that comes back shows the same."""
        came = skill(desktop.skills.parent, "came", "Use when it came from a folder.")
        where = ("--root", str(desktop.skills), "--shared", str(desktop.shared))
        command = [sys.executable, "-c", PROGRAM, "install", str(came), *where]
        subprocess.run(command, check=True, capture_output=True, env=environ(desktop.skills.parent))
        file = desktop.file("came/SKILL.md")
        page = desktop.open()
        show = page.get_by_label("Show")
        row(page, "deploy").wait_for()
        assert "Edited since install (0)" in show.inner_text()
        file.write_text(file.read_text() + "3. More.\n")
        page.reload()
        row(page, "deploy").wait_for()
        assert "Edited since install (1)" in show.inner_text()
        show.select_option("edited")
        assert rows(page).count() == 1
        page.reload()
        row(page, "came").wait_for()
        assert (show.input_value(), rows(page).count()) == ("edited", 1)
