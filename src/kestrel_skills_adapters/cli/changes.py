"""What the commands that change a skill have in common: how they tell what came of it."""

from __future__ import annotations

import sys
from typing import Any, Final

import click

from kestrel_skills_core.domain.errors import BadDocument, SkillError, StaleRevision
from kestrel_skills_core.domain.names import Revision, digest
from kestrel_skills_core.domain.record import Rejection, SkillRecord

from ..records import Shown, adaptation_members, finding_members
from .failures import DONE, error_object, exit_code, one_line
from .invocation import Invocation
from .screen import Screen
from .session import Session

__all__ = [
    "FROM",
    "IF_MATCH",
    "asked",
    "begin",
    "differences",
    "digest_given",
    "problem",
    "refusal",
    "resolves",
    "revision_given",
    "short",
    "shown",
]

_SHORT: Final = 12


def revision_given(_: click.Context, __: click.Parameter, value: str | None) -> Revision | None:
    """The revision of what is here, on the command line."""
    return _given(value, "a revision is 64 hex digits; `show` prints it")


def digest_given(_: click.Context, __: click.Parameter, value: str | None) -> Revision | None:
    """The digest of what would land, on the command line."""
    return _given(value, "a digest is 64 hex digits; `preview` prints it")


def _given(value: str | None, else_: str) -> Revision | None:
    """Digits from elsewhere, in letters of either case."""
    if value is None:
        return None
    if digest(value.lower()) is None:
        raise click.BadParameter(else_)
    return Revision(value.lower())


FROM = click.option("--from", "source", metavar="FILE", help="Take the text from a file, or from stdin for `-`.")
IF_MATCH = click.option(
    "--if-match", "seen", metavar="REVISION", callback=revision_given, help="Only if this is still what is there."
)


def begin(session: Session, invocation: Invocation) -> None:
    """Sweep before a folder is changed; say on stderr what a person is to know of it.

    A sweep that fails is left to `doctor`, and to the change itself, which meets the same disk.
    """
    try:
        swept = session.sweep()
    except SkillError:
        return
    screen = invocation.screen()
    for name in swept.restored:
        screen.note(f"note: {name} is back: it had changed when its deletion was cut short")
    for token in swept.kept:
        screen.note(
            f"note: a person's bytes met a change and are kept; to see them: `{invocation.command('kept', token)}`"
        )


def asked(question: str) -> bool:
    """Whether a person says yes; without one to ask, no."""
    if not sys.stdin.isatty():
        return False
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def shown(session: Session, found: SkillRecord | Rejection) -> dict[str, Any]:
    """A skill as `list --json` shows it."""
    observed = session.observe()
    return Shown(session.library.agent, observed.clause(session.library.budget).included).found(found)


def resolves(name: str, found: SkillRecord | Rejection | None) -> str:
    """What a name means, in words."""
    if found is None:
        return f"nothing is called {name}"
    if isinstance(found, Rejection):
        return f"{name} is a rejected folder of {found.source}"
    return f"{name} is the one of {found.source}, {'on' if found.enabled else 'off'}"


def _explain(invocation: Invocation, error: SkillError) -> None:
    """Say on stderr all that is behind the one line of a refusal."""
    screen = invocation.screen()
    if isinstance(error, BadDocument):
        for fault in error.faults:
            screen.note(f"{fault}; fix: {fault.fix}")
        for line in () if error.adaptation is None else error.adaptation.lines:
            screen.note(f"adapted: {line}")
    if isinstance(error, StaleRevision) and error.kept:
        look = invocation.command("kept", error.kept)
        screen.note(f"a person's bytes met the change and are kept; to see them: `{look}`")


def refusal(invocation: Invocation, error: SkillError, **more: Any) -> int:
    """Tell of a refusal whose object holds more than an error's own members; gives the exit code."""
    screen = invocation.screen()
    _explain(invocation, error)
    screen.note(one_line(str(error), error.fix))
    if invocation.json:
        members: dict[str, Any] = {**error_object(error.code, str(error), error.fix)["error"], **more}
        if isinstance(error, BadDocument):
            members["faults"] = [finding_members(fault) for fault in error.faults]
            if error.adaptation is not None:
                members["adaptation"] = adaptation_members(error.adaptation)
        screen.members({"error": members})
    return exit_code(error)


def differences(screen: Screen, before: bytes, after: bytes, title: str) -> None:
    """Show on stderr what became of a text, line by line."""
    from difflib import unified_diff

    screen.note(f"--- {title}")
    was, now = (text.decode("utf-8", "backslashreplace").splitlines() for text in (before, after))
    for line in list(unified_diff(was, now, lineterm="", n=1))[2:]:
        screen.note(line)


def problem(screen: Screen, error: SkillError | None) -> int:
    """Say what could not be done after the change itself was; gives the exit code."""
    if error is None:
        return DONE
    screen.note(one_line(str(error), error.fix))
    return exit_code(error)


def short(revision: str | None) -> str:
    """The beginning of a revision, enough to tell it from another by eye."""
    return (revision or "")[:_SHORT]
