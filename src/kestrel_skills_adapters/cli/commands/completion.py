"""`completion`: the script that teaches a shell to complete commands, options, and names of skills."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ..invocation import COMPLETE, PROGRAM

__all__ = ["command"]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    For bash: `eval "$(kestrel-skills completion bash)"` in ~/.bashrc.
    """
    complete = get_completion_class(shell)
    assert complete is not None
    click.echo(complete(context.find_root().command, {}, PROGRAM, COMPLETE).source())
