"""Whoever is not the person at the browser, and whoever puts something into a skill for them to look at."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from kestrel_skills_adapters.http.app import names_of, standalone
from kestrel_skills_adapters.wiring import desk_of, library_of, settings_of
from kestrel_skills_adapters.world import threads
from kestrel_skills_core.domain.provenance import Provenance, dump_provenance
from tests.adapters.http.serving import BASE, HOST, TOKEN, Browser, browsing
from tests.adapters.http.test_rendering import is_harmless

EVIL = "https://evil.example"
STATE_CHANGING = [
    ("POST", ""),
    ("POST", "/reload"),
    ("POST", "/validate"),
    ("POST", "/fit"),
    ("PUT", "/lint/file?path=a.md"),
    ("DELETE", "/lint/file?path=a.md"),
    ("POST", "/lint/adapt"),
    ("POST", "/lint/unadapt"),
    ("PATCH", "/lint/state"),
    ("DELETE", "/lint"),
    ("POST", "/install/preview"),
    ("POST", "/install"),
    ("DELETE", "/install/0123"),
]


def put(root: Path, name: str, text: str, **files: str) -> Path:
    """A folder on the disk."""
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    for path, content in files.items():
        (folder / path).write_text(content, encoding="utf-8")
    return folder


def lint(description: str = "Use it.", body: str = "Go.") -> str:
    """A `SKILL.md`."""
    return f"---\nname: lint\ndescription: {json.dumps(description)}\n---\n{body}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root on a real disk, and a secret beside it."""
    (tmp_path / "secret.txt").write_text("the secret")
    put(tmp_path / "skills", "lint", lint())
    return tmp_path / "skills"


@pytest.fixture
def browser(root: Path) -> Iterator[Browser]:
    """The person at the browser."""
    library = library_of(settings_of({"HOME": str(root.parent)}, root=root), offload=threads)
    with browsing(desk_of(library)) as browser:
        yield browser


def everything(root: Path) -> dict[str, bytes]:
    """All files that a person would see there."""
    return {
        str(path.relative_to(root.parent)): path.read_bytes()
        for path in sorted(root.parent.rglob("*"))
        if path.is_file() and ".kestrel" not in str(path) and "state" not in path.name
    }


