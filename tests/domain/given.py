"""Values for tests, each legal and as plain as can be; a test spells out what it is about."""

from __future__ import annotations

import hashlib
from typing import Any

from hypothesis import strategies as st

from kestrel_skills_core.domain import rules
from kestrel_skills_core.domain.document import Head
from kestrel_skills_core.domain.findings import Finding
from kestrel_skills_core.domain.names import (
    Generation,
    Revision,
    SkillName,
    SourceId,
    is_skill_name,
    resource_path,
)
from kestrel_skills_core.domain.provenance import Provenance
from kestrel_skills_core.domain.record import Sighting, SkillRecord, SkillState, Subject
from kestrel_skills_core.domain.text import folded, unseen
from kestrel_skills_core.domain.tree import Content, SkillTree

COMMIT = "c0ffee" * 6 + "c0ff"
GENERATION = Generation("ab" * 32)
ROOT = "cd" * 32
REVISION = Revision(hashlib.sha256(b"kestrel-skill-revision-v2\n").hexdigest())
"""Of a skill without any file."""
OTHER_FILES = ("SKILL.md", 1, bytes(32), False)
"""Packed, of a skill that has another revision."""
GIT = Provenance(kind="git", url="https://example.org/skills", commit=COMMIT)
FAULT = Finding(rules.NO_DOCUMENT, "SKILL.md", "the folder has no SKILL.md")

names = st.from_regex(r"[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?", fullmatch=True).filter(is_skill_name)
few_names = st.sampled_from(["a", "b", "bird", "bird-co", "z_9"])
digests = st.integers(0, 2**256 - 1).map(lambda number: f"{number:064x}")
priorities = st.integers(-100_000, 100_000) | st.integers(-2, 2)
descriptions = st.one_of(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=60),
    st.text(st.sampled_from("<>&\"'/= ;ab#x-![]{}\\漢é🦅"), min_size=1, max_size=60),
).map(lambda text: folded("".join(char for char in text if not [*unseen(char)])) or "-")
paths = st.lists(
    st.text("abcxyz09 é漢-", min_size=1, max_size=4).map(lambda part: f"f{part}f"), min_size=1, max_size=3
).map(lambda parts: resource_path("/".join(parts)))


def record(name: str = "a", description: str = "When to use it", **fields: Any) -> SkillRecord:
    """A skill of the agent's own, off; without a file, so that its revision is `REVISION`."""
    placed: dict[str, Any] = {"source": SourceId.AGENT_LOCAL, "root": ROOT}
    placed |= {key: fields.pop(key) for key in ("source", "root", "state", "shadowed") if key in fields}
    seen: dict[str, Any] = {"generation": GENERATION}
    head = Head(SkillName(name), description)
    return SkillRecord(seen=Sighting(folder=name, head=head, **seen | fields), **placed)


def enabled(name: str = "a", description: str = "When to use it", priority: int = 100) -> SkillRecord:
    """A skill of the agent's own, on."""
    state = SkillState(enabled=True, priority=priority, subject=Subject(generation=GENERATION))
    return record(name, description, state=state)


def sighting(name: str = "a", *, valid: bool = True, **fields: Any) -> Sighting:
    """A folder of that name with a marker, that holds a skill or a fault."""
    values: dict[str, Any] = {"generation": GENERATION}
    head = Head(SkillName(name), f"When to use {name}") if valid else None
    return Sighting(folder=name, head=head, findings=() if valid else (FAULT,), **values | fields)


def tree(**files: str) -> SkillTree:
    """A tree of files that are no programs; `__` in a name stands for a slash, `_md` for `.md`."""
    spelt = {path.replace("__", "/").replace("_md", ".md"): text for path, text in files.items()}
    return SkillTree({resource_path(path): Content(text.encode()) for path, text in spelt.items()})
