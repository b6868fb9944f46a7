"""What a program of these tests finds outside: one host of that name, at a public address, where a test's server is.

Python runs this first where its folder is on the path. All else is as it is: the address is judged, the certificate is
checked for the name, and what comes is read by the code that reads it from any other server.
"""

from __future__ import annotations

import os
import socket
from typing import Any, Final

_NAME: Final = "git.example"
_ADDRESS: Final = "93.184.215.14"
_PORT: Final = os.environ.get("OUTSIDE_PORT")

_look_up: Final = socket.getaddrinfo
_connect: Final = socket.socket.connect


def getaddrinfo(host: Any, *more: Any, **named: Any) -> Any:
    """The addresses of a host."""
    return _look_up(_ADDRESS if host == _NAME else host, *more, **named)


def connect(self: socket.socket, address: Any) -> None:
    """Connect."""
    _connect(self, ("127.0.0.1", int(_PORT or 0)) if address[0] == _ADDRESS else address)


if _PORT is not None:
    socket.getaddrinfo = getaddrinfo
    socket.socket.connect = connect  # type: ignore[method-assign,assignment]
