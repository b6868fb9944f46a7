"""Disks that refuse, for real: full, read-only, somebody else's, in layers. Each says so, and nothing is lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from kestrel_skills_adapters.contracts.roots import never
from kestrel_skills_core.domain.errors import StoreFailed
from kestrel_skills_core.domain.fence import Fence
from kestrel_skills_core.domain.names import ResourcePath, SkillName, SourceId
from kestrel_skills_core.ports.store import Swept
from tests.adapters.posix.stores import KNOTS, TREE, VERBS, Verb, leftovers, made, on
from tests.cli.running import Ran, run, skill
from tests.contracts.files import Later
from tests.contracts.store import OnDisk
from tests.hostile.apart import apart, bind, mount, unmount
from tests.hostile.disk import open_descriptors

PAGE = 4096
VERB = {verb.name: verb for verb in VERBS}
FENCE = Fence(priority=1, reason="why")
STEPS = {
    "publish": "create",
    "replace": "edit",
    "replace deep": "edit",
    "add": "edit",
    "add deep": "edit",
    "remove": "remove",
    "annotate": "annotate",
    "retire": "delete",
    "fence": "fence",
    "unfence": "unfence",
}


def in_sight(root: OnDisk) -> tuple[object, object]:
    """All that a reader can see, and all marks."""
    return root.entries(), root.store.fenced()


def refusal(root: OnDisk, verb: Verb) -> StoreFailed | None:
    """What a verb was refused with, if it was: in words that name the step and a fix, nothing changed, nothing open."""
    before, held, error = in_sight(root), open_descriptors(), None
    try:
        verb.run(on(root, Later()))
    except StoreFailed as raised:
        error = raised
    assert open_descriptors() == held
    if error is None:
        assert verb.name == "unfence" or in_sight(root) != before, verb
        return None
    assert in_sight(root) == before, verb
    assert root.store.read(KNOTS).tree.revision == TREE.revision
    assert error.step == STEPS[verb.name]
    assert error.fix, error
    assert str(root.path) not in f"{error} {error.fix}"
    return error


def swept(root: OnDisk) -> None:
    """Sweep, after which nothing may be left."""
    root.store.sweep()
    assert leftovers(root) == []
    assert root.store.kept() == ()


# A full disk (T15).


def fill(disk: Path, pages: int) -> Path:
    """Leave so many pages free on a small disk; gives the file that takes all others."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(PAGE)):
            pass
    os.truncate(ballast, max(0, ballast.stat().st_size - pages * PAGE))
    return ballast


def crowd(disk: Path, inodes: int) -> Path:
    """Let so many more files be made on a small disk; gives the folder of those that take all other places."""
    ballast = disk / "ballast"
    ballast.mkdir()
    made_files = 0
    with suppress(OSError):
        while True:
            (ballast / str(made_files)).touch()
            made_files += 1
    for number in range(min(inodes, made_files)):
        (ballast / str(number)).unlink()
    return ballast


def lighten(ballast: Path) -> None:
    """Make room again."""
    if ballast.is_dir():
        for file in ballast.iterdir():
            file.unlink()
        ballast.rmdir()
    else:
        ballast.unlink()


def meets_full_disk(place: Path, options: str, take: Callable[[Path, int], Path]) -> dict[str, int]:
    """Try every verb with ever more room, until there is enough; gives how often each was refused."""
    refused = dict.fromkeys(VERB, 0)
    for name, verb in VERB.items():
        for free in range(64):
            mount("tmpfs", place / "disk", options)
            root = made(place / "disk")
            if name == "unfence":
                root.store.fence(KNOTS, FENCE, cancelled=never)
            ballast = take(place / "disk", free)
            error = refusal(root, verb)
            lighten(ballast)
            swept(root)
            if error is not None:
                assert error.args[1:] == ("the disk is full", "make room, then try again")
                refused[name] += 1
                assert refusal(root, verb) is None, "with room again, it can be done"
                swept(root)
            unmount(place / "disk")
            if error is None:
                break
        else:
            raise AssertionError(f"{name} is refused on a disk with room")
    return refused


def a_disk_without_room(place: Path) -> None:
    """Bytes run out, at each of them that a verb needs; what only moves names needs none."""
    refused = meets_full_disk(place, "size=512k", fill)
    assert {name for name, times in refused.items() if times == 0} == {"remove", "retire", "unfence"}
    assert refused["publish"] > 3


def a_disk_without_inodes(place: Path) -> None:
    """Places for files run out."""
    refused = meets_full_disk(place, "size=1m,nr_inodes=64", crowd)
    assert {name for name, times in refused.items() if times == 0} == {"remove", "retire", "unfence"}
    assert refused["publish"] > 3


