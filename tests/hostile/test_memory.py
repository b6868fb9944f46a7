"""What a file may cost in memory, however it was written: 4 MiB, which is 16 times the largest."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import pytest

from kestrel_skills_core.domain.document import examine, parse
from kestrel_skills_core.domain.errors import SkillError
from kestrel_skills_core.domain.provenance import UnreadableProvenance, load_provenance
from tests.bench.test_worst_cases import CASES, WHOLE
from tests.bench.test_worst_cases import skill as document
from tests.domain.test_frontmatter import HOSTILE

MOST = 4 << 20
JSON = {
    "lists": b"[" * 65_536,
    "empty lists": b"[" + b"[]," * 21_844 + b"0]",
    "empty objects": b"[" + b"{}," * 21_844 + b"0]",
    "nested objects": b'{"a":' * 13_107,
    "keys": b"{" + b'"":0,' * 13_106 + b'"":0}',
    "digits": b"9" * 65_536,
    "escapes": b'"' + rb"\ud800" * 10_922 + b'"',
}


def peak(use: Callable[[], object]) -> int:
    """The bytes that Python holds at most while it is done, the second time; a refusal costs as much as an answer."""
    for _ in range(2):
        tracemalloc.start()
        try:
            with suppress(SkillError, UnreadableProvenance):
                use()
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    return most


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_a_document_of_256_kib(text: Callable[[int], str]) -> None:
    """Whatever its procedure is made of."""
    content = document(text, WHOLE)
    assert peak(lambda: parse(content, "a")) < MOST


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("size", [8_000, WHOLE - 100])
def test_the_frontmatter_of_a_document(text: Callable[[int], str], size: int) -> None:
    """Up to the 8 KiB that are read, and where it never ends."""
    content = f"---\n{text(size)}\n---\nx".encode()
    assert peak(lambda: examine(content, "a")) < MOST


@pytest.mark.parametrize("content", JSON.values(), ids=JSON)
def test_a_provenance_record_of_64_kib(content: bytes) -> None:
    """JSON is read into objects, which are larger than what they are written in."""
    assert peak(lambda: load_provenance(content)) < MOST
