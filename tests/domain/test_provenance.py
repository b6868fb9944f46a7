"""Reading and writing where a skill came from."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.errors import BadPath, BadSource
from kestrel_skills_core.domain.git_address import commit_id, git_ref, git_url
from kestrel_skills_core.domain.names import DOCUMENT, ResourcePath, SourceId, resource_path
from kestrel_skills_core.domain.offer import Repository
from kestrel_skills_core.domain.provenance import (
    Adapted,
    Installed,
    Provenance,
    UnreadableProvenance,
    dump_provenance,
    installed,
    load_provenance,
    within_room,
)
from kestrel_skills_core.domain.text import escaped
from kestrel_skills_core.domain.tree import Content, SkillTree
from tests.domain.given import COMMIT, digests, paths
from tests.examples import examples

SCRIPT = ResourcePath("scripts/run")
KEYS = ["schema", "version", "kind", "url", "commit", "ref", "subpath", "digest", "installed_at", "adapted"]
KEYS += ["files", "executable"]
KEYS += ["revision", "remote_url", "source_id", "locator"]
VALUES = [2, 1, "git", "folder", "archive", "adapted", COMMIT, "ab" * 32, "2026-01-02T03:04:05+00:00", "", None]

plain = st.text(max_size=30).map(escaped)
texts = st.text(st.characters(codec="utf-8"), max_size=30)
leaves = st.sampled_from(VALUES) | st.text(max_size=12) | st.integers() | st.floats() | st.booleans()
parts = ["original_digest", "frontmatter", "changes", "omitted", "document", "SKILL.md", "../x"]
nested = st.dictionaries(st.sampled_from(parts), leaves | st.lists(leaves, max_size=2), max_size=4)
starts: list[dict[str, object]] = [{"schema": 2, "kind": "folder"}, {"schema": 2}, {"version": 1}, {}]
objects = st.builds(
    lambda members, start: members | start,
    st.dictionaries(st.sampled_from(KEYS), leaves | nested, max_size=6),
    st.sampled_from(starts),
)
commits = st.sampled_from([COMMIT, "ab" * 32])
records = st.builds(
    Provenance,
    kind=st.sampled_from(["git", "folder", "archive", "adapted"]),
    url=st.none() | texts,
    commit=commits,
    ref=st.none() | texts,
    subpath=st.none() | texts,
    digest=st.none() | digests,
    installed_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    adapted=st.none()
    | st.builds(
        Adapted,
        digests,
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=60),
        st.lists(plain, max_size=3).map(tuple),
        st.lists(plain, max_size=3).map(tuple),
        st.none() | digests,
    ),
    files=st.none() | st.dictionaries(paths, st.builds(Installed, digests, st.booleans()), max_size=3),
)


def loads_or_says_why(content: bytes) -> Provenance | None:
    """The record, or nothing where it was refused in one printable line."""
    try:
        return load_provenance(content)
    except UnreadableProvenance as error:
        why = str(error)
    assert why.isprintable()
    return None


@settings(max_examples=examples(2000))
@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_unreadable(content):
    """Nothing else comes out, whatever goes in."""
    loads_or_says_why(content)


@settings(max_examples=examples(2000))
@given(objects)
def test_any_json_is_a_record_or_unreadable(found):
    """Nothing else comes out, and what comes out can be written and read again, the same."""
    record = loads_or_says_why(json.dumps(found).encode())
    if record is not None:
        assert load_provenance(dump_provenance(record)) == record


@given(records)
def test_what_is_written_is_read_again(record):
    """Loading what was dumped gives the record."""
    assert load_provenance(dump_provenance(record)) == record


@given(records)
def test_the_written_form_is_fixed(record):
    """Sorted keys, two spaces, ASCII, a final line end: writing what was read gives the same bytes."""
    content = dump_provenance(record)
    assert content.isascii()
    assert content.endswith(b"}\n")
    assert dump_provenance(load_provenance(content)) == content
    assert list(json.loads(content)) == sorted(json.loads(content))


def test_a_git_record_is_written_as_documented():
    """The whole file, byte for byte, as the format's description has it."""
    record = Provenance(
        kind="git",
        url="https://example.org/skills",
        commit=COMMIT,
        ref="main",
        subpath="skills/bird",
        digest="ab" * 32,
        installed_at=datetime(2026, 1, 2, 5, 4, 5, tzinfo=timezone(timedelta(hours=2))),
        adapted=Adapted("cd" * 32, "---\nname: Bird\n---\n", ("renamed",), ("license",), "ef" * 32),
        files={SCRIPT: Installed("12" * 32, executable=True), DOCUMENT: Installed("ef" * 32)},
    )
    assert dump_provenance(record).decode() == (
        "{\n"
        '  "adapted": {\n'
        '    "changes": [\n      "renamed"\n    ],\n'
        f'    "document": "{"ef" * 32}",\n'
        '    "frontmatter": "---\\nname: Bird\\n---\\n",\n'
        '    "omitted": [\n      "license"\n    ],\n'
        f'    "original_digest": "{"cd" * 32}"\n'
        "  },\n"
        f'  "commit": "{COMMIT}",\n'
        f'  "digest": "{"ab" * 32}",\n'
        '  "executable": [\n    "scripts/run"\n  ],\n'
        '  "files": {\n'
        f'    "SKILL.md": "{"ef" * 32}",\n'
        f'    "scripts/run": "{"12" * 32}"\n'
        "  },\n"
        '  "installed_at": "2026-01-02T03:04:05+00:00",\n'
        '  "kind": "git",\n'
        '  "ref": "main",\n'
        '  "schema": 2,\n'
        '  "subpath": "skills/bird",\n'
        '  "url": "https://example.org/skills"\n'
        "}\n"
    )