@pytest.mark.parametrize("scenario", [a_disk_without_room, a_disk_without_inodes])
def test_a_full_disk_is_told_of_and_nothing_is_lost(tmp_path: Path, scenario: Callable[[Path], None]) -> None:
    """T15: with every amount of room that is not enough: the old state, in words; with enough, all is done."""
    apart(scenario, tmp_path)


def told(ran: Ran, place: Path, *words: str) -> None:
    """A command was refused: by its exit code, and in one line for a person, with a fix and nothing of the host."""
    assert ran.code == 4, ran
    (line,) = [line for line in ran.said.splitlines() if line.startswith("error: ")]
    assert "; fix: " in line, line
    assert all(word in line for word in words), line
    assert str(place) not in ran.said, ran.said
    assert "Traceback" not in ran.said


def shown(environ: dict[str, str]) -> dict[str, object]:
    """The skill, as a person is shown it."""
    found = run("show", "tea", "--json", environ=environ).json
    assert isinstance(found, dict)
    return found


def checks(environ: dict[str, str]) -> dict[str, dict[str, str]]:
    """What the doctor says, by what it speaks of."""
    return {each["about"]: each for each in run("doctor", "--json", environ=environ).json["checks"]}


def furnished(disk: Path) -> dict[str, str]:
    """A home on a disk, with one skill that is on; gives the environment that means it."""
    environ = {"KESTREL_SKILLS_ROOT": str(disk / "skills"), "HOME": str(disk)}
    skill(disk / "skills", "tea")
    assert run("enable", "tea", environ=environ).code == 0
    return environ


def a_person_on_a_full_disk(place: Path) -> None:
    """Each command of the command line, with the table of states on the full disk too."""
    disk = place / "disk"
    mount("tmpfs", disk, "size=512k")
    text = place / "text.md"
    text.write_text("---\nname: milk\ndescription: Use when thirsty.\n---\nPour.\n", encoding="utf-8")
    environ = furnished(disk)
    before = shown(environ)
    ballast = fill(disk, 0)
    told(run("new", "milk", "--from", text, environ=environ), place, "(create)", "the disk is full", "make room")
    edit = ["edit", "tea", "notes.md", "--from", str(text)]
    told(run(*edit, environ=environ), place, "(edit)", "the disk is full", "make room")
    told(run("enable", "tea", "--priority", "3", environ=environ), place, "the disk is full", "free some space")
    told(run("disable", "tea", environ=environ), place, "the disk is full", "free some space")
    assert shown(environ) == before
    assert run("list", environ=environ).lines[0].split()[:2] == ["tea", "on"]
    assert run("read", "tea", environ=environ).out.endswith("Do it.\n")
    assert run("kept", environ=environ).code == 0
    assert {each["status"] for each in checks(environ).values()} == {"ok"}
    # A deletion needs no room; its row stays, turns nothing on, and is named with what to do.
    deleted = run("delete", "tea", "--revision", str(before["delete_revision"]), environ=environ)
    assert (deleted.code, deleted.out) == (4, "tea is deleted; now nothing is called tea\n")
    assert "the disk is full" in deleted.said
    states = checks(environ)["states"]
    assert (states["status"], states["fix"].rpartition(": ")[2]) == ("warn", "tea@agent-local")
    ballast.unlink()
    assert run("disable", "tea@agent-local", environ=environ).code == 0
    assert {each["status"] for each in checks(environ).values()} == {"ok"}
    assert run("new", "milk", "--from", text, environ=environ).code == 0


# A root that may only be read (T15).


def meets_read_only(root: OnDisk, close: Callable[[], None], open_again: Callable[[], None]) -> None:
    """Try every verb on a root that is closed and opened again."""
    root.store.fence(KNOTS, FENCE, cancelled=never)
    for verb in VERBS:
        close()
        error = refusal(root, verb)
        assert error is not None, verb
        assert error.args[1:] == ("the file system cannot be written", "mount it so that it can")
        with pytest.raises(StoreFailed, match=r"\(sweep\): the file system cannot be written"):
            root.store.sweep()
        assert [*root.store.survey().sightings] == ["knots"]
        assert root.store.fenced() == {KNOTS: FENCE}
        assert root.store.kept() == ()
        open_again()
        assert leftovers(root) == []
    VERB["retire"].run(on(root, Later()))
    assert root.entries() == {}


def a_disk_mounted_to_be_read(place: Path) -> None:
    """The whole disk, and later not."""
    mount("tmpfs", place / "disk", "size=1m")
    root = made(place / "disk")
    meets_read_only(
        root,
        lambda: mount("tmpfs", place / "disk", "remount,ro"),
        lambda: mount("tmpfs", place / "disk", "remount,rw"),
    )


