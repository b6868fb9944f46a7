"""The panel, as a person meets it: in a real browser, in the page of `serve` and in the Console of the real host."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from kestrel_skills_core.domain.provenance import Provenance, dump_provenance
from tests.host.client import until

from .homes import many, skill
from .outside import URL, Outside
from .places import NARROW, WIDE, Desktop

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.e2e


def row(page: Page, name: str) -> Locator:
    """The first row of a name."""
    listed = page.get_by_role("listbox", name="Skills")
    return listed.get_by_role("option", name=re.compile(rf"^{re.escape(name)}[,\s]")).first


def rows(page: Page) -> Locator:
    """The rows that exist."""
    return page.get_by_role("listbox", name="Skills").get_by_role("option")


def pick(page: Page, name: str, tab: str = "") -> None:
    """Choose an entry, and one of its tabs."""
    row(page, name).click()
    page.get_by_role("heading", name=name, exact=True, level=2).wait_for()
    if tab:
        page.get_by_role("tab", name=tab).click()


def says(page: Page, text: str) -> None:
    """Wait until the live region says something."""
    page.locator(".ksk-live", has_text=text).wait_for()


def becomes(page: Page, expression: str) -> None:
    """Wait until something holds in the page. The driver's own wait evaluates text there, which the page forbids."""
    until(lambda: page.evaluate(expression))


def write(page: Page, text: str) -> None:
    """Write into the editor, in the place of all that is there."""
    page.locator(".ksk-file textarea").fill(text)


def document(name: str, description: str = "Use when testing.", body: str = "Step one.\n") -> str:
    """A good `SKILL.md`."""
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}"


HOSTILE = [
    "<img src=x onerror=document.title=1>",
    '"><script>document.title=1</script>',
    "javascript:document.title=1",
    "<svg onload=document.title=1>",
]


def harmless(page: Page, title: str) -> None:
    """Nothing of what others wrote has become an element, or has run: that would have changed the title."""
    ours = page.locator(".ksk")
    made = ours.locator("img, script, svg, iframe, object, [onerror], [onload], a[href^='javascript' i]")
    assert made.count() == 0, made.first.evaluate("it => it.outerHTML")
    assert page.title() == title


