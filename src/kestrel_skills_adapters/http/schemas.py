"""What goes in and out, as OpenAPI shows it. What comes in is held to it; what goes out are `records`, described here.

A member that is there only where it says something has a default; one that is always there has none.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kestrel_skills_core.domain.limits import LIMITS
from kestrel_skills_core.domain.names import NAME_PATTERN
from kestrel_skills_core.domain.offer import Need
from kestrel_skills_core.domain.record import PRIORITIES

__all__ = [
    "AdaptationChange",
    "Adapted",
    "Catalog",
    "Changed",
    "Checks",
    "Content",
    "Context",
    "Creation",
    "FileText",
    "Finding",
    "Fitting",
    "InstallRequest",
    "Installation",
    "InstalledSkill",
    "Job",
    "Preview",
    "PreviewRequest",
    "Rejection",
    "Skill",
    "SkillProblem",
    "StateChange",
    "Stock",
    "Tree",
    "Validated",
    "ValidationRequest",
    "Verification",
]

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(json_schema_extra={"pattern": NAME_PATTERN})]
"""What a name must be like stands in the document; refused it is by the rule itself, which says why."""
Priority = Annotated[int, Field(ge=PRIORITIES[0], le=PRIORITIES[-1])]
Severity = Literal["error", "warning", "info"]
_MOST_STATES: Final = 2 * LIMITS.root_entries
"""Every name of an agent's own root, and of the shared one."""
_MOST_BYTES: Final = 2**53 - 1
"""The greatest whole number that every reader of JSON keeps."""


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Creation(_Asked):
    """A skill to make, of its three parts."""

    name: Name
    description: str
    body: str
    enabled: bool = False
    priority: Priority = 100


class Content(_Asked):
    """The whole text of one file."""

    content: str


class StateChange(_Asked):
    """What shall be otherwise; what is left out, or null, stays. A `pin` that is null is taken away.

    A pin says what to turn on: it goes with `enabled` true, or alone where the skill is on.
    """

    enabled: bool | None = None
    priority: Priority | None = None
    pin: Digest | None = None

    @model_validator(mode="after")
    def _turns_one_way(self) -> Self:
        if self.enabled is False and self.pin is not None:
            raise ValueError("a pin cannot go with turning off")
        return self


class ValidationRequest(_Asked):
    """Texts that are not written yet: a name, a description, a whole `SKILL.md`."""

    name: str | None = None
    description: str | None = None
    text: str | None = None


class ProposedState(_Asked):
    """A state that the skill of a name might be given."""

    name: Name
    enabled: bool | None = None
    priority: Priority | None = None


class Fitting(_Asked):
    """States that skills might be given, and a budget in bytes; without one, it is the agent's."""

    states: list[ProposedState] = Field(default=[], max_length=_MOST_STATES)
    budget: int | None = Field(default=None, ge=0, le=_MOST_BYTES)


class PreviewRequest(_Asked):
    """A skill of a public git repository; without a `skill_name`, all of them are listed."""

    source_url: str
    skill_name: str = ""
    ref: str = "HEAD"
    adapt: bool = False


class InstallRequest(_Asked):
    """Exactly the skill that a preview with the same `adapt` showed this digest for."""

    source_url: str
    skill_name: str = Field(min_length=1)
    ref: str = "HEAD"
    adapt: bool = False
    digest: Digest


