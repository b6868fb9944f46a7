"""The entry point: parses the command line, runs one command, and turns whatever happens into an exit code.

Exit codes: 0 done, 1 findings or refused, 2 usage, 3 moved (stale, exists, absent), 4 failed; 130 interrupted, and 141
where nobody reads the output any more, both without a word but where a person's text is; so are 129 and 143, asked to
end while they write one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

import click

from kestrel_skills_core.domain.errors import SkillError

from .failures import (
    BROKEN_PIPE,
    DONE,
    FAILED,
    INTERRUPTED,
    USAGE,
    Ended,
    Misuse,
    Unwritten,
    error_object,
    exit_code,
    one_line,
)
from .invocation import BUDGET, COMPLETE, OUTPUT, PROGRAM, WHERE, Invocation, accepts, of
from .screen import let_go, writing

if TYPE_CHECKING:
    from .session import Connect

__all__ = ["cli", "main"]

_COMMANDS: Final = (
    "list",
    "show",
    "read",
    "search",
    "check",
    "clause",
    "new",
    "edit",
    "preview",
    "install",
    "adapt",
    "verify",
    "enable",
    "disable",
    "delete",
    "kept",
    "doctor",
    "serve",
    "tour",
    "completion",
)


class _Commands(click.Group):
    """The commands, in the order in which a person meets them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # the same
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f".commands.{cmd_name}", __package__).command
        return command


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001  # click's signature
    if wanted and not context.resilient_parsing:
        from .version import installed_version

        of(context).screen().line(f"{PROGRAM} {installed_version()}")
        context.exit()


@click.group(
    cls=_Commands,
    context_settings={"max_content_width": 100},
    invoke_without_command=True,
)
@accepts(*WHERE, *BUDGET, *OUTPUT)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Say which it is.")
@click.pass_context
def cli(context: click.Context) -> None:
    """Skills for Kestrel Sovereign agents: folders with a SKILL.md.

    Options that several commands share may stand before the command or after it.
    """
    if context.invoked_subcommand is None:
        of(context).screen().lines(context.get_help())


def main(
    argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None, connect: Connect | None = None
) -> int:
    """Run one command line, without the program's name, in an environment; gives the exit code.

    `connect` is how git is reached, if not as usual.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    invocation = Invocation(os.environ if environ is None else environ, connect=connect)
    _prepare_streams()
    try:
        with writing():
            code = _completed(invocation) if COMPLETE in invocation.environ else _run(arguments, invocation)
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Ended as error:
        return error.code
    except BrokenPipeError:
        let_go(sys.stdout)
        return BROKEN_PIPE
    except Unwritten as error:
        let_go(sys.stdout)
        _complain(invocation, str(error), error.fix)
        return FAILED
    return code


def _prepare_streams() -> None:
    """See that there are two streams, which can take any text.

    One that was closed when the program began is opened again, so that no file of ours takes its number: stderr to
    nowhere, and stdout for reading only, so that nothing is lost in silence.
    """
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115  # till the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # the same
    for stream in (sys.stdout, sys.stderr):
        # A name that the locale cannot spell must not be the end of a listing.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a text stream over bytes


def _completed(invocation: Invocation) -> int:
    """Tell a shell what could come next in a command line."""
    from click.shell_completion import shell_complete

    return shell_complete(cli, {"obj": invocation}, PROGRAM, COMPLETE, invocation.environ[COMPLETE])


def _run(arguments: list[str], invocation: Invocation) -> int:
    """Run the command; whatever goes wrong in it becomes one line, and one object where JSON is wanted."""
    # How to tell of a command line that cannot be read must be known before it is read.
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    invocation.given |= {name: True for name in ("json", "debug") if f"--{name}" in options}
    try:
        with cli.make_context(PROGRAM, arguments.copy(), obj=invocation) as context:
            return cli.invoke(context) or DONE
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        _tell(invocation, "usage", *_misuse(error))
        return USAGE
    except (BrokenPipeError, KeyboardInterrupt, Unwritten):
        raise
    except SkillError as error:
        _tell(invocation, error.code, str(error), error.fix)
        return exit_code(error)
    except Exception as error:  # noqa: BLE001  # the last line of defence: a defect is told in one line too
        _tell(invocation, "defect", f"unexpected {type(error).__name__}", "run it again with --debug, and report it")
        return FAILED


def _misuse(error: click.ClickException) -> tuple[str, str]:
    """What is wrong with the command line, and what to do about it."""
    if isinstance(error, Misuse):
        return error.message, error.fix
    message = error.format_message().rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    program = PROGRAM if context is None else context.command_path
    return message[:1].lower() + message[1:], f"see `{program} --help`"


def _tell(invocation: Invocation, code: str, message: str, fix: str) -> None:
    """Say what went wrong; called while it is being handled."""
    _complain(invocation, message, fix)
    if invocation.json:
        invocation.screen().members(error_object(code, message, fix))


def _complain(invocation: Invocation, message: str, fix: str) -> None:
    """Say on stderr what went wrong, and where, if that is wanted."""
    screen = invocation.screen()
    if invocation.debug:
        import traceback

        for line in traceback.format_exc().rstrip().split("\n"):
            screen.complain(line)
    screen.complain(one_line(message, fix))
