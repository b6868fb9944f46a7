"""Every check of this project, each in a fresh environment: `nox -l` lists them, `nox -s lint` runs one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PACKAGES = ("kestrel_skills_core", "kestrel_skills_adapters")
CORE_TESTS = ("domain", "service", "contracts", "machines", "test_public_names.py")
VERSION = nox.project.load_toml("pyproject.toml")["project"]["version"]

# What each host's environment holds, and the bounds that are set aside there: of one of its dependencies, that release
# of the host wants a newer one than the package index has.
HOSTS = {
    "0.55": (["kestrel-sovereign==0.55.3", "kestrel-sovereign-sdk==0.44.1"], ["certifi>=2026.10.18"]),
    "0.54": (["kestrel-sovereign==0.54.3"], []),
    "0.53": (["kestrel-sovereign>=0.53.19,<0.54"], []),
}
BROWSING = ("playwright>=1.51", "axe-playwright-python>=0.1.4")

# The published release that ours is measured beside, and the host that it was made for.
OLD = ("kestrel-sovereign==0.53.19", "kestrel-feature-skills==0.1.0")

nox.needs_version = ">=2024.10"
nox.options.sessions = ["lint", "types", "imports", "coverage", "docs", "build"]
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
# A Python that is not here is reported as skipped, on CI too: what ran is what the report says.
nox.options.error_on_missing_interpreters = False
os.environ.setdefault("UV_PYTHON_DOWNLOADS", "never")


def activate_pyenv() -> None:
    """Let pyenv, where it is in use, offer the newest of each Python it has; it hides all but the chosen ones."""
    if shutil.which("pyenv") is None or "PYENV_VERSION" in os.environ:
        return
    listed = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True, check=False)
    there = sorted(listed.stdout.split(), key=lambda name: [int(part) for part in name.split(".") if part.isdigit()])
    newest = {name.rpartition(".")[0]: name for name in there if name.rpartition(".")[0] in PYTHONS}
    if newest:
        os.environ["PYENV_VERSION"] = ":".join(newest.values())


activate_pyenv()


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests on each supported Python that is here."""
    session.install("-e", ".[test]")
    session.run("pytest", *session.posargs)


@nox.session(python=PYTHONS[0], reuse_venv=False)
def lowest(session: nox.Session) -> None:
    """Run the tests with the oldest releases that the direct dependencies allow."""
    session.install("uv")
    session.run("uv", "pip", "install", "--quiet", "--resolution", "lowest-direct", "-e", ".[test]")
    session.run("pytest", *session.posargs)


@nox.session(name="property")
def properties(session: nox.Session) -> None:
    """Run every property with many more examples and a new seed each time, and what is too long for every day."""
    session.install("-e", ".[test]")
    session.run(
        "pytest",
        "-m",
        "property or hypothesis",
        "--timeout",
        "1800",
        *session.posargs,
        env={"HYPOTHESIS_PROFILE": "deep"},
    )


@nox.session
def watch(session: nox.Session) -> None:
    """Run the tests that touch a disk with every root watched, races among processes included."""
    session.install("-e", ".[test]")
    rooms = ("adapters", "contracts", "crash", "determinism", "hostile", "machines", "race", "service", "sovereign")
    on = ("--watch", "--timeout", "1800", "-m", "not property and not corpus and not bench and not host and not e2e")
    session.run("pytest", *on, *(f"tests/{room}" for room in rooms), *session.posargs)


@nox.session
def corpus(session: nox.Session) -> None:
    """Judge the whole corpus of real skills, where it is here."""
    session.install("-e", ".[test]")
    session.run("pytest", "-m", "corpus", *session.posargs)


@nox.session
def crash(session: nox.Session) -> None:
    """Cut the power at every call of the store, refuse every call of it, and tell how many states were judged."""
    session.install("-e", ".[test]")
    session.run("pytest", "-m", "crash", "-n", "auto", "--timeout", "1800", "-rP", *session.posargs)


@nox.session
def race(session: nox.Session) -> None:
    """Let many processes at one real disk, kill them, stop them, and tell how much was judged."""
    session.install("-e", ".[test]")
    session.run("pytest", "-m", "race", "--timeout", "1800", "-s", "--durations", "10", *session.posargs)


@nox.session(python=PYTHONS[0])
@nox.parametrize("host", [nox.param(host, id=host) for host in HOSTS])
def host(session: nox.Session, host: str) -> None:
    """Let agents of the real hosts use this feature, each host in an environment of its own."""
    beside(session, host)
    session.run("pytest", "-m", "host", "--durations", "5", *session.posargs)


@nox.session(python=PYTHONS[0])
def e2e(session: nox.Session) -> None:
    """Use the panel in a real browser, Debian's chromium: in the newest host's Console, and in the page of `serve`."""
    beside(session, next(iter(HOSTS)), *BROWSING)
    session.run("pytest", "-m", "e2e", "--durations", "5", *session.posargs)


