"""The order of the prompt: moved in by pointer, finger and key, tried before anything is set, and saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from .test_panel import pick, says, write

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from .places import Desktop

pytestmark = pytest.mark.e2e


@pytest.fixture
def desktop(page_desktop: Desktop) -> Desktop:
    """One of everything, in the page of `serve`: what is asked here is asked of the panel's own modules too."""
    return page_desktop


ORDER = "/features/proceduralskillsfeature/static/order.js"
MOVED = f"async ([order, from, to]) => [...(await import('{ORDER}')).moved(order, from, to)]"
KEEP = """async () => {
  const drafts = await import('/features/proceduralskillsfeature/static/drafts.js');
  drafts.keep({ agent: null, name: 'incident-notes', path: 'SKILL.md' }, 'mine', 'r');
}"""
NAMES = "(all) => all.map((it) => it.querySelector('.ksk-link')?.textContent ?? '--')"


def opened(page: Page) -> Page:
    """The meter, open."""
    page.locator(".ksk-meter-button").click()
    page.locator(".ksk-order li").first.wait_for()
    return page


def order(page: Page) -> list[str]:
    """The names in their order, and where the prompt is full."""
    return page.locator(".ksk-order li").evaluate_all(NAMES)


def grip(page: Page, name: str) -> Locator:
    """What a skill is held by."""
    return page.get_by_role("button", name=f"Move {name}", exact=True)


def priorities(page: Page) -> dict[str, int]:
    """What is set, as the server says."""
    catalog: dict[str, Any] = page.evaluate(
        "async () => (await import('/js/api.js')).default.request('/api/procedural-skills')"
    )
    return {record["name"]: record["priority"] for record in catalog["skills"] if record["enabled"]}


def drag(page: Page, name: str, onto: str) -> None:
    """Take one by its handle, and let it go above the middle of another."""
    held, there = grip(page, name).bounding_box(), page.locator(".ksk-order li", has_text=onto).bounding_box()
    assert held is not None
    assert there is not None
    page.mouse.move(held["x"] + 8, held["y"] + 8)
    page.mouse.down()
    page.mouse.move(there["x"] + 8, there["y"] + 20, steps=4)
    page.mouse.move(there["x"] + 8, there["y"] + 4, steps=4)


@pytest.mark.parametrize(
    ("skills", "start", "end", "changed"),
    [
        ("a10 b20 c30", 2, 1, "c15"),
        ("a10 b20 c30", 0, 1, "a25"),
        ("a10 b20 c30", 2, 0, "c0"),
        ("a10 b20 c30", 0, 2, "a40"),
        ("a10 b20 c30", 1, 1, ""),
        ("a10 b20 c21 d30", 3, 2, "d20"),
        ("a10 b20 c21 d22", 0, 2, "a22"),
        ("a100 b100 c100 d100", 3, 1, "b101 c101"),
        ("a100 b100 c100 d100", 0, 1, "b99"),
        ("a100 b100 c100 d100", 3, 0, "d90"),
        ("a-100000 b-100000 c0", 2, 0, "c-100000 a-99999 b-99999"),
        ("a0 b100000 c100000", 0, 2, "a100000 b99999 c99999"),
    ],
)
def test_the_least_changes(desktop: Desktop, skills: str, start: int, end: int, changed: str) -> None:
    """The moved one alone where there is room; else as few neighbours as can be give way, by as little as will do."""
    spelt = [{"name": each[0], "priority": int(each[1:])} for each in skills.split()]
    found = desktop.open().evaluate(MOVED, [spelt, start, end])
    assert " ".join(f"{name}{priority}" for name, priority in sorted(found)) == " ".join(sorted(changed.split()))