class TestGate:
    """Who is let in."""

    @pytest.mark.parametrize(
        "authorization",
        [None, "", "Bearer", "Bearer ", "Bearer t0ke", "Bearer t0kenn", "bearer t0ken", f"Basic {TOKEN}"],
    )
    def test_without_the_token_nothing_is_told(self, browser: Browser, authorization: str | None) -> None:
        """Not even what is there: 401 on every route, whatever it is asked."""
        for method, path in [("GET", ""), ("GET", "/none/tree"), ("GET", "/nothing/at/all"), *STATE_CHANGING]:
            answer = browser.ask(method, path, headers={"Authorization": authorization})
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
            assert answer.headers["WWW-Authenticate"] == "Bearer"

    def test_a_token_is_not_taken_from_an_address(self, browser: Browser) -> None:
        """Addresses are kept in logs and histories."""
        assert browser.ask("GET", f"?token={TOKEN}", headers={"Authorization": None}).status_code == 401

    @pytest.mark.parametrize(
        "name",
        [
            "evil.example",
            "evil.example:8765",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:8765.evil.example",
            "127.0.0.1:8765@evil.example",
            "localhost:8766",
            "0.0.0.0:8765",
            "[::1]:8765",
            "",
        ],
    )
    def test_a_name_that_was_made_to_lead_here_is_not_answered(self, browser: Browser, name: str) -> None:
        """DNS rebinding: the browser takes us for their site, and sends their name. Page and interface are refused."""
        for path in ("", "/lint/tree"):
            answer = browser.ask("GET", path, headers={"Host": name})
            assert (answer.status_code, answer.json()["code"]) == (421, "foreign_host")
        page = browser.run(browser.client.get("/", headers={"Host": name}))
        assert page.status_code == 421

    @pytest.mark.parametrize(
        "origin",
        [EVIL, "null", "http://localhost:8765", "http://127.0.0.1:1", f"https://{HOST}", f"http://{HOST}.evil.example"],
    )
    def test_a_page_of_another_origin_is_refused(self, browser: Browser, root: Path, origin: str) -> None:
        """Even if it had the token; and nothing was done."""
        before = everything(root)
        for method, path in [("GET", ""), *STATE_CHANGING]:
            answer = browser.ask(method, path, headers={"Origin": origin})
            assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")
            assert "Access-Control-Allow-Origin" not in answer.headers
        assert everything(root) == before

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_what_a_browser_says_comes_from_elsewhere_is_refused(self, browser: Browser, site: str) -> None:
        """Another port of this machine is another site's."""
        assert browser.ask("GET", "", headers={"Sec-Fetch-Site": site}).status_code == 403
        assert browser.ask("GET", "", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200

    def test_nobody_is_granted_anything_by_asking_first(self, browser: Browser) -> None:
        """A preflight gets no leave."""
        answer = browser.ask(
            "OPTIONS",
            "",
            headers={
                "Origin": EVIL,
                "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": "If-Match",
            },
        )
        assert answer.status_code == 403
        assert not [name for name in answer.headers if name.startswith("access-control")]

    def test_every_answer_says_what_its_page_may_do(self, browser: Browser) -> None:
        """Nothing from elsewhere, nothing inline, no frame around it: pages, answers and refusals alike."""
        answers = [
            browser.run(browser.client.get("/", headers={"Host": HOST})),
            browser.run(browser.client.get("/none", headers={"Host": HOST})),
            browser.ask("GET", ""),
            browser.ask("GET", "", headers={"Authorization": None}),
            browser.ask("GET", "", headers={"Host": "evil.example"}),
        ]
        for answer in answers:
            policy = answer.headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"

    def test_at_the_port_of_http_no_browser_names_it(self, root: Path) -> None:
        """Host and Origin are then bare names, of ours and of nobody else's."""
        library = library_of(settings_of({"HOME": str(root.parent)}, root=root), offload=threads)
        app = standalone(desk_of(library), token=TOKEN, hosts=names_of(80)).gated
        with browsing(desk_of(library), app=app) as browser:
            for name, status in {"127.0.0.1": 200, "localhost": 200, "localhost:80": 200, "evil.example": 421}.items():
                origin = {"Host": name, "Origin": f"http://{name}"}
                assert browser.ask("GET", "", headers=origin).status_code == status
            foreign = {"Host": "127.0.0.1", "Origin": "http://127.0.0.1:8080"}
            assert browser.ask("GET", "", headers=foreign).status_code == 403
        assert not names_of(8080) & {"127.0.0.1", "localhost"}

    def test_two_hosts_are_none(self, root: Path) -> None:
        """Two readers of one request must not take it for two."""
        library = library_of(settings_of({"HOME": str(root.parent)}, root=root), offload=threads)
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        headers = [(b"host", HOST.encode()), (b"host", b"evil.example"), (b"authorization", f"Bearer {TOKEN}".encode())]
        scope = {"type": "http", "method": "GET", "path": BASE, "headers": headers, "query_string": b""}
        app = standalone(desk_of(library), token=TOKEN, hosts={HOST}).gated
        asyncio.run(app(scope, receive, send))
        assert sent[0]["status"] == 421


class TestForms:
    """What another site can make a browser send without asking."""

    @pytest.mark.parametrize(("method", "path"), STATE_CHANGING)
    def test_a_request_without_a_mark_does_nothing(self, browser: Browser, root: Path, method: str, path: str) -> None:
        """No form can send a header; a POST without a body is the plainest."""
        before = everything(root)
        answer = browser.ask(method, path, headers={"X-Kestrel-Request": None})
        assert (answer.status_code, answer.json()["code"]) == (403, "unmarked_request")
        assert browser.ask(method, path, headers={"X-Kestrel-Request": " "}).status_code == 403
        assert everything(root) == before

    @pytest.mark.parametrize(
        "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", ""]
    )
    def test_a_body_that_a_form_can_send_is_not_read(self, browser: Browser, kind: str) -> None:
        """JSON in it or not."""
        body = b'{"name":"x","description":"x","body":"x"}'
        answer = browser.ask("POST", "", body, headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["code"]) == (415, "not_json")
        assert browser.get("")["count"] == 1

    def test_nothing_that_is_fetched_changes_anything(self, browser: Browser, root: Path) -> None:
        """An image of another site can ask for any address: what is got is only looked at."""
        browser.get("")
        before = everything(root)
        for _, path in STATE_CHANGING:
            browser.ask("GET", path)
            browser.ask("HEAD", path)
        assert everything(root) == before


HOSTILE_TEXTS = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "javascript:alert(1)", "';alert(1)//"]


