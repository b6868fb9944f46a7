"""4,000 skills in a browser: what the page itself sees pass between the answer and a list that can be used."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from .homes import many
from .places import API, Desktop
from .test_panel import becomes, row, rows

pytestmark = pytest.mark.e2e

NUMBER: Final = 4000
_WATCH: Final = """
window.seen = {};
const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
const watch = new MutationObserver(async () => {
  if (window.seen.row || !document.querySelector('.ksk-row')) return;
  window.seen.row = 'soon';
  await frame();
  window.seen.row = performance.now();
});
watch.observe(document, { childList: true, subtree: true });
document.addEventListener('keydown', (event) => { window.seen.key = event.timeStamp; }, true);
const found = new MutationObserver(async () => {
  if (window.seen.found || document.querySelector('.ksk-live')?.textContent !== '1 entry found.') return;
  window.seen.found = 'soon';
  await frame();
  window.seen.found = performance.now();
});
found.observe(document, { childList: true, subtree: true, characterData: true });
"""
"""Notes when the first row, and what a search found, has been painted: after the frame that follows its coming."""
_TIMES: Final = """(path) => {
  const [asked] = performance.getEntriesByType('resource').filter((each) => each.name.endsWith(path));
  return { bytes: asked.decodedBodySize, answered: asked.responseEnd - asked.requestStart,
    painted: window.seen.row - asked.responseEnd, found: window.seen.found - window.seen.key };
}"""


@pytest.fixture
def desktop(serve: Callable[[Path], Desktop], tmp_path: Path) -> Desktop:
    """So many skills, in the page of `serve`."""
    many(tmp_path / "skills", NUMBER)
    return serve(tmp_path)


def measured(desktop: Desktop, sought: str) -> dict[str, float]:
    """Milliseconds of one visit, in a window that knows nothing yet."""
    page = desktop.pages.fresh()
    page.add_init_script(_WATCH)
    page.goto(desktop.address)
    becomes(page, "typeof window.seen.row === 'number'")
    page.get_by_label("Search skills").press_sequentially(sought)
    becomes(page, "typeof window.seen.found === 'number'")
    times: dict[str, float] = page.evaluate(_TIMES, API)
    page.context.close()
    return times


def test_four_thousand_skills_are_there_at_once(desktop: Desktop) -> None:
    """Only the rows in sight exist; the last is one key away; a search is answered. The times are told, not judged."""
    page = desktop.open()
    row(page, "skill-0000").wait_for(timeout=60_000)
    assert rows(page).count() < 60
    page.get_by_role("listbox").focus()
    page.keyboard.press("End")
    page.get_by_role("heading", name="skill-3999").wait_for()
    rounds = [measured(desktop, f"skill-{1000 + number}") for number in range(5)]
    middle = {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
    print(
        f"{NUMBER} skills, {middle['bytes'] / 1e6:.1f} MB, medians of {len(rounds)}: answered in"
        f" {middle['answered']:.0f} ms; from the end of the answer to the first row painted {middle['painted']:.0f} ms;"
        f" from the last key of a search to what it found painted {middle['found']:.0f} ms"
    )
    desktop.shot(page, "four-thousand")