def long_paths(files: int) -> dict[ResourcePath, Installed]:
    """The files of a skill whose paths are as long as can be."""
    return {resource_path(f"{number:04}{'x' * 1020}"): Installed("12" * 32) for number in range(files)}


def test_files_that_leave_no_room_are_left_out_together():
    """A record is never larger than one may be: it then says of no file what it was, and of everything what it is."""
    small = Provenance(kind="folder", digest="ab" * 32, files=long_paths(200))
    assert load_provenance(dump_provenance(small)) == small
    large = Provenance(kind="folder", digest="ab" * 32, files=long_paths(300))
    assert load_provenance(dump_provenance(large)) == Provenance(kind="folder", digest="ab" * 32)


def test_the_largest_record_can_be_read():
    """A whole frontmatter of what takes six bytes each, and texts of what takes twelve, fit into the cap."""
    text = "\x01" * 2048
    adapted = Adapted("cd" * 32, "\x01" * 9216, ("x" * 32_000,), ("x" * 32_000,), "ef" * 32)
    record = Provenance(kind="git", url=text, commit=COMMIT, ref=text, subpath=text, adapted=adapted)
    assert load_provenance(dump_provenance(record)) == record


def test_what_was_installed_is_taken_from_an_inventory():
    """Each file by its path, with its digest in hex and whether it could be run."""
    tree = SkillTree({SCRIPT: Content(b"", executable=True), DOCUMENT: Content(b"a")})
    empty, a = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "ca978112ca1bbdcafac231b39a23dc4d"
    found = installed(tree.inventory)
    assert found[SCRIPT] == (empty, True)
    assert found[DOCUMENT] == (a + "a786eff8147c4e72b9807785afee48bb", False)


def test_a_git_record_of_the_first_release_is_read():
    """Version 1: `remote_url`, `revision` the commit, and `locator` the ref and the folder around a colon."""
    content = {
        "version": 1,
        "kind": "git",
        "source_id": "https://example.org/skills",
        "locator": "feature/x:bird",
        "revision": COMMIT,
        "remote_url": "https://example.org/skills",
    }
    record = load_provenance((json.dumps(content, sort_keys=True, indent=2) + "\n").encode())
    assert record == Provenance(
        kind="git", url="https://example.org/skills", commit=COMMIT, ref="feature/x", subpath="bird"
    )
    assert record.source is SourceId.GIT


@pytest.mark.parametrize(
    ("members", "url"),
    [
        ({"kind": "agent-local", "source_id": "agent-local", "locator": "bird"}, "agent-local"),
        ({"kind": "host", "source_id": "a", "remote_url": "https://example.org/x"}, "https://example.org/x"),
        ({"kind": "a\u202eb"}, None),
        ({}, None),
    ],
)
def test_other_kinds_of_the_first_release_are_folders(members, url):
    """They were free text; such a folder is the agent's own, and nothing of it is lost."""
    record = load_provenance(json.dumps({"version": 1} | members).encode())
    assert (record.kind, record.url, record.source) == ("folder", url, SourceId.AGENT_LOCAL)


