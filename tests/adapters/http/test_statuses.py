"""Every error has a status, and says over HTTP what it says everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kestrel_skills_adapters.http.statuses import STATUSES, problem_of
from kestrel_skills_core.domain.errors import (
    Abandoned,
    BadDocument,
    BadName,
    BadPath,
    BadSource,
    Busy,
    GitFailed,
    Hidden,
    InDoubt,
    KeptAbsent,
    NotEditable,
    OtherDigest,
    OutOfRange,
    SkillAbsent,
    SkillError,
    SkillExists,
    SourceUnavailable,
    StaleRevision,
    StateUnavailable,
    StoreFailed,
    SwitchedOff,
    TooLarge,
    Unconditional,
    Unmatched,
)
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.rules import BARE_COLON

FAULT = Finding(BARE_COLON, "SKILL.md", "a colon", 3, 14)
EXAMPLES: list[tuple[SkillError, int, str]] = [
    (BadName("A", "why", "fix"), 422, "bad_name"),
    (BadPath("../a", "why", "fix"), 422, "bad_path"),
    (BadDocument("lint", (FAULT,)), 422, "bad_document"),
    (BadSource("x", "why", "fix"), 422, "bad_source"),
    (OutOfRange("offset", -1, 0), 422, "out_of_range"),
    (Unmatched("SKILL.md", 2), 422, "unmatched"),
    (TooLarge("bytes", 1, 2), 413, "too_large"),
    (Unconditional("lint", "SKILL.md"), 428, "unconditional"),
    (SkillAbsent("lint"), 404, "absent"),
    (KeptAbsent("ab"), 404, "kept_absent"),
    (SkillExists("lint"), 409, "exists"),
    (OtherDigest("lint", "a", "b"), 409, "other_digest"),
    (SwitchedOff("lint"), 409, "switched_off"),
    (StaleRevision("lint", "a", "b"), 412, "stale"),
    (NotEditable("host-shared", "why", "fix"), 403, "not_editable"),
    (Hidden("ephemeral"), 403, "hidden"),
    (GitFailed("refs", "why"), 502, "git_failed"),
    (StateUnavailable("why", "fix"), 503, "state_unavailable"),
    (SourceUnavailable("agent-local", "why", "fix"), 503, "source_unavailable"),
    (StoreFailed("stage", "why", "fix"), 503, "store_failed"),
    (Busy("the store"), 503, "busy"),
    (Abandoned("the archive"), 503, "abandoned"),
    (InDoubt("lint"), 503, "in_doubt"),
]


def leaves(family: type[SkillError]) -> Iterator[type[SkillError]]:
    """Every error of the core that may be raised; an adapter may have a kind of its own within."""
    below = [each for each in family.__subclasses__() if each.__module__ == SkillError.__module__]
    if not below:
        yield family
    for each in below:
        yield from leaves(each)


def test_the_table_has_every_error_and_nothing_else() -> None:
    """A new error without a status is a defect that is found here."""
    assert set(STATUSES) == set(leaves(SkillError)) == {type(error) for error, _, _ in EXAMPLES}


@pytest.mark.parametrize(("error", "status", "code"), EXAMPLES, ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_said_of_an_error(error: SkillError, status: int, code: str) -> None:
    """Its status, its code, its text and its fix, in the members of RFC 9457."""
    problem = problem_of(error)
    assert problem.status == problem.members["status"] == status
    assert problem.members["code"] == code
    assert (problem.members["detail"], problem.members["fix"]) == (str(error), error.fix)
    assert (problem.members["type"], problem.members["title"]) == ("about:blank", problem.status.phrase)


def test_a_document_is_told_with_every_fault_and_its_place() -> None:
    """So that an editor can go there."""
    (fault,) = problem_of(BadDocument("lint", (FAULT,))).members["faults"]
    assert (fault["code"], fault["file"], fault["line"], fault["column"]) == ("KS105", "SKILL.md", 3, 14)


def test_who_came_too_late_is_told_what_is_there_now() -> None:
    """And where the bytes of a person are that met the change, if they did."""
    assert problem_of(StaleRevision("lint", "a", "b", "c")).members.items() >= {"found": "b", "kept": "c"}.items()
    assert not {"found", "kept"} & set(problem_of(StaleRevision("lint", "a")).members)


def test_who_meets_another_is_told_when_to_come_back() -> None:
    """That, and nothing else, is worth asking again for."""
    assert [code for error, _, code in EXAMPLES if "Retry-After" in problem_of(error).headers] == ["busy"]
