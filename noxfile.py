"""Every check of this project, each in a fresh environment: `nox -l` lists them, `nox -s lint` runs one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
CORE_TESTS = ("domain", "service", "contracts/test_mirror.py", "machines", "test_public_names.py")
"""They reach every line and branch of the core, with few examples of each property."""
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
nox.options.sessions = [
    "lint",
    "types",
    "imports",
    "coverage",
    "docs",
    "build",
    f"install-{PYTHONS[0]}",
    "downstream",
    "api",
]
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
    rooms = [f"tests/{room}" for room in CORE_TESTS]
    session.run("pytest", "-n", "auto", *report, *rooms, *session.posargs, env={"HYPOTHESIS_PROFILE": "few"})


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
    session.run("mkdocs", "build", "--strict", "--site-dir", f"{room(session)}/site")
    session.run("pytest", "tests/docs/test_site.py", *session.posargs)


@nox.session
def build(session: nox.Session) -> None:
    """Build the sdist and the wheel twice, and see that they are the same, and that nothing is missing in them."""
    session.install("-e", ".[test,package]")
    session.run("pytest", "-m", "build", *session.posargs)


@nox.session(python=PYTHONS, reuse_venv=False)
def install(session: nox.Session) -> None:
    """Install the wheel by pip, uv and pipx, each where there is nothing else, and take the tour."""
    built = str(wheel(session))
    session.install("pipx", "uv")
    alone = room(session) / "alone"
    shutil.rmtree(alone, ignore_errors=True)
    python = f"{session.bin}/python"
    session.run("python", "-m", "venv", f"{alone}/pip")
    session.run(f"{alone}/pip/bin/pip", "install", "--quiet", built, external=True)
    session.run("uv", "venv", "--quiet", "--python", python, f"{alone}/uv")
    session.run("uv", "pip", "install", "--quiet", "--python", f"{alone}/uv", built)
    tools = {"UV_TOOL_DIR": f"{alone}/uvx", "UV_TOOL_BIN_DIR": f"{alone}/uvx/bin"}
    session.run("uv", "tool", "install", "--quiet", "--python", python, built, env=tools)
    apart = {"PIPX_HOME": f"{alone}/pipx", "PIPX_BIN_DIR": f"{alone}/pipx/bin", "PIPX_MAN_DIR": f"{alone}/pipx/man"}
    session.run("pipx", "install", "--quiet", "--python", python, built, env=apart)
    for way in ("pip", "uv", "uvx", "pipx"):
        program = f"{alone}/{way}/bin/kestrel-skills"
        said = session.run(program, "--version", external=True, silent=True)
        if VERSION not in str(said).split():
            session.error(f"by {way}, the wheel says {said!r}, and pyproject.toml {VERSION}")
        session.run(program, "tour", "--home", f"{alone}/home-{way}", external=True, silent=True)


@nox.session(python=PYTHONS, reuse_venv=False)
def installed(session: nox.Session) -> None:
    """Run the tests against the installed wheel, in a copy of this project without its sources."""
    session.install(f"{wheel(session)}[test]")
    copied = room(session) / "copied"
    shutil.rmtree(copied, ignore_errors=True)
    without = shutil.ignore_patterns("src", ".*", "__pycache__")
    shutil.copytree(Path.cwd(), copied, ignore=without, symlinks=True)
    shutil.copytree(".ci", copied / ".ci")
    shutil.copy(".pre-commit-hooks.yaml", copied)
    session.chdir(copied)
    of_the_text = ("tests/architecture", "tests/mutants", "tests/release", "tests/docs/test_named_tests.py")
    session.run("pytest", *(f"--ignore={each}" for each in of_the_text), *session.posargs)


@nox.session(python=PYTHONS[0], reuse_venv=False)
def downstream(session: nox.Session) -> None:
    """Check and test a package of somebody else's, which uses the public names alone, on the installed wheel."""
    copied = room(session) / "downstream"
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree("tests/downstream", copied, ignore=shutil.ignore_patterns("__pycache__"))
    session.install(str(wheel(session)), f"{copied}[test]")
    session.chdir(copied)
    session.run("mypy")
    session.run("pytest")


@nox.session
def api(session: nox.Session) -> None:
    """Tell what the public surface lost since the last release; fail where the version may not take it away."""
    session.install(*requirements("test", "griffe"))
    session.run("python", "-m", "tests.api")


@nox.session
def sbom(session: nox.Session) -> None:
    """Write what is installed with the wheel, with versions and licences, as CycloneDX: `dist/sbom.cdx.json`."""
    built = wheel(session)
    alone = room(session) / "alone"
    shutil.rmtree(alone, ignore_errors=True)
    session.run("python", "-m", "venv", "--without-pip", str(alone))
    session.install("uv", *requirements("package", "cyclonedx"))
    session.run("uv", "pip", "install", "--quiet", "--python", str(alone), f"{built}[http,postgres,watch]")
    Path("dist").mkdir(exist_ok=True)
    about = ("--pyproject", "pyproject.toml", "--mc-type", "library", "--output-reproducible")
    session.run("cyclonedx-py", "environment", *about, "-o", "dist/sbom.cdx.json", str(alone))


@nox.session(python=PYTHONS[0])
def readme(session: nox.Session) -> None:
    """Paste each command of the README into a fresh clone, with a bare Python and uv, and compare what it shows."""
    session.install("-e", ".[test]", "uv")
    session.run("pytest", "-m", "readme", "--timeout", "3600", *session.posargs)


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
    peer = room(session) / "peer"
    session.run("uv", "venv", "--quiet", "--clear", "--python", str(session.python), str(peer))
    python = str(peer / "bin" / "python")
    session.run("uv", "pip", "install", "--quiet", "--python", python, *OLD)
    session.run("uv", "pip", "install", "--quiet", OLD[0], "-e", ".[test,bench]")
    session.run("pytest", "-m", "bench", "--timeout", "1800", "-s", *session.posargs, env={"BESIDE_PEER": python})


def requirements(extra: str, *names: str) -> list[str]:
    """The requirements of an extra, or the named ones of them, as `pyproject.toml` states them."""
    stated = nox.project.load_toml("pyproject.toml")["project"]["optional-dependencies"][extra]
    return [each for each in stated if not names or each.startswith(names)]


def room(session: nox.Session) -> Path:
    """A folder of the session's own, with $TMPDIR as it was: below one so deep no browser makes its socket."""
    folder = Path(session.create_tmp())
    session.env.pop("TMPDIR")
    return folder


def wheel(session: nox.Session) -> Path:
    """Build the wheel, of the sdist."""
    session.install(*requirements("package", "build", "hatchling"))
    built = room(session) / "dist"
    shutil.rmtree(built, ignore_errors=True)
    session.run("python", "-m", "build", "--no-isolation", "--outdir", str(built), silent=True)
    (path,) = built.glob("*.whl")
    return path


def beside(session: nox.Session, host: str, *more: str) -> None:
    """Install this checkout beside a host, and more."""
    wanted, aside = HOSTS[host]
    overrides = room(session) / "overrides.txt"
    overrides.write_text("\n".join(aside))
    session.install("uv")
    install = ("uv", "pip", "install", "--quiet", "--override", str(overrides))
    session.run(*install, *wanted, *more, "-e", ".[test]")
