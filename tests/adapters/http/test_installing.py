"""The routes that bring skills in: look, then install exactly that, beside the requests."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import define, evolve, field

from kestrel_skills_adapters.http.jobs import AGE_SECONDS, REMEMBERED, RUNNING, Installing, Jobs
from kestrel_skills_adapters.memory.git import MemoryGitSource
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.memory.world import MemoryClock
from kestrel_skills_adapters.world import threads
from kestrel_skills_core.domain.errors import Abandoned, GitFailed
from kestrel_skills_core.domain.git_address import CommitId, GitUrl
from kestrel_skills_core.domain.names import ResourcePath
from kestrel_skills_core.domain.parcel import Parcel
from kestrel_skills_core.ports.world import Cancelled
from kestrel_skills_core.service.installer import Installer
from tests.service.shelf import Shelf, shelf, skill
from tests.service.test_installer import COMMIT, REPOSITORY, URL, git

from .serving import BASE, Browser, browsing, desk_of
from .test_changing import refused

LINT = {"source_url": URL, "skill_name": "lint"}


@pytest.fixture
def on() -> Shelf:
    """No skills yet."""
    return shelf({})


@pytest.fixture
def browser(on: Shelf) -> Iterator[Browser]:
    """Whoever brings some in."""
    with browsing(desk_of(on.library)) as browser:
        yield browser


def digest(browser: Browser) -> str:
    """What a preview shows."""
    return browser.post("/install/preview", LINT)["digest"]


def ended(browser: Browser, job: str) -> dict[str, Any]:
    """What an installation came to."""
    for _ in range(500):
        told = browser.get(f"/install/{job}")
        if told["state"] != "running":
            return told
        browser.rest(0.005)
    raise AssertionError("it goes on and on")


class TestPreview:
    """What would come."""

    def test_the_skills_of_a_repository(self, browser: Browser) -> None:
        """All of them, at one commit."""
        stock = browser.post("/install/preview", {"source_url": URL})
        assert (stock["url"], stock["ref"], stock["commit"]) == (URL, "HEAD", COMMIT)
        assert ("skills/lint", "lint", "nothing") in [
            (each["folder"], each["name"], each["needs"]) for each in stock["skills"]
        ]

    def test_one_skill_with_all_that_a_person_decides_on(self, browser: Browser) -> None:
        """The whole commit, the digest, every file, and what it would meet."""
        seen = browser.post("/install/preview", LINT)
        assert (seen["provenance"]["commit"], len(seen["digest"]), seen["taken"]) == (COMMIT, 64, None)
        assert [(each["path"], each["bytes"]) for each in seen["files"]] == [("SKILL.md", 60), ("run.sh", 10)]
        assert browser.get("")["count"] == 0

    def test_one_that_is_refused_as_it_is(self, browser: Browser) -> None:
        """It has no digest, and what adapting would do; adapted, it has one."""
        asked = {"source_url": URL, "skill_name": "c"}
        seen = browser.post("/install/preview", asked)
        assert (seen["digest"], seen["findings"][0]["code"]) == (None, "KS108")
        assert seen["adaptation"]["changes"]
        assert browser.post("/install/preview", asked | {"adapt": True})["digest"]

    def test_what_is_refused(self, browser: Browser) -> None:
        """An address that is none, a skill that is not there, a repository that does not answer."""
        refused(browser.ask("POST", "/install/preview", {"source_url": "http://git.example/x"}), 422, "bad_source")
        refused(browser.ask("POST", "/install/preview", LINT | {"ref": "a b"}), 422, "bad_source")
        refused(browser.ask("POST", "/install/preview", LINT | {"skill_name": "none"}), 422, "bad_source")
        answer = browser.ask("POST", "/install/preview", {"source_url": "https://git.example/none"})
        refused(answer, 502, "git_failed")


class TestInstall:
    """Bringing one in."""

    def test_exactly_what_was_previewed(self, browser: Browser) -> None:
        """202 with where to look; then it is there, off, with where it came from."""
        seen = digest(browser)
        answer = browser.ask("POST", "/install", LINT | {"digest": seen})
        job = answer.json()
        assert (answer.status_code, job["state"]) == (202, "running")
        assert answer.headers["Location"] == f"/api/procedural-skills/install/{job['job']}"
        done = ended(browser, job["job"])
        installed = done["installed"]
        assert (done["state"], installed["digest"], installed["commit"]) == ("done", seen, COMMIT)
        assert (installed["found"]["source"], installed["found"]["enabled"]) == ("git", False)
        assert installed["then"] == installed["found"]
        assert browser.get("")["skills"] == [installed["found"]]

    def test_anything_else_is_refused(self, browser: Browser) -> None:
        """It ends with the problem, and nothing came."""
        job = browser.post("/install", LINT | {"digest": "0" * 64})
        failed = ended(browser, job["job"])
        assert (failed["state"], failed["problem"]["code"], failed["problem"]["status"]) == (
            "failed",
            "other_digest",
            409,
        )
        assert browser.get("")["count"] == 0

    def test_a_name_that_is_taken(self, on: Shelf, browser: Browser) -> None:
        """Is told by the preview; whoever goes on is told again."""
        on.local.folders["lint"] = skill("lint", "Mine.")
        seen = browser.post("/install/preview", LINT)
        assert seen["taken"]["description"] == "Mine."
        failed = ended(browser, browser.post("/install", LINT | {"digest": seen["digest"]})["job"])
        assert failed["problem"]["code"] == "exists"

    def test_one_that_is_refused_as_it_is(self, browser: Browser) -> None:
        """With its faults, and with what adapting would do."""
        job = browser.post("/install", {"source_url": URL, "skill_name": "c", "digest": "0" * 64})
        problem = ended(browser, job["job"])["problem"]
        assert ([each["code"] for each in problem["faults"]], problem["status"]) == (["KS108"], 422)
        assert problem["adaptation"]["changes"]

    def test_adapted(self, browser: Browser) -> None:
        """What was changed is told."""
        asked = {"source_url": URL, "skill_name": "c", "adapt": True}
        seen = browser.post("/install/preview", asked)["digest"]
        done = ended(browser, browser.post("/install", asked | {"digest": seen})["job"])
        assert done["installed"]["adaptation"]["changes"]

    @pytest.mark.parametrize("wrong", [{"digest": None}, {"digest": "abc"}, {"digest": "0" * 64, "skill_name": ""}])
    def test_without_saying_what_was_seen_nothing_begins(self, browser: Browser, wrong: dict[str, Any]) -> None:
        """The digest is the approval."""
        refused(browser.ask("POST", "/install", LINT | wrong), 422, "bad_request")

    def test_a_job_that_is_none(self, browser: Browser) -> None:
        """404, to look at and to cancel."""
        for method in ("GET", "DELETE"):
            refused(browser.ask(method, "/install/0123456789abcdef"), 404, "job_absent")

    def test_while_all_is_hidden_none_is_told_of(self) -> None:
        """Not even one that is done."""
        privacy = MemoryPrivacy()
        with browsing(desk_of(shelf({}, privacy=privacy).library)) as browser:
            seen = digest(browser)
            job = browser.post("/install", LINT | {"digest": seen})["job"]
            ended(browser, job)
            privacy.mode = "ephemeral"
            refused(browser.ask("GET", f"/install/{job}"), 403, "hidden")
            refused(browser.ask("DELETE", f"/install/{job}"), 403, "hidden")
            refused(browser.ask("POST", "/install", LINT | {"digest": seen}), 403, "hidden")

    def test_a_defect_is_told_without_its_text(self, on: Shelf) -> None:
        """As any other failure."""

        def broken(_: Callable[[int, int], None]) -> Installer:
            raise RuntimeError("secret")

        with browsing(evolve(desk_of(on.library), installer=broken)) as browser:
            failed = ended(browser, browser.post("/install", LINT | {"digest": "0" * 64})["job"])
        assert failed["problem"]["code"] == "defect"
        assert "secret" not in str(failed)


@define(eq=False)
class Slow(MemoryGitSource):
    """A repository that sends half of it, and then waits until it may go on, or whoever asked has gone away."""

    go_on: threading.Event = field(factory=threading.Event)
    has_begun: threading.Event = field(factory=threading.Event)
    progress: Callable[[int, int], None] = field(default=lambda *_: None)

    def fetch(self, url: GitUrl, commit: CommitId, folder: ResourcePath | None, *, cancelled: Cancelled) -> Parcel:
        """Send it."""
        self.progress(1_234, 5)
        self.has_begun.set()
        while not self.go_on.wait(0.005):
            if cancelled():
                raise Abandoned("reading the repository")
        return super().fetch(url, commit, folder, cancelled=cancelled)


class TestUnderWay:
    """One that takes its time."""

    @pytest.fixture
    def source(self) -> Slow:
        """A slow repository."""
        return Slow({URL: REPOSITORY})

    @pytest.fixture
    def browser(self, source: Slow) -> Iterator[Browser]:
        """Blocking work runs beside the loop, as it really does."""
        library = evolve(shelf({}).library, offload=threads)

        def installer(progress: Callable[[int, int], None]) -> Installer:
            source.progress = progress
            return Installer(library=library, git=source, clock=MemoryClock())

        with browsing(evolve(desk_of(library), installer=installer)) as browser:
            yield browser
            source.go_on.set()

    def begun(self, browser: Browser, source: Slow) -> str:
        """One that waits in the middle."""
        source.has_begun.clear()
        job = browser.post("/install", LINT | {"digest": digest_of_lint()})["job"]
        for _ in range(1_000):
            browser.rest(0.005)
            if source.has_begun.is_set():
                return job
        raise AssertionError("it never began")

    def test_it_says_how_far_it_has_come(self, browser: Browser, source: Slow) -> None:
        """In bytes and entries, of as many as there may be."""
        told = browser.get(f"/install/{self.begun(browser, source)}")
        assert (told["state"], told["received"], told["entries"]) == ("running", 1_234, 5)
        assert (told["received_limit"], told["entries_limit"]) == (32 * 1024 * 1024, 4_096)

    def test_it_is_cancelled(self, browser: Browser, source: Slow) -> None:
        """It ends at once, and nothing came; to cancel it again changes nothing."""
        job = self.begun(browser, source)
        for _ in range(2):
            assert browser.ask("DELETE", f"/install/{job}").json()["state"] == "cancelled"
        assert browser.get(f"/install/{job}")["state"] == "cancelled"
        assert browser.get("")["count"] == 0

    def test_what_is_done_is_not_cancelled(self, browser: Browser, source: Slow) -> None:
        """Whoever comes too late is told so."""
        job = self.begun(browser, source)
        source.go_on.set()
        assert ended(browser, job)["state"] == "done"
        assert browser.ask("DELETE", f"/install/{job}").json()["state"] == "done"
        assert browser.get("")["count"] == 1

    def test_whoever_goes_away_is_not_fetched_for_any_more(self, browser: Browser, source: Slow) -> None:
        """A preview gives its place back at once, and not when the repository has sent all of it."""
        gone = asyncio.Event()

        async def leave() -> None:
            said = [{"type": "http.request", "body": json.dumps(LINT).encode(), "more_body": False}]

            async def receive() -> Any:
                if said:
                    return said.pop()
                await gone.wait()
                return {"type": "http.disconnect"}

            async def send(_: Any) -> None:
                """Nobody reads it."""

            headers = {**browser.headers, "Content-Type": "application/json"}
            scope = {
                "type": "http", "method": "POST", "path": f"{BASE}/install/preview", "query_string": b"",
                "headers": [(name.lower().encode(), text.encode()) for name, text in headers.items()],
            }  # fmt: skip
            asking = asyncio.create_task(browser.app(scope, receive, send))
            while not source.has_begun.is_set():  # noqa: ASYNC110 - that is set in a thread
                await asyncio.sleep(0.005)
            gone.set()
            await asyncio.wait_for(asking, 20)

        for _ in range(RUNNING + 1):
            browser.run(leave())
            gone.clear()
            source.has_begun.clear()
        self.begun(browser, source)

    def test_told_to_stop_none_is_left_and_none_begins(self, browser: Browser, source: Slow) -> None:
        """Whatever is asked while they end, or after."""
        jobs = [self.begun(browser, source) for _ in range(RUNNING)]
        more = LINT | {"digest": digest_of_lint()}

        async def stop() -> list[Any]:
            stopping = asyncio.create_task(browser.desk.jobs.stop())
            await asyncio.sleep(0)  # it has begun to
            asked = [await browser.send("POST", "/install", more) for _ in range(3)]
            await stopping
            return asked

        asked = browser.run(stop())
        for answer in (*asked, browser.ask("POST", "/install", more), browser.ask("POST", "/install/preview", LINT)):
            refused(answer, 503, "ending")
        assert [browser.get(f"/install/{job}")["state"] for job in jobs] == ["cancelled"] * RUNNING

    def test_one_that_is_cancelled_before_its_first_step_is_remembered(self, browser: Browser) -> None:
        """As any other that ended."""
        jobs = browser.desk.jobs

        async def at_once() -> str:
            async def never(*_: Any) -> Any:
                """It is not asked."""

            job = jobs.start(Installing(never, never))
            await job.cancel()
            return job.id

        assert browser.get(f"/install/{browser.run(at_once())}")["state"] == "cancelled"

    def test_only_so_many_run_at_once(self, browser: Browser, source: Slow) -> None:
        """One more is told to come back, and so is a preview; when one has ended, another may begin."""
        jobs = [self.begun(browser, source) for _ in range(RUNNING)]
        more = LINT | {"digest": digest_of_lint()}
        assert "Retry-After" in browser.ask("POST", "/install", more).headers
        refused(browser.ask("POST", "/install/preview", LINT), 503, "busy")
        browser.ask("DELETE", f"/install/{jobs[0]}")
        self.begun(browser, source)


def digest_of_lint() -> str:
    """What a preview shows of it; worked out by a library of its own."""
    with browsing(desk_of(shelf({}).library)) as browser:
        return digest(browser)


class TestRemembered:
    """What ended is remembered for a while."""

    def test_until_it_is_old(self, on: Shelf) -> None:
        """Then it is as if it had never been."""
        now = [0.0]
        desk = evolve(desk_of(on.library, MemoryGitSource(problem=GitFailed("refs", "no"))), jobs=Jobs(lambda: now[0]))
        with browsing(desk) as browser:
            job = browser.post("/install", LINT | {"digest": "0" * 64})["job"]
            ended(browser, job)
            now[0] = AGE_SECONDS
            assert browser.get(f"/install/{job}")["state"] == "failed"
            now[0] = AGE_SECONDS + 1
            refused(browser.ask("GET", f"/install/{job}"), 404, "job_absent")

    def test_and_only_so_many(self, on: Shelf) -> None:
        """The eldest is forgotten first."""
        with browsing(desk_of(on.library, git())) as browser:
            jobs = []
            for _ in range(REMEMBERED + 1):
                jobs.append(browser.post("/install", LINT | {"digest": "0" * 64})["job"])
                ended(browser, jobs[-1])
            refused(browser.ask("GET", f"/install/{jobs[0]}"), 404, "job_absent")
            assert browser.get(f"/install/{jobs[1]}")["state"] == "failed"
