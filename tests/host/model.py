"""A model that says what a test has written for it: an OpenAI-compatible server on loopback.

A test hands it a script, and gets the words that stand for that script; whoever says these words to the agent makes
the model play it, one call of a tool in each of its turns. All else that the host asks of a model is answered with
one fixed sentence, so that a run is the same each time.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from attrs import Factory, define, frozen

__all__ = ["Asked", "Call", "Play", "Script", "ScriptedModel"]

NAME: Final = "scripted"
_WORDS: Final = re.compile(r"play script (\d+)")
_USAGE: Final = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
_STOP: Final = "All of the script has been played."


@frozen
class Call:
    """A call of a tool that the model makes."""

    tool: str
    args: dict[str, Any] = Factory(dict)


Following = Callable[[Sequence[str]], Call | None]
Play = Iterable[Call] | Following


@frozen
class Asked:
    """One request as the host sent it, and what came back: a call, or a text."""

    body: dict[str, Any]
    answer: Call | str

    @property
    def system(self) -> str:
        """The system messages alone: the rest quotes results of tools, and with them whatever they quote."""
        return "\n".join(_text(said) for said in self.body.get("messages", ()) if said.get("role") == "system")

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """The definitions of the tools that the model was offered."""
        return {each["function"]["name"]: each["function"] for each in self.body.get("tools") or ()}


@define
class Script:
    """What the model will do when it is told `words`; `results` grows by what each of its calls came to."""

    words: str
    following: Following
    results: list[str] = Factory(list)

    def after(self, results: Sequence[str]) -> Call | None:
        """What comes after these results. The host may since have cut short what it shows of older ones."""
        self.results.extend(results[len(self.results) :])
        return self.following(self.results)


class ScriptedModel:
    """The server. It listens from its start on; `close` ends it."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._scripts: list[Script] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _answering(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        """Where its interface begins."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def script(self, play: Play) -> Script:
        """A script of these calls, or one that tells from the results so far which call comes next, if any does."""
        if callable(play):
            following = play
        else:
            calls = tuple(play)

            def following(results: Sequence[str]) -> Call | None:
                return calls[len(results)] if len(results) < len(calls) else None

        script = Script(f"Please play script {len(self._scripts)}.", following)
        self._scripts.append(script)
        return script

    def answer(self, body: dict[str, Any]) -> Call | str:
        """What the model says to a request, which is kept."""
        said = self._said(body)
        self.asked.append(Asked(body, said))
        return said

    def _said(self, body: dict[str, Any]) -> Call | str:
        if "risk_level" in json.dumps(body.get("response_format") or {}):
            return json.dumps({"risk_level": 1, "reasoning": "It is a script of a test."})
        messages = body.get("messages", [])
        at = _live(messages)
        found = _WORDS.search(_request(messages[at])) if at is not None else None
        if found is None or not body.get("tools"):
            return _STOP
        results = [_text(said) for said in messages[at:] if said.get("role") == "tool"]
        return self._scripts[int(found[1])].after(results) or _STOP


def _live(messages: Sequence[dict[str, Any]]) -> int | None:
    """Where the request stands that is being answered: what is older is history, which the host replays."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].get("role") == "user" and _request(messages[at]):
            return at
    return None


def _request(message: dict[str, Any]) -> str:
    """What a message asks for: the person's own words in an agent's turn, the task in that of a feature's sub-agent."""
    text = _text(message)
    if text.startswith("Task:"):
        return text.partition("Conversation context:")[0]
    return text.rpartition("<user_input>")[2] if "<user_input>" in text else ""


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())


def _answering(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    """The side of the server that speaks HTTP."""

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing: what was asked is kept."""

        def do_GET(self) -> None:
            self._send([{"object": "list", "data": [{"id": NAME, "object": "model", "created": 1, "owned_by": NAME}]}])

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["content-length"]))
            if not sent:  # the host is being stopped
                self.close_connection = True
                return
            body = json.loads(sent)
            message, why = _message(model.answer(body), len(model.asked))
            about = {"id": f"chatcmpl-{len(model.asked)}", "created": 1, "model": NAME}
            if not body.get("stream"):
                choice = {"index": 0, "message": message, "finish_reason": why}
                self._send([{**about, "object": "chat.completion", "choices": [choice], "usage": _USAGE}])
                return
            about["object"] = "chat.completion.chunk"
            pieces: list[dict[str, Any]] = [
                {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": why}]},
                {"choices": [], "usage": _USAGE},
            ]
            self._send([about | piece for piece in pieces], streamed=True)

        def _send(self, objects: Sequence[dict[str, Any]], *, streamed: bool = False) -> None:
            texts = [json.dumps(each) for each in objects]
            sent = "".join(f"data: {text}\n\n" for text in (*texts, "[DONE]")) if streamed else texts[0]
            self.send_response(200)
            self.send_header("content-type", "text/event-stream" if streamed else "application/json")
            self.send_header("content-length", str(len(sent.encode())))
            self.end_headers()
            self.wfile.write(sent.encode())

    return Answering


def _message(said: Call | str, number: int) -> tuple[dict[str, Any], str]:
    """An assistant's message, and why it ends."""
    if isinstance(said, str):
        return {"role": "assistant", "content": said}, "stop"
    function = {"name": said.tool, "arguments": json.dumps(said.args)}
    call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
