"""A folder's verdict: what belongs to the skill, what is left out, and everything that is wrong."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.errors import TooLarge
from kestrel_skills_core.domain.folder import Folder, is_sought, is_walked, lacks_marker, parse_marker, render_marker
from kestrel_skills_core.domain.names import Generation, SourceId
from kestrel_skills_core.domain.record import Sighting
from kestrel_skills_core.domain.text import escaped
from kestrel_skills_core.domain.tree import Unlisted
from tests.examples import examples

GOOD = b"---\nname: knots\ndescription: Use when a rope must hold.\n---\n\nTie a bowline.\n"
KIB = 1024
LINK, SPECIAL, FOLDER, CLOSED, SECRET = "link", "other", "folder", "closed folder", "closed file"
Entry = bytes | str


def walked(entries: Mapping[str, Entry], order: Iterable[str] | None = None, name: str = "knots") -> Folder:
    """Tell a `Folder` of every entry, each after the folders it is in, otherwise in the order given."""
    folder = Folder(name)
    entered = {"": True}

    def visit(path: str) -> bool:
        if path not in entered:
            entered[path] = False
            if visit(path.rpartition("/")[0]):
                folder.looks(1)
                entered[path] = met(folder, path, entries.get(path, FOLDER))
        return entered[path]

    for path in entries if order is None else order:
        visit(path)
    return folder


def met(folder: Folder, path: str, entry: Entry) -> bool:
    """Tell of one entry as an adapter would; whether it is to be walked."""
    if entry == FOLDER:
        return folder.enters(path)
    if entry == CLOSED:
        if folder.enters(path):
            folder.unreadable(path, "permission is denied")
        return False
    most = None if entry in (LINK, SPECIAL) else folder.reads(path)
    if most is None:
        kind = entry if entry in (LINK, SPECIAL) else "file"
        size = len(entry) if isinstance(entry, bytes) else 7
        folder.aside(path, kind, size=size, mtime_ns=5, ctime_ns=6)
    elif entry == SECRET:
        folder.unreadable(path, "permission is denied")
    elif len(entry) > most:
        folder.large(path, len(entry))
    else:
        folder.file(path, entry, executable=path.endswith(".sh"))
    return False


def judged(entries: Mapping[str, Entry], order: Iterable[str] | None = None, name: str = "knots") -> Sighting:
    """The verdict on a folder that holds a good `SKILL.md` and those entries."""
    return walked({"SKILL.md": GOOD, **entries}, order, name).sighting()


def codes(sighting: Sighting) -> list[tuple[str, str]]:
    """Which rule is broken where."""
    return [(finding.code, finding.file) for finding in sighting.findings]


def paths(sighting: Sighting) -> list[str]:
    """What is inventoried."""
    return [item.path for item in sighting.inventory]


def unlisted(sighting: Sighting) -> list[tuple[str, str]]:
    """What is listed beside the inventory."""
    assert sighting.unlisted is not None
    return [(entry.path, entry.kind) for entry in sighting.unlisted]


def test_a_good_folder_is_a_skill() -> None:
    """A document and resources make a head, an inventory in path order with sizes and digests, and no findings."""
    sighting = judged({"scripts/tie.sh": b"#!/bin/sh\n", "a.md": b"A"})
    assert sighting.head is not None
    assert sighting.head.name == "knots"
    assert sighting.findings == ()
    assert sighting.unlisted == ()
    assert [tuple(item) for item in sighting.inventory] == [
        ("SKILL.md", 76, hashlib.sha256(GOOD).digest(), False),
        ("a.md", 1, bytes.fromhex("559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd"), False),
        ("scripts/tie.sh", 10, hashlib.sha256(b"#!/bin/sh\n").digest(), True),
    ]


def test_the_folder_name_is_what_the_document_must_say() -> None:
    """A folder of another name than its document says is rejected."""
    sighting = judged({}, name="bowlines")
    assert sighting.head is None
    assert ("KS202", "SKILL.md") in codes(sighting)


def test_faults_of_the_document_and_of_the_folder_are_told_together() -> None:
    """A bad document does not hide a bad resource."""
    sighting = judged({"SKILL.md": b"no fence", "font.ttf": b"\xff\xfe"})
    assert codes(sighting) == [("KS101", "SKILL.md"), ("KS306", "font.ttf")]


def test_a_folder_without_a_document_says_so_once() -> None:
    """No `SKILL.md`, no skill."""
    sighting = walked({"README.md": b"hello"}).sighting()
    assert codes(sighting) == [("KS301", "SKILL.md")]
    assert paths(sighting) == ["README.md"]


@pytest.mark.parametrize("spelt", ["skill.md", "Skill.md", "SKILL.MD"])
def test_a_misspelt_document_is_named(spelt: str) -> None:
    """Another spelling is no document, and the finding names the file to rename."""
    assert codes(walked({spelt: GOOD}).sighting()) == [("KS302", spelt)]


@pytest.mark.parametrize(
    ("entry", "code"),
    [(LINK, "KS303"), (SPECIAL, "KS304"), (b"x" * (256 * KIB + 1), "KS305"), (SECRET, "KS313")],
    ids=["link", "special", "large", "unreadable"],
)
def test_a_document_that_is_there_but_not_read_has_one_fault(entry: Entry, code: str) -> None:
    """What is wrong with it is told, and not also that it is missing."""
    assert codes(walked({"SKILL.md": entry}).sighting()) == [(code, "SKILL.md")]


def test_a_folder_in_the_documents_place_is_no_document() -> None:
    """A folder called SKILL.md is told of as what it is."""
    sighting = walked({"SKILL.md": FOLDER}).sighting()
    assert codes(sighting) == [("KS301", "SKILL.md")]
    assert sighting.findings[0].message == "it is a folder where the file SKILL.md should be"


@pytest.mark.parametrize(
    "name",
    [".DS_Store", "Thumbs.db", "x.pyc", "notes~", ".SKILL.md.swp", "#a#", "._a", ".#a"],
)
def test_litter_is_left_out_listed_and_told(name: str) -> None:
    """Litter is advice, not a fault: the skill stands without it, and its deletion would cover it."""
    sighting = judged({f"sub/{name}": b"\0\xff", "sub/a": b"a"})
    assert codes(sighting) == [("KS506", f"sub/{name}")]
    assert sighting.head is not None
    assert paths(sighting) == ["SKILL.md", "sub/a"]
    assert sighting.unlisted == (Unlisted(f"sub/{name}", "file", 2, 5, 6),)


def test_a_link_with_the_name_of_litter_is_litter() -> None:
    """The lock that an editor leaves as a dangling link keeps no skill out."""
    sighting = judged({".#SKILL.md": LINK})
    assert codes(sighting) == [("KS506", ".#SKILL.md")]
    assert unlisted(sighting) == [(".#SKILL.md", "link")]


def test_a_left_out_folder_is_told_once_and_listed_whole() -> None:
    """Everything below it is listed, whatever it is, and none of it is read or told."""
    inside = {"__pycache__/a.txt": b"\xff", "__pycache__/sub/x": LINK, "__pycache__/.kestrel-x": SPECIAL}
    sighting = judged(inside)
    assert codes(sighting) == [("KS506", "__pycache__")]
    assert sighting.head is not None
    assert unlisted(sighting) == [
        ("__pycache__", "folder"),
        ("__pycache__/.kestrel-x", "other"),
        ("__pycache__/a.txt", "file"),
        ("__pycache__/sub", "folder"),
        ("__pycache__/sub/x", "link"),
    ]


def test_what_cannot_be_read_of_litter_is_no_fault_but_forbids_approval() -> None:
    """A closed folder of litter keeps no skill out, but nobody can approve to delete what nobody saw."""
    for entries in ({"__pycache__": CLOSED}, {"__pycache__/deep": CLOSED}):
        sighting = judged(entries)
        assert codes(sighting) == [("KS506", "__pycache__")]
        assert sighting.unlisted is None


def test_version_control_is_not_walked() -> None:
    """`.git` is listed by name alone; any other that is not looked into leaves nothing to approve."""
    assert unlisted(judged({".git/config": b"x"})) == [(".git", "folder")]
    assert unlisted(judged({"sub/.git": b"gitdir: x"})) == [("sub/.git", "file")]
    for name in (".hg", ".svn", ".GIT", ".Git"):
        sighting = judged({f"{name}/x": b"x"})
        assert codes(sighting) == [("KS506", name)]
        assert sighting.unlisted is None


@pytest.mark.parametrize(
    ("path", "walks"),
    [
        ("scripts", True),
        ("scripts/.git", False),
        (".GIT", False),
        (".svn", False),
        (".hg", False),
        ("git", True),
        ("__pycache__", True),
        ("/".join("d" * 32), True),
        ("/".join("d" * 33), False),
    ],
)
def test_which_folders_are_walked(path: str, walks: bool) -> None:
    """All but version control's own, and those at level 33."""
    assert is_walked(path) is walks