class TestLooking:
    """What is there, without changing anything."""

    def test_what_is_wrong_and_what_is_in_the_prompt_is_seen_without_a_click(self, desktop: Desktop) -> None:
        """Broken folders come first with their reason; then the skills in order; the meter says what did not fit."""
        page = desktop.open()
        row(page, "deploy").wait_for()
        told = rows(page).all_inner_texts()
        assert "KS105, SKILL.md, line 3" in told[0]
        assert "Held back by the broken deploy" in told[1]
        names = [each.split("\n")[1] for each in told]
        assert names[2:6] == ["release-train", "review-a-diff", "incident-notes", "house-style"]
        assert page.locator(".ksk-meter-words").inner_text() == "7,630 of 8,192 bytes · 10 skills · 3 left out"

    def test_the_list_is_searched_and_filtered(self, desktop: Desktop) -> None:
        """Every word has to be there, in name or description; each filter says how many it lets through."""
        page = desktop.open()
        page.get_by_label("Search skills").fill("happened incident")
        says(page, "1 entry found.")
        assert rows(page).count() == 1
        page.get_by_label("Search skills").fill("no such thing")
        page.get_by_text("Nothing is found.").wait_for()
        page.get_by_label("Search skills").fill("")
        row(page, "deploy").wait_for()
        for shown, number in {"omitted": 3, "shadowed": 1, "rejected": 2, "held": 1, "disabled": 1}.items():
            page.get_by_label("Show").select_option(shown)
            assert rows(page).count() == number, shown

    def test_the_procedure_is_shown_and_its_links_lead_to_its_files(self, desktop: Desktop) -> None:
        """Rendered; a link to a file opens it, and one that leads nowhere is marked."""
        page = desktop.open()
        pick(page, "review-a-diff")
        page.locator(".ksk-rendered table").wait_for()
        assert page.locator("a[data-broken]").inner_text() == "what is not there"
        page.get_by_role("link", name="the checklist").click()
        page.get_by_label("references/checklist.md of review-a-diff").wait_for()

    def test_the_meter_opens_into_what_the_agent_sees(self, desktop: Desktop) -> None:
        """To the letter, in order, with what was left out."""
        page = desktop.open()
        page.get_by_role("button", name="In the prompt").click()
        clause = page.locator(".ksk-meter .ksk-clause").inner_text()
        assert clause.startswith('<procedural-skills role="untrusted-catalog-data">')
        assert '<skill name="incident-notes">Use when an incident is over' in clause
        assert page.locator(".ksk-order").get_by_text("Left out: 3").is_visible()

    def test_hundreds_are_there_at_once(self, desktop: Desktop) -> None:
        """Only the rows in sight exist; the last is one key away; a search answers at once."""
        many(desktop.skills, 400)
        page = desktop.open()
        row(page, "deploy").wait_for(timeout=30_000)
        assert rows(page).count() < 60
        page.get_by_role("listbox").focus()
        page.keyboard.press("End")
        page.get_by_role("heading", name="long-tail-9").wait_for()
        page.get_by_label("Search skills").fill("skill-0314")
        says(page, "1 entry found.")

    @pytest.mark.parametrize("text", HOSTILE)
    def test_what_is_written_by_others_stays_text(self, desktop: Desktop, text: str) -> None:
        """Wherever it stands: in names, descriptions, procedures, files, faults, origins. No element, and none runs."""
        name = text.replace("/", "_")
        folder = skill(desktop.skills, "evil", f"Use when {text}", f"{text}\n\n[x]({text})\n\n![{text}](x)\n")
        (folder / f"{name}.md").write_text(f"{text}\n")
        origin = Provenance(kind="git", url=f"https://evil.example/{text}", commit="9a" * 20)
        (folder / ".kestrel-provenance.json").write_bytes(dump_provenance(origin))
        skill(desktop.skills, name, f"Use when {text}")
        broken = skill(desktop.skills, "worse", "Use it.") / "SKILL.md"
        broken.write_text(f"---\nname: worse\ndescription: Use when: {text}\n{text}: {text}\n---\n{text}\n")
        page = desktop.open()
        title = page.title()
        for entry in ("evil", "worse", name):
            row(page, entry).click()
            page.locator(".ksk-detail h2", has_text=entry).wait_for()
            for tab in ("Procedure", "Files", "Origin", "Checks"):
                page.get_by_role("tab", name=tab).click()
                page.locator(".ksk-body > :not(.ksk-note)").first.wait_for()
        row(page, "evil").click()
        page.get_by_role("tab", name="Files").click()
        page.get_by_role("button", name=name).click()
        page.get_by_label(f"{name}.md of evil").wait_for()
        page.get_by_role("button", name="Delete…").click()
        page.get_by_role("dialog").get_by_text(f"{name}.md").wait_for()
        harmless(page, title)


