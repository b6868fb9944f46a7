"""A process that changes rows of one table, as a host does: some that are its own, and one that all want."""

from __future__ import annotations

import asyncio
import random
from contextlib import closing
from typing import Final

from attrs import define, field

from kestrel_skills_adapters.sql.hosted import HostedStates
from kestrel_skills_core.domain.names import Generation, SkillName
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from tests.servers.hosts import on_postgres

__all__ = ["AGENT", "WANTED", "Told", "changing", "numbered"]

AGENT: Final = "did:test:abc"
WANTED: Final = StateKey(SkillName("wanted"))
_SUBJECT: Final = Subject(generation=Generation("a1" * 32))


def numbered(number: int) -> SkillState:
    """A state like no other."""
    return SkillState(enabled=True, priority=number, subject=_SUBJECT)


@define
class Told:
    """What one process was told: each replacement of the row that all want, and how its own rows stand."""

    replaced: list[tuple[SkillState | None, SkillState]] = field(factory=list)
    refused: int = 0
    own: dict[StateKey, SkillState] = field(factory=dict)


def changing(url: str, which: int, turns: int) -> Told:
    """Change rows so many times, and check after each that the rows of its own read as a dictionary does."""
    return asyncio.run(_changing(url, which, turns))


async def _changing(url: str, which: int, turns: int) -> Told:
    told, chance = Told(), random.Random(which)
    keys = [StateKey(SkillName(f"own-{which}-{number}"), shared=False) for number in range(3)]
    with closing(on_postgres(url)) as handle:
        table = HostedStates(lambda: handle, AGENT)
        for turn in range(turns):
            new = numbered(which * turns + turn)
            await _change_own(table, told.own, chance.choice(keys), new, chance)
            seen = (await table.rows(WANTED.name)).get(WANTED)
            if await table.replace(WANTED, new, seen=seen):
                told.replaced.append((seen, new))
            else:
                told.refused += 1
            rows = await table.rows()
            assert {key: state for key, state in rows.items() if key in keys} == told.own
    return told


async def _change_own(
    table: HostedStates, own: dict[StateKey, SkillState], key: StateKey, new: SkillState, chance: random.Random
) -> None:
    """Put, replace or drop a row that nobody else touches, and do the same to the dictionary."""
    match chance.randrange(4):
        case 0:
            await table.put(key, new)
            own[key] = new
        case 1:
            assert await table.replace(key, new, seen=own.get(key))
            own[key] = new
        case 2:
            assert not await table.replace(key, new, seen=numbered(-1))
        case _:
            await table.drop(key, seen=own.pop(key, numbered(-1)))