def test_every_move_comes_to_the_order_that_the_server_makes_of_it(desktop: Desktop) -> None:
    """What the page works out is tried on the server, whose order is the one that counts."""
    page = desktop.open()
    names = [f"long-tail-{number}" for number in range(4)]
    wrong = page.evaluate(
        """async ([names]) => {
          const { moved } = await import('/features/proceduralskillsfeature/static/order.js');
          const API = (await import('/js/api.js')).default;
          const wrong = [];
          for (const start of [[7, 7, 7, 7], [7, 7, 8, 8], [7, 8, 9, 10], [-100000, 0, 0, 100000]]) {
            const order = names.map((name, at) => ({ name, priority: start[at] }));
            for (let from = 0; from < 4; from += 1) {
              for (let to = 0; to < 4; to += 1) {
                const set = moved(order, from, to);
                const states = order.map(({ name, priority }) => ({ name, priority: set.get(name) ?? priority }));
                const body = JSON.stringify({ states, budget: 100000 });
                const headers = { 'X-Kestrel-Request': 'test' };
                const { included } = await API.request('/api/procedural-skills/fit', { method: 'POST', body, headers });
                const wanted = names.filter((_, at) => at !== from);
                wanted.splice(to, 0, names[from]);
                const found = included.filter((name) => names.includes(name));
                if (String(found) !== String(wanted)) wrong.push([start, from, to, found]);
              }
            }
          }
          return wrong;
        }""",
        [names],
    )
    assert wrong == []


def test_a_skill_is_dragged_and_only_it_changes(desktop: Desktop) -> None:
    """What would fit is shown at once, what changes is said, and nothing is set before it is saved."""
    page = opened(desktop.open())
    before = priorities(page)
    assert order(page)[-4:] == ["--", "long-tail-7", "long-tail-8", "long-tail-9"]
    drag(page, "long-tail-0", "incident-notes")
    assert page.locator(".ksk-order li[data-drop=before]").inner_text().startswith("2")
    page.mouse.up()
    page.get_by_text("Not saved: this is what 1 change would make").wait_for()
    assert order(page)[:3] == ["review-a-diff", "long-tail-0", "incident-notes"]
    page.get_by_text("long-tail-0 30 → 15").wait_for()
    assert priorities(page) == before
    page.get_by_role("button", name="Save 1 priority").click()
    says(page, "The order is saved.")
    assert priorities(page) == before | {"long-tail-0": 15}


def test_what_is_dragged_is_let_go_with_escape(desktop: Desktop) -> None:
    """It is where it was."""
    page = opened(desktop.open())
    before = order(page)
    drag(page, "long-tail-0", "incident-notes")
    page.keyboard.press("Escape")
    page.mouse.up()
    page.wait_for_timeout(300)
    assert order(page) == before
    assert page.get_by_text("Not saved").count() == 0