class TestStates:
    """What is on, and in which order."""

    def test_a_skill_is_switched_on_and_off(self, desktop: Desktop) -> None:
        """The meter and the list follow, and the focus stays on the switch."""
        page = desktop.open()
        pick(page, "pdf-forms")
        switch = page.get_by_role("switch")
        switch.press("Enter")
        says(page, "pdf-forms is enabled.")
        assert switch.get_attribute("aria-checked") == "true"
        assert page.evaluate("document.activeElement.getAttribute('role')") == "switch"
        switch.press("Enter")
        says(page, "pdf-forms is disabled.")

    def test_a_priority_shows_what_it_would_come_to_before_it_is_set(self, desktop: Desktop) -> None:
        """Typing tries; leaving the field sets."""
        page = desktop.open()
        pick(page, "incident-notes")
        priority = page.locator(".ksk-state").get_by_label("Priority")
        priority.select_text()
        priority.press_sequentially("1")
        page.get_by_text("With 1: in the prompt, 1 of 10.").wait_for()
        assert row(page, "incident-notes").inner_text().endswith("20")
        priority.press("Enter")
        says(page, "incident-notes has priority 1.")

    def test_priorities_are_tried_in_the_meter_and_saved_together(self, desktop: Desktop) -> None:
        """What is typed there changes the fit on screen alone, until it is saved, or put back."""
        page = desktop.open()
        page.get_by_role("button", name="In the prompt").click()
        page.get_by_label("Priority of long-tail-9").fill("5")
        page.get_by_text("Not saved: this is what 1 change would make").wait_for()
        first = page.locator(".ksk-order ol li").first
        assert first.inner_text().split("\n")[1] == "long-tail-9"
        page.get_by_role("button", name="Put back").click()
        assert first.inner_text().split("\n")[1] == "review-a-diff"
        page.get_by_label("Priority of long-tail-9").fill("5")
        page.get_by_role("button", name="Save 1 priority").click()
        says(page, "The order is saved.")

    def test_what_is_tried_stays_when_a_person_comes_back(self, desktop: Desktop) -> None:
        """Looking again draws nothing anew where nothing is new; where something is, it is shown."""
        page = desktop.open()
        page.get_by_role("button", name="In the prompt").click()
        page.get_by_label("Priority of long-tail-9").fill("5")
        tried = page.get_by_text("Not saved: this is what 1 change would make")
        tried.wait_for()
        page.wait_for_timeout(1100)
        with page.expect_response("**/api/procedural-skills"):
            page.evaluate("window.dispatchEvent(new Event('focus'))")
        page.wait_for_timeout(200)
        assert tried.is_visible()
        skill(desktop.skills, "another", "Use when it came meanwhile.")
        page.wait_for_timeout(1100)
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        row(page, "another").wait_for(state="attached")
        tried.wait_for()
        assert page.get_by_label("Priority of long-tail-9").input_value() == "5"

    def test_a_pin_holds_a_skill_to_its_revision(self, desktop: Desktop) -> None:
        """It is on as long as no file changes."""
        page = desktop.open()
        pick(page, "incident-notes")
        page.get_by_label("Pin").check()
        says(page, "is pinned to this revision")
        file = desktop.file("incident-notes/SKILL.md")
        file.write_text(file.read_text() + "3. More.\n")
        desktop.reload(page)
        row(page, "incident-notes").wait_for()
        pick(page, "incident-notes")
        assert page.get_by_role("switch").get_attribute("aria-checked") == "false"


