"""The token that binds a destructive operation to what was looked at."""

from __future__ import annotations

import hashlib
import re

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.approval import ApprovalBinding
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.tree import Unlisted
from tests.domain.given import digests, names

entries = st.builds(
    Unlisted,
    path=st.text(max_size=8),
    kind=st.sampled_from(["file", "folder", "link", "other"]),
    size=st.integers(0, 2**40),
    mtime_ns=st.integers(-(2**63), 2**63),
    ctime_ns=st.integers(-(2**63), 2**63),
)
listings = st.lists(entries, max_size=3).map(tuple)
fields = {
    "operation": st.sampled_from(["delete", "replace"]),
    "agent": st.text(max_size=8),
    "name": names,
    "source": st.sampled_from(SourceId),
    "generation": digests,
    "revision": digests,
    "unlisted": listings,
}
bindings = st.builds(ApprovalBinding, **fields)

PLAIN = ApprovalBinding(
    operation="delete",
    agent="did:x",
    name="bird",
    source=SourceId.AGENT_LOCAL,
    generation="ab" * 32,
    revision="cd" * 32,
    unlisted=(Unlisted("notes~", "file", 7, 12_000_000_000, 13_000_000_000),),
)


def test_the_token_is_the_documented_digest():
    """A tag, then every field in its order, each behind its length in four bytes, big-endian."""
    parts = [b"delete", b"did:x", b"bird", b"agent-local", b"ab" * 32, b"cd" * 32, b"notes~", b"file", b"7"]
    parts += [b"12000000000", b"13000000000"]
    encoded = b"kestrel-skill-approval-v2\n" + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    assert PLAIN.token == hashlib.sha256(encoded).hexdigest()


@given(bindings, st.sampled_from(sorted(fields)), st.data())
def test_the_token_changes_with_every_field(binding, field, data):
    """What differs in one bound field, and in nothing else, has another token."""
    other = data.draw(fields[field].filter(lambda value: value != getattr(binding, field)))
    changed = attrs.evolve(binding, **{field: other})
    same = field == "unlisted" and sorted(map(repr, other)) == sorted(map(repr, binding.unlisted))
    assert (changed.token == binding.token) == same


@given(bindings, bindings)
def test_no_two_bindings_share_a_token(one, other):
    """Lengths frame every field, so that no border can be moved from one into the next."""
    if one != other and sorted(map(repr, one.unlisted)) == sorted(map(repr, other.unlisted)):
        one = attrs.evolve(one, unlisted=other.unlisted)
    assert (one.token == other.token) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"operation": "delete", "agent": "x"}, {"operation": "delet", "agent": "ex"}),
        ({"unlisted": (Unlisted("a", "file", 12, 3, 4),)}, {"unlisted": (Unlisted("a", "file", 1, 23, 4),)}),
        ({"unlisted": (Unlisted("a", "file", 1, 23, 4),)}, {"unlisted": (Unlisted("a", "file", 1, 2, 34),)}),
        ({"unlisted": (Unlisted("a\nb", "file", 0, 0, 0),)}, {"unlisted": (Unlisted("a", "file", 0, 0, 0),)}),
    ],
)
def test_no_border_between_fields_can_be_moved(one, other):
    """Fields that read the same when joined have two tokens (T12)."""
    assert attrs.evolve(PLAIN, **one).token != attrs.evolve(PLAIN, **other).token


@given(st.lists(entries, max_size=4), st.randoms(use_true_random=False))
def test_the_order_in_which_entries_were_met_does_not_matter(listing, random):
    """A folder is what it holds, on every file system."""
    shuffled = random.sample(listing, len(listing))
    assert attrs.evolve(PLAIN, unlisted=tuple(listing)).token == attrs.evolve(PLAIN, unlisted=tuple(shuffled)).token


@given(bindings, st.one_of(st.text(), digests))
def test_only_the_token_matches(binding, other):
    """Exactly the 64 hex digits match: no other text, no other case, nothing around them."""
    assert re.fullmatch("[0-9a-f]{64}", binding.token)
    assert binding.matches(binding.token)
    assert not binding.matches(other)
    assert not binding.matches(binding.token + " ")
    assert not binding.matches(binding.token[:-1])
    assert binding.matches(binding.token.upper()) == binding.token.isdecimal()


def test_what_is_no_text_of_any_encoding_does_not_match():
    """A lone surrogate from some caller's argument is compared, and not choked on."""
    assert not PLAIN.matches("\ud800")
