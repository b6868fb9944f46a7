"""The routes of the skills in a real host: behind its sign-in, for each agent, and with what it demands."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from .client import Answer, Headers
from .lab import FEATURE, Host

pytestmark = pytest.mark.host

API = "/api/procedural-skills"
MARK = {"X-Kestrel-Request": "a test"}
NEW = {"description": "Use it.", "body": "Go."}
ROUTES: list[tuple[str, str, Any, Headers]] = [
    ("POST", "/reload", None, MARK),
    ("POST", "", NEW | {"name": "made-in-secret"}, MARK),
    ("GET", "/kept/tree", None, {}),
    ("GET", "/kept/file?path=SKILL.md", None, {}),
    ("GET", "/kept/preview", None, {}),
    ("GET", "/kept/checks", None, {}),
    ("GET", "/kept/verify", None, {}),
    ("PUT", "/kept/file?path=a.md", {"content": "x"}, {"If-Match": "0" * 64}),
    ("DELETE", "/kept/file?path=a.md", None, {"If-Match": "0" * 64}),
    ("PATCH", "/kept/state", {"enabled": True}, {"If-Match": "0" * 64}),
    ("POST", "/kept/adapt", None, {"If-Match": "0" * 64}),
    ("DELETE", "/kept", None, {"If-Match": "0" * 64}),
]
"""Everything that looks at one skill, or changes one."""


def ask(host: Host, method: str, path: str, body: Any = None, headers: Headers = MARK) -> Answer:
    """What the host answers for its agent."""
    return host.client.of_agent(method, API + path, body, headers=headers)


def made(host: Host, name: str) -> dict[str, Any]:
    """A skill that is there now."""
    answer = ask(host, "POST", "", NEW | {"name": name})
    assert answer.status in (201, 409), answer
    (found,) = [each for each in ask(host, "GET", "")["skills"] if each["name"] == name]
    return dict(found)


def code(answer: Answer) -> tuple[int, str]:
    """The status of a problem, and its code."""
    return answer.status, answer["code"]


@contextmanager
def hidden(host: Host) -> Iterator[None]:
    """The agent's privacy mode is one that hides what is kept."""
    host.client.privacy("ephemeral")
    try:
        yield
    finally:
        host.client.privacy("normal")


@pytest.mark.parametrize("key", [None, "", "another"])
def test_nobody_is_answered_without_the_key(host: Host, key: str | None) -> None:
    """The host's own sign-in stands before every route, and before whatever the route would say."""
    assert ask(host, "GET", "", headers={"X-API-Key": key}).status == 401
    for method, path, body, headers in ROUTES:
        assert ask(host, method, path, body, {**headers, "X-API-Key": key}).status == 401, path


def test_what_has_no_mark_does_nothing(host: Host) -> None:
    """Whoever is signed in: no form can send a mark, nor a body that says it is JSON."""
    body = NEW | {"name": "unmarked"}
    assert code(ask(host, "POST", "", body, {})) == (403, "unmarked_request")
    assert code(ask(host, "POST", "/reload", None, {})) == (403, "unmarked_request")
    assert code(ask(host, "POST", "", body, MARK | {"Content-Type": "text/plain"})) == (415, "not_json")
    assert not (host.home.skills / "unmarked").exists()


def test_while_the_mode_hides_the_catalog_says_so_and_all_else_is_refused(host: Host) -> None:
    """Nothing is shown, nothing is done; afterwards all is as before."""
    before = made(host, "kept")
    with hidden(host):
        catalog = ask(host, "GET", "")
        assert (catalog.status, catalog["skills"], catalog["rejected"]) == (200, [], [])
        assert (catalog["context"]["text"], catalog["hidden"]["code"]) == ("", "hidden")
        for method, path, body, headers in ROUTES:
            answer = ask(host, method, path, body, headers)
            if path == "/reload":
                assert (answer.status, answer["skills"]) == (200, [])
            else:
                assert code(answer) == (403, "hidden"), path
    assert made(host, "kept") == before
    assert not (host.home.skills / "made-in-secret").exists()


