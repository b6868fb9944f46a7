"""An agent whose PostgreSQL server stands still for a while."""

from __future__ import annotations

import pytest

from tests.servers.postgres import Cluster

from .conftest import HomeOf
from .inside import Inside, booted

pytestmark = pytest.mark.host


def is_on(inside: Inside, name: str) -> bool:
    """Whether a listing says so."""
    return {each["name"]: each["enabled"] for each in inside.use("skill_list")["data"]["skills"]}[name]


def test_what_is_turned_off_while_the_server_is_silent_stays_off(lone: Cluster, home_of: HomeOf) -> None:
    """Off is answered, by a mark, and on is refused; with the server the table is back, and the mark still holds."""
    home = home_of()
    marks = home.skills / ".kestrel-internal"
    with booted(home, server=lone.address()) as inside:
        for name in ("rake", "hoe"):
            made = inside.use("skill_create", name=name, description="Use it.", body="Begin.\n", enabled=True)
            assert made["status"] == "ok"
        inside.until(lambda: is_on(inside, "rake") and is_on(inside, "hoe"))
        with lone.stopped():
            assert inside.use("skill_disable", name="rake")["status"] == "ok"
            assert inside.use("skill_enable", name="hoe")["data"]["reason_code"] == "state_unavailable"
            assert not is_on(inside, "hoe")
            assert len(list(marks.glob(".fail*"))) == 1
        inside.until(lambda: is_on(inside, "hoe"))
        assert not is_on(inside, "rake")
        assert inside.use("skill_enable", name="rake")["status"] == "ok"
        assert is_on(inside, "rake")
        assert list(marks.glob(".fail*")) == []
