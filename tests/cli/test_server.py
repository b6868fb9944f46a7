"""`--state postgresql://…`: what is on, on a server; and whatever is the matter with it, told as for a file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from kestrel_skills_adapters.cli.invocation import COMPLETE
from kestrel_skills_adapters.cli.tour import Home
from tests.servers.postgres import PASSWORD, Cluster

from .running import Ran, run


@pytest.fixture
def environ(tmp_path: Path, home: Home) -> dict[str, str]:
    """An environment that means the home of the tour."""
    return {"HOME": str(tmp_path), **home.variables}


def states(ran: Ran) -> Any:
    """What the doctor says of the table."""
    return next(each for each in ran.json["checks"] if each["about"] == "states")


def test_a_server_says_what_is_on(cluster: Cluster, database: str, environ: dict[str, str], home: Home) -> None:
    """What is enabled there is on for whoever names the same server and agent; nothing is written beside the root."""
    before = sorted(home.path.iterdir())
    server = ["--state", cluster.address(database)]
    assert run("enable", "cut-a-release", "--priority", "3", *server, environ=environ).code == 0
    listed = run("list", "--json", *server, environ=environ).json
    assert [each["name"] for each in listed["skills"] if each["enabled"]] == ["cut-a-release"]
    other = run("list", "--json", *server, "--agent", "did:test:other", environ=environ).json
    assert not any(each["enabled"] for each in other["skills"])
    assert run("disable", "cut-a-release", *server, environ=environ).code == 0
    assert sorted(home.path.iterdir()) == before


def test_the_doctor_looks_at_a_server(cluster: Cluster, database: str, environ: dict[str, str]) -> None:
    """It says which it is, without the password; whether the table is there; and whether it may be written."""
    url = cluster.address(database)
    shown = url.replace(f":{PASSWORD}", "")
    told = states(run("doctor", "--json", "--state", url, environ=environ))
    assert told["status"] == "warn"
    assert told["message"] == f"{shown} for local: there is no table of states, so that every skill is off"
    run("enable", "cut-a-release", "--state", url, environ=environ)
    told = states(run("doctor", "--json", "--state", url, environ=environ))
    assert (told["status"], told["message"]) == ("ok", f"{shown} for local: 1 on, 0 off, 0 inert, 0 astray")
    cluster.ask(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    ran = run("doctor", "--json", "--state", url, environ=environ)
    assert ran.code == 1
    assert states(ran)["message"].endswith("; it cannot be written")
    assert states(ran)["fix"] == "let yourself read and write the table bootstrap_config, or make it"


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"password": "a-wrong-secret"}, "the database server refuses this user or password"),
        ({"database": "nowhere"}, "there is no such database"),
    ],
)
def test_what_is_the_matter_with_a_server(
    cluster: Cluster, database: str, how: dict[str, str], why: str, environ: dict[str, str]
) -> None:
    """A listing, a switch and the doctor say the same, with the fix; with `--debug`, too, nothing of the password."""
    url = cluster.address(**{"database": database, **how})
    for command in (["list"], ["enable", "cut-a-release"], ["doctor"], ["search", "x"], ["clause"]):
        ran = run(*command, "--debug", "--state", url, environ=environ)
        assert ran.code == (1 if command == ["doctor"] else 4)
        said = ran.out + ran.said
        assert f"{why}; fix: " in said
        assert "secret" not in said
        assert "psycopg.Op" not in said


def test_off_is_off_though_no_server_answers(environ: dict[str, str], home: Home) -> None:
    """A mark in the root keeps off what the server may say is on."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: it is the extra `postgres`")
    assert run("enable", "review-a-diff", environ=environ).code == 0
    away = ["--state", "postgresql://ada:secret@127.0.0.1:1/skills"]
    ran = run("disable", "review-a-diff", *away, environ=environ)
    assert ran.code == 4
    assert "the database server cannot be reached" in ran.said
    assert not run("show", "review-a-diff", "--json", environ=environ).json["enabled"]


def test_a_printed_command_has_no_password(cluster: Cluster, database: str, environ: dict[str, str]) -> None:
    """It names the server, the database and the user; the password comes from where libpq has it."""
    url = cluster.address(database)
    ran = run("doctor", "--json", "--state", url, environ=environ)
    fix = next(each["fix"] for each in ran.json["checks"] if each["about"] == "skills")
    words = shlex.split(fix.split("`")[1])
    assert words[words.index("--state") + 1] == url.replace(f":{PASSWORD}", "")


@pytest.mark.parametrize(
    "state", ["mysql://ada:secret@x/y", "postgresql://ada:sec@ret@x/y", "postgresql://ada:secret@x/y z", "x://"]
)
def test_a_url_that_is_none(state: str, environ: dict[str, str]) -> None:
    """It is a mistake in the command line, told with the form that is meant, and not repeated."""
    ran = run("list", "--state", state, environ=environ)
    assert ran.code == 2
    assert ran.said == (
        "error: state: it is a URL, and not that of a PostgreSQL server; "
        "fix: name a SQLite file, or postgresql://USER@HOST:PORT/DATABASE\n"
    )


def test_completion_waits_for_no_server(environ: dict[str, str]) -> None:
    """The names of skills do not depend on what is on."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: it is the extra `postgres`")
    asked = {
        COMPLETE: "bash_complete",
        "COMP_WORDS": "kestrel-skills --state postgresql://127.0.0.1:1/x show rev",
        "COMP_CWORD": "4",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in asked.items():
            patch.setenv(name, value)
        ran = run(environ={**environ, **asked})
    assert ran.lines == ["plain,review-a-diff"]
