"""`completion`: the script that teaches a shell to complete commands, options, and names of skills."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ..invocation import COMPLETE, HELP, PROGRAM, of

__all__ = ["command"]


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@HELP
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script by which a shell completes commands, options and names of skills.

    \b
    bash, in ~/.bashrc:  eval "$(kestrel-skills completion bash)"
    zsh, in ~/.zshrc:    eval "$(kestrel-skills completion zsh)"
    fish, in ~/.config/fish/config.fish:  kestrel-skills completion fish | source
    """  # noqa: D301  # the backspace tells click to keep the lines
    complete = get_completion_class(shell)
    assert complete is not None
    of(context).screen().lines(complete(context.find_root().command, {}, PROGRAM, COMPLETE).source())
