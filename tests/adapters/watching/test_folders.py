"""Which folders are watched, and on which disks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kestrel_skills_adapters.watching.folders import LOCAL, folders, is_local, kind_of_disk
from tests.hostile.disk import skill

MOUNTS = rb"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard
28 27 0:40 / /home/ada\040b/skills rw,relatime - nfs4 server:/skills rw
29 27 0:41 / /srv/skills/knots rw - ext4 /dev/vdb rw
30 27 0:42 / /srv/other rw - fuse.sshfs host:/ rw
"""


def test_what_a_survey_looks_into_is_watched(tmp_path: Path) -> None:
    """The root, its skills' folders and theirs, what holds another first; nothing of version control, and no link."""
    for path in (
        "knots/a/b",
        "knots/.git/objects",
        "lint",
        ".kestrel-internal/staging",
        "Odd Name/a",
        "knots/node/.svn",
    ):
        (tmp_path / path).mkdir(parents=True)
    skill(tmp_path, "zz-good")
    (tmp_path / "link").symlink_to(tmp_path / "knots")
    (tmp_path / "lint" / "link").symlink_to(tmp_path)
    found = folders(str(tmp_path))
    assert sorted(found) == [
        str(tmp_path / path) for path in (".", "knots", "knots/a", "knots/a/b", "knots/node", "lint", "zz-good")
    ]
    assert all(os.path.dirname(path) in found[:at] for at, path in enumerate(found) if at)  # noqa: PTH120


def test_folders_too_deep_to_be_looked_into_are_not_watched(tmp_path: Path) -> None:
    """A survey does not look into them either."""
    (tmp_path / "knots" / "/".join("abcdefghijklmnopqrstuvwxyz" * 3)).mkdir(parents=True)
    deepest = max(folders(str(tmp_path)), key=len)
    assert Path(deepest).relative_to(tmp_path / "knots").parts == (*"abcdefghijklmnopqrstuvwxyz", *"abcdef")


def test_a_root_with_too_much_in_it_is_not_listed_to_its_end(tmp_path: Path) -> None:
    """Beyond a cap on all entries together it is told as an error; at it, it is not."""
    for number in range(3):
        skill(tmp_path, f"knots-{number}")
    assert len(folders(str(tmp_path), 6)) == 4
    with pytest.raises(OSError, match="too long"):
        folders(str(tmp_path), 5)


@pytest.mark.parametrize(
    ("mount", "root", "kind"),
    [
        (b"27", b"/var/lib/skills", "ext4"),
        (b"27", b"/srv/skills", None),
        (b"27", b"/srv/skill", "ext4"),
        (b"27", b"/home/ada b", None),
        (b"28", b"/home/ada b/skills", "nfs4"),
        (b"29", b"/srv/skills/knots", "ext4"),
        (b"30", b"/srv/other/skills", "fuse.sshfs"),
        (b"99", b"/var/lib/skills", None),
    ],
)
def test_the_kind_of_a_disk(mount: bytes, root: bytes, kind: str | None) -> None:
    """It is that of the mount; none where another is mounted inside the root, or the mount is not listed."""
    assert kind_of_disk(MOUNTS, mount, root) == kind


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "fuse.sshfs", "overlay", "ceph", "new"]
)
def test_a_disk_that_others_may_change_unheard_is_not_watched(kind: str) -> None:
    """Nor is one of a kind that nobody thought of."""
    assert kind not in LOCAL


def test_what_the_system_makes_up_is_not_watched() -> None:
    """The kernel's own files change without a word; and what is not there is on no disk."""
    assert not is_local("/proc/self")
    assert not is_local("/nowhere/at/all")