class TestStored:
    """What an author puts into a skill for who looks at it."""

    @pytest.mark.parametrize("text", HOSTILE_TEXTS)
    def test_it_is_told_as_text_and_never_as_a_page(self, browser: Browser, root: Path, text: str) -> None:
        """In a description, a body, a resource, the names of files and folders, and where it came from."""
        folder = put(root, "evil", lint(text, f"{text}\n\n[{text}]({text})").replace("name: lint", "name: evil"))
        name = text.replace("/", "_")
        (folder / f"{name}.md").write_text(text)
        put(root, name, lint())
        origin = Provenance(kind="git", url=f"{EVIL}/{text}", commit="9a" * 20)
        (folder / ".kestrel-provenance.json").write_bytes(dump_provenance(origin))
        for path in ("", "/evil/tree", "/evil/checks", "/evil/verify", f"/evil/file?path={name}.md", "/evil/preview"):
            answer = browser.ask("GET", path)
            assert answer.headers["Content-Type"] in ("application/json", "application/problem+json")
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        is_harmless(browser.get("/evil/preview")["html"])
        page = browser.ask("GET", "/evil/preview", params={"path": f"{name}.md"})
        is_harmless(page.json()["html"])

    @pytest.mark.parametrize("text", HOSTILE_TEXTS)
    def test_a_refusal_repeats_it_as_text(self, browser: Browser, text: str) -> None:
        """On one line, in JSON that says what it is."""
        for answer in (
            browser.ask("POST", "", {"name": text, "description": text, "body": text}),
            browser.ask("POST", "/install/preview", {"source_url": text}),
            browser.ask("POST", "/validate", {text: 1}),
            browser.ask("GET", "/lint/file", params={"path": text}),
        ):
            assert answer.status_code in (404, 422)
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert "\n" not in answer.json()["detail"]


T7_NAMES = ["..", "../x", "/abs", "a/b", "C:x", "con", "x.", "x ", "x\x00y", ".kestrel-internal", "%2e%2e", "..%2f"]
T7_PATHS = [
    "../other/SKILL.md", "../../secret.txt", "..\\..\\secret.txt", "references/./../../x",
    "/etc/passwd", "", ".", "..", "./SKILL.md", "SKILL.md/", "C:\\x", "//x", "a\x00b", "SKILL.md\x00.txt",
    ".kestrel-generation", ".kestrel-provenance.json", ".KESTREL-generation", ".git/config", "\ud7ff/../x",
    "file:///etc/passwd", "\u202e", "a" * 1025,
]  # fmt: skip


