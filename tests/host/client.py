"""An operator's side of one agent on a real host, over HTTP."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final

from attrs import frozen

__all__ = ["Answer", "Client", "Decide", "until"]

_TURN: Final = 120.0
"""Seconds that a turn may take; a turn that waits for an approval waits as long as the test wants."""
_SOON: Final = 30.0

Headers = Mapping[str, str | None]
_NONE: Final[Headers] = {}


_LOST: Final = "invocation_owner_lease_lost"
"""On a machine with too much to do the host loses its hold of a turn, and wants to be asked again."""

Decide = Callable[[dict[str, Any]], bool]


@frozen
class Answer:
    """A status, and the JSON that came with it."""

    status: int
    body: Any

    def __getitem__(self, key: str) -> Any:
        return self.body[key]


class Client:
    """Speaks to one agent of the server at `base`."""

    def __init__(self, base: str, key: str, agent: str) -> None:
        self.base, self.key, self.agent = base, key, agent
        self._turns = ThreadPoolExecutor(4)

    def of(self, agent: str) -> Client:
        """The same operator, before another agent of the server."""
        return Client(self.base, self.key, agent)

    def request(
        self, method: str, path: str, body: Any = None, *, timeout: float = _SOON, headers: Headers = _NONE
    ) -> Answer:
        """Whatever the server answers; a header that is none is left out."""
        usual = {
            "X-API-Key": self.key,
            "Content-Type": "application/json",
            "X-Kestrel-Allow-Destructive": "a test",
        }
        told = {name: value for name, value in {**usual, **headers}.items() if value is not None}
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, sent, told, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return Answer(answer.status, json.loads(answer.read() or b"null"))
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, json.loads(error.read() or b"null"))

    def of_agent(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        """What the server answers for the agent."""
        return self.request(method, f"/api/agents/{self.agent}{path}", body, **more)

    def is_ready(self) -> bool:
        """Whether the agent is up."""
        try:
            answer = self.request("GET", "/api/agents", timeout=2)
        except OSError:
            return False
        return answer.status == 200 and any(each.get("name") == self.agent for each in answer["agents"])

    # Turns

    def say(self, text: str, *, session: str | None = None, decide: Decide | None = None) -> str:
        """Say something to the agent: a command, or words for the model. Gives what it answers.

        Meanwhile `decide` says of each request for an approval whether it is granted; by default all are.
        """
        turn = self.begin(text, session=session)
        while not turn.done():
            for request in self.pending():
                self.decide(request, approved=decide is None or decide(request))
            wait([turn], timeout=0.1)
        return turn.result()

    def begin(self, text: str, *, session: str | None = None) -> Future[str]:
        """Say it, and go on; whatever it waits for, nobody grants."""
        return self._turns.submit(self._invoke, text, session)

    def _invoke(self, text: str, session: str | None) -> str:
        said = {"input": text} | ({"session_id": session} if session else {})
        answer = self.of_agent("POST", "/api/agent/invoke", said, timeout=_TURN)
        while answer.status == 503 and answer["error"]["code"] == _LOST:
            answer = self.of_agent("POST", "/api/agent/invoke", said, timeout=_TURN)
        assert answer.status == 200, answer
        return str(answer["response"])

    # Approvals

    def pending(self) -> list[dict[str, Any]]:
        """What waits for an operator."""
        return list(self.of_agent("GET", "/api/security/pending")["pending"])

    def next_pending(self) -> dict[str, Any]:
        """The one request that waits, as soon as it does."""
        (waiting,) = until(self.pending)
        return waiting

    def decide(self, request: dict[str, Any], *, approved: bool, scope: str = "once") -> None:
        """Approve or deny."""
        decision = {"approval_id": request["id"], "approved": approved, "scope": scope}
        answer = self.of_agent("POST", "/api/security/approve", decision)
        assert answer.status == 200, answer

    def permissions(self, feature: str) -> dict[str, str]:
        """The level of each tool of a feature, as the Console shows them."""
        tree = self.of_agent("GET", "/api/security/permissions/tree")["tree"]
        return {tool["name"]: tool["level"] for each in tree if each["name"] == feature for tool in each["tools"]}

    def permit(self, feature: str, tool: str, level: str) -> None:
        """Set the level of one tool."""
        answer = self.of_agent("POST", "/api/security/permissions", {"feature": feature, "tool": tool, "level": level})
        assert answer.status == 200, answer

    # The agent

    def privacy(self, mode: str) -> None:
        """Change the privacy mode, and confirm it where the host asks for that."""
        answer = self.of_agent("POST", "/api/agent/privacy-mode", {"mode": mode})
        if answer.status == 200 and answer.body.get("requires_confirmation"):
            answer = self.of_agent("POST", "/api/agent/privacy-mode/confirm", {})
        assert answer.status == 200, answer
        assert answer["success"], answer

    def context_status(self, session: str) -> Any:
        """What the host says of the prompt of a conversation's next turn; a conversation that it knows."""
        answer = self.of_agent("GET", f"/api/agent/context-status?full=true&session_id={session}")
        assert answer.status == 200, answer
        return answer.body

    def switch_feature(self, name: str, *, on: bool) -> None:
        """Enable or disable a feature, while the agent runs."""
        answer = self.of_agent("POST", f"/api/features/{name}/{'enable' if on else 'disable'}")
        assert answer.status == 200, answer

    def features(self) -> dict[str, Any]:
        """What the host says of each feature, by its class."""
        found = self.of_agent("GET", "/api/features").body
        return {each.get("class_name") or each.get("name"): each for each in found["features"]}


def until(look: Callable[[], Any], *, within: float = _SOON) -> Any:
    """What `look` gives as soon as it gives something.

    Raises:
        TimeoutError: It gave nothing.
    """
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.05)
    raise TimeoutError(look)