@given(st.lists(st.sampled_from([".git", ".HG", "a", "é", "__pycache__", ".kestrel-x", "\udcff"]), min_size=1))
def test_a_folder_is_entered_if_and_only_if_it_is_walked(parts: list[str]) -> None:
    """Whoever compares stamps walks where whoever read them did."""
    path = "/".join(parts)
    assert Folder("knots").enters(path) is is_walked(path)


@pytest.mark.parametrize(
    ("name", "sought"),
    [
        ("skills", True),
        (".agents", True),
        ("node_modules", True),
        (".git", False),
        (".Git", False),
        (".hg", False),
        (".svn", False),
        (".kestrel-internal", False),
        (".gitlab", True),
    ],
)
def test_where_skills_are_sought(name: str, sought: bool) -> None:
    """Everywhere but in what version control, or this library, keeps for itself."""
    assert is_sought(name) is sought


def test_a_finding_keeps_the_name_on_the_disk() -> None:
    """It is told by a name that is safe to print and of bounded length, and leads to the file by its own."""
    for name in ("a\x1b]0;b\x07", "b\nc", "d\udcff", "x" * 2000):
        folder = Folder("knots")
        assert folder.reads(name) is None
        folder.aside(name, "file", size=1, mtime_ns=0, ctime_ns=0)
        found = next(finding for finding in folder.sighting().findings if finding.file != "SKILL.md")
        assert found.path == name
        assert found.file.isprintable()
        assert len(found.file) <= 200
    (plain,) = Folder("knots").sighting().findings
    assert (plain.file, plain.path, plain.on_disk) == ("SKILL.md", "SKILL.md", "")


