"""What a person who types a few words finds, and in which order."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.search import search
from tests.domain.given import descriptions, names, record

SKILLS = [
    record("code-review", "Use when a complete branch diff needs an evidence-backed review."),
    record("review", "Use to write a review of a book."),
    record("review-notes", "Keep notes."),
    record("release_notes", "Write down what changed. Mentions previewing."),
    record("strasse", "Stra\u00dfenkarten zeichnen in \u0130stanbul, caf\u00e9"),
    record("kanji", "\u6f22\u5b57\u306e\u66f8\u304d\u65b9\u3001\u304c\u304e\u3050"),
]

catalogs = st.dictionaries(names, descriptions, max_size=8).map(
    lambda skills: [record(name, text) for name, text in skills.items()]
)
words = st.sampled_from(["review", "re", "use", "a", "notes", "x", "9"])


def found(query: str) -> list[str]:
    """The names that a query finds among `SKILLS`, best first."""
    return [each.name for each in search(SKILLS, query)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("review", ["review", "code-review", "review-notes", "release_notes"]),
        ("code-review", ["code-review"]),
        ("Code Review", ["code-review"]),
        ("code_review", ["code-review"]),
        ("review notes", ["review-notes", "release_notes"]),
        ("notes review", ["review-notes", "release_notes"]),
        ("notes", ["review-notes", "release_notes"]),
        ("book", ["review"]),
        ("boo", ["review"]),
        ("branch evidence", ["code-review"]),
        ("branch book", []),
        ("rev", ["code-review", "review", "review-notes", "release_notes"]),
        ("eview", ["code-review", "review", "review-notes", "release_notes"]),
        ("STRASSENKARTEN", ["strasse"]),
        ("Stra\u00dfe", ["strasse"]),
        ("istanbul", ["strasse"]),
        ("\u0130STANBUL", ["strasse"]),
        ("cafe", ["strasse"]),
        ("cafe\u0301", ["strasse"]),
        ("\u6f22\u5b57", ["kanji"]),
        ("\u304b\u3099", ["kanji"]),
        ("\uff52\uff45\uff56\uff49\uff45\uff57 \uff42\uff4f\uff4f\uff4b", ["review"]),
        ("", []),
        ("  ", []),
        ("--- ?! \u2026", []),
        ("_", []),
        ("\U0001f985", []),
    ],
)
def test_words_find_skills(query, expected):
    """Names before descriptions, whole words before parts; case, accents and composition do not count."""
    assert found(query) == expected


def test_a_name_comes_first_even_where_another_says_it_more_often():
    """A name that repeats a word is found by itself, and not by the shorter one."""
    skills = [record("tick", "tick tick"), record("tick-tick", "nothing")]
    assert [each.name for each in search(skills, "tick-tick")] == ["tick-tick", "tick"]
    assert [each.name for each in search(skills, "tick")] == ["tick", "tick-tick"]


def test_a_whole_name_comes_before_any_sum_of_words():
    """However often another skill says the same words."""
    skills = [record("x-a-b-c-d-e-f", "a b c d e f"), record("a-b-c-d-e-f", "-")]
    assert [each.name for each in search(skills, "a b c d e f")] == ["a-b-c-d-e-f", "x-a-b-c-d-e-f"]


def test_the_beginning_of_a_word_comes_before_its_middle():
    """In a description, as who types has not come to the end of the word."""
    skills = [record("a", "unpacking"), record("b", "packing"), record("c", "a pack")]
    assert [each.name for each in search(skills, "pack")] == ["c", "b", "a"]


@given(catalogs)
def test_every_skill_is_found_first_by_its_name(records):
    """Whatever the clause leaves out can be found; names that differ in marks only come together."""
    for each in records:
        same = [other.name for other in records if split(other.name) == split(each.name)]
        best = [other.name for other in search(records, each.name)[: len(same)]]
        assert best == sorted(same)


def split(name: str) -> list[str]:
    """The words of a name."""
    return [word for word in name.replace("_", "-").split("-") if word]


@given(catalogs, st.lists(words, min_size=1, max_size=3))
def test_every_word_occurs_in_what_is_found(records, query):
    """And in nothing that is not found; words are joined by anything that is no letter or digit."""
    hits = search(records, " ".join(query))
    for each in records:
        text = unicodedata.normalize("NFKD", each.description).casefold()
        if text.isascii():
            assert (each in hits) == all(word in each.name or word in text for word in query)
    assert search(records, "-".join(query)) == hits
    assert search(records, " ".join(query).upper()) == hits


@given(catalogs, st.text(max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_looking_does_not_matter(records, query, random):
    """The same skills in the same order, from any order, for any text."""
    assert search(random.sample(records, len(records)), query) == search(records, query)