@pytest.mark.parametrize("locator", [None, "", "bird", ":bird", "main:"])
def test_a_locator_may_lack_a_half(locator):
    """What the first release did not write down is not known."""
    record = load_provenance(json.dumps({"version": 1, "kind": "git", "revision": COMMIT, "locator": locator}).encode())
    assert (record.ref, record.subpath) == {
        None: (None, None),
        "": (None, None),
        "bird": (None, "bird"),
        ":bird": (None, "bird"),
        "main:": ("main", None),
    }[locator]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is not JSON"),
        (b"\xff\xfe", "it is not JSON"),
        (b"[" * 60_000, "it is not JSON"),
        (b"9" * 5_000, "it is not JSON"),
        (b"[]", "it is not a JSON object"),
        (b"{}", "it is of a schema that this version does not know"),
        (b'{"schema": 3, "version": 1}', "it is of a schema that this version does not know"),
        (b'{"schema": 2}', "`kind` is none of git, folder, archive, adapted"),
        (b'{"schema": 2, "kind": "svn"}', "`kind` is none of git, folder, archive, adapted"),
        (b'{"schema": 2, "kind": []}', "`kind` is not a text of at most 2,048 bytes"),
        (b'{"schema": 2, "kind": "git"}', "`commit` is not a full commit id"),
        (b'{"schema": 2, "kind": "git", "commit": "abc123"}', "`commit` is not a full commit id"),
        (b'{"schema": 2, "kind": "folder", "commit": "main"}', "`commit` is not a full commit id"),
        (b'{"schema": 2, "kind": "folder", "digest": "AB"}', "`digest` is not 64 hex digits"),
        (b'{"schema": 2, "kind": "folder", "url": 1}', "`url` is not a text of at most 2,048 bytes"),
        (b'{"schema": 2, "kind": "folder", "installed_at": "soon"}', "`installed_at` is not a time with its zone"),
        (
            b'{"schema": 2, "kind": "folder", "installed_at": "2026-01-02T03:04:05"}',
            "`installed_at` is not a time with its zone",
        ),
        (
            b'{"schema": 2, "kind": "folder", "installed_at": "0001-01-01T00:00:00+23:59"}',
            "`installed_at` is not a time with its zone",
        ),
        (b'{"schema": 2, "kind": "folder", "adapted": 1}', "`adapted` is not an object"),
        (b'{"schema": 2, "kind": "folder", "adapted": {}}', "`original_digest` is missing"),
        (b'{"schema": 2, "kind": "folder", "files": []}', "`files` is not an object"),
        (b'{"schema": 2, "kind": "folder", "files": {"a": 1}}', "a digest in `files` is not 64 hex digits"),
        (b'{"schema": 2, "kind": "folder", "files": {"a": null}}', "a digest in `files` is not 64 hex digits"),
        (b'{"schema": 2, "kind": "folder", "files": {"a": "12"}}', "a digest in `files` is not 64 hex digits"),
        (
            b'{"schema": 2, "kind": "folder", "files": {"../a": "%b"}}' % (b"12" * 32),
            "a path in `files`: a part of it is empty, `.` or `..`",
        ),
        (b'{"schema": 2, "kind": "folder", "executable": "a"}', "`executable` is not a list of texts"),
        (b'{"version": 1, "kind": "git"}', "`revision` is not a full commit id"),
        (b" " * 262_145, "it is larger than 262,144 bytes"),
    ],
    ids=lambda value: value[:40].decode("ascii", "replace") if isinstance(value, bytes) else None,
)
def test_what_is_no_record_says_why(content, why):
    """The first thing that cannot be right is named."""
    with pytest.raises(UnreadableProvenance) as unreadable:
        load_provenance(content)
    assert str(unreadable.value) == why


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({}, "`frontmatter` is not a text of at most 9,216 bytes"),
        ({"frontmatter": "\ud800"}, "`frontmatter` is not a text of at most 9,216 bytes"),
        ({"frontmatter": "é" * 4_609}, "`frontmatter` is not a text of at most 9,216 bytes"),
        ({"frontmatter": "", "changes": "x"}, "`changes` is not a list of texts"),
        ({"frontmatter": "", "omitted": [1]}, "`omitted` is not a list of texts"),
        ({"frontmatter": "", "document": "12"}, "`document` is not 64 hex digits"),
        ({"frontmatter": "", "changes": ["x"]}, "`frontmatter` is empty, though there are changes"),
        ({"frontmatter": "x", "changes": ["x" * 33_000]}, "`changes` is more than 32,768 bytes"),
        ({"frontmatter": "", "omitted": ["x" * 90] * 400}, "`omitted` is more than 32,768 bytes"),
    ],
)
def test_an_adaptation_that_could_not_be_undone_is_unreadable(members, why):
    """The lifted frontmatter must be there, and be text that a file can hold."""
    adapted = {"original_digest": "ab" * 32} | members
    with pytest.raises(UnreadableProvenance) as unreadable:
        load_provenance(json.dumps({"schema": 2, "kind": "adapted", "adapted": adapted}).encode())
    assert str(unreadable.value) == why


