"""Which names the clause has is known without a look at all skills, as whoever looked at all would tell it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve

from kestrel_skills_adapters.http.included import Included
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.budget import Budget
from kestrel_skills_core.domain.errors import StateUnavailable
from kestrel_skills_core.domain.names import SkillName
from tests.service.shelf import Shelf, shelf, skill

from .serving import Browser, browsing, desk_of


@pytest.fixture
def on() -> Shelf:
    """Three skills."""
    return shelf(
        {name: skill(name, "Use when there is more to do than fits into a line.") for name in ("ace", "lint", "sail")}
    )


@pytest.fixture
def included() -> Included:
    """The names of the clause, of which one fits."""
    return Included(Budget(360))


@pytest.fixture
def browser(on: Shelf, included: Included) -> Iterator[Browser]:
    """Whoever is served what an application by itself has."""
    library = evolve(on.library, mirror=included, budget=included.budget)
    with browsing(evolve(desk_of(library), included=included.names)) as browser:
        yield browser


def turned(browser: Browser, name: str, **state: Any) -> Any:
    """One skill, after its state was changed."""
    (etag,) = [each["etag"] for each in browser.get("")["skills"] if each["name"] == name]
    browser.desk.library.sources[0].asked.clear()  # type: ignore[attr-defined] # it is the one of the shelf
    return browser.ask("PATCH", f"/{name}/state", state, headers={"If-Match": etag}).json()["found"]


def test_a_change_looks_at_no_other_skill(on: Shelf, browser: Browser) -> None:
    """However many there are; and what it says of the clause is what the catalog then says."""
    for name, state, is_in in (
        ("lint", {"enabled": True}, True),
        ("sail", {"enabled": True}, False),
        ("sail", {"priority": -1}, True),
        ("lint", {"priority": -2}, True),
        ("lint", {"enabled": False}, False),
    ):
        found = turned(browser, name, **state)
        assert "survey" not in on.local.asked
        (shown,) = [each for each in browser.get("")["skills"] if each["name"] == name]
        assert found["context_included"] is shown["context_included"] is is_in


def test_all_is_looked_at_once_before_anything_is_known(on: Shelf, browser: Browser, included: Included) -> None:
    """For the first change, and for none after it."""
    assert included.names() is None
    for body, looks in (("One.", 1), ("Two.", 0)):
        revision = browser.get("/lint/tree")["revision"]
        on.local.asked.clear()
        browser.ask("PUT", "/lint/file?path=a.md", {"content": body}, headers={"If-Match": revision})
        assert on.local.asked.count("survey") == looks
    assert included.names() == ()


def test_what_nobody_knows_is_not_told(on: Shelf, browser: Browser, included: Included) -> None:
    """Neither that a skill is in the clause, nor that it is not, until the table answers again."""
    turned(browser, "lint", enabled=True)
    assert included.names() == (SkillName("lint"),)
    on.states.unavailable = StateUnavailable("it is away", "bring it back")
    browser.get("")
    assert included.names() is None
    on.states.unavailable = None
    browser.get("")
    assert included.names() == (SkillName("lint"),)


def test_a_name_of_which_nobody_knows_is_left_out(browser: Browser, included: Included) -> None:
    """As it may be off."""
    turned(browser, "lint", enabled=True)
    finish(included.lost(SkillName("lint")))
    assert included.names() == ()
