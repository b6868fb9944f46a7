"""Watches on a real disk: what is heard, when it is lost, and that no change is missed for good."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.posix.reading import PosixSkillFiles
from kestrel_skills_adapters.watching import folders as disks
from kestrel_skills_adapters.watching.notified import NotifiedWatch, place, watched
from kestrel_skills_adapters.watching.watched import AGAIN, Heard, WatchedFiles
from kestrel_skills_core.domain.names import SourceId
from kestrel_skills_core.domain.record import Sighting
from kestrel_skills_core.domain.resolver import Survey
from tests.contracts.files import Later
from tests.hostile.disk import skill

pytest.importorskip("watchfiles", reason="watchfiles is not installed: it is the extra `watch`")

SHARED = SourceId.HOST_SHARED


def on_a_local_disk(folder: Path) -> Path:
    """That folder; the test is skipped where nothing in it can be watched."""
    if not disks.is_local(str(folder)):
        pytest.skip("the folder for temporary files lies on no disk that is watched")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with two skills, one of which holds a folder; on a disk that can be watched."""
    path = on_a_local_disk(tmp_path) / "skills"
    (skill(path, "knots") / "scripts").mkdir()
    (path / "knots" / "scripts" / "tie.sh").write_bytes(b"one")
    skill(path, "lint")
    return path


@pytest.fixture
def watch(root: Path) -> Iterator[NotifiedWatch]:
    """A watch of that root."""
    placed = place(str(root))
    assert placed is not None
    yield placed
    placed.close()


def rewrite(root: Path) -> None:
    """Write other bytes, as many, and put the times back (T12)."""
    file = root / "knots" / "scripts" / "tie.sh"
    before = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


FILES: dict[str, Callable[[Path], object]] = {
    "rewritten": rewrite,
    "saved by a rename": lambda root: [(root / "new").touch(), (root / "new").replace(root / "knots" / "SKILL.md")],
    "added": lambda root: (root / "lint" / "a.md").touch(),
    "removed": lambda root: (root / "knots" / "scripts" / "tie.sh").unlink(),
    "made executable": lambda root: (root / "knots" / "scripts" / "tie.sh").chmod(0o755),
    "a link added": lambda root: (root / "lint" / "link").symlink_to("/nowhere"),
}
FOLDERS: dict[str, Callable[[Path], object]] = {
    "a folder added": lambda root: (root / "lint" / "more").mkdir(),
    "a skill added": lambda root: skill(root, "shells"),
    "a skill removed": lambda root: shutil.rmtree(root / "lint"),
    "a skill renamed": lambda root: (root / "lint").rename(root / "shells"),
    "skills changed about": lambda root: [
        (root / "lint").rename(root / "x"),
        (root / "knots").rename(root / "lint"),
        (root / "x").rename(root / "knots"),
    ],
    "a skill closed": lambda root: (root / "lint").chmod(0o700),
    "the root renamed": lambda root: root.rename(root.with_name("away")),
    "the root replaced": lambda root: [
        root.rename(root.with_name("away")),
        shutil.copytree(root.with_name("away"), root),
    ],
    "the root gone": shutil.rmtree,
    "a folder above renamed": lambda root: root.parent.rename(root.parent.with_name("away")),
}


def test_nothing_is_heard_where_nothing_changes(root: Path, watch: NotifiedWatch) -> None:
    """Reading is no change, nor is what happens in a folder that no survey looks into."""
    (root / ".kestrel-internal").mkdir()
    assert watch.heard() is Heard.LOST
    again = place(str(root))
    assert again is not None
    PosixSkillFiles(root, SHARED).survey()
    (root / ".kestrel-internal" / "staging").mkdir()
    assert [again.heard(), again.heard()] == [Heard.NOTHING, Heard.NOTHING]
    again.close()


