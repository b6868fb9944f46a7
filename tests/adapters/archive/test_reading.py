"""Archives, honest and hostile: what is taken is what programs wrote, and what is refused is refused cheaply."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import json
import lzma
import os
import random
import stat
import struct
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_adapters.archive.reading import archived
from kestrel_skills_adapters.world import never
from kestrel_skills_core.domain.errors import Abandoned, BadSource, SkillError, TooLarge
from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.parcel import Parcel
from kestrel_skills_core.domain.tree import Content
from tests.examples import examples
from tests.hostile.disk import open_descriptors
from tests.hostile.resident import forget, peak

from .attacks import (
    ATTACKS,
    COSTLY,
    DOCUMENT,
    KNOTS,
    extra_zip,
    member,
    mode_of,
    other_name,
    record,
    said,
    tar_of,
    tarred,
    zip_of,
    zipped,
)

SMALL: Final = evolve(LIMITS, parcel_bytes=10_000, parcel_entries=8)
MOST: Final = 64 << 20
CHECKOUT: Final = Path(__file__).parents[3]


def read(folder: Path, made: bytes, **more: object) -> Parcel:
    """Read an archive as a file."""
    path = folder / "made"
    path.write_bytes(made)
    return archived(path, cancelled=never, **more)  # type: ignore[arg-type]  # limits, where there are some


class TestHonest:
    """What programs make."""

    @pytest.mark.parametrize(
        "make",
        [
            zip_of,
            lambda files: zipped(
                [(path, each.data, mode_of(each)) for path, each in files.items()], zipfile.ZIP_STORED
            ),
            tar_of,
            lambda files: tarred([member(p, c.data, mode=mode_of(c)) for p, c in files.items()], tarfile.GNU_FORMAT),
            lambda files: gzip.compress(tar_of(files)),
            lambda files: bz2.compress(tar_of(files)),
            lambda files: lzma.compress(tar_of(files)),
            lambda files: lzma.compress(tar_of(files), preset=7),
        ],
        ids=["zip", "stored zip", "tar", "GNU tar", "tar.gz", "tar.bz2", "tar.xz", "strong tar.xz"],
    )
    @pytest.mark.parametrize("above", ["", "./", "knots/", "./knots-1.2/"])
    def test_every_form(self, tmp_path: Path, make: Callable[[dict[str, Content]], bytes], above: str) -> None:
        """Whatever it is called: bytes and modes as they are, one folder around it all stripped."""
        made = make({above + path: content for path, content in KNOTS.items()})
        assert read(tmp_path, made).files == KNOTS

    def test_folders_are_taken_and_hold_nothing(self, tmp_path: Path) -> None:
        """As programs write them, the folder itself too."""
        folder = stat.S_IFDIR | 0o755
        inside = [
            member("./", kind=tarfile.DIRTYPE),
            member("./a", kind=tarfile.DIRTYPE),
            member("./SKILL.md", DOCUMENT),
        ]
        assert list(read(tmp_path, tarred(inside)).files) == ["SKILL.md"]
        made = zipped([("knots/", b"", folder), ("knots/a/", b"", 0), ("knots/SKILL.md", DOCUMENT, 0)])
        assert list(read(tmp_path, made).files) == ["SKILL.md"]

    def test_litter_of_other_systems_stays_behind(self, tmp_path: Path) -> None:
        """It is told, and does not count as a second folder."""
        made = zip_of({"knots/SKILL.md": KNOTS["SKILL.md"], "__MACOSX/knots/._SKILL.md": Content(b"x")})
        parcel = read(tmp_path, made)
        assert list(parcel.files) == ["SKILL.md"]
        assert parcel.left_out == ("__MACOSX",)

    def test_a_folder_among_others_is_not_stripped(self, tmp_path: Path) -> None:
        """Only one that everything is in, and that is the skill."""
        made = zip_of({"knots/SKILL.md": Content(b"x"), "notes.md": Content(b"y")})
        assert list(read(tmp_path, made).files) == ["knots/SKILL.md", "notes.md"]
        assert list(read(tmp_path, zip_of({"a/b/SKILL.md": Content(b"x")})).files) == ["a/b/SKILL.md"]

    def test_long_names(self, tmp_path: Path) -> None:
        """Beyond what a header holds, in either way to write them."""
        path = "/".join(["folder" * 10] * 8) + "/notes.md"
        for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
            assert list(read(tmp_path, tarred([member(path, b"x")], form)).files) == [path]

    def test_an_empty_one(self, tmp_path: Path) -> None:
        """It holds nothing."""
        assert read(tmp_path, zip_of({})).files == {}
        assert read(tmp_path, gzip.compress(tar_of({}))).files == {}

    def test_nothing_is_written(self, tmp_path: Path) -> None:
        """Not beside the archive, and nowhere else that is known."""
        read(tmp_path, zip_of(KNOTS))
        assert [path.name for path in tmp_path.iterdir()] == ["made"]

    @pytest.mark.parametrize("press", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
    def test_several_streams_are_one(self, tmp_path: Path, press: Callable[[bytes], bytes]) -> None:
        """As parallel packers write them, some of them empty."""
        made = tar_of(KNOTS)
        parts = [made[:700], b"", made[700:701], made[701:], b""]
        assert read(tmp_path, b"".join(map(press, parts))).files == KNOTS

    def test_what_is_said_of_all_entries(self, tmp_path: Path) -> None:
        """A comment is for people: `git archive` puts the commit there."""
        made = said((b"g", record(b"comment", b"1" * 40)), (b"x", record(b"mtime", b"1.5") + record(b"size", b"1")))
        assert read(tmp_path, made).files == {"a": Content(b"x")}

    def test_a_name_that_is_marked(self, tmp_path: Path) -> None:
        """As UTF-8 by the flag, or by a second name that is the first."""
        named = "\u65e5\u672c.md"
        assert list(read(tmp_path, zip_of({named: Content(b"x")})).files) == [named]
        unmarked = zip_of({"a" * 9: Content(b"x")}).replace(b"a" * 9, named.encode())
        with pytest.raises(BadSource, match="not marked"):
            read(tmp_path, unmarked)
        spelt = "\u00e9".encode()
        made = extra_zip(0x7075, other_name(spelt, spelt), name="aa").replace(b"aa", spelt)
        assert list(read(tmp_path, made).files) == ["\u00e9"]

    def test_sizes_that_follow(self, tmp_path: Path) -> None:
        """As programs write a zip to a pipe; behind their mark, or without it."""

        class Pipe(io.BytesIO):
            def seek(self, *to: int) -> int:
                raise OSError

        pipe = Pipe()
        with zipfile.ZipFile(pipe, "w") as archive, archive.open("a", "w") as file:
            file.write(b"x" * 99)
        made = pipe.getvalue()
        assert read(tmp_path, made).files == {"a": Content(b"x" * 99)}
        mark, directory = made.index(b"PK\x07\x08"), made.index(b"PK\x01\x02")
        unmarked = made[:mark] + made[mark + 4 :]
        begin = struct.pack("<I", directory - 4)
        assert read(tmp_path, unmarked[:-6] + begin + unmarked[-2:]).files == {"a": Content(b"x" * 99)}

    def test_a_comment(self, tmp_path: Path) -> None:
        """Of the archive: GitHub puts the commit there."""
        made = io.BytesIO(zip_of(KNOTS))
        with zipfile.ZipFile(made, "a") as archive:
            archive.comment = b"1" * 40
        assert read(tmp_path, made.getvalue()).files == KNOTS

    def test_a_link_to_an_archive(self, tmp_path: Path) -> None:
        """Whoever names it means what it leads to; only inside an archive nothing may lead anywhere."""
        (tmp_path / "knots-1.2.zip").write_bytes(zip_of(KNOTS))
        (tmp_path / "knots.zip").symlink_to("knots-1.2.zip")
        assert archived(tmp_path / "knots.zip", cancelled=never).files == KNOTS


@pytest.mark.parametrize("name", ATTACKS)
def test_it_is_refused_by_its_named_error(tmp_path: Path, name: str) -> None:
    """With what is wrong and what to do, and nothing of the machine is told."""
    error, why, make = ATTACKS[name]
    with pytest.raises(error, match=why) as refused:
        read(tmp_path, make())
    assert str(tmp_path) not in f"{refused.value} {refused.value.fix}"
    assert refused.value.fix


def measured() -> None:
    """Read every archive of a folder, and print how much more memory was held at most than before the first."""
    before = forget()
    for path in sorted(Path(sys.argv[1]).iterdir()):
        with suppress(SkillError):
            archived(path, cancelled=never)
        sys.stdout.write(f"{json.dumps([path.name, peak() - before])}\n")
        forget()


def grown(folder: Path) -> dict[str, int]:
    """By how much a process of its own has grown while it read each archive of a folder, one after the other."""
    program = "from tests.adapters.archive.test_reading import measured; measured()"
    ran = subprocess.run(
        [sys.executable, "-c", program, folder],
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONPATH": f"{CHECKOUT / 'src'}{os.pathsep}{CHECKOUT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(map(json.loads, ran.stdout.splitlines()))


def test_it_costs_the_process_little(tmp_path: Path) -> None:
    """No archive that is refused makes a process grow by 64 MiB, as the system counts it."""
    for number, (_, _, make) in enumerate(ATTACKS.values()):
        (tmp_path / f"{number}").write_bytes(make())
    found = grown(tmp_path)
    assert len(found) == len(ATTACKS)
    assert {name: taken for name, taken in found.items() if taken >= MOST} == {}


@pytest.mark.parametrize("name", COSTLY)
def test_what_costs_most_costs_little(tmp_path: Path, name: str) -> None:
    """At the caps, be it taken or refused, less than 64 MiB."""
    (tmp_path / "made").write_bytes(COSTLY[name]())
    assert grown(tmp_path)["made"] < MOST


def test_what_is_held_is_measured(tmp_path: Path) -> None:
    """A process that holds 32 MiB has grown by that, or nothing would be proved above."""
    (tmp_path / "made").write_bytes(COSTLY["noise in zip"]())
    assert 30 << 20 < grown(tmp_path)["made"] < 48 << 20


@pytest.mark.parametrize("make", [zip_of, lambda files: gzip.compress(tar_of(files))], ids=["zip", "tar.gz"])
def test_the_caps_are_exact(tmp_path: Path, make: Callable[[dict[str, Content]], bytes]) -> None:
    """As many bytes and entries as are allowed are taken, and one more is not."""
    assert read(tmp_path, make({"a": Content(b"x" * 4_000), "b": Content(b"y" * 4_000)}), limits=SMALL).files
    eight = {f"{number}": Content(b"") for number in range(8)}
    assert len(read(tmp_path, make(eight), limits=evolve(SMALL, parcel_bytes=100_000)).files) == 8
    with pytest.raises(TooLarge):
        read(tmp_path, make({**eight, "8": Content(b"")}), limits=evolve(SMALL, parcel_bytes=100_000))
    random_bytes = random.Random(1).randbytes(6_000)
    with pytest.raises(TooLarge):
        read(tmp_path, make({"a": Content(b"x" * 5_001), "b": Content(random_bytes[:5_000])}), limits=SMALL)


def test_what_is_no_file(tmp_path: Path) -> None:
    """A FIFO is not waited for; what is not there, or may not be read, is told as that."""
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(BadSource, match="neither a folder nor a file"):
        archived(tmp_path / "fifo", cancelled=never)
    with pytest.raises(BadSource, match="cannot be opened"):
        archived(tmp_path / "nothing", cancelled=never)


def test_whoever_went_away_is_let_go(tmp_path: Path) -> None:
    """At the next piece, however large it is and whatever it comes to."""
    for made in (zip_of(KNOTS), gzip.compress(tar_of(KNOTS)), COSTLY["empty blocks of gzip"]()):
        path = tmp_path / "made"
        path.write_bytes(made)
        asked: list[None] = []

        def gone(asked: list[None] = asked) -> bool:
            asked.append(None)
            return len(asked) == 2

        with pytest.raises(Abandoned):
            archived(path, cancelled=gone)
        assert len(asked) == 2


def test_an_interrupt_is_no_fault_of_the_archive(tmp_path: Path) -> None:
    """It goes through, and nothing stays open."""
    (tmp_path / "made").write_bytes(zip_of(KNOTS))

    def interrupted() -> bool:
        raise KeyboardInterrupt

    before = open_descriptors()
    with pytest.raises(KeyboardInterrupt):
        archived(tmp_path / "made", cancelled=interrupted)
    assert open_descriptors() == before


def test_a_disk_that_fails(tmp_path: Path) -> None:
    """It is told as that, and not as damage."""
    (tmp_path / "made").write_bytes(zip_of(KNOTS))

    def failing() -> bool:
        raise OSError(errno.EIO, "as a read would")

    with pytest.raises(BadSource, match="cannot be read"):
        archived(tmp_path / "made", cancelled=failing)


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    """It is damaged; one that grows is read as far as it was."""
    path = tmp_path / "made"
    for change, whole in ((lambda: os.truncate(path, 700), False), (lambda: os.truncate(path, 1 << 30), True)):
        path.write_bytes(tar_of({"a": Content(b"x" * 200_000)}))
        asked: list[None] = []

        def changing(asked: list[None] = asked, change: Callable[[], None] = change) -> bool:
            asked.append(None)
            if len(asked) == 2:
                change()
            return False

        if whole:
            assert len(archived(path, cancelled=changing).files["a"].data) == 200_000  # type: ignore[index]
        else:
            with pytest.raises(BadSource, match="damaged"):
                archived(path, cancelled=changing)


def as_the_library_reads(path: Path, kind: str) -> dict[str, bytes]:
    """The files of an archive, as the standard library finds them."""
    if kind == "zip":
        with zipfile.ZipFile(path) as archive:
            return {each.filename: archive.read(each) for each in archive.infolist() if not each.is_dir()}
    with tarfile.open(path) as archive:
        files = [each for each in archive if each.isreg()]
        return {each.name: archive.extractfile(each).read() for each in files}  # type: ignore[union-attr]


@given(st.sampled_from(["zip", "tar", "tar.gz", "gnu.tar"]), st.data())
@settings(max_examples=examples(2000))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject) -> None:
    """An archive that was changed anywhere is refused by an error that has a name, or read as others read it."""
    plain = {path: Content(content.data) for path, content in KNOTS.items()}
    long = {"/".join(["folder" * 10] * 3): Content(b"x")}
    gnu = tarred([member(path, each.data) for path, each in {**plain, **long}.items()], tarfile.GNU_FORMAT)
    made = {"zip": zip_of(KNOTS), "tar": tar_of({**KNOTS, **long}), "tar.gz": tar_of(KNOTS), "gnu.tar": gnu}[kind]
    changed = bytearray(made)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(changed) - 1))
        if data.draw(st.booleans()):
            changed[at] = data.draw(st.integers(0, 255))
        else:
            del changed[at : at + data.draw(st.integers(1, 40))]
        if not changed:
            changed = bytearray(b"\0")
    path = tmp_path_factory.getbasetemp() / "changed"
    path.write_bytes(gzip.compress(bytes(changed), 1) if kind == "tar.gz" else changed)
    try:
        parcel = archived(path, cancelled=never)
    except SkillError:
        return
    assert {path: content.data for path, content in parcel.files.items()} == as_the_library_reads(path, kind)
