"""One skill of a source, as it would land here: what a person decides on before it is installed. Pure.

Rule 1: what is offered is what lands. The digest is of the tree that would be published, adaptation included.
Rule 2: nothing is offered that could not be taken: a skill with faults has no tree and no digest, and says what
        adapting it would do.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal

from attrs import evolve, frozen

from .adapt import Adaptation, adapted, as_it_is, own_name, valid_name
from .document import examine
from .errors import BadDocument, BadName, OtherDigest
from .findings import Finding
from .foreign import opened
from .git_address import CommitId, GitRef, GitUrl
from .names import ResourcePath, Revision, SkillName, is_same
from .parcel import Parcel
from .pointer import is_pointer
from .provenance import Provenance, installed
from .rewrite import rewritten
from .tree import Inventory, SkillTree, inventory_of
from .verdict import verdict_on
from .whereabouts import spelt

__all__ = ["HEAD", "Glimpse", "Offer", "Package", "Repository", "Stated", "glimpse", "offered", "stated"]

Need = Literal["nothing", "adapting", "a name", "mending"]

HEAD: Final = GitRef("HEAD")
"""What is meant where no ref is given: the branch that the repository itself is at."""
_ANY: Final = SkillName("skill")
"""A name to try what does not depend on one."""


@frozen
class Repository:
    """A git repository, and which of its commits is meant."""

    url: GitUrl
    ref: GitRef = HEAD

    def origin(self, commit: CommitId, folder: ResourcePath | None) -> Provenance:
        """What is on record of a skill in one folder of one commit."""
        return Provenance(kind="git", url=self.url, commit=commit, ref=self.ref, subpath=spelt(folder))


@frozen(kw_only=True)
class Package:
    """A folder or archive of this machine, as it was read: one skill. `name` is the folder's; an archive has none."""

    kind: Literal["folder", "archive"]
    parcel: Parcel
    name: str = ""

    @property
    def origin(self) -> Provenance:
        """What is on record of it: where it lay is nobody's business."""
        return Provenance(kind=self.kind)


@frozen
class Stated:
    """What a `SKILL.md` says by itself, if it can be read; `fits` is the name of the folder that it is ready in."""

    name: str = ""
    description: str = ""
    fits: SkillName | None = None
    is_adaptable: bool = False


@frozen(kw_only=True)
class Glimpse:
    """A skill that was found, as its `SKILL.md` alone shows it.

    `folder` is nothing for the top of a repository. Name and description are empty where it has none that can be read.
    `needs` is what it takes to install it, as far as that can be told: `nothing`; `adapting`; that and `a name`, since
    none can be made of its own; or `mending` by its author.
    """

    folder: ResourcePath | None
    name: str
    description: str
    needs: Need


@frozen(kw_only=True)
class Offer:
    """One skill as it would land.

    `tree` is what lands under `name`; nothing where it is refused, and `files` are then what came, and `name` what was
    asked for. `adaptation` is what was done to it, or, where it is refused, what adapting would do, if that would help.
    `left_out` is litter that stays behind. `origin` is the record without what only landing adds.
    """

    origin: Provenance
    name: str
    description: str
    files: Inventory
    findings: tuple[Finding, ...]
    tree: SkillTree | None = None
    adaptation: Adaptation | None = None
    left_out: tuple[str, ...] = ()

    @property
    def digest(self) -> Revision | None:
        """The revision of what lands."""
        return None if self.tree is None else self.tree.revision

    @property
    def pointers(self) -> tuple[ResourcePath, ...]:
        """The files that would land and are pointers of git LFS, and not what their author sees in their place."""
        files = {} if self.tree is None else self.tree.files
        return tuple(path for path, content in files.items() if is_pointer(content.data))

    def landing(self, digest: Revision | None = None) -> tuple[SkillName, SkillTree]:
        """The name and the tree to publish; with a digest, exactly what that was shown for.

        Raises:
            BadDocument: It is refused as it is.
            OtherDigest: It is not what was shown.
        """
        if self.tree is None:
            raise BadDocument(self.name, self.findings, self.adaptation)
        if digest is not None and not is_same(digest, self.tree.revision):
            raise OtherDigest(self.name, digest, self.tree.revision)
        return SkillName(self.name), self.tree

    def record(self, at: datetime) -> Provenance:
        """What is written beside a skill that lands at that time."""
        made = None if self.adaptation is None else self.adaptation.adapted
        return evolve(self.origin, digest=self.digest, installed_at=at, adapted=made, files=installed(self.files))


def offered(parcel: Parcel, name: str, origin: Provenance, *, adapt: bool) -> Offer:
    """What comes of a parcel that is asked for under a name; under its own where none is given.

    Raises:
        BadName: It is to be adapted, and no skill name can be made of its name.
    """
    try:
        if adapt:
            adaptation = adapted(parcel, name)
            return _landing(origin, parcel, adaptation.name, adaptation.tree, adaptation)
        return _landing(origin, parcel, SkillName(name or own_name(parcel)), as_it_is(parcel, name), None)
    except BadDocument as refusal:
        return Offer(
            origin=origin,
            name=refusal.name,
            description="" if parcel.stated is None else parcel.stated.said("description") or "",
            files=inventory_of(parcel.files),
            findings=refusal.faults,
            adaptation=refusal.adaptation,
            left_out=parcel.left_out,
        )


def stated(document: bytes | None) -> Stated:
    """What a `SKILL.md` says, wherever it lies; `document` is nothing where it is larger than it may be."""
    if document is None:
        return Stated()
    found = opened(document)
    name, description = ("", "") if found is None else (found.said("name") or "", found.said("description") or "")
    head, _ = examine(document, name)
    try:
        rewritten(document, _ANY, found)
    except BadDocument:
        is_adaptable = False
    else:
        is_adaptable = True
    return Stated(name, description, None if head is None else head.name, is_adaptable)


def glimpse(folder: ResourcePath | None, said: Stated) -> Glimpse:
    """What a `SKILL.md` that says so shows in a folder."""
    name = said.name if folder is None else folder.rpartition("/")[2]
    return Glimpse(folder=folder, name=name, description=said.description, needs=_needs(said, name))


def _needs(said: Stated, name: str) -> Need:
    """What it takes to install a skill that says so under a name."""
    if said.fits is not None and said.fits == name:
        return "nothing"
    if not said.is_adaptable:
        return "mending"
    try:
        valid_name(name)
    except BadName:
        return "a name"
    return "adapting"


def _landing(
    origin: Provenance, parcel: Parcel, name: SkillName, tree: SkillTree, adaptation: Adaptation | None
) -> Offer:
    sighting = verdict_on(name, tree)
    assert sighting.head is not None, "what has no faults has a head"
    return Offer(
        origin=origin,
        name=name,
        description=sighting.head.description,
        files=tree.inventory,
        findings=sighting.findings,
        tree=tree,
        adaptation=adaptation,
        left_out=parcel.left_out,
    )