@pytest.mark.parametrize("change", FILES.values(), ids=FILES)
def test_a_file_that_changed_is_heard_of_at_once(
    root: Path, watch: NotifiedWatch, change: Callable[[Path], None]
) -> None:
    """By whoever asks just after the change, and once."""
    change(root)
    assert [watch.heard(), watch.heard()] == [Heard.CHANGES, Heard.NOTHING]


@pytest.mark.parametrize("change", FOLDERS.values(), ids=FOLDERS)
def test_a_folder_that_came_or_went_ends_the_watch(tmp_path: Path, change: Callable[[Path], None]) -> None:
    """What is in it now is not heard of; so it is with the root, and with a folder above it."""
    root = on_a_local_disk(tmp_path) / "above" / "skills"
    skill(root, "knots")
    skill(root, "lint")
    placed = place(str(root))
    assert placed is not None
    change(root)
    assert placed.heard() is Heard.LOST
    placed.close()


def test_a_change_by_another_process_is_heard_of_at_once(root: Path, watch: NotifiedWatch) -> None:
    """As soon as that has ended, a hundred times."""
    program = "import sys\nfor line in sys.stdin: open(line.strip(), 'w').write('two'); print(flush=True)"
    with subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1, text=True) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        for _ in range(100):
            print(root / "knots" / "scripts" / "tie.sh", file=other.stdin, flush=True)
            other.stdout.readline()
            assert watch.heard() is Heard.CHANGES
        other.stdin.close()


def test_a_watch_that_ended_hears_nothing_any_more(watch: NotifiedWatch) -> None:
    """Whatever is done, it says that something may have changed; closing it twice is once."""
    watch.close()
    assert watch.heard() is Heard.LOST
    watch.close()


def test_a_root_that_cannot_be_watched_is_not(root: Path) -> None:
    """One that is not there, that is on no disk, or with a name in it that is no text."""
    assert place(str(root / "none")) is None
    assert place("/proc/self") is None
    os.mkdir(os.fsencode(root) + b"/knots/\xff")  # noqa: PTH102 - bytes
    assert place(str(root)) is None


def test_no_watches_left_is_no_watch(root: Path) -> None:
    """Where the user's descriptors are used up, which inotify takes, there is none, and nothing stays open."""
    program = (
        "import os, resource, sys\n"
        "from kestrel_skills_adapters.watching.notified import place\n"
        "watch = place(sys.argv[1]); assert watch is not None; watch.close()\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir('/proc/self/fd')), 4096))\n"
        "print(place(sys.argv[1]))\n"
    )
    told = subprocess.run([sys.executable, "-c", program, root], check=True, capture_output=True, text=True).stdout
    assert told == "None\n"


def test_without_the_extra_a_root_is_looked_at(root: Path) -> None:
    """Where `watchfiles` is not installed, the files are as they are without a watch."""
    program = (
        "import sys; sys.modules['watchfiles'] = None\n"
        "from importlib import util; found = util.find_spec\n"
        "util.find_spec = lambda name, package=None: None if name == 'watchfiles' else found(name, package)\n"
        "from kestrel_skills_adapters.wiring import library_of, settings_of\n"
        "from kestrel_skills_adapters.posix.store import PosixSkillStore\n"
        "(files,) = library_of(settings_of({'KESTREL_SKILLS_WATCH': 'on'}, root=sys.argv[1])).sources\n"
        "assert type(files) is PosixSkillStore, files\n"
        "from kestrel_skills_adapters.watching.notified import place\n"
        "assert place(sys.argv[1]) is None\n"
    )
    subprocess.run([sys.executable, "-c", program, root], check=True)


