"""The files of a skill: what is open stays as it is, nothing is written over, and nobody is led into a dead end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.host.client import until

from .places import NARROW, WIDE
from .test_panel import becomes, document, pick, row, says, write
from .test_unsaved import TURN, hosted, text

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from .places import Desktop

pytestmark = pytest.mark.e2e

LIST = "references/checklist.md"


def choose(page: Page, name: str, path: str) -> None:
    """Open a file of a skill."""
    pick(page, name, "Files")
    page.locator(".ksk-path", has_text=path).click()
    page.get_by_label(f"{path} of {name}").wait_for()


def look(page: Page) -> None:
    """Come back to the window, as long after the last look as another one takes."""
    page.wait_for_timeout(1100)
    page.evaluate("window.dispatchEvent(new Event('focus'))")


def holding(page: Page, path: str) -> list[Route]:
    """What is asked of a path from now on, held until it is let go; but only the first."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        if held:
            route.continue_()
        held.append(route)

    page.route(path, hold)
    return held


def comes(page: Page, held: list[Route]) -> Route:
    """The first that is held, as soon as there is one: the driver tells only while it is waited for."""
    while not held:
        page.wait_for_timeout(50)
    return held[0]


def hears(page: Page, method: str) -> list[str]:
    """Where in the interface it is asked, from now on."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == method else None)
    return asked


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_first_and_the_last_of_many_files_come_into_sight(desktop: Desktop, width: int) -> None:
    """The Console lays out what is a `nav` as one of its own bars: in it the first ones could not be reached."""
    for number in range(40):
        desktop.file(f"pdf-forms/{number:02}.md").write_text("text\n")
    page = desktop.open(width=width)
    pick(page, "pdf-forms", "Files")
    paths = page.locator(".ksk-path")
    until(lambda: paths.count() == 41)
    for place in (0, -1):
        paths.nth(place).scroll_into_view_if_needed()
        assert paths.nth(place).evaluate(
            """it => {
              const { left, right, top, bottom } = it.getBoundingClientRect();
              return it.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
            }"""
        ), place


class TestSaving:
    """What is written lands once, where it was meant, and over nothing that nobody looked at."""

    def test_a_new_file_is_made_over_no_other(self, page_desktop: Desktop) -> None:
        """The one that has the path is opened instead, and it is said."""
        page = page_desktop.open()
        file = page_desktop.file(f"review-a-diff/{LIST}")
        before = file.read_text()
        pick(page, "review-a-diff", "Files")
        page.get_by_role("button", name="New file").click()
        page.get_by_label("Path, such as").fill(LIST)
        page.get_by_role("button", name="Make it").click()
        page.get_by_role("alert").get_by_text("is there already").wait_for()
        assert page.get_by_label(f"{LIST} of review-a-diff").input_value() == before == file.read_text()

    def test_a_new_file_meets_one_that_came_meanwhile(self, page_desktop: Desktop) -> None:
        """What was listed did not have it: it is listed then."""
        page = page_desktop.open()
        pick(page, "pdf-forms", "Files")
        page.get_by_role("button", name="New file").wait_for()
        page_desktop.file("pdf-forms/notes.md").write_text("Theirs.\n")
        page.get_by_role("button", name="New file").click()
        page.get_by_label("Path, such as").fill("notes.md")
        page.get_by_role("button", name="Make it").click()
        page.get_by_role("alert").wait_for()
        page.locator(".ksk-path", has_text="notes.md").wait_for()
        assert page_desktop.file("pdf-forms/notes.md").read_text() == "Theirs.\n"

    def test_a_save_that_is_asked_for_while_one_is_under_way_follows_it(self, page_desktop: Desktop) -> None:
        """One's own text of a moment ago is nobody else's."""
        page = page_desktop.open()
        choose(page, "review-a-diff", LIST)
        held = holding(page, "**/file?path=*")
        area = page.locator(".ksk-file textarea")
        area.fill("one\n")
        page.keyboard.press("Control+s")
        first = comes(page, held)
        page.keyboard.press("Control+End")
        page.keyboard.type("two\n")
        page.keyboard.press("Control+s")
        first.continue_()
        becomes(page, "!document.querySelector('.ksk-unsaved').textContent")
        assert page_desktop.file(f"review-a-diff/{LIST}").read_text() == "one\ntwo\n"
        assert page.get_by_role("dialog").count() == 0

    def test_a_priority_that_is_typed_for_one_agent_is_sent_to_no_other(self, page_desktop: Desktop) -> None:
        """The field loses the focus as the Console turns away, and has changed by that."""
        page = page_desktop.open()
        hosted(page)
        pick(page, "incident-notes")
        page.get_by_label("Priority", exact=True).focus()
        page.keyboard.press("Control+a")
        page.keyboard.type("7")
        page.wait_for_timeout(600)
        sent = hears(page, "PATCH")
        page.evaluate(TURN, "ben")
        row(page, "deploy").wait_for()
        page.wait_for_timeout(300)
        assert sent == []

    @pytest.mark.parametrize(
        ("begins", "becomes_so"), [("a\r\nb\nc\rd\n", "ax\r\nb\nc\rd\n"), ("a\r\nb", "ax\r\nb"), ("a", "ax")]
    )
    def test_only_the_lines_that_are_written_in_change(
        self, page_desktop: Desktop, begins: str, becomes_so: str
    ) -> None:
        """Each keeps the end that it has, be they mixed."""
        file = page_desktop.file(f"review-a-diff/{LIST}")
        file.write_bytes(begins.encode())
        page = page_desktop.open()
        choose(page, "review-a-diff", LIST)
        page.locator(".ksk-file textarea").focus()
        page.keyboard.press("Control+Home")
        page.keyboard.press("End")
        page.keyboard.type("x")
        page.keyboard.press("Control+s")
        until(lambda: file.read_bytes() == becomes_so.encode())

    @pytest.mark.parametrize(
        ("written", "kept"),
        [("a\nnew\nb\nc\nd\n", b"a\r\nnew\r\nb\nc\rd\n"), ("a\nd\n", b"a\r\nd\n"), ("", b""), ("a\nb", b"a\r\nb")],
    )
    def test_lines_that_come_and_go_leave_the_ends_of_the_others(
        self, page_desktop: Desktop, written: str, kept: bytes
    ) -> None:
        """A new line ends as the one before it."""
        file = page_desktop.file(f"review-a-diff/{LIST}")
        file.write_bytes(b"a\r\nb\nc\rd\n")
        page = page_desktop.open()
        choose(page, "review-a-diff", LIST)
        write(page, written)
        page.keyboard.press("Control+s")
        until(lambda: file.read_bytes() == kept)


class TestConflict:
    """Somebody else changed it: there is always a way on."""

    @pytest.mark.parametrize(("answer", "is_there"), [("Save mine all the same", True), ("Let it be deleted", False)])
    def test_a_file_that_was_deleted_meanwhile(self, page_desktop: Desktop, answer: str, *, is_there: bool) -> None:
        """It is made anew, or let go."""
        page = page_desktop.open()
        choose(page, "review-a-diff", LIST)
        write(page, "mine\n")
        file = page_desktop.file(f"review-a-diff/{LIST}")
        file.unlink()
        page.keyboard.press("Control+s")
        dialog = page.get_by_role("dialog", name="It was changed meanwhile")
        dialog.get_by_text("references/checklist.md was deleted.").wait_for()
        dialog.get_by_role("button", name=answer).click()
        says(page, f"{LIST} is saved." if is_there else "Theirs is taken.")
        page.get_by_label(f"{LIST if is_there else 'SKILL.md'} of review-a-diff").wait_for()
        assert file.exists() == is_there

    def test_a_person_goes_on_writing(self, page_desktop: Desktop) -> None:
        """With nothing decided, nothing saved and nothing lost."""
        page = page_desktop.open()
        choose(page, "review-a-diff", LIST)
        write(page, "mine\n")
        file = page_desktop.file(f"review-a-diff/{LIST}")
        file.write_text("theirs\n")
        page.keyboard.press("Control+s")
        page.get_by_role("dialog").get_by_role("button", name="Keep writing").click()
        assert text(page) == "mine\n"
        assert file.read_text() == "theirs\n"

    def test_what_was_made_something_that_cannot_be_shown(self, page_desktop: Desktop) -> None:
        """Why it cannot is said in its place, and one's own can be saved."""
        page = page_desktop.open()
        choose(page, "review-a-diff", LIST)
        write(page, "mine\n")
        file = page_desktop.file(f"review-a-diff/{LIST}")
        file.write_bytes(b"\xff\x00")
        page.keyboard.press("Control+s")
        dialog = page.get_by_role("dialog", name="It was changed meanwhile")
        dialog.locator(".ksk-problem").wait_for()
        dialog.get_by_role("button", name="Save mine on top of theirs").click()
        says(page, f"{LIST} is saved.")
        assert file.read_text() == "mine\n"