def test_a_feature_that_is_switched_off_has_no_routes(host: Host) -> None:
    """404 on each, until it is back."""
    made(host, "kept")
    host.client.switch_feature(FEATURE, on=False)
    try:
        assert ask(host, "GET", "").status == 404
        assert {ask(host, *route).status for route in ROUTES} == {404}
    finally:
        host.client.switch_feature(FEATURE, on=True)
    assert ask(host, "GET", "/kept/tree").status == 200


def test_an_agent_that_is_none_has_no_skills(host: Host) -> None:
    """404; nobody else's are shown in its place."""
    answer = host.client.of("nobody").of_agent("GET", API)
    assert answer.status == 404
    assert "skills" not in answer.body


def test_what_is_deleted_takes_what_the_host_demands(host: Host) -> None:
    """Without its header it stays, whatever was seen; with it, it goes."""
    seen = {"If-Match": made(host, "mown")["delete_revision"]}
    assert code(ask(host, "DELETE", "/mown", None, {**seen, "X-Kestrel-Allow-Destructive": None}))[0] == 403
    assert (host.home.skills / "mown").is_dir()
    assert ask(host, "DELETE", "/mown", None, seen).status == 200
    assert not (host.home.skills / "mown").exists()


@pytest.mark.parametrize(
    "name",
    ["..", "%2e%2e", "..%2fskills", "%2e%2e%2f%2e%2e", "C%3ax", "con", "x.", "x%20", "x%00y", ".kestrel-internal"],
)
def test_a_name_that_leads_elsewhere_is_refused(host: Host, name: str) -> None:
    """By the server that a host runs, too, whatever it makes of the address first (T7)."""
    for method, path, body, headers in ROUTES[2:]:
        answer = ask(host, method, path.replace("kept", name, 1), body, headers)
        assert 400 <= answer.status < 500, path
        assert str(host.home.folder) not in str(answer.body)


@pytest.mark.parametrize(
    "path",
    ["../other/SKILL.md", "%2e%2e%2f%2e%2e%2fserver.log", "..%5c..%5cx", "/etc/passwd", "SKILL.md%00.txt", "",
     ".kestrel-generation", ".git/config", "%2E%2E/%2E%2E/.env", "file:///etc/passwd"],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_refused(host: Host, path: str) -> None:
    """The same of a file in a skill, to look at, to write and to take out (T7)."""
    seen = {"If-Match": made(host, "kept")["revision"]}
    for method, body in (("GET", None), ("PUT", {"content": "x"}), ("DELETE", None)):
        answer = ask(host, method, f"/kept/file?path={path}", body, seen)
        assert 400 <= answer.status < 500, method
        assert str(host.home.folder) not in str(answer.body)
        assert "KESTREL_DATA_KEY" not in str(answer.body)


def test_a_body_of_ten_million_bytes_is_not_taken(host: Host) -> None:
    """413, and the host goes on."""
    seen = {"If-Match": made(host, "kept")["revision"]}
    with suppress(OSError):  # it may be answered before all of it was sent, and the connection be closed
        assert code(ask(host, "PUT", "/kept/file?path=a.md", b"x" * 10_485_760, seen)) == (413, "too_large")
    assert not (host.home.skills / "kept" / "a.md").exists()
    assert ask(host, "GET", "").status == 200


def test_of_two_hundred_edits_of_one_revision_one_is_made(host: Host) -> None:
    """All others are told that they came too late, and what is there now."""
    seen = {"If-Match": made(host, "crowd")["revision"]}
    with ThreadPoolExecutor(20) as crowd:
        answers = list(
            crowd.map(
                lambda number: ask(host, "PUT", "/crowd/file?path=a.md", {"content": f"{number}\n"}, seen), range(200)
            )
        )
    assert sorted(answer.status for answer in answers) == [200, *[412] * 199]
    ((number, won),) = [(number, each) for number, each in enumerate(answers) if each.status == 200]
    assert {each["found"] for each in answers if each is not won} == {won["found"]["revision"]}
    assert (host.home.skills / "crowd" / "a.md").read_text() == f"{number}\n"