@pytest.mark.parametrize(("text", "loads"), [("off", False), ("on", True)])
def test_watchfiles_is_loaded_by_who_watches_alone(root: Path, text: str, loads: bool) -> None:
    """With the watch off nothing of it is imported; with the watch on, at the second look."""
    program = (
        "import sys\n"
        "from kestrel_skills_adapters.wiring import library_of, settings_of\n"
        "from kestrel_skills_adapters.world import finish\n"
        "library = library_of(settings_of({'KESTREL_SKILLS_WATCH': sys.argv[2]}, root=sys.argv[1]))\n"
        "for _ in range(2):\n"
        "    print(any(name.startswith('watchfiles') for name in sys.modules))\n"
        "    finish(library.catalog())\n"
        "print(any(name.startswith('watchfiles') for name in sys.modules))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program, root, text], check=True, capture_output=True, text=True)
    assert ran.stdout.split() == ["False", "False", str(loads)]


def told(survey: Survey) -> dict[str, tuple[object, ...]]:
    """What a survey says of each folder, in terms that do not depend on when it was made."""

    def of(sighting: Sighting) -> tuple[object, ...]:
        return sighting.revision, sighting.findings, sighting.head, sighting.unlisted

    return {name: of(sighting) for name, sighting in survey.sightings.items()}


def meddle(root: Path, chance: random.Random) -> None:
    """Do something to a root, as a person or program would."""
    name = chance.choice(["knots", "lint", "shells"])
    folder, inside = root / name, root / name / chance.choice(["a", "b", "a/c"])
    kind = chance.randrange(7)
    try:
        if kind == 0:
            shutil.rmtree(folder)
        elif kind == 1:
            folder.rename(root / chance.choice(["knots", "lint", "shells"]))
        elif kind == 2:
            inside.mkdir(parents=True)
        elif kind == 3:
            shutil.rmtree(inside.parent)
        else:
            inside.mkdir(parents=True, exist_ok=True)
            (inside / chance.choice(["x", "y"])).write_text(str(chance.random()))
            (folder / "SKILL.md").write_bytes(document(name))
    except OSError:
        pass  # somebody, or something, is in the way


@pytest.mark.parametrize("seed", range(4))
def test_no_change_is_missed_for_good(root: Path, seed: int) -> None:
    """While others change a root at random, each look is of the time it was asked for or later; at rest, it is exact.

    Whoever changes and then looks sees what they changed, each time; and when all have ended, within a minute of a
    clock that stands still but for that.
    """
    now = [0.0]
    plain = PosixSkillFiles(root, SHARED, calls=Later())
    files = WatchedFiles(plain, lambda: place(str(root)), lambda: now[0])
    program = (
        "import random, sys\nfrom pathlib import Path\nfrom tests.adapters.watching.test_notified import meddle\n"
        "chance = random.Random(int(sys.argv[2]))\n"
        "for _ in range(300): meddle(Path(sys.argv[1]), chance)\n"
    )
    where = Path(__file__).parents[3]
    known, chance = files.survey(), random.Random(seed)
    with subprocess.Popen([sys.executable, "-c", program, root, str(seed)], cwd=where) as other:
        while other.poll() is None:
            known = files.survey(known)
    assert other.returncode == 0
    now[0] += AGAIN
    known = files.survey(known)
    assert told(known) == told(plain.survey())
    answered = 0
    for _ in range(150):
        if chance.random() < 0.5:
            meddle(root, chance)
        before = known
        known = files.survey(known)
        answered += known is before
        assert told(known) == told(plain.survey())
    assert answered > 0


def test_threads_that_write_and_look_see_what_they_wrote(root: Path) -> None:
    """Eight at once, each in a file of its own, two hundred times in all."""
    files = watched(PosixSkillFiles(root, SHARED, calls=Later()), str(root))
    wrong: list[str] = []

    def work(number: int) -> None:
        known = files.survey()
        for turn in range(25):
            (root / "knots" / f"{number}.md").write_text("x" * (turn + 1))
            known = files.survey(known)
            sizes = {item.path: item.size for item in known.sightings["knots"].inventory}
            if sizes.get(f"{number}.md") != turn + 1:  # type: ignore[call-overload] # a path is a string
                wrong.append(f"{number}, {turn}")

    workers = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert wrong == []
