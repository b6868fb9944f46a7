"""What a source offers, as it would land."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.errors import BadDocument, BadName, OtherDigest
from kestrel_skills_core.domain.git_address import CommitId, git_ref, git_url
from kestrel_skills_core.domain.names import Revision, resource_path
from kestrel_skills_core.domain.offer import Offer, Package, Repository, glimpse, offered, stated
from kestrel_skills_core.domain.parcel import Parcel, packed
from kestrel_skills_core.domain.provenance import Provenance, dump_provenance, load_provenance
from kestrel_skills_core.domain.tree import Content, SkillTree
from tests.examples import examples

FOLDER = Provenance(kind="folder")
GOOD = b"---\nname: knots\ndescription: Use when it is loose.\n---\nTie it.\n"
FOREIGN = b"---\nname: Knots\ndescription: |\n  Use when\n  it is loose.\nallowed-tools: Bash\n---\nTie it.\n"
NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def parcel(document: bytes | None = GOOD, **files: bytes) -> Parcel:
    """A parcel with a document, and other files: `run_sh` is `run.sh`."""
    entries = [(name.replace("_", "."), Content(data)) for name, data in files.items()]
    return packed(
        [*entries, *([] if document is None else [("SKILL.md", Content(document))]), (".DS_Store", Content(b""))]
    )


def test_what_is_in_the_form_lands_as_it_is() -> None:
    """Nothing is changed; the digest is that of a tree of just these files."""
    offer = offered(parcel(run_sh=b"x"), "knots", FOLDER, adapt=False)
    tree = SkillTree({resource_path("SKILL.md"): Content(GOOD), resource_path("run.sh"): Content(b"x")})
    assert (offer.name, offer.description) == ("knots", "Use when it is loose.")
    assert (offer.digest, offer.files, offer.adaptation) == (tree.revision, tree.inventory, None)
    assert offer.left_out == (".DS_Store",)
    assert offer.landing() == offer.landing(tree.revision) == ("knots", tree)


def test_what_needs_adapting_is_refused_and_says_what_would_be_done() -> None:
    """No tree, no digest; every fault; and the adaptation, restrictions first."""
    offer = offered(parcel(FOREIGN), "knots", FOLDER, adapt=False)
    assert (offer.tree, offer.digest) == (None, None)
    assert offer.name == "knots"
    assert offer.description == "Use when it is loose."
    assert [finding.code for finding in offer.findings] == ["KS201", "KS202", "KS108"]
    assert offer.adaptation is not None
    assert offer.adaptation.changes[0].loses
    with pytest.raises(BadDocument) as refused:
        offer.landing()
    assert refused.value.adaptation == offer.adaptation


def test_what_is_adapted_lands_adapted() -> None:
    """The digest is of what lands, and the same that the refusal would have led to."""
    offer = offered(parcel(FOREIGN), "knots", FOLDER, adapt=True)
    before = offered(parcel(FOREIGN), "knots", FOLDER, adapt=False)
    assert before.adaptation is not None
    assert offer.digest == before.adaptation.tree.revision
    assert offer.files[0].path == "SKILL.md"
    assert offer.description == "Use when it is loose."
    record = offer.record(NOW)
    assert record.adapted is not None
    assert record.adapted.frontmatter.encode() + b"Tie it.\n" == FOREIGN


@pytest.mark.parametrize("adapt", [False, True])
def test_what_adapting_does_not_mend(adapt: bool) -> None:
    """It is refused either way, with its faults and nothing that would help."""
    for document in (None, b"# no frontmatter\n", b"\xff"):
        offer = offered(parcel(document), "knots", FOLDER, adapt=adapt)
        assert offer.findings
        assert (offer.tree, offer.adaptation, offer.description) == (None, None, "")


@pytest.mark.parametrize("adapt", [False, True])
def test_without_a_name_its_own_counts(adapt: bool) -> None:
    """A skill at the top of something goes by the name that it gives itself."""
    assert offered(parcel(), "", FOLDER, adapt=adapt).name == "knots"


def test_a_name_that_is_none_is_made_one_if_asked_for() -> None:
    """And it is told; where nothing can be made of it, that is said."""
    foreign = parcel(b"---\nname: My Knots\ndescription: Use it.\n---\nTie it.\n")
    assert offered(foreign, "", FOLDER, adapt=True).name == "my-knots"
    assert offered(foreign, "", FOLDER, adapt=False).name == "My Knots"
    unnamed = parcel(b"---\ndescription: Use it.\n---\nTie it.\n")
    assert offered(unnamed, "", FOLDER, adapt=False).adaptation is None
    with pytest.raises(BadName, match="none can be made of it"):
        offered(unnamed, "", FOLDER, adapt=True)
    assert offered(unnamed, "bends", FOLDER, adapt=True).name == "bends"


def test_a_pointer_of_git_lfs_is_named() -> None:
    """It is text, so that it lands; nobody takes it for the file."""
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%b\nsize 9\n" % (b"0" * 64)
    assert offered(parcel(model_bin=pointer), "knots", FOLDER, adapt=False).pointers == ("model.bin",)
    assert offered(parcel(FOREIGN, model_bin=pointer), "knots", FOLDER, adapt=False).pointers == ()
    adapted = offered(parcel(FOREIGN, model_bin=pointer), "knots", FOLDER, adapt=True)
    assert adapted.adaptation is not None
    assert adapted.adaptation.lines[-1] == "`model.bin` is left out: a git LFS pointer, and not the file itself"


def test_exactly_what_was_shown_or_nothing() -> None:
    """Another digest is refused, and both are named."""
    offer = offered(parcel(), "knots", FOLDER, adapt=False)
    seen = Revision("0" * 64)
    with pytest.raises(OtherDigest) as refused:
        offer.landing(seen)
    assert refused.value.seen == seen
    assert refused.value.found == offer.digest
    assert seen in str(refused.value)
    assert str(offer.digest) in str(refused.value)


def test_the_record_says_where_it_is_from() -> None:
    """Of git everything that it takes to find it again; of a package only which kind it was. It reads back as it is."""
    repository = Repository(git_url("https://git.example/tools"), git_ref("main"))
    commit = CommitId("1" * 40)
    folder = resource_path("skills/knots")
    record = offered(parcel(), "knots", repository.origin(commit, folder), adapt=False).record(NOW)
    assert (record.kind, record.url, record.commit) == ("git", "https://git.example/tools", commit)
    assert (record.ref, record.subpath, record.installed_at) == ("main", "skills/knots", NOW)
    assert record.files is not None
    assert list(record.files) == ["SKILL.md"]
    assert load_provenance(dump_provenance(record)) == record
    assert repository.origin(commit, None).subpath == "."
    assert Package(kind="archive", parcel=parcel()).origin == Provenance(kind="archive")


def test_a_glimpse_of_a_document() -> None:
    """Its name is the folder's, at the top its own; whether it is in the form; nothing of it where it is too large."""
    at = resource_path("skills/knots")
    assert glimpse(at, stated(GOOD)).needs == "nothing"
    assert glimpse(at, stated(GOOD)).description == "Use when it is loose."
    assert glimpse(None, stated(GOOD)).name == "knots"
    assert glimpse(resource_path("skills/bends"), stated(GOOD)).needs == "adapting"
    foreign = glimpse(at, stated(FOREIGN))
    assert (foreign.name, foreign.description, foreign.needs) == ("knots", "Use when it is loose.", "adapting")
    assert glimpse(None, stated(None)).name == ""
    assert glimpse(at, stated(b"\xff")).description == ""


