"""One run of the command line: the environment it sees, the options that were given, and what is built from them."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from attrs import define, field

from kestrel_skills_core.domain.text import escaped

from .failures import Misuse
from .progress import Progress
from .screen import Screen

if TYPE_CHECKING:
    from .session import Connect, Session

__all__ = ["BUDGET", "COMPLETE", "HELP", "OUTPUT", "PROGRAM", "WHERE", "Invocation", "accepts", "of", "quoted"]

PROGRAM: Final = "kestrel-skills"
COMPLETE: Final = "_KESTREL_SKILLS_COMPLETE"
"""The variable by which a shell asks for completions."""

_PLACES: Final = ("root", "shared", "state", "agent")
_SETTINGS: Final = (*_PLACES, "budget")

Command = TypeVar("Command", bound=Callable[..., Any])


@define
class Invocation:
    """What `click` carries from the group to the command; the later of two options wins."""

    environ: Mapping[str, str]
    given: dict[str, Any] = field(factory=dict)
    connect: Connect | None = field(default=None, kw_only=True)

    @property
    def json(self) -> bool:
        """Whether one JSON object is wanted."""
        return bool(self.given.get("json"))

    @property
    def debug(self) -> bool:
        """Whether a failure should show where it came from."""
        return bool(self.given.get("debug"))

    def session(self, *, found: bool = False) -> Session:
        """The skills that the options and the environment mean; `found` makes their usual place if it is not there.

        Raises:
            Misuse: One of them cannot be meant.
            StoreFailed: The usual place cannot be made.
        """
        from ..wiring import BadSetting, found_root, settings_of
        from .session import Session

        where = {name: value for name, value in self.given.items() if name in _SETTINGS}
        try:
            settings = settings_of(self.environ, **where)
        except BadSetting as error:
            raise Misuse(str(error), error.fix) from None
        if found:
            found_root(settings)
        return Session(settings, self.environ, Progress(sys.stderr, "folders looked at"), self.connect)

    def command(self, name: str, *arguments: str, **options: str | int | bool | None) -> str:
        """A command to print that means the same skills as this one: for a shell, with what was given to find them.

        An underscore that ends the name of an option is there for Python's sake; one that is false or none is left out.
        The password in a URL is left out too: it is to come from where the server's own programs have it.
        """
        places = {place: self.given.get(place) for place in _PLACES}
        if places["state"] is not None:
            from ..wiring import shown_state

            places["state"] = shown_state(places["state"])
        given = {**options, **places}
        words: list[str] = []
        for option, value in given.items():
            if value is not None and value is not False:
                words += [f"--{option.strip('_').replace('_', '-')}", *([] if value is True else [str(value)])]
        is_like_one = any(argument.startswith("-") for argument in arguments)
        words = [*words, "--", *arguments] if is_like_one else [*arguments, *words]
        return " ".join(map(quoted, [PROGRAM, name, *words]))

    def screen(self) -> Screen:
        """Where to write."""
        plain = bool(self.given.get("no_color")) or bool(self.environ.get("NO_COLOR"))
        return Screen(sys.stdout, sys.stderr, colour=not plain, environ=self.environ)


def quoted(word: str) -> str:
    """A word as a shell reads it, though all that cannot be seen in it is spelt out."""
    if escaped(word) == word:
        return shlex.quote(word)
    plain = (chr(byte) if chr(byte).isprintable() and byte < _ASCII else f"\\x{byte:02x}" for byte in os.fsencode(word))
    return "$'" + "".join(f"\\{each}" if each in ("'", "\\") else each for each in plain) + "'"


_ASCII: Final = 0x80


def of(context: click.Context) -> Invocation:
    """The run that a context belongs to."""
    found = context.find_object(Invocation)
    assert found is not None
    return found


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value is not None and value is not False and parameter.name is not None:
        of(context).given[parameter.name] = value


def _option(*names: str, **how: Any) -> Callable[[Command], Command]:
    return click.option(*names, expose_value=False, callback=_remember, **how)


def _explain(context: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001  # click's signature
    if wanted and not context.resilient_parsing:
        of(context).screen().lines(context.get_help())
        context.exit()


WHERE = (
    _option("--root", metavar="DIR", help="The agent's own skills. [$KESTREL_SKILLS_ROOT]"),
    _option("--shared", metavar="DIR", help="The host's shared skills. [$KESTREL_SHARED_SKILLS_DIR]"),
    _option(
        "--state",
        metavar="FILE|URL",
        help="What says what is on: a SQLite file, by default beside the root, or a postgresql:// server.",
    ),
    _option("--agent", metavar="DID", help="Whose rows of it are meant; by default `local`."),
)
BUDGET = (
    _option(
        "--budget",
        metavar="BYTES",
        type=click.IntRange(min=0),
        help="What the context clause may use. [$KESTREL_SKILLS_BUDGET_BYTES]",
    ),
)
HELP = click.option(
    "-h",
    "--help",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_explain,
    help="Show this message and exit.",
)
OUTPUT = (
    _option("--json", is_flag=True, default=None, help="Print one JSON object."),
    _option("--no-color", is_flag=True, default=None, help="No colour, on a terminal either. [$NO_COLOR]"),
    _option("--debug", is_flag=True, default=None, help="Show a traceback when something fails."),
)


def accepts(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Let a command take options that the group takes too, so that they may stand before it or after, and `--help`."""

    def decorate(command: Command) -> Command:
        command = HELP(command)
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