class TestWriting:
    """The files of a skill."""

    def test_a_file_is_written_and_saved_by_key(self, desktop: Desktop) -> None:
        """What is on the disk is what was written; the list shows it."""
        page = desktop.open()
        pick(page, "pdf-forms", "Files")
        write(page, document("pdf-forms", "Use when a form is empty."))
        page.locator(".ksk-file-foot", has_text="Unsaved").wait_for()
        page.keyboard.press("Control+s")
        says(page, "SKILL.md is saved.")
        assert desktop.file("pdf-forms/SKILL.md").read_text() == document("pdf-forms", "Use when a form is empty.")
        assert "Use when a form is empty." in row(page, "pdf-forms").inner_text()

    def test_what_is_unsaved_is_not_left_without_a_question(self, desktop: Desktop) -> None:
        """Another skill, another tab, another file: a person stays, or throws it away knowingly."""
        page = desktop.open()
        pick(page, "pdf-forms", "Files")
        write(page, "mine")
        row(page, "incident-notes").click()
        page.get_by_role("button", name="Keep writing").click()
        assert page.locator(".ksk-file textarea").input_value() == "mine"
        page.get_by_role("tab", name="Origin").click()
        page.get_by_role("button", name="Keep writing").click()
        row(page, "incident-notes").click()
        page.get_by_role("button", name="Discard it").click()
        page.get_by_role("heading", name="incident-notes", level=2).wait_for()

    def test_what_is_refused_says_where_and_how_to_mend_it(self, desktop: Desktop) -> None:
        """The text stays."""
        page = desktop.open()
        pick(page, "pdf-forms", "Files")
        write(page, "---\nname: other\ndescription: Use it.\n---\nGo.\n")
        page.get_by_role("button", name="Save").click()
        page.get_by_role("alert").get_by_text("SKILL.md, line 2").wait_for()
        assert "name: other" in page.locator(".ksk-file textarea").input_value()

    def test_of_two_who_write_one_wins_and_the_other_keeps_the_text(self, desktop: Desktop) -> None:
        """Theirs stands beside it; to save on top is a choice made after looking."""
        first, second = desktop.open(), desktop.open()
        mine, theirs = document("pdf-forms", body="Mine.\n"), document("pdf-forms", body="Theirs.\n")
        for page in (first, second):
            pick(page, "pdf-forms", "Files")
        write(second, mine)
        write(first, theirs)
        first.get_by_role("button", name="Save").click()
        says(first, "SKILL.md is saved.")
        second.get_by_role("button", name="Save").click()
        dialog = second.get_by_role("dialog", name="It was changed meanwhile")
        assert dialog.get_by_label("Yours").input_value() == mine
        assert dialog.get_by_label("Theirs").input_value() == theirs
        desktop.shot(second, "conflict")
        dialog.get_by_role("button", name="Save mine on top of theirs").click()
        says(second, "SKILL.md is saved.")
        assert desktop.file("pdf-forms/SKILL.md").read_text() == mine

    def test_files_are_made_and_deleted(self, desktop: Desktop) -> None:
        """A new one is opened; a deleted one is asked about first."""
        page = desktop.open()
        pick(page, "pdf-forms", "Files")
        page.get_by_role("button", name="New file").click()
        page.get_by_label("Path, such as").fill("references/notes.md")
        page.get_by_role("button", name="Make it").click()
        page.get_by_label("references/notes.md of pdf-forms").wait_for()
        assert desktop.file("pdf-forms/references/notes.md").exists()
        page.get_by_role("button", name="Delete file").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete file").click()
        says(page, "references/notes.md is deleted.")
        assert not desktop.file("pdf-forms/references/notes.md").exists()

    def test_what_is_shared_can_be_read_and_says_why_no_more(self, desktop: Desktop) -> None:
        """No button that would be refused."""
        page = desktop.open()
        pick(page, "house-style", "Files")
        page.get_by_text("only its operator changes it").wait_for()
        assert page.locator(".ksk-file textarea").get_attribute("readonly") is not None
        assert page.get_by_role("button", name="Save").count() == 0
        assert page.get_by_role("button", name="Delete…").count() == 0


class TestMending:
    """Folders that are no skills yet."""

    def test_a_finding_leads_to_its_line(self, desktop: Desktop) -> None:
        """The line is marked in the editor."""
        page = desktop.open()
        pick(page, "release-train")
        page.get_by_role("button", name="SKILL.md, line 4").first.click()
        area = page.locator(".ksk-file textarea")
        area.wait_for()
        becomes(page, "document.activeElement.matches('.ksk-file textarea')")
        assert area.evaluate("it => it.value.slice(it.selectionStart, it.selectionEnd)") == "version: 2"

    def test_a_folder_is_adapted_and_that_is_undone(self, desktop: Desktop) -> None:
        """It is a skill then, off, with what was lifted out on record."""
        page = desktop.open()
        pick(page, "release-train")
        page.get_by_role("button", name="Adapt", exact=True).click()
        says(page, "release-train is adapted")
        page.get_by_role("tab", name="Origin").click()
        page.get_by_label("The original frontmatter").get_by_text("version: 2").wait_for()
        page.get_by_role("button", name="Undo the adaptation").click()
        says(page, "as it was before it was adapted")
        assert "version: 2" in desktop.file("release-train/SKILL.md").read_text()

    def test_a_folder_is_mended_by_hand(self, desktop: Desktop) -> None:
        """What it held back is shadowed by it then."""
        page = desktop.open()
        pick(page, "deploy", "Files")
        write(page, document("deploy", "Use when a release goes out."))
        page.get_by_role("button", name="Save").click()
        says(page, "SKILL.md is saved.")
        page.get_by_label("Show").select_option("rejected")
        assert rows(page).count() == 1