class _Told(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Finding(_Told):
    """One place where a rule is broken; line and column are 0 where the whole file or folder is meant."""

    code: str
    severity: Severity
    file: str
    line: int
    column: int
    message: str
    fix: str


class ErrorNote(_Told):
    """Why something is not there, or not done, beside what is."""

    code: str
    message: str
    fix: str


class SourceProblem(ErrorNote):
    """Why the skills of one source are not there."""

    source: str


class Provenance(_Told):
    """Where a skill came from."""

    kind: str
    url: str | None = None
    commit: str | None = None
    ref: str | None = None
    subpath: str | None = None


class Skill(_Told):
    """A skill, with those that it shadows."""

    name: str
    description: str
    enabled: bool
    priority: int
    token_cost: int
    context_included: bool
    source: str
    editable: bool
    deletable: bool
    revision: Digest
    etag: Digest
    delete_revision: Digest | None
    shadowed: list[Skill]
    source_root: str | None = None
    edited: bool | None = None
    pin: Digest | None = None
    provenance: Provenance | None = None


class Rejection(_Told):
    """A folder that is no skill yet, with what is wrong, whether adapting mends that, and the skill it holds back."""

    name: str
    source: str
    faults: list[Finding]
    delete_revision: Digest | None
    adaptable: bool
    holds_back: Skill | None


class Context(_Told):
    """The context clause and its receipt: what is in it and left out, in order."""

    text: str
    included: list[str]
    omitted: list[str]
    bytes: int
    budget: int


class Catalog(_Told):
    """Everything, in catalog order; `hidden` says why nothing is shown, whatever there is.

    `notes` are lines for whoever runs the agent: what else is wrong, and what to do about it.
    """

    skills: list[Skill]
    rejected: list[Rejection]
    count: int
    problems: list[SourceProblem]
    enablement_available: bool
    enablement_error: ErrorNote | None
    context: Context
    notes: list[str]
    hidden: ErrorNote | None = None


class Item(_Told):
    """One file of a skill."""

    path: str
    bytes: int
    sha256: Digest
    executable: bool


class Tree(_Told):
    """The files of a skill or rejected folder, in path order."""

    name: str
    source: str
    editable: bool
    revision: Digest
    files: list[Item]


class FileText(_Told):
    """The text of one file. `revision` is that of its skill; null where the folder is beyond the caps."""

    name: str
    path: str
    content: str
    bytes: int
    revision: Digest | None


class Preview(_Told):
    """A Markdown file as HTML that may be put into a page."""

    name: str
    path: str
    html: str
    revision: Digest


class Checks(_Told):
    """Everything wrong with a skill, and all advice; `ok` where nothing keeps it out of the catalog."""

    name: str
    ok: bool
    findings: list[Finding]


class Difference(_Told):
    """One file that is not as it was installed."""

    path: str
    what: Literal["added", "changed", "removed", "mode"]


class AdaptedRecord(_Told):
    """What is on record of an adaptation; `frontmatter` is what was lifted out."""

    state: Literal["made", "undone", "edited"] | None
    changes: list[str]
    omitted: list[str]
    frontmatter: str | None


class Verification(_Told):
    """How a folder compares with its record; `unread` says what could not be read of it."""

    name: str
    verdict: str
    unread: Finding | None = None
    provenance: Provenance | None = None
    differences: list[Difference] | None = None
    adapted: AdaptedRecord | None = None


class AdaptationChange(_Told):
    """One change that adapting makes; `loses` where something is no longer in force."""

    text: str
    loses: bool


class OmittedFile(_Told):
    """One file that adapting leaves out."""

    path: str
    why: str


class Adapted(_Told):
    """What adapting changes, the weighty first."""

    changes: list[AdaptationChange]
    omitted: list[OmittedFile]


class Changed(_Told):
    """What a change came to.

    `found` is the skill or folder as it then is; after a deletion, what has the name then. `revision` is that of its
    files; null where the folder is beyond the caps, and not there after a deletion. `problem` is what could not
    be done after the change stood. `warnings` are advice on what was written.
    """

    found: Skill | Rejection | None
    revision: Digest | None = None
    problem: ErrorNote | None = None
    warnings: list[Finding] | None = None
    adaptation: Adapted | None = None


class Validated(_Told):
    """The findings on each text that was given; `taken` is what has the name in the agent's own folder."""

    ok: bool
    name: list[Finding]
    description: list[Finding]
    text: list[Finding]
    taken: Skill | Rejection | None


class StockedSkill(_Told):
    """A skill in a repository, and what it takes to install it."""

    folder: str
    name: str
    description: str
    needs: Need


class Stock(_Told):
    """The skills of one commit of a repository."""

    url: str
    ref: str
    commit: str
    skills: list[StockedSkill]


class Installation(_Told):
    """A skill as it would land; without a `digest` it is refused, and `adaptation` is what adapting would do."""

    name: str
    description: str
    provenance: Provenance
    digest: Digest | None
    files: list[Item]
    left_out: list[str]
    pointers: list[str]
    findings: list[Finding]
    adaptation: Adapted | None
    taken: Skill | Rejection | None
    then: Skill | Rejection | None
    problems: list[ErrorNote]


class BadField(_Told):
    """One part of a request that is not as it should be."""

    at: str
    message: str


class SkillProblem(_Told):
    """A problem, as of RFC 9457.

    `code` is a stable word for programs, and `fix` what to do. `faults` are of a document, `fields` of the request;
    `found` is the revision or etag that is there now, and `kept` where what a person wrote meanwhile was put.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str
    fix: str
    faults: list[Finding] | None = None
    fields: list[BadField] | None = None
    adaptation: Adapted | None = None
    found: str | None = None
    kept: str | None = None


class InstalledSkill(_Told):
    """What was installed, and what its name means now, if that can be told."""

    found: Skill
    then: Skill | Rejection | None
    commit: str | None
    digest: Digest
    adaptation: Adapted | None


class Job(_Told):
    """One installation under way, or ended.

    `received` bytes of at most `received_limit` came in, and `entries` files and folders are asked for of at most
    `entries_limit`. `installed` is there when it is `done`, and `problem` when it `failed`.
    """

    job: str
    state: Literal["running", "done", "failed", "cancelled"]
    received: int
    received_limit: int
    entries: int
    entries_limit: int
    installed: InstalledSkill | None = None
    problem: SkillProblem | None = None


def reference(model: type[BaseModel]) -> dict[str, Any]:
    """A reference to a model that another one documents."""
    return {"$ref": f"#/components/schemas/{model.__name__}"}