class TestPaths:
    """Names and requests that travel (T7)."""

    @pytest.mark.parametrize("name", T7_NAMES)
    def test_a_name_that_leads_elsewhere(self, browser: Browser, root: Path, name: str) -> None:
        """It is none, by every route, however it is spelt; nothing was read or written outside."""
        before = everything(root)
        spelt = "".join(f"%{byte:02x}" for byte in name.encode())
        headers = {"If-Match": browser.get("/lint/tree")["revision"]}
        for method, path, body in (
            ("GET", "tree", None),
            ("GET", "file?path=SKILL.md", None),
            ("GET", "preview", None),
            ("PUT", "file?path=SKILL.md", {"content": "x"}),
            ("DELETE", "file?path=SKILL.md", None),
            ("PATCH", "state", {"enabled": True}),
            ("POST", "adapt", None),
        ):
            answer = browser.ask(method, f"/{spelt}/{path}", body, headers=headers)
            assert answer.status_code in (404, 422)
            assert "secret" not in answer.text
        assert browser.ask("POST", "", {"name": name, "description": "x", "body": "x"}).status_code == 422
        assert everything(root) == before

    @pytest.mark.parametrize("path", T7_PATHS)
    def test_a_path_that_leads_elsewhere(self, browser: Browser, root: Path, path: str) -> None:
        """The same of a file in a skill, to look at, to write and to take out."""
        browser.get("")
        before = everything(root)
        headers = {"If-Match": browser.get("/lint/tree")["revision"]}
        for method, route, body in (
            ("GET", "file", None),
            ("GET", "preview", None),
            ("PUT", "file", {"content": "x"}),
            ("DELETE", "file", None),
        ):
            answer = browser.ask(method, f"/lint/{route}", body, headers=headers, params={"path": path})
            assert 400 <= answer.status_code < 500
            assert "the secret" not in answer.text
            assert str(root.parent) not in answer.text
        assert everything(root) == before

    @pytest.mark.parametrize(
        "path", ["%2e%2e/%2e%2e/secret.txt", "..%2f..%2fsecret.txt", "%2E%2E%5c..%5csecret.txt", "a%00b"]
    )
    def test_a_path_that_is_spelt_otherwise(self, browser: Browser, root: Path, path: str) -> None:
        """It is decoded once, and judged then; what was encoded twice is a name like any other."""
        headers = {"If-Match": browser.get("/lint/tree")["revision"]}
        before = everything(root)
        for method, body in (("GET", None), ("PUT", {"content": "x"}), ("DELETE", None)):
            answer = browser.ask(method, f"/lint/file?path={path}", body, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (422, "bad_path")
            assert "the secret" not in answer.text
        assert everything(root) == before
        assert browser.ask("GET", f"/lint/file?path={path.replace('%', '%25')}").status_code in (404, 422)

    def test_a_path_that_is_no_text(self, browser: Browser, root: Path) -> None:
        """Bytes that are not UTF-8 are read as the character that stands for such, and lie in the skill."""
        headers = {"If-Match": browser.get("/lint/tree")["revision"]}
        assert browser.ask("PUT", "/lint/file?path=%ff", {"content": "x"}, headers=headers).is_success
        assert (root / "lint" / "\ufffd").read_text() == "x"

    def test_no_page_leads_out_of_its_folder(self, browser: Browser) -> None:
        """Only the files that the page is made of are there, each at its own path."""
        base = "/features/proceduralskillsfeature/static"
        for path in (
            "/../app.py",
            "/%2e%2e/app.py",
            "//etc/passwd",
            f"{base}/../../http/app.py",
            f"{base}/%2e%2e/x",
            "/js",
        ):
            answer = browser.run(browser.client.get(path, headers={"Host": HOST}))
            assert answer.status_code == 404
            assert answer.headers["Content-Type"] == "application/problem+json"

    def test_a_path_that_is_none_is_a_problem(self, browser: Browser) -> None:
        """Nobody is led elsewhere by it, not even to a like one."""
        for path in ("/", "/lint", "/lint/tree/", "/lint/none", "/install/a/b"):
            answer = browser.ask("GET", path)
            assert answer.status_code in (404, 405)
            assert answer.headers["Content-Type"] == "application/problem+json"

    def test_a_link_is_not_followed(self, browser: Browser, root: Path) -> None:
        """Neither in a skill nor as one."""
        (root / "lint" / "out.md").symlink_to(root.parent / "secret.txt")
        (root / "linked").symlink_to(root.parent)
        for path in (
            "/lint/file?path=out.md",
            "/lint/preview?path=out.md",
            "/linked/tree",
            "/linked/file?path=secret.txt",
        ):
            answer = browser.ask("GET", path)
            assert answer.status_code >= 400 or answer.json()["files"] == []
            assert "the secret" not in answer.text


class TestSizes:
    """Too much of something."""

    @pytest.mark.parametrize("is_told", [True, False])
    def test_a_body_of_ten_million_bytes_is_not_taken(self, browser: Browser, root: Path, is_told: bool) -> None:
        """Whether its length is told, or it just goes on: no more is read than the longest that means anything."""
        sent = 0

        async def pieces() -> Any:
            nonlocal sent
            for _ in range(160):
                sent += 65_536
                yield b"x" * 65_536

        async def ask() -> httpx.Response:
            headers = {**browser.headers, "Content-Type": "application/json", "If-Match": "0" * 64}
            content: Any = b"x" * 10_485_760 if is_told else pieces()
            return await browser.client.put(f"{BASE}/lint/file?path=a.md", content=content, headers=headers)

        answer = browser.run(ask())
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
        assert sent <= 2 * 1024 * 1024
        assert "lint/a.md" not in everything(root)

    @pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999999999999", "0x10"])
    def test_a_length_that_is_none(self, browser: Browser, length: str) -> None:
        """Is refused, and is no defect."""
        answer = browser.ask("POST", "/validate", b"{}", headers={"Content-Length": length})
        assert answer.status_code == 413

    def test_json_that_goes_deep(self, browser: Browser) -> None:
        """It is no object of ours."""
        for body in (b"[" * 100_000, b'{"name":' * 50_000 + b"1" + b"}" * 50_000, b'{"name":' + b"9" * 100_000 + b"}"):
            answer = browser.ask("POST", "/validate", body)
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_json")

    @pytest.mark.parametrize("body", [b"\xff\xfe", b'{"name": "\xff"}', b"{", b"{}{}", b"'a'"])
    def test_a_body_that_is_no_json(self, browser: Browser, body: bytes) -> None:
        """By every route, also by one that would not look at it; with what to do."""
        for method, path in STATE_CHANGING:
            answer = browser.ask(method, path, body)
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_json")
            assert answer.json()["fix"]

    @pytest.mark.parametrize("body", [b"", b"NaN", b"null", b"[]", b'"x"', b"1"])
    def test_a_body_that_is_no_object(self, browser: Browser, body: bytes) -> None:
        """Is refused."""
        answer = browser.ask("POST", "/validate", body)
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_request")

    @pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\u0000", "\uffff", "\u202e"])
    def test_a_text_that_is_none(self, browser: Browser, text: str) -> None:
        """JSON can hold half a character: wherever a text may stand, it is refused or judged, and is no defect."""
        state = {"If-Match": "0" * 64}
        for method, path, body, names in (
            ("POST", "", {"name": "new", "description": "Use it.", "body": "Go."}, ["name", "description", "body"]),
            ("POST", "/validate", {}, ["name", "description", "text"]),
            ("POST", "/fit", {"states": []}, ["budget"]),
            ("PUT", "/lint/file?path=a.md", {}, ["content"]),
            ("PATCH", "/lint/state", {}, ["pin"]),
            ("POST", "/install/preview", {"source_url": EVIL}, ["source_url", "ref"]),
            ("POST", "/install", {"source_url": EVIL, "skill_name": "a", "digest": "0" * 64}, ["source_url", "ref"]),
        ):
            for name in names:
                headers = state | ({"If-Match": browser.get("/lint/tree")["revision"]} if method == "PUT" else {})
                answer = browser.ask(method, path, body | {name: text}, headers=headers)
                assert answer.status_code < 500
        assert browser.ask("POST", "/fit", {"states": [{"name": text}]}).status_code == 422


async def written(browser: Browser, text: str, seen: str) -> httpx.Response:
    """Write one file of a skill as it was seen."""
    return await browser.send("PUT", "/lint/file?path=a.md", {"content": text}, headers={"If-Match": f'"{seen}"'})


def test_of_two_hundred_edits_of_one_revision_one_is_made(browser: Browser, root: Path) -> None:
    """All others are told that they came too late, and what is there now."""
    start = browser.get("/lint/tree")["revision"]

    async def at_once() -> list[httpx.Response]:
        return await asyncio.gather(*(written(browser, f"{number}\n", start) for number in range(200)))

    answers = browser.run(at_once())
    assert sorted(answer.status_code for answer in answers) == [200, *[412] * 199]
    ((number, won),) = [(number, each) for number, each in enumerate(answers) if each.status_code == 200]
    now = won.json()["found"]["revision"]
    assert {each.json()["found"] for each in answers if each is not won} == {now}
    assert (root / "lint" / "a.md").read_text() == f"{number}\n"


def test_two_hundred_edits_form_one_path(browser: Browser, root: Path) -> None:
    """Of twenty at once, each looks again when it was too late: from the first revision one path leads through all."""
    start = browser.get("/lint/tree")["revision"]
    path: list[tuple[str, str, str]] = []

    async def edit(writer: int) -> None:
        seen = start
        for number in range(10):
            text = f"{writer} {number}\n"
            while (answer := await written(browser, text, seen)).status_code != 200:
                assert answer.status_code == 412, answer.text
                seen = answer.json()["found"]
            path.append((seen, answer.json()["found"]["revision"], text))
            seen = path[-1][1]

    async def all_of_them() -> None:
        await asyncio.gather(*(edit(writer) for writer in range(20)))

    browser.run(all_of_them())
    steps = {seen: (made, text) for seen, made, text in path}
    assert len(steps) == len(path) == 200
    at, last = start, ""
    for _ in range(200):
        at, last = steps[at]
    assert at == browser.get("/lint/tree")["revision"]
    assert (root / "lint" / "a.md").read_text() == last


def test_nothing_is_listened_at_but_this_machine() -> None:
    """The server binds the loopback address alone."""
    from kestrel_skills_adapters.http.serving import _listener

    with _listener(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"
        assert listener.family is socket.AF_INET
