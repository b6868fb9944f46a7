"""The largest entry of an answer fits into the smallest answer."""

from __future__ import annotations

from typing import Any, Final

from kestrel_skills_adapters.sovereign.entries import bounded, finding, preview
from kestrel_skills_core.domain.paging import cost

OWL: Final = "\U0001f989"
TOKEN: Final = "f" * 64
PROVENANCE: Final = {"kind": "git", "url": "https://git.example/" + "x" * 1_000, "commit": "9" * 40, "ref": OWL * 2_000}
FAULT: Final = {
    "code": "KS101",
    "severity": "error",
    "file": OWL * 256,
    "line": 99_999,
    "column": 99_999,
    "message": OWL * 300,
    "fix": OWL * 300,
}


def record(*shadowed: dict[str, Any]) -> dict[str, Any]:
    """A record with everything at its longest."""
    return {
        "name": "a" * 64,
        "description": OWL * 1024,
        "enabled": False,
        "priority": -100_000,
        "token_cost": 9_999,
        "context_included": False,
        "source": "host-shared",
        "editable": False,
        "deletable": False,
        "revision": TOKEN,
        "etag": TOKEN,
        "delete_revision": TOKEN,
        "shadowed": list(shadowed),
        "source_root": TOKEN,
        "edited": False,
        "pin": TOKEN,
        "provenance": PROVENANCE,
    }


def rejection(held: dict[str, Any] | None) -> dict[str, Any]:
    """A rejected folder with hundreds of faults."""
    faults = [FAULT] * 500
    return {
        "name": OWL * 64,
        "source": "agent-local",
        "faults": faults,
        "delete_revision": TOKEN,
        "adaptable": True,
        "holds_back": held,
    }


def test_what_is_small_stays_whole() -> None:
    """Nothing is added, nothing is cut."""
    small = record() | {"description": "Use to sow.", "provenance": {"kind": "folder"}}
    assert bounded(small) == small
    bare = rejection(None) | {"name": "bent", "faults": [FAULT | {"file": "SKILL.md", "message": "No.", "fix": "Do."}]}
    assert bounded(bare) == bare


def test_the_largest_record() -> None:
    """Its description, and those of what it shadows, are cut, with their lengths beside them; tokens stay whole."""
    whole = record(record(), record())
    cut = bounded(whole)
    assert cost(cut) <= 5_000
    assert cut["description_total"] == 1_024
    assert [each["description_total"] for each in cut["shadowed"]] == [1_024, 1_024]
    assert cut["provenance"]["ref_total"] == 2_000
    assert all(cut[name] == TOKEN for name in ("revision", "etag", "delete_revision", "pin", "source_root"))


def test_the_largest_rejection() -> None:
    """Its faults are those that fit, with their number beside them."""
    cut = bounded(rejection(record(record())))
    assert cost(cut) <= 5_000
    assert cut["faults_total"] == 500
    assert cut["holds_back"]["description_total"] == 1_024
    assert cut["delete_revision"] == TOKEN


def test_the_largest_finding() -> None:
    """Its code, its line and its column stay."""
    cut = finding(FAULT)
    assert cost(cut) <= 600
    assert (cut["code"], cut["line"], cut["column"]) == ("KS101", 99_999, 99_999)


def test_the_largest_preview() -> None:
    """Beside a record that has the name, or a rejected folder, in half of the smallest answer."""
    change = {"text": OWL * 300, "loses": True}
    for met in ({"taken": rejection(record(record())), "then": None}, {"taken": None, "then": record(record())}):
        whole: dict[str, Any] = {
            "name": "a" * 64,
            "description": OWL * 1_024,
            "provenance": PROVENANCE | {"subpath": OWL * 256},
            "digest": TOKEN,
            "left_out": [OWL * 256] * 500,
            "pointers": [OWL * 256] * 9,
            "findings": [FAULT] * 500,
            "adaptation": {"changes": [change] * 50, "omitted": [{"path": OWL * 256, "why": "no"}] * 500},
            "problems": [{"code": "busy", "message": OWL * 200, "fix": OWL * 200}] * 3,
            **met,
        }
        cut = preview(whole, 3_500)
        assert cost(cut) <= 3_500
        assert (cut["digest"], cut["left_out_total"], cut["findings_total"]) == (TOKEN, 500, 500)
