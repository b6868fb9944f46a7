"""`kept`: what people wrote that met one of our changes; look at it, take it back, or let go of it."""

from __future__ import annotations

import os

import click

from ..failures import Misuse
from ..invocation import OUTPUT, WHERE, Invocation, accepts, of
from ..session import Session

__all__ = ["command"]


@click.command("kept", short_help="Take care of what people wrote that met a change.")
@accepts(*WHERE, *OUTPUT)
@click.argument("token", required=False)
@click.option("--into", metavar="DIR", help="Copy what is kept into a new folder.")
@click.option("--restore", is_flag=True, help="Bring a kept folder back under its own name, if that is free.")
@click.option("--discard", is_flag=True, help="Remove it for ever.")
@click.pass_context
def command(context: click.Context, token: str | None, into: str | None, restore: bool, discard: bool) -> None:  # noqa: FBT001  # click's signature
    """List, or take care of, what is kept of a person's.

    Where somebody wrote a file at the very moment in which it was changed here, their bytes are kept and never removed
    by themselves. Without TOKEN they are listed; with it they are shown.
    """
    invocation = of(context)
    wishes = sum((into is not None, restore, discard))
    if wishes > 1 or (wishes and token is None):
        raise Misuse("--into, --restore and --discard exclude each other, and need a TOKEN", "give one of each")
    session = invocation.session()
    if token is None:
        _list(invocation, session)
    elif into is not None:
        _copy(invocation, session.kept_files(token), into)
    elif restore:
        name = session.restore(token)
        _tell(invocation, {"token": token, "restored": name}, f"{name} is back")
    elif discard:
        session.discard(token)
        _tell(invocation, {"token": token, "discarded": True}, f"{token} is gone for ever")
    else:
        _show(invocation, session.kept_files(token))


def _list(invocation: Invocation, session: Session) -> None:
    screen, kept = invocation.screen(), session.kept()
    if invocation.json:
        screen.members({"kept": [{"token": each.token, "name": each.name, "kind": each.kind} for each in kept]})
        return
    screen.rows(("token", "kind", "name"), [(each.token, each.kind, each.name) for each in kept], [""] * len(kept))
    if not kept:
        screen.note("nothing is kept")


def _show(invocation: Invocation, files: dict[str, bytes]) -> None:
    screen = invocation.screen()
    if invocation.json:
        screen.members({"files": {path: data.decode("utf-8", "backslashreplace") for path, data in files.items()}})
    elif list(files) == ["."]:
        screen.text(files["."])
    else:
        for path, data in sorted(files.items()):
            screen.line(f"{path} ({len(data):,} bytes)")


def _copy(invocation: Invocation, files: dict[str, bytes], into: str) -> None:
    """Write every file anew below a folder that is not there yet."""
    try:
        os.mkdir(into)
        for path, data in files.items():
            target = os.path.join(into, "kept" if path == "." else path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "xb") as file:
                file.write(data)
    except OSError as error:
        why = os.strerror(error.errno or 0).lower()
        raise Misuse(
            f"{click.format_filename(into)} cannot be written: {why}", "name a new folder, in one that you can write"
        ) from None
    _tell(invocation, {"into": into, "files": len(files)}, f"{len(files)} files are in {into}")


def _tell(invocation: Invocation, members: dict[str, object], line: str) -> None:
    if invocation.json:
        invocation.screen().members(members)
    else:
        invocation.screen().line(line)
