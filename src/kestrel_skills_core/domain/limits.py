"""Every cap this library enforces, in one value.

The figures are the seed's and `docs/limits.md` explains each. A cap that is crossed is a refusal that names the
cap, the figure allowed and the figure found. Nothing of a skill is cut to fit unless it is to be adapted; what is said
about one may be, and then says so.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

__all__ = ["LIMITS", "Limits"]


@frozen(kw_only=True)
class Limits:
    """Caps in bytes, characters, or counts, as each name says."""

    frontmatter_bytes: int = 8 * 1024
    """Checked before any YAML is read."""
    file_bytes: int = 256 * 1024
    """One file, `SKILL.md` with its frontmatter included."""
    skill_bytes: int = 2 * 1024 * 1024
    """All inventoried files of one skill together."""
    skill_entries: int = 512
    """Inventoried files and folders of one skill together."""
    skill_depth: int = 32
    """Folders between a skill and its deepest file, the file's own level included."""
    path_bytes: int = 1024
    """One resource path, as UTF-8."""
    root_entries: int = 4096
    """Immediate entries of one source root, hidden ones included."""
    description_chars: int = 1024
    """After white space was folded."""
    findings: int = 64
    """Findings reported for one folder, its text included; where there are more, those that matter most."""
    looked_entries: int = 4096
    """Entries of one skill folder that are looked at, left-out ones included; a folder with more is refused unseen."""
    seek_depth: int = 64
    """Folders between a path that is searched for skills and the deepest folder that is looked into."""
    kept_entries: int = 65536
    """Entries of what is kept of a person's, under one token, that are listed; of more, the listing says so."""
    kept_depth: int = 64
    """Levels of what is kept that are listed, what is kept itself not counted; of deeper ones, the listing says so."""
    piece_bytes: int = 1024 * 1024
    """What is kept, of whatever size, is given in pieces of so many bytes."""
    marker_bytes: int = 256
    """`.kestrel-generation`."""
    provenance_bytes: int = 256 * 1024
    """`.kestrel-provenance.json`; it may hold a lifted frontmatter of 8 KiB, escaped, and a digest for each file."""
    clause_bytes: int = 8192
    """The default budget of the context clause."""
    git_received_bytes: int = 32 * 1024 * 1024
    """Everything that a server sends during one transfer: all that one command asks of a repository."""
    git_entries: int = 4096
    """Files and folders of a requested folder of a repository, however often one is met."""
    git_objects: int = 8192
    """Objects of one pack: a server that cannot filter sends more than was asked for."""
    git_object_bytes: int = 8 * 1024 * 1024
    """One object of a pack, inflated."""
    git_inflated_bytes: int = 48 * 1024 * 1024
    """All objects of one pack and the deltas that make them, inflated."""
    git_delta_depth: int = 50
    """Deltas between an object and one that is whole: what git itself makes at most unless told otherwise."""
    git_idle_seconds: int = 60
    """Between two bytes of a transfer."""
    git_seconds: int = 120
    """One transfer, and judging the list that comes of it."""
    parcel_bytes: int = 32 * 1024 * 1024
    """All files of a folder or archive that is installed, litter aside; and the archive itself."""
    parcel_entries: int = 4096
    """Files and folders of a folder or archive that is installed, litter included."""
    archive_head_bytes: int = 8 * 1024
    """What an archive says of one entry beside its header: names, times, attributes."""
    archive_heads_bytes: int = 2 * 1024 * 1024
    """What an archive says of all its entries."""
    archive_reader_bytes: int = 24 * 1024 * 1024
    """What the reader of an xz may take beside what it reads: its dictionary, above all."""


LIMITS: Final = Limits()
"""The caps in force. There is one set, so that every adapter refuses alike."""
