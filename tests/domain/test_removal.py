"""What a deletion destroys, and whether it was approved."""

from __future__ import annotations

import hashlib

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.approval import ApprovalBinding
from kestrel_skills_core.domain.errors import NotEditable, StaleRevision
from kestrel_skills_core.domain.names import Generation, ResourcePath, SkillName, SourceId
from kestrel_skills_core.domain.provenance import Provenance
from kestrel_skills_core.domain.record import Sighting
from kestrel_skills_core.domain.removal import Manifest, approved_manifest, manifest_of
from kestrel_skills_core.domain.tree import Content, SkillTree, Unlisted, packed

KNOTS = SkillName("knots")
GENERATION = Generation("ab" * 32)
READ = {"SKILL.md": Content(b"one"), "run.sh": Content(b"two", executable=True)}
TREE = SkillTree({ResourcePath(path): content for path, content in READ.items()})
LITTER = Unlisted(".DS_Store", "file", 3, 10**18, 10**18 + 1)
FOUND = Sighting(
    folder="knots",
    head=None,
    packed=packed(TREE.inventory),
    generation=GENERATION,
    unlisted=(LITTER,),
)
APPROVED = ApprovalBinding(
    operation="delete",
    agent="did:key:a",
    name=KNOTS,
    source=SourceId.AGENT_LOCAL,
    generation=GENERATION,
    revision=TREE.revision,
    unlisted=(LITTER,),
)
TEXT = (
    '{"beside":[[".DS_Store","file",3,1000000000000000000,1000000000000000001]],"files":{'
    f'"SKILL.md":["{hashlib.sha256(b"one").hexdigest()}",false],'
    f'"run.sh":["{hashlib.sha256(b"two").hexdigest()}",true]}}}}'
).encode()


def test_a_manifest_lists_all_that_was_seen() -> None:
    """As JSON, whose digest names the folder."""
    manifest = manifest_of(FOUND, READ)
    assert manifest is not None
    assert manifest.render() == TEXT
    assert manifest.whole == hashlib.sha256(TEXT).hexdigest()


def test_a_manifest_knows_its_files() -> None:
    """By path, bytes and mode."""
    manifest = manifest_of(FOUND, READ)
    assert manifest is not None
    assert manifest.lists("SKILL.md", b"one", executable=False)
    assert not manifest.lists("SKILL.md", b"two", executable=False)
    assert not manifest.lists("SKILL.md", b"one", executable=True)
    assert not manifest.lists("run.sh", b"one", executable=False)
    assert not manifest.lists("absent.md", b"one", executable=False)


def test_what_was_not_all_seen_has_no_manifest() -> None:
    """Nothing of it may be removed."""
    assert manifest_of(evolve(FOUND, unlisted=None), READ) is None


def test_what_was_approved_may_be_removed() -> None:
    """The manifest then says what."""
    assert approved_manifest(KNOTS, FOUND, READ, APPROVED) == manifest_of(FOUND, READ)


def test_an_installed_skill_is_approved_as_one() -> None:
    """Its source is what its provenance says."""
    installed = evolve(FOUND, provenance=Provenance(kind="git", commit="ab" * 20))
    assert approved_manifest(KNOTS, installed, READ, evolve(APPROVED, source=SourceId.GIT)) is not None
    with pytest.raises(StaleRevision):
        approved_manifest(KNOTS, installed, READ, APPROVED)


@pytest.mark.parametrize(
    "found",
    [
        evolve(FOUND, generation=None),
        evolve(FOUND, generation=Generation("cd" * 32)),
        evolve(FOUND, packed=()),
        evolve(FOUND, unlisted=()),
        evolve(FOUND, unlisted=(evolve(LITTER, size=4),)),
        evolve(FOUND, unlisted=(evolve(LITTER, ctime_ns=10**18 + 2),)),
    ],
    ids=["no marker", "another birth", "other bytes", "litter gone", "litter changed", "litter as large and as old"],
)
def test_what_is_not_what_was_approved_stays(found: Sighting) -> None:
    """The refusal says which revision there is."""
    with pytest.raises(StaleRevision) as refusal:
        approved_manifest(KNOTS, found, READ, APPROVED)
    assert refusal.value.found == found.revision


@pytest.mark.parametrize("change", [{"operation": "edit"}, {"name": SkillName("shells")}])
def test_an_approval_of_something_else_is_none(change: dict[str, object]) -> None:
    """Another operation, or another name."""
    with pytest.raises(StaleRevision):
        approved_manifest(KNOTS, FOUND, READ, evolve(APPROVED, **change))


@pytest.mark.parametrize(
    "found", [None, (Unlisted("a/.GIT", "folder", 0, 0, 0),), (Unlisted(".git", "file", 1, 1, 1),)]
)
def test_what_nobody_could_see_is_never_approved(found: tuple[Unlisted, ...] | None) -> None:
    """A folder beyond the caps, or a repository, in whatever case."""
    with pytest.raises(NotEditable):
        approved_manifest(KNOTS, evolve(FOUND, unlisted=found), READ, evolve(APPROVED, unlisted=found or ()))


LISTS = st.builds(
    Manifest,
    st.dictionaries(st.text(max_size=5), st.tuples(st.from_regex(r"\A[0-9a-f]{64}\Z"), st.booleans()), max_size=4),
    st.frozensets(
        st.builds(Unlisted, st.text(max_size=5), st.just("file"), st.integers(), st.integers(), st.integers()),
        max_size=4,
    ),
)


@given(LISTS, LISTS)
def test_two_manifests_have_one_digest_only_if_they_are_one(one: Manifest, other: Manifest) -> None:
    """Whatever they list."""
    assert (one.whole == other.whole) == (one == other)