def test_links_and_special_files_are_faults_and_are_listed() -> None:
    """Neither is ever part of a skill."""
    sighting = judged({"references": LINK, "pipe": SPECIAL})
    assert codes(sighting) == [("KS304", "pipe"), ("KS303", "references")]
    assert sighting.head is None
    assert sighting.unlisted == (Unlisted("pipe", "other", 7, 5, 6), Unlisted("references", "link", 7, 5, 6))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\nb", r"a\x0ab"),
        ("back\\slash", "back\\slash"),
        ("\udcff", r"\udcff"),
        ("a\u200bb", r"a\u200bb"),
        ("C:x", "C:x"),
    ],
)
def test_a_path_that_does_not_travel_is_a_fault_and_is_not_read(name: str, shown: str) -> None:
    """It is told and listed with everything unseen in it spelt out."""
    sighting = judged({name: b"\xff"})
    assert codes(sighting) == [("KS310", shown)]
    assert sighting.head is None
    assert sighting.unlisted == (Unlisted(shown, "file", 1, 5, 6),)


def test_a_folder_with_a_bad_name_is_told_once_and_listed_whole() -> None:
    """What lies below it is listed, and is not told of again."""
    sighting = judged({"a\nb/one": b"1", "a\nb/two/three": b"3"})
    assert codes(sighting) == [("KS310", r"a\x0ab")]
    assert [path for path, _ in unlisted(sighting)] == [
        r"a\x0ab",
        r"a\x0ab/one",
        r"a\x0ab/two",
        r"a\x0ab/two/three",
    ]


