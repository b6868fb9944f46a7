"""Every example in the README and the documentation does what it shows.

`python` blocks share one namespace a document, and `console` blocks one folder: a fresh home of `kestrel-skills tour`.
`sh` blocks are the README's two set-up commands, which `.ci/run` runs. Blocks of other languages are not run.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from sybil import Document, Example
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

from tests.docs.console import Console, commands

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
INERT = {"json", "markdown", "text", "toml", "tool", "yaml"}
PROGRAM = "import sys; from kestrel_skills_adapters.cli.main import main; sys.exit(main())"


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """The environment of an example: the `kestrel-skills` under test on the path, and nothing of who runs the tests."""
    programs, home = tmp_path / "bin", tmp_path / "user"
    programs.mkdir()
    home.mkdir()
    program = programs / "kestrel-skills"
    program.write_text(f"#!{sys.executable}\n{PROGRAM}\n", encoding="utf-8")
    program.chmod(0o755)
    return {
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "PATH": os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT / "src"),
    }


@pytest.fixture
def home(variables: dict[str, str], tmp_path: Path) -> Path:
    """The home that `kestrel-skills tour` leaves; the environment names it as the tour says."""
    home = tmp_path / "home"
    command = ["kestrel-skills", "tour", "--home", str(home), "--json"]
    ran = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    variables |= json.loads(ran.stdout)["environment"]
    return home


def blocks(path: Path, language: str) -> list[str]:
    """The contents of the blocks of one language in a document."""
    return [example.parsed for example in Document.parse(str(path), CodeBlockParser(language, lambda _: None))]


def has_examples(path: Path) -> bool:
    """Whether there is something to run in a document."""
    return any(blocks(path, language) for language in ("console", "python"))


def title(path: Path) -> str:
    """How to name a document in a report."""
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if has_examples(path)], ids=title)
def test_the_examples_of_a_document_do_what_they_show(
    path: Path, home: Path, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first example to the last, what is printed is what is shown."""
    monkeypatch.chdir(home)
    console = CodeBlockParser("console", Console(home, variables))
    for example in Document.parse(str(path), PythonCodeBlockParser(), console, SkipParser()):
        example.evaluate()


@pytest.mark.parametrize("path", DOCUMENTS, ids=title)
def test_every_block_is_of_a_known_kind(path: Path) -> None:
    """A block names a language, and one of a language that runs elsewhere, or not at all, is known as such."""
    languages = re.findall(r"^ *```(.*)\n(?:.*\n)*? *```$", path.read_text(encoding="utf-8"), re.MULTILINE)
    allowed = INERT | {"console", "python"} | ({"sh"} if path.name == "README.md" else set())
    assert set(languages) <= allowed


@pytest.mark.parametrize("path", DOCUMENTS, ids=title)
def test_every_file_that_a_document_names_is_there(path: Path) -> None:
    """A path into the tests or the sources, as code, is one that exists."""
    named = re.findall(r"`((?:tests|src)/[\w./-]+)`", path.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_ci_runs_the_commands_of_the_readme() -> None:
    """The first two commands of `.ci/run` are the two `sh` blocks of the README, to the letter."""
    ran = subprocess.run(
        ["bash", str(ROOT / ".ci" / "run"), "--show"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    (tour, tests) = (block.strip("\n") for block in blocks(ROOT / "README.md", "sh"))
    assert ran.stdout.startswith(f"{tour}\n{tests}\n")
    assert "kestrel-skills tour" in tour
    assert "pytest" in tests


def test_the_hook_of_the_readme_is_there() -> None:
    """The hook that the README tells of is one that the project defines."""
    (told,) = blocks(ROOT / "README.md", "yaml")
    (hook,) = YAML(typ="safe", pure=True).load(told)["repos"][0]["hooks"]
    defined = YAML(typ="safe", pure=True).load(ROOT / ".pre-commit-hooks.yaml")
    assert hook["id"] in [each["id"] for each in defined]


class TestConsole:
    """The machinery that runs console blocks."""

    @staticmethod
    def outcome(tmp_path: Path, block: str) -> str | None:
        """Run one block as Sybil would."""
        document = Document(f"```console\n{block}```\n", "example.md")
        console = Console(tmp_path, {"PATH": os.environ["PATH"]})
        (region,) = CodeBlockParser("console", console)(document)
        return console(Example(document, 1, 1, region, {}))

    def test_what_is_shown_is_compared(self, tmp_path: Path) -> None:
        """Output that differs is reported with the command."""
        assert self.outcome(tmp_path, "$ echo one\none\n") is None
        assert "$ echo one" in (self.outcome(tmp_path, "$ echo one\ntwo\n") or "")

    def test_silence_is_compared_too(self, tmp_path: Path) -> None:
        """A command that is shown to print nothing prints nothing."""
        assert self.outcome(tmp_path, "$ true\n") is None
        assert self.outcome(tmp_path, "$ echo one\n") is not None

    def test_an_empty_line_is_compared(self, tmp_path: Path) -> None:
        """The first line of an output too, and how far it is indented."""
        assert self.outcome(tmp_path, "$ echo; echo one\n\none\n") is None
        assert self.outcome(tmp_path, "$ echo; echo one\none\n") is not None
        assert self.outcome(tmp_path, "$ echo one\n\none\n") is not None
        assert self.outcome(tmp_path, "$ echo '  one'\none\n") is not None

    def test_the_second_command_counts(self, tmp_path: Path) -> None:
        """A difference after a command that was right is found."""
        assert self.outcome(tmp_path, "$ echo one\none\n$ echo two\none\n") is not None

    def test_dots_stand_for_any_text(self, tmp_path: Path) -> None:
        """`...` matches within a line and over lines, and nothing else is loose."""
        assert self.outcome(tmp_path, "$ printf 'a1b\\nc\\nd\\n'\na...b\n...\nd\n") is None
        assert self.outcome(tmp_path, "$ printf 'a1b\\nc\\nd\\n'\na...b\nd\n") is not None

    def test_a_block_is_one_shell(self, tmp_path: Path) -> None:
        """Variables and exit codes are there for the next command, and both outputs are shown."""
        assert self.outcome(tmp_path, "$ word=hello\n$ echo $word >&2\nhello\n$ false\n$ echo $?\n1\n") is None

    def test_a_command_that_leaves_the_shell_is_the_last(self, tmp_path: Path) -> None:
        """A command that was never reached has not done what is shown."""
        assert self.outcome(tmp_path, "$ exit 0\n$ echo one\none\n") is not None

    def test_a_command_may_span_lines(self) -> None:
        """Lines after `>` belong to the command, empty ones too."""
        assert list(commands("$ cat <<END\n> a\n>\n> END\na\n\n$ true\n")) == [
            ("cat <<END\na\n\nEND", "a\n"),
            ("true", ""),
        ]

    def test_a_block_begins_with_a_command(self) -> None:
        """Output without a command is a mistake in the document."""
        with pytest.raises(ValueError, match="begins with"):
            list(commands("one\n"))

    def test_an_example_shows_something(self) -> None:
        """Dots alone would fit a failure too."""
        with pytest.raises(ValueError, match="shows nothing"):
            list(commands("$ true\n...\n"))
