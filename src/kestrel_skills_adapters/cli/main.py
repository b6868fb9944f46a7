"""The entry point: parses the command line, runs one command, and turns whatever happens into an exit code.

Exit codes: 0 done, 1 findings or refused, 2 usage, 3 moved (stale, exists, absent), 4 failed; 130 interrupted, and 141
where nobody reads the output any more, both without a word.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final

import click

from kestrel_skills_core.domain.errors import SkillError

from .failures import BROKEN_PIPE, DONE, FAILED, INTERRUPTED, USAGE, Misuse, error_object, exit_code, one_line
from .invocation import BUDGET, COMPLETE, OUTPUT, PROGRAM, WHERE, Invocation, accepts

__all__ = ["cli", "main"]

_COMMANDS: Final = (
    "list",
    "show",
    "read",
    "search",
    "check",
    "clause",
    "enable",
    "disable",
    "doctor",
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

        click.echo(f"{PROGRAM} {installed_version()}")
        context.exit()


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
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
        click.echo(context.get_help())


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one command line, without the program's name, in an environment; gives the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    invocation = Invocation(os.environ if environ is None else environ)
    for stream in (sys.stdout, sys.stderr):
        # A name that the locale cannot spell must not be the end of a listing.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a text stream over bytes
    if instruction := invocation.environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {"obj": invocation}, PROGRAM, COMPLETE, instruction)
    try:
        code = _run(arguments, invocation)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return BROKEN_PIPE
    return code


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
    except (BrokenPipeError, KeyboardInterrupt):
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
    screen = invocation.screen()
    if invocation.debug:
        import traceback

        screen.note(traceback.format_exc().rstrip())
    screen.note(one_line(message, fix))
    if invocation.json:
        screen.members(error_object(code, message, fix))


def _let_go_of_stdout() -> None:
    """Let the interpreter's last flush go nowhere, instead of complaining that nobody reads."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
