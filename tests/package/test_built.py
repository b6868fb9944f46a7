"""The sdist and the wheel: the same bytes wherever they are built, and all that is needed in them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.build

ROOT = Path(__file__).parents[2]


def metadata(of: dict[str, Path]) -> str:
    """What a wheel tells of itself."""
    with zipfile.ZipFile(of["wheel"]) as wheel:
        (name,) = (path for path in wheel.namelist() if path.endswith(".dist-info/METADATA"))
        return wheel.read(name).decode()


def tracked(*below: str) -> list[str]:
    """The files that git knows of, and those that it would not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", *below]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return sorted(path for path in found if path and (ROOT / path).is_file())


def built(at: Path, *, mask: int, epoch: str | None, seconds: float, backwards: bool) -> dict[str, Path]:
    """Build a copy there, made with those permissions, at that time, in that order; gives the files by their kinds."""
    for path in sorted(tracked(), reverse=backwards):
        (at / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        copied = shutil.copy(ROOT / path, at / "tree" / path)
        os.utime(copied, (seconds, seconds))
        Path(copied).chmod((0o777 if os.access(copied, os.X_OK) else 0o666) & ~mask)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(at / "dist")]
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    environment |= {"TZ": "Asia/Tokyo" if backwards else "UTC"} | ({"SOURCE_DATE_EPOCH": epoch} if epoch else {})
    previous = os.umask(mask)
    try:
        subprocess.run(command, cwd=at / "tree", env=environment, check=True, capture_output=True)
    finally:
        os.umask(previous)
    return {"wheel": next((at / "dist").glob("*.whl")), "sdist": next((at / "dist").glob("*.tar.gz"))}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What one person builds."""
    at = tmp_path_factory.mktemp("one")
    return built(at, mask=0o022, epoch="1767225600", seconds=1_000_000_000, backwards=False)


@pytest.fixture(scope="module")
def listed(first: dict[str, Path]) -> list[str]:
    """The paths in the wheel."""
    with zipfile.ZipFile(first["wheel"]) as wheel:
        return wheel.namelist()


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_it_is_the_same_wherever_it_is_built(first: dict[str, Path], tmp_path: Path, kind: str) -> None:
    """In another folder, of files made otherwise, in another zone: for one `SOURCE_DATE_EPOCH`, the same bytes."""
    again = built(tmp_path, mask=0o002, epoch="1767225600", seconds=1_700_000_001.5, backwards=True)
    assert again[kind].name == first[kind].name
    assert hashlib.sha256(again[kind].read_bytes()).digest() == hashlib.sha256(first[kind].read_bytes()).digest()


def test_the_time_that_is_asked_for_is_in_it(first: dict[str, Path]) -> None:
    """Every entry has that of `SOURCE_DATE_EPOCH`, and no other."""
    with zipfile.ZipFile(first["wheel"]) as wheel:
        assert {entry.date_time for entry in wheel.infolist()} == {(2026, 1, 1, 0, 0, 0)}
    with tarfile.open(first["sdist"]) as sdist:
        assert {entry.mtime for entry in sdist} == {1767225600}


def test_the_wheel_leaves_nothing_out(listed: list[str]) -> None:
    """It holds every file of `src`, those of the Console and the tour too, and nothing else but what is told of it."""
    packaged = [path for path in listed if ".dist-info/" not in path]
    assert sorted(packaged) == [path.removeprefix("src/") for path in tracked("src")]
    about = {path.partition(".dist-info/")[2] for path in listed if ".dist-info/" in path}
    assert about == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


def test_the_console_finds_all_that_it_imports(listed: list[str]) -> None:
    """Whatever a script imports, or a page or style names beside it, is in the wheel."""
    static = "kestrel_skills_adapters/console/static/"
    scripts = [path for path in listed if path.startswith(static) and path.endswith(".js")]
    assert len(scripts) > 20
    for path in scripts:
        text = (ROOT / "src" / path).read_text(encoding="utf-8")
        for named in re.findall(r"""(?:from|import)\s*\(?["']\./([\w.-]+)["']""", text):
            assert f"{static}{named}" in listed
    assert f"{static}skills.css" in listed
    assert any(path.startswith("kestrel_skills_adapters/http/page/") for path in listed)


@pytest.mark.parametrize("package", ["kestrel_skills_core", "kestrel_skills_adapters"])
def test_the_wheel_is_typed(listed: list[str], package: str) -> None:
    """Each package carries its mark."""
    assert f"{package}/py.typed" in listed


def test_the_sdist_has_what_its_wheel_and_its_tests_need(first: dict[str, Path]) -> None:
    """Every file of the sources, tests and documents, and what says how to build them."""
    with tarfile.open(first["sdist"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    wanted = {"pyproject.toml", "noxfile.py", "README.md", "CHANGELOG.md", "LICENSE", "mkdocs.yml", ".ci/run"}
    assert {*tracked("src", "tests", "docs"), *wanted} <= names


def test_what_it_says_of_itself_is_what_the_project_says(first: dict[str, Path]) -> None:
    """Name, licence and Pythons."""
    told = metadata(first)
    for line in (
        "Name: kestrel-feature-skills",
        "License-Expression: Apache-2.0",
        "Requires-Python: <3.15,>=3.11",
        "Description-Content-Type: text/markdown",
        "Provides-Extra: contracts",
    ):
        assert f"{line}\n" in told


def test_its_long_description_is_the_readme_with_links_that_lead_somewhere(first: dict[str, Path]) -> None:
    """On an index nothing stands beside it: no link is relative, and each into the repository is to what is there."""
    told = metadata(first).partition("\n\n")[2]
    assert [link for link in re.findall(r"\]\(([^)]*)\)", told) if not link.startswith("https://")] == []
    of_the_repository = r"https://github\.com/KestrelSovereignAI/kestrel-feature-skills/blob/(?:main|v[\d.]+)/"
    paths = re.findall(rf"\]\({of_the_repository}([^)#]*)", told)
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).is_file()] == []
    assert re.sub(rf"(?<=\]\(){of_the_repository}", "", told) == (ROOT / "README.md").read_text(encoding="utf-8")
