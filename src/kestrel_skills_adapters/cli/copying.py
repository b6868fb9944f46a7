"""A copy of what is kept, below an empty folder: byte for byte, and what is not in it is told."""

from __future__ import annotations

import os
from collections.abc import Iterator

from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.kept import KeptEntry, KeptListing

from .session import Session

__all__ = ["copied"]

_LONE = "kept"
"""What the copy of what is no folder is called."""
_KINDS = {"link": "it is a link", "other": "it is neither a file nor a folder"}


def copied(session: Session, listing: KeptListing, into: str) -> Iterator[tuple[KeptEntry, str]]:
    """Copy all that can be; gives each entry, and why it is not copied whole, if so.

    Files are read and written piece by piece. Executables stay such; times and owners do not.
    """
    for entry in listing.entries:
        target = os.path.join(into, _LONE if entry.path == "." else entry.path)
        if entry.kind == "folder":
            yield entry, (entry.path != "." and _folder(target)) or entry.unseen
        elif entry.kind == "file":
            yield entry, entry.unseen or _file(session, listing.token, entry, target)
        else:
            yield entry, _KINDS[entry.kind]


def _folder(target: str) -> str:
    try:
        os.mkdir(target)
    except OSError as error:
        return _unwritten(error)
    return ""


def _file(session: Session, token: str, entry: KeptEntry, target: str) -> str:
    mode = 0o777 if entry.executable else 0o666
    try:
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.writelines(session.kept_pieces(token, entry.path))
            written = file.tell()
    except OSError as error:
        return _unwritten(error)
    except SkillError as error:
        return str(error)
    return "" if written == entry.size else "it changed while it was copied"


def _unwritten(error: OSError) -> str:
    return f"it cannot be written: {os.strerror(error.errno or 0).lower()}"
