"""The rows of the 0.1.0 release."""

from __future__ import annotations

import pytest

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_adapters.memory.files import Entry, Odd
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Create, SetState
from kestrel_skills_core.domain.errors import SkillError, SourceUnavailable, StateUnavailable
from kestrel_skills_core.domain.folder import render_marker
from kestrel_skills_core.domain.names import Generation, SkillName, parse_address
from kestrel_skills_core.domain.record import SkillState, Subject
from kestrel_skills_core.domain.state_row import StateKey
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.ports.store import Fence

from .shelf import ROOT, Shelf, from_git, shelf, skill

LINT = SkillName("lint")
ROW, SHARED_ROW = StateKey(LINT), StateKey(LINT, shared=True)
BORN = Generation("b1" * 32)
"""As the release before wrote them: all digits random."""
MARKED: dict[str, Entry] = {".kestrel-generation": Content(render_marker(BORN))}
LEFT_ON = SkillState(enabled=True, priority=7)
SETTLED = SkillState(enabled=True, priority=7, subject=Subject())
OURS = SkillState(enabled=True, priority=7, subject=Subject(generation=BORN))
THEIRS = SkillState(enabled=True, priority=7, subject=Subject(root=ROOT))


def adopt(on: Shelf) -> dict[StateKey, SkillState]:
    """Start; gives the table after."""
    finish(on.library.adopt())
    return dict(finish(on.states.rows()))


def enabled(on: Shelf) -> list[str]:
    """The skills that are on, each as name@source."""
    return [f"{record.name}@{record.source}" for record in finish(on.library.catalog()).catalog.enabled]


def left_on(on: Shelf, state: SkillState = LEFT_ON) -> Shelf:
    """The same, with the row that 0.1.0 left."""
    finish(on.states.put(ROW, state))
    return on


def test_a_folder_that_was_marked_then_is_on_now() -> None:
    """The row says what it turned on, and keeps its place."""
    on = left_on(shelf({"lint": skill("lint") | MARKED}, {"lint": skill("lint")}))
    assert enabled(on) == []
    assert adopt(on) == {ROW: OURS}
    assert enabled(on) == ["lint@agent-local"]


def test_a_folder_that_was_marked_since_is_not() -> None:
    """Whoever marked it first, a listing of another agent or of ours, nobody turned it on."""
    on = left_on(shelf({"lint": skill("lint")}))
    finish(on.library.catalog())
    assert adopt(on) == {ROW: SETTLED}
    assert enabled(on) == []


def test_a_folder_that_was_made_since_is_not() -> None:
    """Neither is a skill that was created here before the row was looked at."""
    on = left_on(shelf(), SkillState(enabled=True))
    finish(on.library.create(Create.written(LINT, "Use.", "Run.")))
    assert adopt(on) == {ROW: SkillState(enabled=True, subject=Subject())}
    assert enabled(on) == []


@pytest.mark.parametrize("local", [{}, {"lint": from_git("lint") | MARKED}])
def test_a_shared_skill_is_on_by_a_row_of_its_own(local: dict[str, dict[str, Entry]]) -> None:
    """What resolved then resolves now, over a copy from git too; the old row stays, and turns on nothing."""
    on = left_on(shelf(local, {"lint": skill("lint")}))
    assert adopt(on) == {ROW: SETTLED, SHARED_ROW: THEIRS}
    assert enabled(on) == ["lint@host-shared"]


def test_a_shared_row_that_is_there_is_not_written_over() -> None:
    """Somebody decided it since."""
    on = left_on(shelf({}, {"lint": skill("lint")}))
    finish(on.states.put(SHARED_ROW, SkillState(subject=Subject(root=ROOT))))
    assert adopt(on) == {ROW: SETTLED, SHARED_ROW: SkillState(subject=Subject(root=ROOT))}
    assert enabled(on) == []


def test_what_was_looked_at_once_is_not_looked_at_again() -> None:
    """A folder or shared skill that appears later is off, whatever its marker says."""
    on = left_on(shelf())
    assert adopt(on) == {ROW: SETTLED}
    on.local.folders["lint"] = skill("lint") | MARKED
    on.shared.folders["lint"] = skill("lint")
    assert adopt(on) == {ROW: SETTLED}
    assert enabled(on) == []