def a_root_bound_to_be_read(place: Path) -> None:
    """The root alone, as a container is given one."""
    (place / "disk").mkdir()
    root = made(place / "disk")

    def close() -> None:
        bind(root.path, root.path)
        mount("none", root.path, "remount,bind,ro")

    meets_read_only(root, close, lambda: unmount(root.path))


def a_root_never_written_bound_to_be_read(place: Path) -> None:
    """A person's folder, in which this library never made anything, is read without a marker, and left without."""
    folder = skill(place / "skills", "knots")
    root = OnDisk(place / "skills", SourceId.AGENT_LOCAL)
    bind(root.path, root.path)
    mount("none", root.path, "remount,bind,ro")
    assert root.store.survey().sightings["knots"].generation is None
    assert root.store.fenced() == {}
    assert root.store.kept() == ()
    assert root.store.sweep() == Swept()
    seen = root.store.read(KNOTS).tree.revision
    for change in (
        lambda: root.store.publish(SkillName("shells"), TREE, cancelled=never),
        lambda: root.store.write(KNOTS, ResourcePath("new.md"), b"", seen=seen, cancelled=never),
        lambda: root.store.fence(KNOTS, FENCE, cancelled=never),
    ):
        with pytest.raises(StoreFailed, match="the file system cannot be written"):
            change()
    assert [path.name for path in root.path.iterdir()] == ["knots"]
    assert [path.name for path in folder.iterdir()] == ["SKILL.md"]


def a_person_whose_root_is_bound_to_be_read(place: Path) -> None:
    """What is on stays on; it can be turned off, by its row alone; nothing else can be changed."""
    environ = furnished(place)
    before = shown(environ)
    root = place / "skills"
    bind(root, root)
    mount("none", root, "remount,bind,ro")
    text = place / "text.md"
    text.write_text("---\nname: milk\ndescription: Use when thirsty.\n---\nPour.\n", encoding="utf-8")
    why = ("the file system cannot be written", "mount it so that it can")
    told(run("new", "milk", "--from", text, environ=environ), place, "(create)", *why)
    told(run("edit", "tea", "notes.md", "--from", text, environ=environ), place, "(edit)", *why)
    told(run("delete", "tea", "--revision", str(before["delete_revision"]), environ=environ), place, "(delete)", *why)
    assert shown(environ) == before
    said = checks(environ)
    assert said["recovery"]["status"] == "warn"
    assert "the file system cannot be written" in said["recovery"]["message"]
    assert said["markers"]["status"] == "warn"
    assert (said["kept"]["status"], said["marks"]["status"]) == ("ok", "ok")
    assert run("disable", "tea", environ=environ).code == 0
    assert run("list", environ=environ).said.startswith("1 skill, 0 on")
    assert run("enable", "tea", environ=environ).code == 0


@pytest.mark.parametrize(
    "scenario",
    [
        a_person_on_a_full_disk,
        a_disk_mounted_to_be_read,
        a_root_bound_to_be_read,
        a_root_never_written_bound_to_be_read,
        a_person_whose_root_is_bound_to_be_read,
    ],
    ids=lambda scenario: scenario.__name__,
)
def test_what_cannot_be_written_is_read_and_told_of(tmp_path: Path, scenario: Callable[[Path], None]) -> None:
    """T15: nothing is lost or half done, each refusal names its step and what to do, and later it can be done."""
    apart(scenario, tmp_path)


# What is somebody else's.

SOMEBODY = 12345


def given_away(*paths: Path) -> None:
    """Make somebody else the owner, who lets others look and nothing more."""
    if os.geteuid() != 0:
        pytest.skip("only the superuser can give a folder to somebody else")
    for path in paths:
        os.chown(path, SOMEBODY, SOMEBODY)


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb.name not in ("fence", "unfence")], ids=str)
def test_a_root_of_somebody_else_is_read_and_not_changed(tmp_path: Path, verb: Verb) -> None:
    """What lies in it may be ours or theirs; a change in a folder of our own is done, all others are refused."""
    root = made(tmp_path)
    given_away(root.path)
    error = refusal(root, verb)
    if verb.name in ("publish", "retire"):
        assert error is not None
        assert error.args[1] == "permission is denied"
    else:
        assert error is None
    swept(root)


@pytest.mark.usefixtures("permissions_bind")
@pytest.mark.parametrize("verb", VERBS, ids=str)
def test_a_skill_of_somebody_else_is_read_and_not_changed(tmp_path: Path, verb: Verb) -> None:
    """In a root of our own: it cannot be taken out of sight either; what is beside it can be changed."""
    root = made(tmp_path)
    if verb.name == "unfence":
        root.store.fence(KNOTS, FENCE, cancelled=never)
    given_away(*(path for path in (root.path / "knots").rglob("*")), root.path / "knots")
    error = refusal(root, verb)
    if verb.name in ("publish", "fence", "unfence"):
        assert error is None
    else:
        assert error is not None
        _, why, fix = error.args
        assert why == "permission is denied"
        assert fix.startswith("give the agent's user permission to write to the folder `knots")
    swept(root)


