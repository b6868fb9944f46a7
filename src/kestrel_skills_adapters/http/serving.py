"""The server of the application that stands alone: on this machine only, and gone when it is told to go."""

from __future__ import annotations

import asyncio
import errno
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
"""Seconds that requests which run may take to end, when the server is told to go."""
_ENDS: Final = (signal.SIGINT, signal.SIGTERM)


class Forbidden(Exception):
    """Nobody may listen at that port, or not this user."""


class _Server(uvicorn.Server):
    """One that leaves signals to us: its own would end the process as if it had failed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def serve(desk: Desk, port: int, listening: Callable[[str], None]) -> None:
    """Serve one agent's skills on a port, 0 for any that is free, until SIGINT or SIGTERM.

    `listening` is told the address to open, with the token behind `#`, once the server answers.

    Raises:
        Busy: Another listens there.
        Forbidden: This user may not.
    """
    listener = _listener(port)
    try:
        asyncio.run(_serve(desk, listener, listening))
    finally:
        listener.close()


async def _serve(desk: Desk, listener: socket.socket, listening: Callable[[str], None]) -> None:
    port, token = listener.getsockname()[1], secrets.token_urlsafe(32)
    app = standalone(desk, token=token, hosts=names_of(port))
    config = uvicorn.Config(
        app.gated,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
        ws="none",
    )
    server = _Server(config)

    def end() -> None:
        server.force_exit, server.should_exit = server.should_exit, True

    loop = asyncio.get_running_loop()
    for number in _ENDS:
        loop.add_signal_handler(number, end)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not (server.started or serving.done()):  # noqa: ASYNC110 - it tells nobody when it has started
        await asyncio.sleep(0.01)
    if server.started:
        listening(f"http://{_ADDRESS}:{port}/#token={token}")
    try:
        await serving
    finally:
        await desk.jobs.stop()


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
