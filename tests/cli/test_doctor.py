from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.tour import Home
from kestrel_skills_adapters.watching.folders import is_local
from tests.cli.running import run, skill
from tests.hostile.disk import crowd


def checks(*arguments: str | Path, environ: dict[str, str]) -> dict[str, dict[str, str]]:
    """What the doctor says in JSON, by what it speaks of."""
    return {each["about"]: each for each in run("doctor", "--json", *arguments, environ=environ).json["checks"]}


def test_everything_is_looked_at(environ: dict[str, str], home: Home) -> None:
    """Each line says how one thing is; a rejected folder is a warning, and the exit code is 0 without failures."""
    run("enable", "review-a-diff", environ=environ)
    ran = run("doctor", environ=environ)
    assert ran.code == 0
    assert [line.split(":")[0].split(maxsplit=1) for line in ran.lines] == [
        ["ok", "versions"],
        ["ok", "environment"],
        ["ok", "root"],
        ["ok", "markers"],
        ["ok", "recovery"],
        ["ok", "kept"],
        ["ok", "shared root"],
        ["ok", "states"],
        ["ok", "marks"],
        ["warn", "skills"],
    ]
    assert f"KESTREL_SKILLS_ROOT={home.path / 'skills'}" in ran.lines[1]
    assert ran.lines[7].endswith("for local: 1 on, 0 off, 0 inert, 0 astray")
    assert ran.lines[9].endswith("4 resolve, 1 rejected; fix: run `kestrel-skills list` to see why")


def test_it_leaves_nothing_behind(environ: dict[str, str], home: Home) -> None:
    """Looking makes nothing in the root, nor a state file. Locks are this library's own, and stay."""

    def there() -> list[Path]:
        found = (path.relative_to(home.path) for path in home.path.rglob("*"))
        return sorted(path for path in found if "locks" not in path.parts)

    run("list", environ=environ)
    before = there()
    run("doctor", environ=environ)
    assert there() == before


def test_a_missing_root_fails(tmp_path: Path) -> None:
    """A root that somebody named and that is not there is a failure, with what to do."""
    environ = {"HOME": str(tmp_path)}
    ran = run("doctor", "--root", tmp_path / "nothing", environ=environ)
    assert ran.code == 1
    root = checks("--root", tmp_path / "nothing", environ=environ)["root"]
    assert root["status"] == "fail"
    assert root["fix"]


def test_no_home_yet_is_a_warning(tmp_path: Path) -> None:
    """Before there are any skills, nothing fails."""
    environ = {"HOME": str(tmp_path)}
    assert run("doctor", environ=environ).code == 0
    assert checks(environ=environ)["root"]["status"] == "warn"


def test_a_crowded_root_is_told_of_before_it_is_too_late(tmp_path: Path) -> None:
    """Near the cap on entries it warns; beyond, it fails."""
    crowd(tmp_path, map("note-{}".format, range(4000)))
    assert checks("--root", tmp_path, environ={})["root"]["status"] == "warn"
    crowd(tmp_path, map("note-{}".format, range(4000, 4097)))
    assert checks("--root", tmp_path, environ={})["root"]["status"] == "fail"


@pytest.mark.parametrize("kind", ["missing", "file", "link", "dangling"])
@pytest.mark.parametrize("about", ["root", "shared root"])
def test_what_a_listing_refuses_fails(kind: str, about: str, tmp_path: Path) -> None:
    """A root is well if, and only if, a listing can read it, and the words and the fix are the listing's."""
    skill(tmp_path / "real", "tea")
    skill(tmp_path / "other", "tea")
    place = tmp_path / "place"
    if kind == "file":
        place.touch()
    elif kind != "missing":
        place.symlink_to(tmp_path / ("other" if kind == "link" else "nowhere"))
    where = ["--root", place] if about == "root" else ["--root", tmp_path / "real", "--shared", place]
    listed = run("list", *where, environ={})
    found = checks(*where, environ={})[about]
    assert listed.code == 4
    assert found["status"] == "fail"
    message, fix = listed.said.splitlines()[-1].removeprefix("error: ").split("; fix: ")
    assert found["message"] == f"{place}: {message}"
    assert found["fix"] == fix
    assert run("doctor", *where, environ={}).code == 1