@pytest.mark.usefixtures("permissions_bind")
def test_our_own_folder_in_the_hands_of_somebody_else_turns_all_off(tmp_path: Path) -> None:
    """Nobody knows which marks are in it: every verb is refused, everything is off, and it is said why."""
    environ = furnished(tmp_path)
    before = shown(environ)
    root = OnDisk(tmp_path / "skills", SourceId.AGENT_LOCAL)
    given_away(root.internal)
    assert root.store.fenced() is None
    listed = run("list", environ=environ)
    assert listed.code == 4
    assert "1 skill, 0 on" in listed.said
    text = tmp_path / "text.md"
    text.write_text("new", encoding="utf-8")
    why = ("permission is denied", "`.kestrel-internal`")
    told(run("edit", "tea", "notes.md", "--from", text, environ=environ), tmp_path, "(edit)", *why)
    told(run("delete", "tea", "--revision", str(before["delete_revision"]), environ=environ), tmp_path, *why)
    told(run("kept", environ=environ), tmp_path, "(look)", *why)
    said = checks(environ)
    assert {about: said[about]["status"] for about in ("recovery", "kept", "marks")} == {
        "recovery": "warn",
        "kept": "warn",
        "marks": "fail",
    }
    assert all(said[about]["fix"] for about in ("recovery", "kept", "marks"))
    os.chown(root.internal, os.geteuid(), os.getegid())
    assert shown(environ) == before


# Layers: what a container is given, where the skills came with its image.


def overlaid(place: Path, options: str) -> OnDisk:
    """A root seen in layers, the lower of which holds knots, as an image of a container may."""
    mount("tmpfs", place / "disk", "size=4m")
    lower, upper, work, seen = (place / "disk" / name for name in ("lower", "upper", "work", "seen"))
    for folder in (lower, upper, work):
        folder.mkdir()
    made(lower)
    mount("overlay", seen, f"lowerdir={lower},upperdir={upper},workdir={work},{options}")
    return OnDisk(seen / "skills", SourceId.AGENT_LOCAL)


def in_the_upper_layer(root: OnDisk) -> None:
    """Let knots lie in the upper layer alone."""
    shutil.copytree(root.path / "knots", root.path / "copy")
    shutil.rmtree(root.path / "knots")
    (root.path / "copy").rename(root.path / "knots")


def refused_in_layers(place: Path, options: str) -> dict[tuple[str, str], StoreFailed]:
    """Try every verb, with knots in either layer; gives what was refused."""
    refused: dict[tuple[str, str], StoreFailed] = {}
    for verb, layer in product(VERBS, ("lower", "upper")):
        root = overlaid(place, options)
        if layer == "upper":
            in_the_upper_layer(root)
        error = refusal(root, verb)
        swept(root)
        if error is not None:
            refused[verb.name, layer] = error
        unmount(root.path.parent)
        unmount(place / "disk")
    return refused


def layers_of_anybody(place: Path) -> None:
    """As an overlay is mounted that does not take the superuser."""
    assert_only_deletion_is_refused(refused_in_layers(place, "userxattr"))


def layers_without_redirection(place: Path) -> None:
    """As most are mounted, by the superuser."""
    assert_only_deletion_is_refused(refused_in_layers(place, "redirect_dir=off"))


def layers_with_redirection(place: Path) -> None:
    """Where folders of the lower layer can be moved."""
    assert refused_in_layers(place, "redirect_dir=on") == {}


def assert_only_deletion_is_refused(refused: dict[tuple[str, str], StoreFailed]) -> None:
    """A folder of the lower layer cannot be moved; everything else can be done."""
    assert [*refused] == [("retire", "lower")]
    (error,) = refused.values()
    assert str(error).endswith("or the skill in a lower layer of an overlay")
    assert "redirect_dir=on" in error.fix


@pytest.mark.parametrize(
    ("scenario", "superuser"),
    [(layers_of_anybody, False), (layers_without_redirection, True), (layers_with_redirection, True)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_an_overlay_refuses_what_it_cannot_move_and_does_the_rest(
    tmp_path: Path, scenario: Callable[[Path], None], superuser: bool
) -> None:
    """Files of the lower layer are edited, added and removed like any other; nothing is left over, nothing lost."""
    apart(scenario, tmp_path, superuser=superuser)