@nox.session(python=PYTHONS[0])
def live(session: nox.Session) -> None:
    """Run live suites against the newest host, each for itself: skills and core-only, or those that are named."""
    beside(session, next(iter(HOSTS)), *BROWSING)
    for suite in session.posargs or ("skills", "core-only"):
        session.run("tests/e2e/run-live-suite.sh", suite, external=True)


@nox.session
def mutants(session: nox.Session) -> None:
    """Plant faults in the store, and see that some test finds each."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "tests.mutants", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Run the tests of the core, and fail where a line or branch of it was not reached."""
    session.install("-e", ".[test]")
    report = ("--cov", "--cov-branch", "--cov-report=term-missing:skip-covered")
    session.run("pytest", "-n", "auto", *report, *(f"tests/{room}" for room in CORE_TESTS), *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Look for faults of style, for what the formatter would change, and for faults of the workflows."""
    session.install(*requirements("lint", "ruff"), *requirements("workflows"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("actionlint", *map(str, sorted(Path(".github/workflows").iterdir())))
    session.run("zizmor", "--quiet", "--offline", "--persona", "auditor", "--strict-collection", ".github")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of both packages, strictly."""
    session.install("-e", ".[lint,http,postgres,contracts]")
    session.run("mypy", "--strict")


@nox.session
def imports(session: nox.Session) -> None:
    """Check who may import what: the layers, and the core's budget."""
    session.install("-e", ".", *requirements("test", "import-linter"))
    session.run("lint-imports", env={"PYTHONPATH": "."})


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation, where a warning is a failure, and see that the site is whole."""
    session.install("-e", ".[docs,test]")
    session.env["NO_MKDOCS_2_WARNING"] = "1"  # an advertisement
    session.run("mkdocs", "build", "--strict", "--site-dir", f"{session.create_tmp()}/site")
    session.run("pytest", "tests/docs/test_site.py", *session.posargs)


@nox.session
def build(session: nox.Session) -> None:
    """Build the sdist and, from it, the wheel; then use the wheel where there is nothing else."""
    session.install(*requirements("dev", "build"))
    built = Path(session.create_tmp()) / "dist"
    shutil.rmtree(built, ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", str(built))
    (wheel,) = built.glob("*.whl")
    alone = built / "alone"
    session.run("python", "-m", "venv", str(alone))
    programs = alone / ("Scripts" if sys.platform == "win32" else "bin")
    session.run(str(programs / "pip"), "install", "--quiet", str(wheel), external=True)
    said = session.run(str(programs / "kestrel-skills"), "--version", external=True, silent=True)
    if VERSION not in str(said).split():
        session.error(f"the wheel says {said!r} and pyproject.toml {VERSION}")
    session.run(str(programs / "kestrel-skills"), "tour", "--home", str(built / "home"), external=True, silent=True)
    for package in PACKAGES:
        marked = f"import importlib.resources as r; assert r.files({package!r}).joinpath('py.typed').is_file()"
        session.run(str(programs / "python"), "-c", marked, external=True)


@nox.session
def release(session: nox.Session) -> None:
    """Say whether what is checked out may be released under a tag, `nox -s release -- v1.2.3`, and its notes."""
    session.run("python", ".github/scripts/release_check.py", *session.posargs)


@nox.session
def dist(session: nox.Session) -> None:
    """Build what a release uploads, in `dist`: the sdist and, of it, the wheel; and ask whether an index takes them."""
    session.install(*requirements("release"))
    shutil.rmtree("dist", ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", "dist")
    session.run("twine", "check", "--strict", *map(str, sorted(Path("dist").iterdir())))


@nox.session(python=PYTHONS[0])
def bench(session: nox.Session) -> None:
    """Measure, ours beside the published release on the same host; of what a clock says, only ratios are asserted.

    It takes about half an hour, on a machine with nothing else to do, and writes what came of it into the documents.
    Where $BENCH_SIZES names fewer numbers of skills (`10,100`), it only sees that everything works.
    """
    session.install("uv")
    peer = Path(session.create_tmp()) / "peer"
    session.run("uv", "venv", "--quiet", "--clear", "--python", str(session.python), str(peer))
    python = str(peer / "bin" / "python")
    session.run("uv", "pip", "install", "--quiet", "--python", python, *OLD)
    session.run("uv", "pip", "install", "--quiet", OLD[0], "-e", ".[test,bench]")
    session.run("pytest", "-m", "bench", "--timeout", "1800", "-s", *session.posargs, env={"BESIDE_PEER": python})


def requirements(extra: str, *names: str) -> list[str]:
    """The requirements of an extra, or the named ones of them, as `pyproject.toml` states them."""
    stated = nox.project.load_toml("pyproject.toml")["project"]["optional-dependencies"][extra]
    return [each for each in stated if not names or each.startswith(names)]


def beside(session: nox.Session, host: str, *more: str) -> None:
    """Install this checkout beside a host, and more."""
    wanted, aside = HOSTS[host]
    overrides = Path(session.create_tmp()) / "overrides.txt"
    overrides.write_text("\n".join(aside))
    session.install("uv")
    install = ("uv", "pip", "install", "--quiet", "--override", str(overrides))
    session.run(*install, *wanted, *more, "-e", ".[test]")
