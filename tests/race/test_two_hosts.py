"""Hosts, each a process of its own, that change one table on one server at the same time.

A row that all of them replace has one history: every replacement that was acknowledged was of what stood there, and
nothing stood there that was not. The rows that one of them alone changes read to it as a dictionary does.
"""

from __future__ import annotations

from functools import partial

import pytest

from kestrel_skills_adapters.sql.address import server_url
from kestrel_skills_adapters.sql.postgres import PostgresStates
from kestrel_skills_adapters.world import finish, inline
from kestrel_skills_core.domain.record import SkillState
from tests.servers.postgres import Cluster

from .siblings import together
from .tables import AGENT, WANTED, changing


def tell_history(url: str, hosts: int, turns: int) -> None:
    """The history of the row that all want, followed in a dictionary from the beginning, ends in what is there."""
    told, _ = together([partial(changing, url, which, turns) for which in range(hosts)])
    replaced = [each for one in told for each in one.replaced]
    after = dict(replaced)
    assert len(after) == len(replaced)  # nobody replaced what another had replaced before
    last: SkillState | None = None
    for _ in replaced:
        last = after.pop(last)
    rows = finish(PostgresStates(server_url(url), AGENT, offload=inline).rows())
    assert rows == {WANTED: last, **{key: state for one in told for key, state in one.own.items()}}
    refused = sum(one.refused for one in told)
    print(f"\n{hosts} hosts, {len(replaced)} replacements, {refused} refused")
    assert len(replaced) + refused == hosts * turns


def test_two_hosts_have_one_history(cluster: Cluster, database: str) -> None:
    """For a moment, from a table that is not there on."""
    tell_history(cluster.url(database), 2, 60)


@pytest.mark.race
def test_many_hosts_have_one_history(cluster: Cluster, database: str) -> None:
    """Six hosts, 2,000 changes each."""
    tell_history(cluster.url(database), 6, 2000)