class TestMakingAndEnding:
    """New skills, installed ones, and deleted ones."""

    def test_a_new_one_is_judged_while_it_is_typed(self, desktop: Desktop) -> None:
        """By the server's rules; it can be made once nothing is wrong, and is off."""
        page = desktop.open()
        page.get_by_role("button", name="New", exact=True).click()
        dialog = page.get_by_role("dialog", name="New skill")
        dialog.get_by_label("Name").fill("Not A Name")
        dialog.locator("[aria-invalid=true]").wait_for()
        dialog.get_by_label("Name").fill("pdf-forms")
        dialog.get_by_text("has one of this name already").wait_for()
        desktop.shot(page, "new")
        dialog.get_by_label("Name").fill("new-one")
        dialog.get_by_label("Description").fill("Use when something is new.")
        dialog.locator("button:enabled", has_text="Create").click()
        says(page, "new-one is made. It is disabled until you enable it.")
        assert "Use when something is new." in desktop.file("new-one/SKILL.md").read_text()

    def test_installing_shows_exactly_what_comes_and_takes_exactly_that(self, desktop: Desktop, net: Outside) -> None:
        """Commit in full, digest and files; it is off then, and its origin is known."""
        page = desktop.open()
        page.get_by_role("button", name="Install", exact=True).click()
        dialog = page.get_by_role("dialog", name="Install from git")
        dialog.get_by_label("Repository").fill(URL)
        dialog.get_by_role("button", name="Preview").click()
        dialog.get_by_role("button", name="knots").click()
        dialog.get_by_text("bends.md").wait_for()
        assert dialog.get_by_text(net.commit, exact=True).is_visible()
        desktop.shot(page, "install")
        dialog.get_by_role("button", name="Install exactly this").click()
        says(page, "knots is installed.")
        page.get_by_role("tab", name="Origin").click()
        page.get_by_text("Every file is as it was installed.").wait_for()
        assert desktop.file("knots/bends.md").read_text() == "Carrick.\n"

    def test_one_that_must_be_adapted_is_installed_adapted(self, desktop: Desktop) -> None:
        """What would change is on screen first."""
        page = desktop.open()
        page.get_by_role("button", name="Install", exact=True).click()
        dialog = page.get_by_role("dialog", name="Install from git")
        dialog.get_by_label("Repository").fill(URL)
        dialog.get_by_label("Skill").fill("splices")
        dialog.get_by_role("button", name="Preview").click()
        dialog.get_by_role("button", name="Preview adapted").click()
        dialog.get_by_role("button", name="Install exactly this").click()
        says(page, "splices is installed.")

    def test_a_repository_that_is_none_is_told(self, desktop: Desktop) -> None:
        """The dialog stays, with what was typed."""
        page = desktop.open()
        page.get_by_role("button", name="Install", exact=True).click()
        dialog = page.get_by_role("dialog", name="Install from git")
        dialog.get_by_label("Repository").fill("https://git.example/none")
        dialog.get_by_role("button", name="Preview").click()
        dialog.get_by_role("alert").wait_for()
        assert dialog.get_by_label("Repository").input_value() == "https://git.example/none"

    def test_what_a_repository_says_stays_text(self, desktop: Desktop) -> None:
        """The same of what is only previewed, and then installed."""
        page = desktop.open()
        title = page.title()
        page.get_by_role("button", name="Install", exact=True).click()
        dialog = page.get_by_role("dialog", name="Install from git")
        dialog.get_by_label("Repository").fill(URL)
        dialog.get_by_role("button", name="Preview").click()
        dialog.get_by_role("button", name="snares").click()
        dialog.get_by_text("onerror=document.title=1>.md").wait_for()
        harmless(page, title)
        dialog.get_by_role("button", name="Install exactly this").click()
        says(page, "snares is installed.")
        page.locator(".ksk-rendered").wait_for()
        harmless(page, title)

    def test_an_installation_that_runs_is_cancelled(self, desktop: Desktop, net: Outside) -> None:
        """Its progress is shown until then; nothing of it stays."""
        page = desktop.open()
        page.get_by_role("button", name="Install", exact=True).click()
        dialog = page.get_by_role("dialog", name="Install from git")
        dialog.get_by_label("Repository").fill(URL)
        dialog.get_by_label("Skill").fill("knots")
        dialog.get_by_role("button", name="Preview").click()
        go = dialog.get_by_role("button", name="Install exactly this")
        go.wait_for()
        net.holds.set()
        try:
            go.click()
            dialog.get_by_text(re.compile(r"[\d,]+ bytes? received, 0 entries")).wait_for()
            dialog.get_by_role("button", name="Cancel").click()
            dialog.get_by_text("Cancelled: nothing was installed.").wait_for()
        finally:
            net.holds.clear()
        assert not desktop.file("knots").exists()

    def test_deleting_takes_the_name_typed_in_full(self, desktop: Desktop) -> None:
        """And says first what goes, and what has the name then."""
        page = desktop.open()
        pick(page, "review-a-diff")
        page.get_by_role("button", name="Delete…").click()
        dialog = page.get_by_role("dialog", name="Delete review-a-diff")
        dialog.get_by_text("references/checklist.md").wait_for()
        assert dialog.get_by_text("Afterwards review-a-diff means another copy: shared by the host").is_visible()
        go = dialog.get_by_role("button", name="Delete")
        dialog.get_by_role("textbox").fill("review-a")
        assert go.is_disabled()
        dialog.get_by_role("textbox").fill("review-a-diff")
        desktop.shot(page, "delete")
        go.click()
        says(page, "review-a-diff is deleted.")
        assert not desktop.file("review-a-diff").exists()
        assert "shared" in row(page, "review-a-diff").inner_text()

    def test_what_changed_since_it_was_shown_is_not_deleted(self, desktop: Desktop) -> None:
        """It is bound to what was on screen."""
        page = desktop.open()
        pick(page, "pdf-forms")
        page.get_by_role("button", name="Delete…").click()
        file = desktop.file("pdf-forms/SKILL.md")
        file.write_text(file.read_text() + "3. More.\n")
        dialog = page.get_by_role("dialog", name="Delete pdf-forms")
        dialog.get_by_role("textbox").fill("pdf-forms")
        dialog.get_by_role("button", name="Delete").click()
        dialog.get_by_role("alert").wait_for()
        assert file.exists()


