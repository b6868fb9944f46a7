"""`new`: make a skill, from a template in an editor, or from a text that is given."""

from __future__ import annotations

from typing import Final

import click

from kestrel_skills_core.domain.commands import Create
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.names import DOCUMENT, SkillName, skill_name
from kestrel_skills_core.domain.record import PRIORITIES, SkillRecord, SkillState

from ..changes import FROM, asked, begin, problem, refusal, shown
from ..draft import drafted, given_text
from ..failures import FOUND
from ..invocation import BUDGET, OUTPUT, WHERE, Invocation, accepts, of
from ..owned import owned

__all__ = ["command"]

_TEMPLATE: Final = """\
---
name: {name}
description: "Use when ..."
---

# {title}

What this is for, in a sentence, and how to tell that it is done.

## Steps

1. The first thing to do, and how to see that it worked.
2. The next. Details that are not always needed belong in a file beside this one: [checklist](checklist.md).

## Not this way

- What looks right and is not, and why.
"""


@click.command("new", short_help="Make a skill.")
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.argument("name", metavar="NAME")
@FROM
@click.option("--enabled", is_flag=True, help="Switch it on at once.")
@click.option(
    "--priority",
    type=click.IntRange(PRIORITIES[0], PRIORITIES[-1]),
    default=SkillState().priority,
    metavar="N",
    help="Its place in the clause, lower first; by default 100.",
)
@click.pass_context
def command(context: click.Context, name: str, source: str | None, enabled: bool, priority: int) -> int:  # noqa: FBT001  # click's signature
    """Make a skill. Without --from, a template opens in $VISUAL or $EDITOR; what you leave in it is the SKILL.md."""
    invocation = of(context)
    wanted = skill_name(name)
    if enabled or priority != SkillState().priority:
        owned(invocation, invocation.session()).refuse_guess()
    if source is not None:
        return _make(invocation, Create(name=wanted, document=given_text(source), enabled=enabled, priority=priority))
    invocation.session()  # what cannot be meant is refused before anybody writes a text
    template = _TEMPLATE.format(name=wanted, title=_title(wanted)).encode()
    screen = invocation.screen()

    def going_on(text: str) -> str:
        place = None if priority == SkillState().priority else priority
        return invocation.command("new", wanted, from_=text, enabled=enabled, priority=place)

    with drafted(screen, DOCUMENT, template, going_on) as draft:
        while True:
            document = draft.edited(invocation.environ)
            if document == template:
                draft.drop()
                screen.note("nothing was made: the template is as it was")
                return FOUND
            try:
                code = _make(invocation, Create(name=wanted, document=document, enabled=enabled, priority=priority))
            except SkillError as error:
                code = refusal(invocation, error, text=draft.path)
                if asked("edit it again?"):
                    continue
                screen.note(f"your text is in {draft.path}; mend it, then:")
                screen.note(f"  {going_on(draft.path)}")
                return code
            draft.drop()
            return code


def _make(invocation: Invocation, command: Create) -> int:
    screen = invocation.screen()
    session = invocation.session(found=True)
    begin(session, invocation)
    outcome = session.create(command)
    record = outcome.found
    assert isinstance(record, SkillRecord), "what was published resolves"
    if invocation.json:
        screen.members(shown(session, record))
    else:
        screen.line(f"{command.name} is made, {'on' if record.enabled else 'off'}")
    if command.enabled or command.priority != SkillState().priority:
        owned(invocation, session).note(screen)
    return problem(screen, outcome.problem)


def _title(name: SkillName) -> str:
    return name.replace("-", " ").replace("_", " ").capitalize()
