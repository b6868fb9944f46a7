from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kestrel_skills_adapters.cli.failures import exit_code
from kestrel_skills_core.domain import errors
from kestrel_skills_core.domain.errors import Failed, Moved, Refused, SkillError, Withheld
from tests.cli.running import run, skill

ROOT = Path(__file__).parents[2]
PROGRAM = """
import signal, sys
from kestrel_skills_adapters.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests in the background ignores Ctrl-C
sys.exit(main())
"""
COMMANDS = [
    "list",
    "show",
    "read",
    "search",
    "check",
    "clause",
    "new",
    "edit",
    "preview",
    "install",
    "adapt",
    "verify",
    "enable",
    "disable",
    "delete",
    "kept",
    "doctor",
    "serve",
    "tour",
    "completion",
]


def started(*arguments: str | Path, **environ: str) -> subprocess.Popen[bytes]:
    """A real process."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src"), **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def families(base: type[SkillError] = SkillError) -> Iterator[type[SkillError]]:
    """Every error of the core; what an adapter makes of one is of the same branch."""
    children = [child for child in base.__subclasses__() if child.__module__ == errors.__name__]
    if not children:
        yield base
    for child in children:
        yield from families(child)


def test_every_error_has_an_exit_code() -> None:
    """Refused and withheld end with 1, moved with 3, failed with 4; there is no other branch."""
    expected = {Refused: 1, Withheld: 1, Moved: 3, Failed: 4}
    leaves = list(families())
    assert len(leaves) == len([name for name in errors.__all__ if getattr(errors, name) in leaves])
    for leaf in leaves:
        (branch,) = [branch for branch in expected if issubclass(leaf, branch)]
        assert exit_code(leaf.__new__(leaf)) == expected[branch]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    """Short and long option print the same help, in at most 100 columns."""
    short, long = run(command, "-h"), run(command, "--help")
    assert (short.code, short.said) == (0, "")
    assert short.out == long.out
    assert short.out.startswith(f"Usage: kestrel-skills {command} ")
    assert max(map(len, short.lines)) <= 100


def test_without_a_command_there_is_help() -> None:
    """All commands are listed, in the order in which a person meets them."""
    ran = run()
    assert ran.code == 0
    assert re.findall(r"^  ([a-z]+) ", ran.out.partition("Commands:")[2], re.MULTILINE) == COMMANDS


def test_the_version_can_be_asked_for() -> None:
    """One line: the program and its version."""
    assert re.fullmatch(r"kestrel-skills \d\S*\n", run("--version").out)


@pytest.mark.parametrize("arguments", [["bake"], ["list", "--bake"], ["list", "--budget", "-1"], ["show"]])
def test_a_mistake_in_the_command_line_is_told(arguments: list[str]) -> None:
    """The exit code is 2, one line says what is wrong and where to look, and with `--json` stdout holds the same."""
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    program = "kestrel-skills" if arguments == ["bake"] else f"kestrel-skills {arguments[0]}"
    assert re.fullmatch(rf"error: [a-z].*[^.]; fix: see `{program} --help`\n", ran.said)
    in_json = run(*arguments, "--json")
    assert in_json.code == 2
    error = in_json.json["error"]
    assert error["code"] == "usage"
    assert f"error: {error['message']}; fix: {error['fix']}\n" == ran.said


def test_a_bad_setting_in_the_environment_is_told() -> None:
    """What the environment says is read as strictly as options are."""
    ran = run("list", environ={"KESTREL_SKILLS_BUDGET_BYTES": "plenty"})
    assert ran.code == 2
    assert ran.said == (
        "error: KESTREL_SKILLS_BUDGET_BYTES: it is not a number of bytes; "
        "fix: set it to a whole number, as 8192, or unset it\n"
    )


def test_words_after_two_hyphens_are_no_options(tmp_path: Path) -> None:
    """`--json` that is searched for does not ask for JSON."""
    skill(tmp_path, "tea", "Use with json.")
    assert run("search", "--root", tmp_path, "--", "--json").out == "tea  off  Use with json.\n"


def test_a_traceback_is_for_those_who_ask(tmp_path: Path) -> None:
    """An error is one line; with `--debug` the traceback comes before it."""
    plain = run("show", "tea", "--root", tmp_path)
    assert len(plain.said.splitlines()) == 1
    debug = run("show", "tea", "--debug", "--root", tmp_path)
    assert debug.said.startswith("Traceback")
    assert debug.said.endswith(plain.said)


def test_a_reader_that_goes_away_is_no_failure_of_ours(tmp_path: Path) -> None:
    """Where nobody reads any more, the program ends without a word."""
    for number in range(600):
        skill(tmp_path, f"tea-{number}", "Use when it is time. " * 20)
    process = started("list", "--root", tmp_path)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(30), said) == (141, b"")


def test_an_interrupt_ends_it_without_a_word(tmp_path: Path) -> None:
    """Ctrl-C in the midst of its work ends with 130."""
    for number in range(3000):
        skill(tmp_path, f"tea-{number}", "Use it.\nlicense: MIT")
    process = started("check", tmp_path)
    assert process.stdout is not None
    # It tells what it finds as it goes, so the first line shows that the work has begun.
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"")


def test_a_process_without_options_reads_the_environment(tmp_path: Path) -> None:
    """The installed program and the function are one."""
    skill(tmp_path / "skills", "tea")
    out, said = started("list", "--json", KESTREL_SKILLS_ROOT=str(tmp_path / "skills")).communicate(timeout=30)
    assert [each["name"] for each in json.loads(out)["skills"]] == ["tea"]
    assert said == b""


def test_a_pipe_pays_for_no_terminal(tmp_path: Path) -> None:
    """A listing to a pipe loads no rich, no event loop, no parsers, and nothing that only installing takes."""
    skill(tmp_path, "tea")
    program = (
        "import sys; from kestrel_skills_adapters.cli.main import main; main(['list', '--root', sys.argv[1]]);"
        "heavy = {'rich', 'asyncio', 'ruamel', 'cmarkgfm._cmark', 'dulwich', 'urllib3', 'ssl', 'tarfile'};"
        "heavy |= {'kestrel_skills_core.service.installer', 'kestrel_skills_core.domain.git_address'};"
        "print(*sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, tmp_path],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr.splitlines()[1:] == [""]


class TestCompletion:
    """What a shell is told."""

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_there_is_a_script_for_each_shell(self, shell: str) -> None:
        """It names the program and the variable by which the shell asks."""
        script = run("completion", shell)
        assert script.code == 0
        assert "_KESTREL_SKILLS_COMPLETE" in script.out
        assert "kestrel-skills" in script.out

    def test_another_shell_is_a_mistake_in_the_command_line(self) -> None:
        """Shells that are not known are refused."""
        assert run("completion", "cmd").code == 2

    @pytest.mark.parametrize(
        ("words", "offered"),
        [
            ("kestrel-skills sho", ["show"]),
            ("kestrel-skills show re", ["review-a-diff"]),
            ("kestrel-skills read de", ["deploy-to-staging"]),
            ("kestrel-skills enable x", []),
            ("kestrel-skills list --agen", ["--agent"]),
        ],
    )
    def test_names_are_completed(self, words: str, offered: list[str], environ: dict[str, str]) -> None:
        """Commands, options, and the names of skills and rejected folders are offered."""
        asking = {
            "_KESTREL_SKILLS_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        }
        out, said = started(**environ, **asking).communicate(timeout=30)
        assert [line.partition(",")[2] for line in out.decode().split()] == offered
        assert said == b""

    def test_names_are_completed_where_the_options_say(self, environ: dict[str, str], tmp_path: Path) -> None:
        """Options that were typed already count."""
        skill(tmp_path / "other", "tea")
        words = f"kestrel-skills show --root {tmp_path / 'other'} t"
        asking = {"_KESTREL_SKILLS_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "4"}
        out, _ = started(**environ, **asking).communicate(timeout=30)
        assert out == b"plain,tea\n"

    def test_what_is_wrong_does_not_show_in_a_prompt(self, tmp_path: Path) -> None:
        """A setting that cannot be meant offers nothing, and says nothing."""
        asking = {
            "_KESTREL_SKILLS_COMPLETE": "bash_complete",
            "COMP_WORDS": "kestrel-skills show t",
            "COMP_CWORD": "2",
            "KESTREL_SKILLS_BUDGET_BYTES": "plenty",
        }
        out, said = started(**asking).communicate(timeout=30)
        assert (out.strip(), said) == (b"", b"")


def test_the_pre_commit_hook_names_a_command_that_is_there() -> None:
    """The hook runs `check` once, on changed files of whatever kind, links and files that are no text included."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    fields = dict(line.strip("- ").split(": ", 1) for line in text.splitlines())
    assert fields["id"] == "kestrel-skills-check"
    assert fields["entry"] == "kestrel-skills check --changed"
    assert fields["language"] == "python"
    assert fields["types"] == "[]"
    assert fields["require_serial"] == "true"
    assert "files" not in fields