class TestDegraded:
    """What is not there is explained."""

    def test_a_privacy_mode_that_hides_is_explained(self, desktop: Desktop) -> None:
        """No skill is shown and none can be made; with the end of the mode all is back."""
        page = desktop.open()
        row(page, "deploy").wait_for()
        with desktop.hidden(page):
            desktop.reload(page)
            page.get_by_text("Skills are hidden", exact=True).wait_for()
            desktop.shot(page, "degraded-hidden")
            assert page.get_by_role("button", name="New", exact=True).is_disabled()
            assert page.get_by_role("listbox").count() == 0
            assert "review-a-diff" not in page.locator(".ksk").inner_text()
        desktop.reload(page)
        row(page, "deploy").wait_for()

    def test_a_table_of_states_that_does_not_answer_is_explained(self, desktop: Desktop) -> None:
        """Everything can be read, and nothing be switched."""
        page = desktop.open()
        row(page, "deploy").wait_for()
        with desktop.table_away():
            desktop.reload(page)
            page.get_by_text("Which skills are enabled cannot be told", exact=True).wait_for()
            desktop.shot(page, "degraded-no-table")
            pick(page, "pdf-forms")
            page.locator(".ksk-rendered").wait_for()
            assert page.get_by_role("switch").is_disabled()

    def test_a_source_that_cannot_be_read_is_explained(self, desktop: Desktop) -> None:
        """What the other holds is there."""
        page = desktop.open()
        row(page, "house-style").wait_for()
        with desktop.shared_away():
            desktop.reload(page)
            page.get_by_text("Some skills are not there", exact=True).wait_for()
            desktop.shot(page, "degraded-no-source")
            row(page, "pdf-forms").wait_for()
            assert row(page, "house-style").count() == 0

    def test_a_server_that_does_not_answer_is_asked_again(self, desktop: Desktop) -> None:
        """When the person says so."""
        page = desktop.open()
        row(page, "deploy").wait_for()
        page.route("**/api/procedural-skills", lambda route: route.abort())
        desktop.reload(page)
        page.get_by_text("Try again", exact=True).wait_for()
        desktop.shot(page, "degraded-down")
        page.unroute("**/api/procedural-skills")
        page.get_by_role("button", name="Try again").click()
        row(page, "deploy").wait_for()