def test_a_root_in_the_usual_place_that_is_a_link_is_no_new_one(tmp_path: Path) -> None:
    """A link to nothing is there, and refused; it is not taken for a place where nothing was yet."""
    (tmp_path / "kestrel-skills").mkdir()
    (tmp_path / "kestrel-skills" / "skills").symlink_to("nowhere")
    environ = {"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    assert run("list", environ=environ).code == 4
    assert checks(environ=environ)["root"]["status"] == "fail"


def test_a_state_file_that_is_a_link_to_nothing_fails_everywhere(tmp_path: Path) -> None:
    """What cannot be written is told before it is tried: by the doctor, a listing, and by switching on."""
    skill(tmp_path / "skills", "tea")
    (tmp_path / "states").symlink_to(tmp_path / "away" / "states")
    where = ["--root", tmp_path / "skills", "--state", tmp_path / "states"]
    found = checks(*where, environ={})["states"]
    assert found["status"] == "fail"
    assert found["fix"]
    for command in (["list"], ["enable", "tea"], ["disable", "tea"]):
        ran = run(*command, *where)
        assert ran.code == 4
        assert "the state file is a link to nothing; fix: " in ran.said


@pytest.mark.parametrize("place", ["file/states", "link/states"])
def test_a_place_in_which_no_state_file_can_be_made_fails(place: str, tmp_path: Path) -> None:
    """A file, or a link to nothing, in the place of its folder: the doctor says so, as switching on does."""
    skill(tmp_path / "skills", "tea")
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    where = ["--root", tmp_path / "skills", "--state", tmp_path / place]
    assert checks(*where, environ={})["states"]["status"] == "fail"
    assert run("enable", "tea", *where).code == 4


def test_a_damaged_state_file_fails(tmp_path: Path) -> None:
    """What SQLite cannot read is a failure, with what to do."""
    skill(tmp_path / "skills", "tea")
    (tmp_path / "skills.state.sqlite3").write_bytes(b"this is no database" * 100)
    ran = run("doctor", "--root", tmp_path / "skills", environ={})
    assert ran.code == 1
    (line,) = [line for line in ran.lines if "states:" in line]
    assert line.startswith("fail")
    assert "; fix: " in line


def test_changed_skills_that_were_on_are_told_of(environ: dict[str, str], home: Home) -> None:
    """A row that no longer switches on what is there is a warning."""
    run("enable", "review-a-diff", environ=environ)
    (home.path / "skills" / "review-a-diff" / ".kestrel-generation").unlink()
    states = checks(environ=environ)["states"]
    assert states["status"] == "warn"
    assert states["fix"].endswith(": review-a-diff")


def test_what_an_interrupted_change_left_is_ended_and_told(environ: dict[str, str], home: Home) -> None:
    """Looking is ending it: our own leftovers go, what is not ours is named, and nothing is left for the next look."""
    run("list", environ=environ)
    internal = home.path / "skills" / ".kestrel-internal"
    (internal / "staging").mkdir(exist_ok=True)
    (internal / "staging" / ("ab" * 16)).write_text("half a file", encoding="utf-8")
    recovery = checks(environ=environ)["recovery"]
    assert (recovery["status"], recovery["message"]) == ("ok", "1 leftover removed")
    (internal / ".kestrel-skill-recovery-1").mkdir()
    recovery = checks(environ=environ)["recovery"]
    assert recovery["status"] == "warn"
    assert ".kestrel-skill-recovery-1" in recovery["message"]


def test_marks_are_told_of_until_somebody_decides(environ: dict[str, str], home: Home) -> None:
    """A name that a mark keeps off is named; turning it on or off ends that."""
    run("enable", "review-a-diff", environ=environ)
    mark = home.path / "skills" / ".kestrel-internal" / ".fail-closed-state-review-a-diff.json"
    mark.write_text("anything", encoding="utf-8")
    marks = checks(environ=environ)["marks"]
    assert (marks["status"], marks["message"]) == ("warn", "kept off by a mark: review-a-diff")
    assert run("list", environ=environ).said.startswith("4 skills, 0 on")
    run("enable", "review-a-diff", environ=environ)
    assert checks(environ=environ)["marks"]["status"] == "ok"
    assert run("list", environ=environ).said.startswith("4 skills, 1 on")


def own_folder_elsewhere(internal: Path) -> None:
    """Put a link to somebody else's folder in the place of this library's own."""
    internal.rename(internal.parent.parent / "own")
    internal.symlink_to(internal.parent.parent / "shared")


def own_folder_closed(internal: Path) -> None:
    """Let nobody look into it."""
    internal.chmod(0)


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize("is_damaged", [False, True], ids=["table", "no table"])
@pytest.mark.parametrize("spoil", [own_folder_elsewhere, own_folder_closed], ids=lambda spoil: spoil.__name__)
def test_what_nobody_can_look_at_is_not_well(
    spoil: Callable[[Path], None], is_damaged: bool, environ: dict[str, str], home: Home
) -> None:
    """Marks, what is kept, and what is left over lie in one folder: each is told of, whether the table answers or not.

    Everything is listed and off, whatever else is tried is refused in one line, and nothing is written elsewhere.
    """
    run("enable", "review-a-diff", environ=environ)
    if is_damaged:
        (home.path / "skills.state.sqlite3").write_bytes(b"this is no database" * 100)
    spoil(home.path / "skills" / ".kestrel-internal")
    elsewhere = sorted(home.path.joinpath("shared").rglob("*"))
    found = checks(environ=environ)
    assert {about: found[about]["status"] for about in ("recovery", "kept", "states", "marks")} == {
        "recovery": "warn",
        "kept": "warn",
        "states": "fail" if is_damaged else "ok",
        "marks": "fail",
    }
    assert found["marks"]["message"] == "those in `.kestrel-internal` cannot be read, so that every skill is off"
    assert all(found[about]["fix"] for about in ("recovery", "kept", "marks"))
    listed = run("list", environ=environ)
    assert (listed.code, len(listed.lines)) == (4, 5)
    assert "4 skills, 0 on" in listed.said
    document = str(home.path / "skills" / "review-a-diff" / "SKILL.md")
    for command in (
        ["edit", "review-a-diff", "new.md", "--from", document],
        ["enable", "review-a-diff"],
        ["kept"],
    ):
        ran = run(*command, environ=environ)
        assert ran.code == 4, command
        assert ran.said.count("\n") == 1
        assert "; fix: " in ran.said
        assert str(home.path) not in ran.said
    assert sorted(home.path.joinpath("shared").rglob("*")) == elsewhere


def test_rows_of_the_release_before_are_adopted_and_told(environ: dict[str, str], home: Home) -> None:
    """Once: what was marked then, and what is shared, is on; the rest is named, and off."""
    run("enable", "review-a-diff", environ=environ)
    marker = home.path / "skills" / "bisect-a-regression" / ".kestrel-generation"
    marker.write_text(f"kestrel-skill-generation-v1:{'b1' * 32}\n", encoding="utf-8")
    with closing(sqlite3.connect(home.path / "skills.state.sqlite3")) as database, database:
        for name in ("bisect-a-regression", "cut-a-release", "write-a-postmortem", "gone"):
            database.execute(
                "INSERT INTO bootstrap_config (id, agent_id, file_name, file_path, enabled, priority, max_size_bytes)"
                " VALUES (?, 'procedural-skill-state:local', ?, ?, 1, 100, 262144)",
                (name, f"skill:{name}", f"skill://{name}"),
            )
    adoption = checks(environ=environ)["adoption"]
    assert adoption["status"] == "warn"
    assert adoption["message"] == (
        "of the rows of 0.1.0, on: bisect-a-regression, cut-a-release; off: gone, write-a-postmortem"
    )
    assert "adoption" not in checks(environ=environ)
    assert run("list", environ=environ).said.startswith("4 skills, 3 on")


class TestWatch:
    def test_who_asks_for_no_watch_is_told_of_none(self, environ: dict[str, str], home: Home) -> None:
        """Nor who turns it off."""
        assert "watch" not in checks(environ=environ)
        assert "watch" not in checks(environ={**environ, "KESTREL_SKILLS_WATCH": "off"})

    def test_a_watch_is_tried(self, environ: dict[str, str], home: Home) -> None:
        """Each root that is there is watched, and let go of."""
        pytest.importorskip("watchfiles", reason="watchfiles is not installed: it is the extra `watch`")
        said = checks(environ={**environ, "KESTREL_SKILLS_WATCH": "on"})["watch"]
        if is_local(str(home.path)):
            assert said == {"about": "watch", "status": "ok", "message": "what changes is heard of", "fix": ""}
        else:
            assert said["message"].startswith(str(home.path))

    def test_a_watch_that_cannot_be_is_told_of(
        self, environ: dict[str, str], home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With what to install; nothing else is wrong."""
        monkeypatch.setitem(sys.modules, "watchfiles", None)  # as Python has it where there is none
        said = checks(environ={**environ, "KESTREL_SKILLS_WATCH": "on"})
        assert (said["watch"]["status"], said["root"]["status"]) == ("warn", "ok")
        assert "pip install 'kestrel-feature-skills[watch]'" in said["watch"]["fix"]
        assert "KESTREL_SKILLS_WATCH=on" in said["environment"]["message"]
