"""What is asked of the runner of the live suites: which of them, on which port; or why that cannot be."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir
from typing import Final, NamedTuple

from tests.e2e.browsers import CHROMIUM
from tests.host.installed import host_version

from .evidence import MODEL, PROVIDER, NoEvidence, pinned

__all__ = ["PORT", "SUITES", "USAGE", "Asked", "Here", "Refused", "asked", "is_free", "look", "may_begin", "port_of"]

SUITES: Final = ("skills", "core-only", "live-path")
PORT: Final = "KESTREL_E2E_PORT"
_USUAL: Final = 8897
_PORTS: Final = range(1024, 65536)
_LONGEST: Final = 36
"""Bytes of a path: that of a socket has 107, of which the suite's folder takes 26 and the browser 45."""

USAGE: Final = f"""\
Usage: tests/e2e/run-live-suite.sh skills | core-only | live-path

Incepts a test agent in a temporary home, starts the host that is installed beside this Python over it, and uses it.
Then nothing of it is left: no process and no folder, whatever ended it.

  skills     the panel in the host's Console, in a real browser; no model is asked
  core-only  the Console without this feature is what it is without this package; no model is asked
  live-path  a hosted model uses a skill; it costs a few requests to it

Environment:
  {PORT}              where the host listens, on 127.0.0.1; {_USUAL} if it is not said
  CHROMIUM                      the browser; /usr/bin/chromium if it is not said
  PYTHON                        the Python; python3 if it is not said
  TMPDIR                        where the temporary home is made; /tmp if it is not said
  {PROVIDER}  of live-path: the route of the model that has to answer, such as anthropic:api
  {MODEL}     of live-path: its name, a Claude Haiku or GPT-5.6 Luna; beside it, the key of its route

Ends with 0 if all of it passed, 1 if not, 2 if it did not begin, and 128 and the number of a signal that ended it.
"""


class Refused(Exception):
    """The suite does not begin; the text says why, and how to mend it, in one line."""


class Asked(NamedTuple):
    """A suite, and the port its host is to have."""

    suite: str
    port: int


class Here(NamedTuple):
    """What there is where a suite is to run."""

    system: str
    host: str | None
    """The release of the host that is installed."""
    has_driver: bool
    """Of the browser."""
    has_browser: bool
    port_is_free: bool
    room: str
    """The folder in which the suite's own would be made."""


def asked(words: Sequence[str], environ: Mapping[str, str]) -> Asked:
    """What the words of a command line and an environment ask for.

    Raises:
        Refused: Not one suite, or a port that is none.
    """
    if len(words) != 1 or words[0] not in SUITES:
        raise Refused(f"name one suite of {', '.join(SUITES)}; --help says more")
    return Asked(words[0], port_of(environ))


def port_of(environ: Mapping[str, str]) -> int:
    """The port that an environment names, or the usual one.

    Raises:
        Refused: It is none that a person may have.
    """
    named = environ.get(PORT) or str(_USUAL)
    if not (re.fullmatch("[0-9]{1,5}", named) and int(named) in _PORTS):
        raise Refused(f"{PORT}={named[:40]!r} is no port: name one from {_PORTS.start} to {_PORTS.stop - 1}")
    return int(named)


def may_begin(wanted: Asked, here: Here, environ: Mapping[str, str]) -> None:
    """See that what a suite needs is there.

    Raises:
        Refused: It is not; or the suite asks a model, and none is pinned that counts.
    """
    if wanted.suite == "live-path":
        try:
            pinned(environ)
        except NoEvidence as why:
            raise Refused(str(why)) from why
    needed = {
        "this is not Linux, where alone it is sure that nothing is left behind": here.system == "linux",
        "no host is installed beside this Python: run `nox -s live`, which installs one": here.host is not None,
        "the browser's driver is not installed beside this Python: run `nox -s live`, which does that": here.has_driver,
        f"there is no browser {CHROMIUM}: install Debian's chromium, or name one in CHROMIUM": here.has_browser,
        f"the path {here.room} leaves the browser no room for that of its socket: set TMPDIR to a shorter one": (
            len(os.fsencode(here.room)) <= _LONGEST
        ),
        f"port {wanted.port} is in use: end what listens there, or name another in {PORT}": here.port_is_free,
    }
    for lacking, is_there in needed.items():
        if not is_there:
            raise Refused(lacking)


def look(port: int) -> Here:
    """What there is here, and now."""
    has_driver = find_spec("playwright") is not None
    return Here(sys.platform, host_version(), has_driver, Path(CHROMIUM).exists(), is_free(port), gettempdir())


def is_free(port: int) -> bool:
    """Whether a server could listen there now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # one that ended a minute ago is no hindrance
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