@pytest.mark.parametrize("local", [{"lint": MARKED}, {"lint": Content(b"a file")}])
def test_what_is_no_skill_is_not_on(local: dict[str, dict[str, Entry]]) -> None:
    """A rejected folder holds its name, and is adopted by nothing."""
    assert adopt(left_on(shelf(local))) == {ROW: SETTLED}


@pytest.mark.parametrize("state", [SkillState(priority=7), OURS, SETTLED])
def test_other_rows_are_left_alone(state: SkillState) -> None:
    """What is off, and what says what it speaks of, or that it speaks of nothing, stays; nothing is surveyed for it."""
    on = left_on(shelf({"lint": skill("lint") | MARKED}), state)
    assert adopt(on) == {ROW: state}
    assert on.local.asked == []


def test_a_row_of_the_shared_root_alone_is_left_alone() -> None:
    """The release before had none."""
    on = shelf({}, {"lint": skill("lint")})
    finish(on.states.put(SHARED_ROW, LEFT_ON))
    assert adopt(on) == {SHARED_ROW: LEFT_ON}
    assert enabled(on) == []


def test_a_mark_holds_against_adoption() -> None:
    """The row is adopted, and the name is off until somebody turns it on."""
    on = left_on(shelf({"lint": skill("lint") | MARKED}))
    on.local.fence(LINT, Fence(priority=7, reason="it was turned off"), cancelled=never)
    assert adopt(on) == {ROW: OURS}
    assert enabled(on) == []


def test_nothing_is_decided_while_something_cannot_be_read() -> None:
    """A root that is away, marks or a table that cannot be read: the next start tries again."""
    on = left_on(shelf({"lint": skill("lint") | MARKED}))
    on.shared.problem = SourceUnavailable("host-shared", "it is away")
    assert adopt(on) == {ROW: LEFT_ON}
    on.shared.problem, on.local.blind = None, True
    assert adopt(on) == {ROW: LEFT_ON}
    on.local.blind, on.states.unavailable = False, StateUnavailable("it is away")
    assert finish(on.library.adopt()) == {}
    on.states.unavailable = None
    assert adopt(on) == {ROW: OURS}


def test_turning_it_on_or_off_before_the_start_counts() -> None:
    """A row that somebody wrote is a row of this release."""
    on = left_on(shelf({"lint": skill("lint")}))
    finish(on.library.set_state(SetState(address=parse_address("lint"), enabled=False)))
    assert not adopt(on)[ROW].enabled
    finish(on.library.set_state(SetState(address=parse_address("lint"), enabled=True)))
    assert adopt(on)[ROW].subject is not None
    assert enabled(on) == ["lint@agent-local"]


def test_a_table_that_cannot_be_written_says_so() -> None:
    """What was not written waits for the next start."""
    on = left_on(shelf({"lint": skill("lint") | MARKED}))
    put = on.states.put

    async def fails(key: StateKey, state: SkillState) -> None:
        raise StateUnavailable("it is read-only")

    on.states.put = fails  # type: ignore[method-assign]
    with pytest.raises(SkillError):
        finish(on.library.adopt())
    on.states.put = put  # type: ignore[method-assign]
    assert adopt(on) == {ROW: OURS}


@pytest.mark.parametrize(
    "unread",
    [
        skill("lint") | {".kestrel-generation": Odd("file", "the disk reports an error")},
        skill("lint") | MARKED | {"notes.md": Odd("file", "the disk reports an error")},
        Odd("folder", "the disk reports an error"),
    ],
    ids=["marker", "file", "folder"],
)
def test_a_name_of_which_something_cannot_be_read_waits(unread: dict[str, Entry] | Odd) -> None:
    """An error that passes decides nothing for ever; others do not wait for it."""
    on = left_on(shelf({"lint": unread, "pdf": skill("pdf") | MARKED}))
    other = StateKey(SkillName("pdf"))
    finish(on.states.put(other, LEFT_ON))
    assert adopt(on) == {ROW: LEFT_ON, other: OURS}
    on.local.folders["lint"] = skill("lint") | MARKED
    assert adopt(on) == {ROW: OURS, other: OURS}