@pytest.mark.parametrize(
    ("folder", "document", "needs"),
    [
        ("skills/knots", b"# No frontmatter", "mending"),
        ("skills/knots", FOREIGN.replace(b"Use", b"Use\x07"), "mending"),
        ("skills/knots", None, "mending"),
        ("skills/\u65e5\u672c", GOOD, "a name"),
        ("skills/\u65e5\u672c", b"# No frontmatter", "mending"),
        ("skills/My Knots", GOOD, "adapting"),
        (None, GOOD.replace(b"knots", b"'!'"), "a name"),
    ],
)
def test_what_a_glimpse_promises_is_true(folder: str | None, document: bytes | None, needs: str) -> None:
    """What adapting would refuse is not said to need adapting alone."""
    place = None if folder is None else resource_path(folder)
    assert glimpse(place, stated(document)).needs == needs
    if document is None:
        return
    came, origin = packed([("SKILL.md", Content(document))]), Provenance(kind="folder")
    offer = None
    with suppress(BadName):
        offer = offered(came, "" if folder is None else folder.rpartition("/")[2], origin, adapt=True)
    if needs == "a name":
        assert offer is None
    assert (offer is None or offer.tree is None) == (needs in ("a name", "mending"))


FILES = st.dictionaries(
    st.sampled_from(["SKILL.md", "a.md", "b/c.py", "big.bin", ".DS_Store", "__pycache__/d.pyc"]),
    st.one_of(
        st.sampled_from([GOOD, FOREIGN, b"", b"\0", b"x" * 300_000]),
        st.binary(max_size=200),
        st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    ),
)


@given(FILES, st.sampled_from(["knots", "", "My Knots"]), st.booleans())
@settings(max_examples=examples(500))
def test_whatever_comes_lands_well_or_is_refused(files: dict[str, bytes], name: str, adapt: bool) -> None:
    """What has a tree is a skill without faults, of just that digest; what has none has faults; and nothing else."""
    came = packed((path, Content(data)) for path, data in files.items())
    try:
        offer: Offer = offered(came, name, FOLDER, adapt=adapt)
    except BadName:
        assert adapt
        return
    if offer.tree is None:
        assert any(finding.severity == "error" for finding in offer.findings)
        return
    assert not any(finding.severity == "error" for finding in offer.findings)
    again = offered(Parcel(offer.tree.files), offer.name, FOLDER, adapt=True)
    assert (again.tree, again.name) == (offer.tree, offer.name)
    assert again.adaptation is not None
    assert again.adaptation.adapted is None
