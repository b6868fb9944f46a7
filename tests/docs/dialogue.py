"""Dialogues of a document: what a model calls after `> `, and the JSON that it is then given.

A call is the name of a tool and its arguments, as JSON. Below it stands what it is answered: what is shown is in the
answer, and what is not shown may be in it too. `⟨any⟩` stands for a text that is another one each time, under the name
of its member; in a later call it stands for that very text. `…` ends a text that goes on. After `> prompt` stands the
whole prompt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from attrs import define, field
from sybil import Example

__all__ = ["Dialogue", "missing", "turns"]

Ask = Callable[..., Awaitable[dict[str, Any]]]


@define
class Dialogue:
    """Evaluates `tool` blocks; `run` runs what is awaited."""

    ask: Ask
    prompt: Callable[[], str]
    run: Callable[[Awaitable[dict[str, Any]]], dict[str, Any]]
    seen: dict[str, str] = field(factory=dict)
    called: set[str] = field(factory=set)

    def __call__(self, example: Example) -> str | None:
        """What differs from what the example shows; nothing where it is the same."""
        return next(filter(None, (self._turn(*turn) for turn in turns(example.parsed))), None)

    def _turn(self, said: str, shown: str) -> str | None:
        if said == "prompt":
            return None if shown == self.prompt() else f"the prompt is:\n{self.prompt()}"
        tool, _, given = said.partition(" ")
        arguments = {name: self._meant(value) for name, value in json.loads(given or "{}").items()}
        self.called.add(tool)
        answer = self.run(self.ask(tool, **arguments))
        self.seen |= dict(_texts(answer))
        wrong = list(missing(json.loads(shown), answer))
        return f"> {said}\n{wrong}\n{json.dumps(answer, indent=1, ensure_ascii=False)}" if wrong else None

    def _meant(self, value: object) -> object:
        named = re.fullmatch(r"⟨(\w+)⟩", value) if isinstance(value, str) else None
        return self.seen[named[1]] if named else value


def turns(block: str) -> Iterator[tuple[str, str]]:
    """Each call of a block, with what is shown below it."""
    if not block.startswith("> "):
        raise ValueError("a dialogue begins with `> ` and a call")
    for part in f"\n{block}".split("\n> ")[1:]:
        said, _, shown = part.partition("\n")
        while shown.startswith("  "):  # the call goes on
            more, _, shown = shown.partition("\n")
            said += more.strip()
        yield said, shown.strip()


def missing(shown: object, given: object, at: str = "answer") -> Iterator[str]:
    """Where what is shown is not in what was given."""
    if isinstance(shown, Mapping) and isinstance(given, Mapping):
        for name, value in shown.items():
            yield from missing(value, given.get(name, "nothing"), f"{at}.{name}")
    elif isinstance(shown, list) and isinstance(given, list) and len(shown) == len(given):
        for number, (one, other) in enumerate(zip(shown, given, strict=True)):
            yield from missing(one, other, f"{at}[{number}]")
    elif isinstance(shown, str) and isinstance(given, str):
        begins = shown.endswith("…") and given.startswith(shown[:-1])
        if not (shown == given or begins or re.fullmatch(r"⟨\w+⟩", shown)):
            yield f"{at}: {given!r}"
    elif type(shown) is not type(given) or shown != given:
        yield f"{at}: {given!r}"


def _texts(answer: object) -> Iterator[tuple[str, str]]:
    """Each member that is a text, with its name; of two of a name, the later counts."""
    if isinstance(answer, Mapping):
        for name, value in answer.items():
            if isinstance(value, str):
                yield name, value
            yield from _texts(value)
    elif isinstance(answer, list):
        for each in answer:
            yield from _texts(each)