def test_a_finger_moves_a_skill_too(desktop: Desktop) -> None:
    """On its handle it drags; elsewhere it scrolls."""
    page = opened(desktop.open(width=360, has_touch=True))
    start = grip(page, "incident-notes").bounding_box()
    end = page.locator(".ksk-order li").first.bounding_box()
    assert start is not None
    assert end is not None
    session = page.context.new_cdp_session(page)
    for kind, y in (
        ("touchStart", start["y"] + 8),
        ("touchMove", start["y"] - 8),
        ("touchMove", end["y"] + 4),
        ("touchEnd", None),
    ):
        points = [] if y is None else [{"x": start["x"] + 8, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.get_by_text("Not saved: this is what 1 change would make").wait_for()
    assert order(page)[:2] == ["incident-notes", "review-a-diff"]


def test_a_skill_is_moved_by_key_into_the_prompt(desktop: Desktop) -> None:
    """Arrows move it by one; where it stands is said, the focus stays on it, and it is saved without a pointer."""
    page = desktop.open()
    page.locator(".ksk-meter-button").wait_for()
    page.locator(".ksk-meter-button").press("Enter")
    grip(page, "long-tail-7").focus()
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    says(page, "long-tail-7: 8 of 13, in the prompt. Not saved.")
    assert page.evaluate("document.activeElement.ariaLabel") == "Move long-tail-7"
    assert order(page)[7] == "long-tail-7"
    page.keyboard.press("Home")
    says(page, "long-tail-7: 1 of 13, in the prompt.")
    page.get_by_role("button", name="Save 1 priority").press("Enter")
    says(page, "The order is saved.")
    assert priorities(page)["long-tail-7"] == 0


def test_where_there_is_no_room_it_is_said_who_gives_way(desktop: Desktop) -> None:
    """Two neighbours with the next numbers: one of them changes with it."""
    page = opened(desktop.open())
    page.get_by_label("Priority of house-style").fill("20")
    page.get_by_text("house-style 25 → 20").wait_for()
    grip(page, "long-tail-0").press("ArrowUp")
    page.get_by_text("Not saved: this is what 3 changes would make").wait_for()
    assert page.get_by_text("incident-notes 20 → 21").is_visible()
    assert order(page)[1:4] == ["house-style", "long-tail-0", "incident-notes"]


def test_a_number_is_typed_to_its_end_though_the_rows_move(desktop: Desktop) -> None:
    """The place in the field stays, while what is tried is drawn around it."""
    page = opened(desktop.open())
    field = page.get_by_label("Priority of long-tail-5")
    field.select_text()
    for key in "15":
        page.keyboard.press(key)
        page.wait_for_timeout(500)
    assert field.input_value() == "15"
    assert order(page)[:3] == ["review-a-diff", "long-tail-5", "incident-notes"]


def test_an_order_that_meets_anothers_change_is_kept_and_explained(desktop: Desktop) -> None:
    """What could be set is; what could not stays tried, beside what is there now, and is saved at the second try."""
    first, second = opened(desktop.open()), desktop.open()
    first.get_by_label("Priority of review-a-diff").fill("12")
    first.get_by_text("review-a-diff 10 → 12").wait_for()
    first.get_by_label("Priority of incident-notes").fill("13")
    first.get_by_text("incident-notes 20 → 13").wait_for()
    opened(second).get_by_label("Priority of incident-notes").fill("99")
    second.get_by_role("button", name="Save 1 priority").click()
    says(second, "The order is saved.")
    first.get_by_role("button", name="Save 2 priorities").click()
    says(first, "1 of 2 priorities saved; incident-notes could not be.")
    first.get_by_role("alert").wait_for()
    first.get_by_text("incident-notes 99 → 13").wait_for()
    first.get_by_role("button", name="Save 1 priority").click()
    says(first, "The order is saved.")
    found = priorities(first)
    assert (found["review-a-diff"], found["incident-notes"]) == (12, 13)


@pytest.mark.parametrize("width", [1400, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_not_saved_is_in_the_way_of_nobody(desktop: Desktop, scheme: str, width: int) -> None:
    """axe-core finds no violation in an order that is tried, nor in a text that is offered; nothing is too wide."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = desktop.open(width=width, scheme=scheme)
    wrong: list[str] = []

    def judged(view: str) -> None:
        desktop.shot(page, f"{scheme}-{width}-{view}")
        found = axe.run(page).response["violations"]
        wrong.extend(f"{view}: {each['id']}: {node['html'][:120]}" for each in found for node in each["nodes"])
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{view}: wider than the window")

    opened(page)
    grip(page, "long-tail-7").press("ArrowUp")
    page.get_by_text("Not saved: this is what 1 change would make").wait_for()
    judged("order")
    page.get_by_role("button", name="Put back").click()
    page.locator(".ksk-meter-button").click()
    pick(page, "pdf-forms", "Files")
    write(page, "mine")
    page.reload()
    page.get_by_text("This is what you wrote before and did not save.").wait_for()
    assert page.get_by_role("button", name="Go on writing").count() == 0
    judged("taken-up")
    page.locator(".ksk-file").get_by_role("button", name="Throw it away").click()
    page.locator(".ksk-detail h2").press("Escape")
    page.evaluate(KEEP)
    page.wait_for_timeout(1100)
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    page.get_by_role("button", name="Go on writing").wait_for()
    judged("unsaved")
    assert wrong == []