class TestOpen:
    """What is open."""

    def test_it_stays_when_another_skill_changes(self, page_desktop: Desktop) -> None:
        """With the place in it, and with what is typed while that is found out."""
        page_desktop.file("review-a-diff/long.md").write_text("".join(f"line {number}\n" for number in range(300)))
        page = page_desktop.open()
        choose(page, "review-a-diff", "long.md")
        area = page.locator(".ksk-file textarea")
        area.focus()
        area.evaluate("it => { it.setSelectionRange(900, 900); it.scrollTop = 1500; }")
        other = page_desktop.file("pdf-forms/SKILL.md")
        other.write_text(document("pdf-forms", "Use when it was changed."))
        look(page)
        row(page, "pdf-forms").get_by_text("Use when it was changed.").wait_for()
        page.wait_for_timeout(500)
        assert area.evaluate("it => [it.selectionStart, it.scrollTop, document.activeElement === it]") == [
            900, 1500, True,
        ]  # fmt: skip
        held = holding(page, "**/review-a-diff*/tree")
        other.write_text(document("pdf-forms", "Use when it was changed again."))
        look(page)
        first = comes(page, held)
        page.keyboard.type("HELLO")
        first.continue_()
        page.wait_for_timeout(500)
        assert text(page)[900:905] == "HELLO"

    def test_what_somebody_changed_in_it_is_shown(self, page_desktop: Desktop) -> None:
        """Where nothing is unsaved; and another file of the skill that changed leaves the place in this one."""
        file = page_desktop.file(f"review-a-diff/{LIST}")
        page = page_desktop.open()
        choose(page, "review-a-diff", LIST)
        area = page.locator(".ksk-file textarea")
        area.evaluate("it => it.setSelectionRange(5, 5)")
        page_desktop.file("review-a-diff/more.md").write_text("more\n")
        look(page)
        page.locator(".ksk-path", has_text="more.md").wait_for()
        assert area.evaluate("it => it.selectionStart") == 5
        file.write_text("theirs\n")
        look(page)
        until(lambda: text(page) == "theirs\n")
        write(page, "mine\n")
        page.keyboard.press("Control+s")
        says(page, f"{LIST} is saved.")

    def test_what_cannot_be_shown_can_be_deleted(self, page_desktop: Desktop) -> None:
        """Its fault says that it has to go."""
        file = page_desktop.file("pdf-forms/logo.png")
        file.write_bytes(b"\xff\x00")
        page = page_desktop.open()
        pick(page, "pdf-forms", "Files")
        page.locator(".ksk-path", has_text="logo.png").click()
        page.locator(".ksk-file .ksk-problem").wait_for()
        assert page.get_by_role("button", name="Save", exact=True).count() == 0
        page.get_by_role("button", name="Delete file").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete file").click()
        says(page, "logo.png is deleted.")
        page.get_by_label("SKILL.md of pdf-forms").wait_for()
        assert not file.exists()

    def test_what_is_found_in_a_refused_text_leads_to_its_line(self, page_desktop: Desktop) -> None:
        """As it does in the tab of the checks."""
        page = page_desktop.open()
        pick(page, "pdf-forms", "Files")
        write(page, "---\nname: other\ndescription: Use it.\n---\nGo.\n")
        page.keyboard.press("Control+s")
        page.get_by_role("alert").get_by_role("button", name="SKILL.md, line 2").click()
        area = page.locator(".ksk-file textarea")
        assert area.evaluate("it => it.value.slice(it.selectionStart, it.selectionEnd)") == "name: other"

    def test_a_finding_of_a_file_that_is_gone_says_so(self, page_desktop: Desktop) -> None:
        """What is opened instead is not taken for it."""
        page_desktop.file("release-train/logo.png").write_bytes(b"\xff\x00")
        page = page_desktop.open()
        pick(page, "release-train")
        place = page.get_by_role("button", name="logo.png").first
        place.wait_for()
        page_desktop.file("release-train/logo.png").unlink()
        place.click()
        page.get_by_text("logo.png is not there.").wait_for()
        page.get_by_label("SKILL.md of release-train").wait_for()

    @pytest.mark.parametrize(("lines", "is_numbered"), [(1_999, True), (2_000, False)])
    def test_a_text_of_many_lines_has_no_numbers(self, page_desktop: Desktop, lines: int, *, is_numbered: bool) -> None:
        """That is said; a line is found all the same."""
        page_desktop.file("pdf-forms/lines.md").write_text("\n" * lines)
        page = page_desktop.open()
        choose(page, "pdf-forms", "lines.md")
        assert page.locator(".ksk-gutter").is_visible() == is_numbered
        assert page.get_by_text("no numbers beyond 2,000 lines").count() == (not is_numbered)
        assert page.locator(".ksk-file textarea").evaluate("it => it.clientWidth") > 400


def test_who_goes_through_the_list_asks_only_of_what_they_stop_at(page_desktop: Desktop) -> None:
    """A key that is held asks for no procedure of the rows in between."""
    page = page_desktop.open()
    pick(page, "review-a-diff")
    page.locator(".ksk-rendered").wait_for()
    page.get_by_role("listbox").focus()
    asked = hears(page, "GET")
    for _ in range(6):
        page.get_by_role("listbox").press("ArrowDown")
    page.wait_for_timeout(800)
    assert len([each for each in asked if "/preview" in each]) <= 2
    assert page.locator(".ksk-rendered").is_visible()