def test_keyboard_alone_goes_all_the_way(desktop: Desktop) -> None:
    """Search, choose, read, write, save and come back, without a pointer."""
    page = desktop.open()
    row(page, "deploy").wait_for()
    keys = page.keyboard
    keys.press("/")
    keys.type("pdf")
    says(page, "1 entry found.")
    keys.press("ArrowDown")
    page.get_by_role("heading", name="pdf-forms").wait_for()
    keys.press("Enter")
    becomes(page, "document.activeElement.tagName === 'H2'")
    keys.press("Tab")
    keys.press("Space")
    says(page, "pdf-forms is enabled.")
    for _ in range(4):
        keys.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Procedure"
    keys.press("ArrowRight")
    page.locator(".ksk-file textarea").wait_for()
    for _ in range(4):
        keys.press("Tab")
    assert page.evaluate("document.activeElement.matches('.ksk-file textarea')")
    keys.press("Control+End")
    keys.type("3. By keys alone.\n")
    keys.press("Control+s")
    says(page, "SKILL.md is saved.")
    assert desktop.file("pdf-forms/SKILL.md").read_text().endswith("2. End.\n3. By keys alone.\n")
    keys.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "listbox"


WIDER = "it => it.scrollWidth > it.clientWidth || it.getBoundingClientRect().right > innerWidth"


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_in_the_way_of_anybody(desktop: Desktop, scheme: str, width: int) -> None:
    """axe-core finds no violation, and nothing is wider than the window, in any view."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = desktop.open(width=width, scheme=scheme)
    wrong: list[str] = []

    def judged(view: str) -> None:
        desktop.shot(page, f"{scheme}-{width}-{view}")
        found = axe.run(page, desktop.scope, {"resultTypes": ["violations"], "preload": False})
        wrong.extend(
            f"{view}: {each['id']}: {node['html'][:120]} {node['failureSummary'][:300]}"
            for each in found.response["violations"]
            for node in each["nodes"]
        )
        if page.locator(".ksk").evaluate(WIDER):
            wrong.append(f"{view}: wider than the window")

    row(page, "deploy").wait_for()
    judged("list")
    page.locator(".ksk-meter-button").click()
    judged("meter")
    page.locator(".ksk-meter-button").click()
    pick(page, "review-a-diff")
    page.locator(".ksk-rendered").wait_for()
    judged("procedure")
    for tab, there in {"Files": ".ksk-file textarea", "Origin": ".ksk-verdict", "Checks": ".ksk-findings"}.items():
        page.get_by_role("tab", name=tab).click()
        page.locator(there).wait_for()
        judged(tab.lower())
    page.get_by_role("button", name="Delete…").click()
    judged("deleting")
    page.keyboard.press("Escape")
    page.locator(".ksk-detail h2").press("Escape")
    pick(page, "release-train")
    page.locator(".ksk-callout").wait_for()
    judged("rejected")
    page.keyboard.press("Escape")
    if width == NARROW and page.locator(".ksk-back").is_visible():
        page.locator(".ksk-back").click()
    page.get_by_role("button", name="New", exact=True).click()
    judged("new")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Install", exact=True).click()
    judged("install")
    assert wrong == []