@pytest.mark.parametrize(
    "path", [".kestrel-x", "sub/.kestrel-generation", "sub/.kestrel-provenance.json", ".KESTREL-Y"]
)
def test_reserved_names_are_faults(path: str) -> None:
    """Only the two files at the top are this library's; nothing else may take such a name."""
    assert codes(judged({path: b"x"})) == [("KS312", path)]


def test_a_reserved_name_on_a_folder_is_a_fault() -> None:
    """A folder in the marker's place is not a marker, and is told of."""
    sighting = judged({".kestrel-generation": FOLDER})
    assert codes(sighting) == [("KS312", ".kestrel-generation")]
    assert sighting.generation is None


def test_the_marker_is_read_and_is_no_part_of_the_skill() -> None:
    """Marker and provenance are neither inventoried nor listed, and change no revision."""
    bare = judged({})
    marked = judged({".kestrel-generation": b"kestrel-skill-generation-v1:" + b"ab" * 32 + b"\n"})
    assert marked.generation == "ab" * 32
    assert (marked.inventory, marked.revision, marked.unlisted) == (bare.inventory, bare.revision, ())


@pytest.mark.parametrize(
    "content",
    [b"", b"kestrel-skill-generation-v1:", b"kestrel-skill-generation-v1:" + b"AB" * 32 + b"\n", b"x" * 300],
    ids=["empty", "cut", "upper case", "long"],
)
def test_a_malformed_marker_is_no_marker_and_advice(content: bytes) -> None:
    """The skill stands, without a generation."""
    sighting = judged({".kestrel-generation": content})
    assert codes(sighting) == [("KS510", ".kestrel-generation")]
    assert sighting.generation is None
    assert sighting.head is not None


@pytest.mark.parametrize("entry", [LINK, FOLDER], ids=["link", "folder"])
@pytest.mark.parametrize(
    ("path", "fix"),
    [
        (".kestrel-generation", "delete .kestrel-generation; the next listing writes a new one"),
        (
            ".kestrel-provenance.json",
            "restore .kestrel-provenance.json, or delete it if the skill is your own",
        ),
    ],
)
def test_what_stands_in_the_place_of_our_own_files_is_not_to_be_renamed(path: str, fix: str, entry: object) -> None:
    """Nor is a link there to be replaced by a copy."""
    assert [found.fix for found in judged({path: entry}).findings] == [fix]


def test_a_marker_that_is_a_link_is_a_fault() -> None:
    """Links are refused wherever they are."""
    assert codes(judged({".kestrel-generation": LINK})) == [("KS303", ".kestrel-generation")]


@given(st.text("0123456789abcdef", min_size=64, max_size=64))
def test_a_marker_reads_back(generation: str) -> None:
    """What is rendered is parsed; one byte more or less is not."""
    content = render_marker(Generation(generation))
    assert content == f"kestrel-skill-generation-v1:{generation}\n".encode()
    assert parse_marker(content) == generation
    assert parse_marker(content[:-1]) is None
    assert parse_marker(content + b"\n") is None


@settings(max_examples=examples(2000))
@given(st.binary(max_size=200) | st.binary(max_size=70).map(b"kestrel-skill-generation-v1:".__add__))
def test_any_bytes_are_a_marker_or_none(content: bytes) -> None:
    """Parsing never raises, and what it accepts is what it would write."""
    generation = parse_marker(content)
    assert generation is None or render_marker(generation) == content


def test_provenance_says_which_source_the_folder_belongs_to() -> None:
    """A record of kind git makes a git folder; a record that cannot be read is a fault."""
    record = b'{"schema": 2, "kind": "git", "commit": "' + b"a1" * 20 + b'"}'
    sighting = judged({".kestrel-provenance.json": record})
    assert sighting.provenance is not None
    assert sighting.provenance.source is SourceId.GIT
    assert sighting.findings == ()
    for bad in (b"{", b" " * (64 * KIB + 1)):
        sighting = judged({".kestrel-provenance.json": bad})
        assert codes(sighting) == [("KS314", ".kestrel-provenance.json")]
        assert sighting.provenance is None