def test_what_a_record_says_was_changed_is_safe_to_print():
    """It was when it was written; whoever writes another has it escaped."""
    adapted = {"original_digest": "ab" * 32, "frontmatter": "---\n---\n", "changes": ["a\u202eb\n"]}
    read = load_provenance(json.dumps({"schema": 2, "kind": "folder", "adapted": adapted}).encode())
    assert read.adapted is not None
    assert read.adapted.changes == ("a\\u202eb\\x0a",)


BEYOND = ["\U000f0000", "\ue000", "\U0010fffd", "a", "é", "🦅", "\u0301"]
folders = st.lists(
    st.builds(lambda char, number: char * number, st.sampled_from(BEYOND), st.integers(1, 63)), min_size=1, max_size=16
).map("/".join)
refs = st.lists(st.sampled_from(["é", "🦅", "main", "x" * 200, "\u6f22" * 60]), min_size=1, max_size=8).map("/".join)
addresses = st.integers(1, 1000).map(lambda number: f"https://git.example/{'x' * number}")


@settings(max_examples=examples(2000))
@given(addresses, refs, folders)
def test_whatever_can_be_fetched_can_be_put_on_record(address, ref, folder):
    """However long its address, ref and folder are as the record spells them: it is read again, the same."""
    with suppress(BadPath, BadSource):
        origin = Repository(git_url(address), git_ref(ref)).origin(commit_id(COMMIT), resource_path(folder))
        assert load_provenance(dump_provenance(origin)) == origin


def test_a_folder_whose_name_takes_many_characters_to_spell():
    """As long as a path may be, of what JSON spells with twelve characters for four bytes."""
    folder = resource_path("/".join(["\U000f0000" * 63] * 4))
    origin = Repository(git_url("https://git.example/x")).origin(commit_id(COMMIT), folder)
    assert load_provenance(dump_provenance(origin)).subpath == folder


@given(st.lists(st.text(max_size=9) | st.integers(1, 40_000).map(lambda number: "x" * number), max_size=9))
def test_lines_are_cut_to_their_room(lines):
    """All of them where there is room; else as many as fit, and how many more there are, which has room in any case."""
    found = within_room(lines)
    Adapted("ab" * 32, "---\n---\n", found, found)
    if found != tuple(lines):
        assert found[:-1] == tuple(lines[: len(found) - 1])
        assert found[-1] == f"and {len(lines) - len(found) + 1} more"
        assert len(json.dumps(lines)) > 32_000


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "svn"},
        {"kind": "git"},
        {"kind": "git", "commit": "abc123"},
        {"kind": "folder", "url": "x" * 2049},
        {"kind": "folder", "ref": "\U000f0000" * 513},
        {"kind": "folder", "subpath": "\ud800"},
        {"kind": "folder", "installed_at": datetime(2026, 1, 2)},  # noqa: DTZ001 - that it has no zone is the point
    ],
)
def test_a_record_is_legal_by_construction(values):
    """What could not be written, or would rank as git without a commit, cannot be made."""
    with pytest.raises(ValueError, match=r"."):
        Provenance(**values)
