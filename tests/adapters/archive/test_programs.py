"""What the programs of the world write is read, file by file: whichever of them are on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from kestrel_skills_adapters.archive.reading import archived
from kestrel_skills_adapters.world import never

LONG: Final = "/".join(["a-folder-with-a-long-name-" + "x" * 30] * 4) + "/notes-" + "y" * 90 + ".md"
FILES: Final = {
    "SKILL.md": b"---\nname: knots\ndescription: Use it.\n---\nTie.\n",
    "scripts/run.sh": b"#!/bin/sh\n",
    "empty.md": b"",
    "\u65e5\u672c/\u00e9.md": b"x" * 1000,
    LONG: b"y" * 512,
}
NEEDED: Final = {
    **{program: (program,) for program in ("tar", "bsdtar", "cpio", "busybox", "git", "zip", "7z")},
    **{program: ("tar", program) for program in ("pigz", "pbzip2", "pixz")},
}

PROGRAMS: Final = {
    "tar": "tar -cf OUT knots",
    "tar gnu": "tar --format=gnu -cf OUT knots",
    "tar oldgnu": "tar --format=oldgnu -cf OUT knots",
    "tar posix": "tar --format=posix -cf OUT knots",
    "tar ustar": "tar --format=ustar -cf OUT knots",
    "tar gzip": "tar -czf OUT knots",
    "tar bzip2": "tar -cjf OUT knots",
    "tar xz": "tar -cJf OUT knots",
    "tar inside": "tar -C knots -czf OUT .",
    "tar names": "tar -czf OUT --owner=root:0 --group=wheel:0 --sort=name --mtime=@0 knots",
    "tar attributes": "tar --format=posix --xattrs --acls --selinux -cf OUT knots",
    "bsdtar": "bsdtar -cf OUT knots",
    "bsdtar pax": "bsdtar --format=pax -cf OUT knots",
    "bsdtar ustar": "bsdtar --format=ustar -cf OUT knots",
    "bsdtar gnutar": "bsdtar --format=gnutar -cf OUT knots",
    "bsdtar zip": "bsdtar --format=zip -cf OUT knots",
    "cpio": "find knots -depth -print | cpio --quiet -o -H ustar > OUT",
    "busybox": "busybox tar -cf OUT knots",
    "git": "cd knots && git archive HEAD > OUT",
    "git gzip": "cd knots && git archive --format=tar.gz --prefix=knots-1.2/ HEAD > OUT",
    "git zip": "cd knots && git archive --format=zip --prefix=knots-1.2/ HEAD > OUT",
    "zip": "zip -qr OUT knots",
    "zip to a pipe": "zip -qr - knots | cat > OUT",
    "zip stored": "zip -0 -qr OUT knots",
    "7z": "7z a -tzip -bd OUT knots > /dev/null",
    "pigz": "tar -cf - knots | pigz > OUT",
    "pbzip2": "tar -cf - knots | pbzip2 > OUT",
    "pixz": "tar -cf - knots | pixz > OUT",
    **{
        f"Python {name}": f"'{sys.executable}' -c 'import tarfile; "
        f'made = tarfile.open("OUT", "w:{press}", format=tarfile.{form}_FORMAT); made.add("knots"); made.close()\''
        for name, press, form in (
            ("ustar", "", "USTAR"),
            ("pax", "", "PAX"),
            ("GNU", "", "GNU"),
            ("gz", "gz", "PAX"),
            ("bz2", "bz2", "GNU"),
            ("xz", "xz", "PAX"),
        )
    },
    "Python zip": f"'{sys.executable}' -m zipfile -c OUT knots",
    "Python make_archive": f"'{sys.executable}' -c 'import shutil; "
    'shutil.move(shutil.make_archive("x", "zip", ".", "knots"), "OUT")\'',
}
UNMARKED: Final = {"zip", "zip to a pipe", "zip stored"}
"""Info-ZIP writes names in UTF-8 without a word of it; so there they are of ASCII."""
SHORT: Final = {"tar ustar", "Python ustar", "bsdtar ustar", "cpio"}
"""The format has no room for a name of more than 100 bytes in a folder of more than 155."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A skill, in a repository too."""
    for path, content in FILES.items():
        place = tmp_path / "knots" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    (tmp_path / "knots/scripts/run.sh").chmod(0o755)
    return tmp_path


def is_of_gnu(program: str) -> bool:
    """Whether a program says that it is GNU's."""
    return b"GNU" in subprocess.run([program, "--version"], check=True, capture_output=True).stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_read(folder: Path, name: str) -> None:
    """With every byte, and what may be run."""
    command = PROGRAMS[name].replace("OUT", str(folder / "out.any"))
    wanted = dict(FILES)
    if name in UNMARKED:
        shutil.rmtree(folder / "knots/\u65e5\u672c")
        wanted = {path: content for path, content in FILES.items() if path.isascii()}
    if name in SHORT:
        shutil.rmtree(folder / "knots" / LONG.partition("/")[0])
        del wanted[LONG]
    for program in NEEDED.get(name.split(" ", maxsplit=1)[0], ()):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not on this machine")
    if command.startswith("tar ") and "--" in command and not is_of_gnu("tar"):
        pytest.skip("these are options of GNU's tar, and the one on this machine is another")
    if name.startswith("git"):
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(folder / "knots")]
        for more in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
            subprocess.run([*git, *more], check=True)
    environ = os.environ | {"COPYFILE_DISABLE": "1"}  # macOS's tar adds files of its own, `._SKILL.md`
    subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True, env=environ)
    found = archived(folder / "out.any", cancelled=never).files
    assert {path: content.data for path, content in found.items()} == wanted
    assert [path for path, content in found.items() if content.executable] == ["scripts/run.sh"]
