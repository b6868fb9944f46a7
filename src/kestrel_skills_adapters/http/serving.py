"""The server of the application that stands alone: on this machine only, and gone when it is told to go."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import secrets
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn

from kestrel_skills_core.domain.errors import Busy

from .app import names_of, standalone
from .desk import Desk

__all__ = ["Forbidden", "serve"]

_ADDRESS: Final = "127.0.0.1"
_BACKLOG: Final = 128
_PATIENCE: Final = 3
"""Seconds that requests which run may take to end, when the server is told to go; then they are cancelled."""
_LIMIT: Final = 5
"""Seconds after which it has gone, whatever still runs."""
_ENDS: Final = (signal.SIGINT, signal.SIGTERM)

_log = logging.getLogger(__name__)


class Forbidden(Exception):
    """Nobody may listen at that port, or not this user."""


class _Server(uvicorn.Server):
    """One that leaves signals to us: its own would end the process as if it had failed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def serve(desk: Desk, port: int, listening: Callable[[str], None]) -> bool:
    """Serve one agent's skills on a port, 0 for any that is free, until SIGINT or SIGTERM.

    `listening` is told the address to open, with the token behind `#`, once the server answers. Told to go, the server
    lets what runs end for a few seconds; told again, it goes at once. Gives whether all has ended: if not, a thread
    still works, for which the interpreter would wait at its end, and the caller may not want to.

    Raises:
        Busy: Another listens there.
        Forbidden: This user may not.
    """
    listener = _listener(port)
    runner, has_ended = asyncio.Runner(), True
    try:
        has_ended = runner.run(_serve(desk, listener, listening))
    finally:
        listener.close()
        if has_ended:
            runner.close()
    return has_ended


async def _serve(desk: Desk, listener: socket.socket, listening: Callable[[str], None]) -> bool:
    port, token = listener.getsockname()[1], secrets.token_urlsafe(32)
    app = standalone(desk, token=token, hosts=names_of(port))
    config = uvicorn.Config(
        app.gated,
        log_config=None,
        log_level="critical",  # what it could not read, and what it cancelled; it would be told with paths
        access_log=False,
        backlog=_BACKLOG,
        http="h11",  # not whatever else is installed: the limits are its own
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
        ws="none",
    )
    server, gone = _Server(config), asyncio.Event()
    loop = asyncio.get_running_loop()

    def end() -> None:
        if server.should_exit:
            gone.set()
        server.should_exit = True
        loop.call_later(_LIMIT, gone.set)

    for number in _ENDS:
        loop.add_signal_handler(number, end)
    # Where no file can be opened any more, it would be told for each that waits, with paths.
    loop.set_exception_handler(lambda _, told: _log.debug("%s", told["message"], exc_info=told.get("exception")))
    ending, going = asyncio.create_task(_ended(server, listener, desk)), asyncio.create_task(gone.wait())
    while not (server.started or ending.done()):  # noqa: ASYNC110 - it tells nobody when it has started
        await asyncio.sleep(0.01)
    if server.started:
        listening(f"http://{_ADDRESS}:{port}/#token={token}")
    await asyncio.wait((ending, going), return_when=asyncio.FIRST_COMPLETED)
    if ending.done():
        ending.result()
    return ending.done()


async def _ended(server: uvicorn.Server, listener: socket.socket, desk: Desk) -> None:
    """The server has gone, and all that ran has ended."""
    await server.serve(sockets=[listener])
    await desk.jobs.stop()
    while requests := set(server.server_state.tasks):
        await asyncio.wait(requests)


def _listener(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_ADDRESS, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno != errno.EADDRINUSE:
            raise Forbidden(os.strerror(error.errno or 0).lower()) from None
        busy = Busy(f"port {port}")
        busy.fix = "name another with --port, or none"
        raise busy from None
    return listener
