"""Everything the core may raise: its text, its evidence, and its travels."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain import errors, rules
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.findings import Finding
from tests.examples import examples

FIRST = Finding(rules.BARE_COLON, "SKILL.md", "a colon", 3, 14)
SECOND = Finding(rules.EMPTY_BODY, "SKILL.md", "nothing", 4, 1)

LEAVES = [
    (errors.BadName("A b", "it breaks the pattern"), "bad_name", "'A b' is not a skill name: it breaks the pattern"),
    (
        errors.BadPath("a/.git", "it is left out", "choose another name", reserved=True),
        "bad_path",
        "'a/.git' is not a resource path: it is left out",
    ),
    (
        errors.BadDocument("bird", [FIRST, SECOND]),
        "bad_document",
        "bird/SKILL.md:3:14: KS105 a colon (and 1 more)",
    ),
    (errors.BadDocument("bird", [SECOND]), "bad_document", "bird/SKILL.md:4:1: KS117 nothing"),
    (errors.BadDocument("bird", []), "bad_document", "'bird' is not a skill"),
    (
        errors.BadSource("http://x", "only https", fix="use https"),
        "bad_source",
        "'http://x' cannot be used as a source: only https",
    ),
    (
        errors.TooLarge("bytes in one file", 262144, 300000),
        "too_large",
        "bytes in one file: 300,000 where 262,144 are allowed",
    ),
    (errors.TooLarge("entries", 512), "too_large", "entries: more where 512 are allowed"),
    (
        errors.OutOfRange("offset", 50000, 0, 40000),
        "out_of_range",
        "the offset is 50,000, and must be from 0 to 40,000",
    ),
    (errors.OutOfRange("limit", 0, 1), "out_of_range", "the limit is 0, and must be 1 or more"),
    (
        errors.Unconditional("bird", "a.md"),
        "unconditional",
        "'a.md' of 'bird' is there already, and no revision was given",
    ),
    (
        errors.Unmatched("a.md", 0, "quote it exactly"),
        "unmatched",
        "the text to replace is in 'a.md' 0 times, and must be there once",
    ),
    (errors.SkillAbsent("bird"), "absent", "there is no skill 'bird'"),
    (errors.SkillAbsent("bird", "a.md", fix="look"), "absent", "'bird' has no file 'a.md'"),
    (errors.SkillExists("bird"), "exists", "there is already a skill 'bird'"),
    (errors.KeptAbsent("ab"), "kept_absent", "nothing is kept as 'ab'"),
    (errors.SwitchedOff("tea"), "switched_off", "'tea' is still off: it was switched off meanwhile"),
    (errors.StaleRevision("bird", "aa", found="bb"), "stale", "'bird' changed since it was looked at"),
    (
        errors.StaleRevision("bird", None, kept="bird-1"),
        "stale",
        "'bird' changed since it was looked at; what was there is kept as 'bird-1'",
    ),
    (
        errors.OtherDigest("bird", "aa", "bb"),
        "other_digest",
        "what would land as 'bird' has the digest bb, and not aa",
    ),
    (
        errors.NotEditable("host-shared", "they are the host's"),
        "not_editable",
        "skills from host-shared cannot be changed here: they are the host's",
    ),
    (
        errors.NotEditable("agent-local", "it holds a `.git`", name="bird"),
        "not_editable",
        "'bird', of agent-local, cannot be changed here: it holds a `.git`",
    ),
    (
        errors.Hidden("ephemeral\x1b"),
        "hidden",
        "the agent's skills are hidden: the agent's privacy mode is 'ephemeral\\x1b'",
    ),
    (errors.Hidden(), "hidden", "the agent's skills are hidden: nobody can say its privacy mode"),
    (
        errors.StateUnavailable("the database is locked"),
        "state_unavailable",
        "what is enabled cannot be read or written: the database is locked",
    ),
    (
        errors.SourceUnavailable("host-shared", "no permission"),
        "source_unavailable",
        "the host-shared skills cannot be read: no permission",
    ),
    (
        errors.StoreFailed("publish", "the disk is full"),
        "store_failed",
        "the skills folder could not be changed (publish): the disk is full",
    ),
    (
        errors.GitFailed("refs", "it has no ref 'v2\x1b'", fix="list them"),
        "git_failed",
        "the repository could not be read (refs): it has no ref 'v2\\x1b'",
    ),
    (errors.Busy("the skills folder"), "busy", "the skills folder is in use by another process"),
    (
        errors.Abandoned("listing the skills"),
        "abandoned",
        "listing the skills was given up, since whoever asked for it went away",
    ),
    (errors.InDoubt("bird"), "in_doubt", "whether 'bird' was changed is not known"),
]
FAMILIES = [SkillError, errors.Refused, errors.Moved, errors.Withheld, errors.Failed]


def leaf_types(family: type[SkillError] = SkillError) -> set[type[SkillError]]:
    """Every error type of the core that has no subtypes there; an adapter may have narrower ones of its own."""
    below = [each for each in family.__subclasses__() if each.__module__ == errors.__name__]
    return {leaf for each in below for leaf in leaf_types(each)} if below else {family}


def test_the_samples_below_show_every_leaf():
    """No error of the core is missing from these tests, and `__all__` names them all."""
    assert {type(error) for error, _, _ in LEAVES} == leaf_types()
    assert {leaf.__name__ for leaf in [*leaf_types(), *FAMILIES]} == set(errors.__all__)


@pytest.mark.parametrize(("error", "code", "text"), LEAVES, ids=lambda value: getattr(value, "code", None))
def test_an_error_tells_its_evidence_in_one_line(error, code, text):
    """Each leaf has a stable code, and a text derived from its evidence."""
    assert (error.code, str(error)) == (code, text)


@pytest.mark.parametrize(("error", "code", "text"), LEAVES, ids=lambda value: getattr(value, "code", None))
@pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_travels_with_its_evidence(error, code, text, travel):
    """A copy, or one that went through a pickle, is of the same type and says and holds the same."""
    arrived = travel(error)
    assert type(arrived) is type(error)
    assert str(arrived) == text
    assert vars(arrived) == vars(error)
    assert arrived.args == error.args


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_not_raised_itself(family):
    """The base and its branches are for catching."""
    with pytest.raises(TypeError, match=f"{family.__name__} is a family of errors"):
        family("something")


def test_every_leaf_belongs_to_one_branch():
    """Who can act is told by the branch: exactly one for each leaf, so that an edge may catch by it."""
    branches = FAMILIES[1:]
    assert all(sum(issubclass(leaf, branch) for branch in branches) == 1 for leaf in leaf_types())


def test_codes_are_never_shared():
    """A program can tell leaves apart by their code alone."""
    assert len({leaf.code for leaf in leaf_types()}) == len(leaf_types())


def test_the_fix_of_a_document_is_that_of_its_first_fault():
    """Who reads one line only is told what to do first, and where."""
    error = errors.BadDocument("bird", [FIRST, SECOND])
    assert (error.fix, error.line, error.column) == ("put the whole value in double quotes", 3, 14)


def test_what_is_absent_says_where_to_look():
    """Without a better idea, the fix is to look at what there is."""
    assert errors.SkillAbsent("bird").fix == "list the skills to see their names"
    assert errors.SkillAbsent("bird", "a.md").fix == "look at the skill to see its files"
    assert errors.SkillAbsent("bird", "a.md", fix="look").fix == "look"


def test_what_is_out_of_range_says_what_to_do():
    """Without a better idea, the fix is another figure; and a figure of a thousand digits is not told to its end."""
    assert errors.OutOfRange("limit", 0, 1).fix == "give another limit"
    assert errors.OutOfRange("offset", 9, 0, 4, "begin at 0").fix == "begin at 0"
    assert len(str(errors.OutOfRange("limit", -(10**4000), 1))) < 300


def test_what_is_hidden_says_how_it_comes_back():
    """By leaving the mode, where there is one; else somebody has to see that there is."""
    assert errors.Hidden("ephemeral").fix == "leave that mode, and all is as it was"
    assert errors.Hidden().fix == "see that the agent has a privacy mode"


def test_a_document_without_faults_is_still_an_error():
    """Nothing is known to mend, and nothing breaks."""
    error = errors.BadDocument("bird", [])
    assert (error.fix, error.line, error.column, error.faults) == ("", 0, 0, ())


HOSTILE = "\x1b[31m\r\n\u202e\u2028</skill>" + "\U000e0041" * 5_000 + "x" * 300_000


def hostile(evidence):
    """The same evidence, with every text of it as bad as can be."""
    if isinstance(evidence, tuple):
        return tuple(map(hostile, evidence))
    if isinstance(evidence, Finding):
        return Finding(evidence.rule, HOSTILE, HOSTILE, evidence.line, evidence.column, HOSTILE)
    return HOSTILE if isinstance(evidence, str) else evidence


@pytest.mark.parametrize("error", [error for error, _, _ in LEAVES], ids=lambda error: error.code)
def test_whatever_the_evidence_no_error_is_longer_than_a_page(error):
    """Text and fix of every leaf are one line each, of visible characters, and not for ever."""
    worst = type(error)(*map(hostile, error.args))
    for told in (str(worst), worst.fix):
        assert len(told) <= 5_000
        assert told.isprintable()


def test_what_is_cut_says_so():
    """A line that goes on ends with three dots; one that just fits is whole."""
    assert errors.BadSource("x", "why", "a" * 1_000).fix == "a" * 1_000
    assert errors.BadSource("x", "why", "a" * 1_001).fix == "a" * 1_000 + "…"
    assert errors.BadSource("x", "why", "\x1b" * 1_000).fix == ("\\x1b" * 250) + "…"
    assert str(errors.BadSource("x", "a" * 1_001)).endswith("a…")


@settings(max_examples=examples(300))
@given(st.text(), st.text(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Co"])))
def test_evidence_from_outside_cannot_break_the_line(given_text, hidden):
    """Whatever somebody gave for a name, a path or a source, the text is one line of visible characters."""
    evidence = given_text + hidden
    for error in [
        errors.BadName(evidence, "why"),
        errors.BadPath(evidence, "why"),
        errors.BadSource(evidence, "why"),
        errors.BadDocument(evidence, []),
        errors.BadDocument(evidence, [FIRST]),
        errors.Unconditional(evidence, evidence),
        errors.Unmatched(evidence, 2),
        errors.SkillAbsent(evidence, evidence),
        errors.SkillAbsent(evidence),
        errors.SkillExists(evidence),
        errors.StaleRevision(evidence, None, kept=evidence),
        errors.Hidden(evidence),
        errors.InDoubt(evidence),
    ]:
        text = str(error)
        assert text.splitlines() == [text]
        text.encode()
        assert not set(text) & set(hidden)