@pytest.mark.parametrize(
    ("content", "message", "line", "column"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "the byte 0x89 at offset 0 is not UTF-8", 1, 1),
        (b"GIF89a\0\0", "a NUL at offset 6", 1, 7),
        ("text".encode("utf-16-le"), "a NUL at offset 1", 1, 2),
        ("text".encode("utf-16"), "the byte 0xff at offset 0 is not UTF-8", 1, 1),
        ("é\0".encode(), "a NUL at offset 2", 1, 2),
        ("a\nbé".encode() + b"\xe9\n", "the byte 0xe9 at offset 5 is not UTF-8", 2, 3),
    ],
    ids=["PNG", "NUL", "UTF-16", "UTF-16 with a mark", "NUL after é", "Latin-1"],
)
def test_resources_must_be_text(content: bytes, message: str, line: int, column: int) -> None:
    """Binary is refused, and where it begins is told."""
    sighting = judged({"x.bin": content, "y.md": "naïve ☕".encode()})
    assert codes(sighting) == [("KS306", "x.bin")]
    (found,) = sighting.findings
    assert (found.message, found.line, found.column) == (message, line, column)
    assert paths(sighting) == ["SKILL.md", "x.bin", "y.md"]


@pytest.mark.parametrize(("size", "fits"), [(256 * KIB - 1, True), (256 * KIB, True), (256 * KIB + 1, False)])
def test_one_file_may_hold_256_kib(size: int, fits: bool) -> None:
    """One byte more is a fault that gives both figures, and leaves the folder without a listing."""
    sighting = judged({"big.md": b"x" * size})
    assert (sighting.head is not None) is fits
    assert ("big.md" in paths(sighting)) is fits
    if not fits:
        assert codes(sighting) == [("KS305", "big.md")]
        assert sighting.findings[0].message == "262,145 bytes where 262,144 are allowed"
        assert sighting.unlisted is None
        assert paths(sighting) == ["SKILL.md"]


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_one_skill_may_hold_2_mib(over: int) -> None:
    """All files together, the document included; one byte more, and nothing is inventoried."""
    entries = {f"{number}.md": b"x" * (256 * KIB) for number in range(7)}
    folder = walked({"SKILL.md": GOOD, **entries, "last.md": b"x" * (256 * KIB - len(GOOD) + over)})
    sighting = folder.sighting()
    if over <= 0:
        assert sighting.head is not None
        assert folder.beyond() is None
    else:
        assert codes(sighting) == [("KS307", ".")]
        assert sighting.findings[0].message == "bytes: 2,097,153 where 2,097,152 are allowed"
        assert (sighting.head, sighting.inventory, sighting.unlisted) == (None, (), None)
        assert folder.beyond() is not None


def test_the_document_is_judged_even_where_the_bytes_are_spent() -> None:
    """An author learns of a bad document together with the size of the folder."""
    entries = {f"{number}.md": b"x" * (256 * KIB) for number in range(9)}
    sighting = walked({**entries, "SKILL.md": b"no fence"}).sighting()
    assert codes(sighting) == [("KS307", "."), ("KS101", "SKILL.md")]


@pytest.mark.parametrize(("files", "fits"), [(509, True), (510, True), (511, False)])
def test_one_skill_may_hold_512_entries(files: int, fits: bool) -> None:
    """Files and folders count, empty folders too; marker, provenance and what is left out do not."""
    entries: dict[str, Entry] = {f"sub/{number}": b"" for number in range(files)}
    sighting = judged({**entries, ".kestrel-generation": render_marker(Generation("a1" * 32)), ".DS_Store": b""})
    assert (sighting.head is not None) is fits
    if not fits:
        assert codes(sighting) == [("KS308", "."), ("KS506", ".DS_Store")]
        assert sighting.findings[0].message == "files and folders: 513 where 512 are allowed"
        assert (sighting.inventory, sighting.unlisted) == ((), None)
        assert sighting.generation == "a1" * 32


