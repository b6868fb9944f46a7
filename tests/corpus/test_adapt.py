"""Real skills become skills of two fields, and are put back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kestrel_skills_core.domain.adapt import adapted, as_it_is, unadapted
from kestrel_skills_core.domain.errors import BadDocument
from kestrel_skills_core.domain.names import DOCUMENT
from kestrel_skills_core.domain.parcel import Parcel, packed
from kestrel_skills_core.domain.provenance import Provenance, dump_provenance, installed, load_provenance
from kestrel_skills_core.domain.tree import Content
from kestrel_skills_core.domain.verdict import verdict_on
from kestrel_skills_core.domain.verify import verified

pytestmark = pytest.mark.corpus


def parcels(corpus: Path) -> Iterator[tuple[str, Parcel]]:
    """Every folder with a SKILL.md, by its name."""
    for document in sorted(corpus.rglob(DOCUMENT)):
        folder = document.parent
        files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
        yield (
            folder.name,
            packed(
                (path.relative_to(folder).as_posix(), Content(path.read_bytes(), bool(path.stat().st_mode & 0o111)))
                for path in files
            ),
        )


def test_nearly_all_become_skills_and_all_are_put_back(corpus: Path) -> None:
    """Each is a skill to the judge, needs no more adapting, is on record in full, and is undone to the byte."""
    met: Counter[str] = Counter()
    refused: dict[str, list[str]] = {}
    for name, came in parcels(corpus):
        met["all"] += 1
        try:
            found = adapted(came, name)
        except BadDocument as error:
            refused[name] = [fault.code for fault in error.faults]
            continue
        assert verdict_on(found.name, found.tree).faults == ()
        again = adapted(Parcel(found.tree.files), found.name)
        assert (again.tree, again.adapted) == (found.tree, None)
        files = installed(found.tree.inventory)
        record = Provenance(kind="folder", digest=found.tree.revision, files=files, adapted=found.adapted)
        read = load_provenance(dump_provenance(record))
        assert read == record
        assert verified(read, found.tree).verdict == "as installed"
        if read.adapted is None:
            met["as they are"] += 1
        else:
            assert unadapted(found.tree.files[DOCUMENT].data, read.adapted) == came.files[DOCUMENT].data
        met["omitted"] += bool(found.omitted)
        met["lost"] += any(change.loses for change in found.changes)
    assert refused == {"quality-playbook": ["KS305"]}
    assert met == {"all": 1544, "as they are": 842, "omitted": 10, "lost": 128}


def test_without_adapting_the_refusal_says_what_it_would_do(corpus: Path) -> None:
    """Whatever is refused, and could be adapted, is refused with the very adaptation."""
    met: Counter[str] = Counter()
    for name, came in parcels(corpus):
        adaptation = None
        try:
            as_it_is(came, name)
            met["as they are"] += 1
        except BadDocument as error:
            adaptation = error.adaptation
            met["refused" if adaptation is None else "adaptable"] += 1
        if adaptation is not None:
            assert adaptation == adapted(came, name)
            assert adaptation.lines
    assert met == {"as they are": 842, "adaptable": 701, "refused": 1}
