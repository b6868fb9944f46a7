"""What the workflows run, with which rights, and what they leave to others: nothing that can change under them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").iterdir())
NOXFILE = (ROOT / "noxfile.py").read_text(encoding="utf-8")
PYTHONS = re.findall(r"3\.\d+", re.findall(r"^PYTHONS = .*", NOXFILE, re.MULTILINE)[0])
HOSTS = re.findall(r'^    "(0\.\d+)": \(', NOXFILE, re.MULTILINE)
PINNED = re.compile(r"([\w-]+/[\w-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)")
OWN = re.compile(r"\$/\.github/workflows/[\w-]+\.yml")


def workflow(name: str) -> dict[str, Any]:
    """A workflow, as it is read."""
    return YAML(typ="safe", pure=True).load(ROOT / ".github" / "workflows" / f"{name}.yml")


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every job of every workflow, as `workflow/job`."""
    for file in FILES:
        for name, job in workflow(file.stem)["jobs"].items():
            yield f"{file.stem}/{name}", job


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every step, with its job."""
    for name, job in jobs():
        for step in job.get("steps", ()):
            yield name, step


def used() -> list[str]:
    """What stands after every `uses:`, comments too."""
    return [each for file in FILES for each in re.findall(r"\buses: (.*)", file.read_text(encoding="utf-8"))]


def everyday() -> list[str]:
    """The sessions that `nox` runs when none is named."""
    (stated,) = (
        line.value
        for line in ast.parse(NOXFILE).body
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "nox.options.sessions"
    )
    assert isinstance(stated, ast.List)
    words = [ast.unparse(each).removeprefix("f").strip("'") for each in stated.elts]
    return [word.replace("{PYTHONS[0]}", PYTHONS[0]) for word in words]


def sessions() -> dict[str, set[str]]:
    """The sessions that the noxfile defines, each with those that it is: one for each Python, or for each host."""
    found = {}
    for function in ast.parse(NOXFILE).body:
        if not isinstance(function, ast.FunctionDef) or not function.decorator_list:
            continue
        about = ast.unparse(function.decorator_list[0])
        named = re.search(r"name='(\w+)'", about)
        name = named[1] if named else function.name
        found[name] = {name}
        if "python=PYTHONS," in about or "python=PYTHONS)" in about:
            found[name] = {f"{name}-{python}" for python in PYTHONS}
        elif len(function.decorator_list) > 1:
            found[name] = {f"{name}({host})" for host in HOSTS}
    return found


def ran(job: dict[str, Any]) -> set[str]:
    """The sessions that a job runs, for everything in its matrix."""
    matrix = job.get("strategy", {}).get("matrix", {})
    found = set[str]()
    for step in job.get("steps", ()):
        command, *named = step.get("run", "").partition(" -- ")[0].split(" --session ")
        if not command.startswith("nox"):
            continue
        words = named[0].replace('"', "").split() if named else everyday()
        for name, value in step.get("env", {}).items():
            given = matrix.get(value.removeprefix("${{ matrix.").removesuffix(" }}"), [])
            words = [
                word.replace(f"${name}", each) for word in words for each in (given if f"${name}" in word else [""])
            ]
        found.update(*(sessions().get(word, {word}) for word in words))
    return found


def test_there_are_three() -> None:
    """What follows looks at all of them."""
    assert [file.name for file in FILES] == ["ci.yml", "nightly.yml", "publish.yml"]


def test_every_action_is_pinned() -> None:
    """To one commit each, beside which stands its release; our own are of the commit that runs."""
    foreign = [each for each in used() if not OWN.fullmatch(each)]
    pins = {PINNED.fullmatch(each) for each in foreign}
    assert None not in pins
    assert len(foreign) > 10
    assert len({pin[1] for pin in pins if pin}) == len({pin.groups() for pin in pins if pin})


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_workflow_permits_nothing(file: Path) -> None:
    """Each job states what it needs."""
    assert workflow(file.stem)["permissions"] == {}
    assert "concurrency" in workflow(file.stem)


def test_only_the_upload_may_write() -> None:
    """It says who it is, and keeps where the files come from; all others read, and end in time."""
    rights = {name: job["permissions"] for name, job in jobs()}
    assert rights.pop("publish/upload") == {"attestations": "write", "id-token": "write"}
    assert all(each == {"contents": "read"} for each in rights.values())
    assert [name for name, job in jobs() if "timeout-minutes" not in job] == ["publish/ci"]


def test_no_checkout_leaves_credentials() -> None:
    """What runs later finds none in the folder."""
    kept = [step["with"]["persist-credentials"] for _, step in steps() if "/checkout@" in step.get("uses", "")]
    assert kept
    assert not any(kept)


def test_nox_is_all_that_is_run() -> None:
    """What a workflow does can be done by hand; and no text from outside becomes a command."""
    lines = [step["run"] for _, step in steps() if "run" in step]
    installs = [line for line in lines if line.startswith("python -m pip install ")]
    assert set(installs) == {"python -m pip install 'nox>=2024.10'"}
    rest = [line for line in lines if line not in installs]
    assert len(rest) == len(installs)
    assert [line for line in rest if not re.fullmatch(r'nox( --?[a-z-]+| "[\w$-]+"| [a-z]+)*', line)] == []
    assert [name for name, step in steps() if "shell" in step] == []


def test_every_session_is_run_somewhere() -> None:
    """On each Python and host that it is for; those of every change by `nox` alone."""
    assert workflow("ci")["jobs"]["checks"]["steps"][-1]["run"] == "nox --error-on-missing-interpreters"
    assert set[str]().union(*(ran(job) for _, job in jobs())) == set[str]().union(*sessions().values())


def test_every_job_has_the_pythons_of_its_sessions() -> None:
    """Where one is missing, nox would refuse, or leave it out."""
    for name, job in jobs():
        there = {
            python
            for step in job.get("steps", ())
            if "/setup-python@" in step.get("uses", "")
            for python in re.findall(r"3\.\d+", f"{step['with']['python-version']} {job.get('strategy')}")
        }
        assert set(re.findall(r"-(3\.\d+)\b", " ".join(ran(job)))) <= there, name


def test_no_session_moves_the_folder_for_what_is_temporary() -> None:
    """Nox's `create_tmp` sets $TMPDIR, too deep for a browser's socket: one function asks, and undoes it."""
    asking = {
        function.name: ast.unparse(function)
        for function in ast.parse(NOXFILE).body
        if isinstance(function, ast.FunctionDef) and ".create_tmp()" in ast.unparse(function)
    }
    assert list(asking) == ["room"]
    assert "session.env.pop('TMPDIR')" in asking["room"]


def test_ci_knows_every_python_on_both_systems() -> None:
    """Those of the noxfile, on Linux and macOS."""
    matrix = workflow("ci")["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert [system.partition("-")[0] for system in matrix["os"]] == ["ubuntu", "macos"]


class TestPublish:
    """From a tag to the package index."""

    def test_a_tag_alone_begins_it(self) -> None:
        """One of the form vX.Y.Z."""
        assert workflow("publish")["on"] == {"push": {"tags": ["v[0-9]+.[0-9]+.[0-9]+"]}}

    def test_each_job_waits_for_the_one_before(self) -> None:
        """So that a tag that is refused, or a commit that fails, is not built; and none is skipped."""
        found = workflow("publish")["jobs"]
        assert [(name, job.get("needs"), "if" in job) for name, job in found.items()] == [
            ("may-be-released", None, False),
            ("ci", "may-be-released", False),
            ("build", "ci", False),
            ("upload", "build", False),
        ]

    def test_what_is_checked_is_what_is_built(self) -> None:
        """All of it is the commit that the tag stood on when it was pushed."""
        found = workflow("publish")["jobs"]
        assert found["ci"]["uses"] == "$/.github/workflows/ci.yml"
        assert found["ci"]["with"] == {"ref": "${{ github.sha }}"}
        for name in ("may-be-released", "build"):
            assert found[name]["steps"][0]["with"]["ref"] == "${{ github.sha }}"
        for job in workflow("ci")["jobs"].values():
            assert job["steps"][0]["with"]["ref"] == "${{ inputs.ref || github.sha }}"

    def test_the_tag_is_judged_first(self) -> None:
        """It comes as a variable, never as a part of the command; and all branches are there, to be asked for it."""
        checkout, *_, step = workflow("publish")["jobs"]["may-be-released"]["steps"]
        assert checkout["with"]["fetch-depth"] == 0
        assert step == {"run": 'nox --session release -- "$TAG"', "env": {"TAG": "${{ github.ref_name }}"}}

    def test_what_is_uploaded_was_built_and_attested(self) -> None:
        """The job that may upload runs nothing of this repository."""
        job = workflow("publish")["jobs"]["upload"]
        assert job["environment"] == "pypi"
        assert [step["uses"].partition("@")[0] for step in job["steps"]] == [
            "actions/download-artifact",
            "actions/download-artifact",
            "actions/attest",
            "actions/attest",
            "pypa/gh-action-pypi-publish",
        ]

    def test_what_is_in_the_wheel_is_kept_and_attested(self) -> None:
        """As an artifact of its own, in a folder of its own: the index gets the sdist and the wheel alone."""
        found = workflow("publish")["jobs"]
        made = [step["with"] for step in found["build"]["steps"] if "/upload-artifact@" in step.get("uses", "")]
        assert {each["name"]: each["path"].split() for each in made} == {
            "dist": ["dist/*.tar.gz", "dist/*.whl"],
            "sbom": ["dist/sbom.cdx.json"],
        }
        assert all(each["if-no-files-found"] == "error" for each in made)
        dist, sbom, origin, contents, index = (step["with"] for step in found["upload"]["steps"])
        assert dist == {"name": "dist", "path": "dist"}
        assert sbom == {"name": "sbom", "path": "sbom"}
        assert origin == {"subject-path": "dist/*"}
        assert contents == {"subject-path": "dist/*", "sbom-path": "sbom/sbom.cdx.json"}
        assert index == {"packages-dir": "dist"}