def test_empty_folders_count() -> None:
    """512 folders beside the document are one entry too many."""
    assert codes(judged({str(number): FOLDER for number in range(512)})) == [("KS308", ".")]
    assert codes(judged({str(number): FOLDER for number in range(511)})) == []


def test_no_more_than_4096_entries_are_looked_at() -> None:
    """The count comes before the look, and covers what is left out."""
    folder = Folder("knots")
    folder.looks(4096)
    with pytest.raises(TooLarge) as caught:
        folder.looks(1)
    assert str(caught.value) == "entries, left-out ones included: more where 4,096 are allowed"


def test_a_listing_is_bounded() -> None:
    """Of up to 512 entries beside the inventory a deletion can be approved; of more, none."""
    assert len(judged({f"{number}.pyc": b"" for number in range(512)}).unlisted or ()) == 512
    assert judged({f"{number}.pyc": b"" for number in range(513)}).unlisted is None


def test_files_may_lie_32_levels_deep() -> None:
    """A file's own level counts; one folder deeper is a fault, told once, and not walked."""
    deep = "/".join(["d"] * 31)
    assert paths(judged({f"{deep}/f": b""})) == ["SKILL.md", f"{deep}/f"]
    sighting = judged({f"{deep}/d/f": b"", f"{deep}/d/e/g": b""})
    assert codes(sighting) == [("KS309", f"{deep}/d/e"), ("KS309", f"{deep}/d/f")]
    assert sighting.unlisted is None


def test_a_path_may_hold_1024_bytes() -> None:
    """Bytes, not characters; one more is a fault."""
    deep = "/".join(["é" * 100] * 5)
    fits, over = f"{deep}/{'x' * 19}", f"{deep}/{'x' * 20}"
    assert len(fits.encode()) == 1024
    assert paths(judged({fits: b""})) == ["SKILL.md", fits]
    sighting = judged({over: b""})
    assert [finding.code for finding in sighting.findings] == ["KS310"]
    assert sighting.findings[0].message == "it is longer than 1024 bytes"


@pytest.mark.parametrize(
    ("first", "second"),
    [("a.md", "A.md"), ("straße", "STRASSE"), ("é", "e\u0301"), ("sub/x", "Sub/y"), ("a", "A/b")],
)
def test_paths_that_are_one_elsewhere_are_faults(first: str, second: str) -> None:
    """Case, composition, and folders among themselves and with files: a skill must be portable."""
    sighting = judged({first: b"1", second: b"2"})
    assert {finding.code for finding in sighting.findings} == {"KS311"}
    assert sighting.head is None


def test_an_unreadable_entry_is_a_fault_and_forbids_approval() -> None:
    """What could not be seen cannot be approved; the rest stands as it is."""
    for path, entry in (("secret.md", SECRET), ("private", CLOSED)):
        sighting = judged({path: entry, "a.md": b"a"})
        assert codes(sighting) == [("KS313", path)]
        assert sighting.findings[0].message == "it cannot be read: permission is denied"
        assert sighting.unlisted is None
        assert paths(sighting) == ["SKILL.md", "a.md"]


def test_at_most_64_findings_are_told_and_the_last_says_that_there_are_more() -> None:
    """Faults come before advice where not all are told."""
    entries: dict[str, Entry] = {f"{number:03}.pyc": b"" for number in range(100)}
    sighting = judged({**entries, "zz": LINK})
    assert len(sighting.findings) == 64
    assert ("KS303", "zz") in codes(sighting)
    assert sighting.findings[-1].message.endswith("; more was found than is shown")
    assert len(judged({f"{number:03}.pyc": b"" for number in range(64)}).findings) == 64
    assert "more was found" not in judged({f"{number:03}.pyc": b"" for number in range(64)}).findings[-1].message


def test_who_lacks_a_marker() -> None:
    """A skill, or a rejected folder that could be deleted; not one that is marked, nor one beyond the caps."""
    assert lacks_marker(judged({}))
    assert lacks_marker(judged({"x": LINK}))
    assert lacks_marker(judged({".hg/x": b"x"}))
    assert not lacks_marker(judged({".kestrel-generation": render_marker(Generation("a1" * 32))}))
    assert not lacks_marker(judged({"big": b"x" * (256 * KIB + 1)}))


FOREIGN = b"---\nname: knots\ndescription: Use when a rope must hold.\nlicense: MIT\n---\n\nTie a bowline.\n"


@pytest.mark.parametrize(
    ("entries", "name", "adaptable"),
    [
        ({"SKILL.md": FOREIGN, "a.md": b"a"}, "knots", True),
        ({"SKILL.md": FOREIGN, "notes~": b"a"}, "knots", True),
        ({"SKILL.md": GOOD}, "knots", False),
        ({"SKILL.md": b"# Tie\n"}, "knots", False),
        ({"SKILL.md": FOREIGN, "logo.png": b"\xff"}, "knots", False),
        ({"SKILL.md": FOREIGN, ".kestrel-provenance.json": b"{"}, "knots", False),
        ({"SKILL.md": FOREIGN}, "Knots", False),
        ({"SKILL.md": LINK}, "knots", False),
        ({"SKILL.md": b"x" * (256 * KIB + 1)}, "knots", False),
        ({"notes.md": b"a", "SKILL.md": FOLDER}, "knots", False),
    ],
)
def test_what_adapting_mends(entries: dict[str, Entry], name: str, adaptable: bool) -> None:
    """It rewrites the document alone: whatever else is wrong, and what it cannot read, stays wrong."""
    assert judged(entries, name=name).adaptable is adaptable


NAMES = st.one_of(
    st.sampled_from(["a", "A", "b.md", "é", "e\u0301", "skill.md", "SKILL.md", "sub", "a\nb", "\udcff"]),
    st.sampled_from(["x.pyc", "__pycache__", ".git", ".hg"]),
    st.sampled_from([".kestrel-generation", ".kestrel-provenance.json", ".kestrel-x"]),
)
CONTENTS = st.one_of(
    st.sampled_from([GOOD, b"", b"\xff", b"a\0", b"x" * (256 * KIB), b"x" * (256 * KIB + 1)]),
    st.sampled_from([LINK, SPECIAL, FOLDER, CLOSED, SECRET]),
)


@st.composite
def folders(draw: st.DrawFn) -> tuple[dict[str, Entry], list[str]]:
    """Entries whose parents are folders, and an order to meet them in."""
    tree: dict[str, Entry] = {}
    for path in draw(st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join), max_size=25)):
        parts = path.split("/")
        above = ["/".join(parts[:end]) for end in range(1, len(parts))]
        if path not in tree and all(tree.setdefault(parent, FOLDER) == FOLDER for parent in above):
            tree[path] = draw(CONTENTS)
    return tree, draw(st.permutations(list(tree)))


@given(folders())
def test_the_order_of_the_disk_changes_nothing(given_: tuple[dict[str, Entry], list[str]]) -> None:
    """The same entries in any order are the same sighting."""
    entries, order = given_
    assert walked(entries, order).sighting() == walked(entries, sorted(entries)).sighting()


@given(folders())
def test_everything_is_inventoried_listed_or_told(given_: tuple[dict[str, Entry], list[str]]) -> None:
    """No file vanishes: where there is a listing, each is in it or in the inventory, or is this library's own."""
    entries, order = given_
    sighting = walked(entries, order).sighting()
    if sighting.unlisted is None:
        return
    named = {item.path for item in sighting.inventory} | {entry.path for entry in sighting.unlisted}
    own = {".kestrel-generation", ".kestrel-provenance.json"}
    for path, entry in entries.items():
        below_git = ".git" in path.split("/")[:-1]
        if entry != FOLDER and path not in own and not below_git:
            assert escaped(path) in named


@given(folders())
def test_a_head_means_no_fault(given_: tuple[dict[str, Entry], list[str]]) -> None:
    """There is a head if, and only if, a document was read and nothing is an error."""
    entries, order = given_
    sighting = walked(entries, order).sighting()
    assert (sighting.head is not None) == (sighting.faults == ())
    assert all(unicodedata.category(char) not in ("Cc", "Cs") for found in sighting.findings for char in found.file)
