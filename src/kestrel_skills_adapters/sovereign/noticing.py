"""Noticing, as a turn ends, whether its prompt had room for the skills: without them, no tool of ours may be called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kestrel_sdk.hooks.base import Hook, HookEvent, HookInput, HookOutput

__all__ = ["Noticing"]

_NAME: Final = "procedural-skills-noticing"


class Noticing(Hook):
    """A hook of the host's that looks, and lets everything be as it is."""

    def __init__(self, notice: Callable[[], None]) -> None:
        super().__init__(name=_NAME, events=[HookEvent.STOP])
        self._notice = notice

    async def execute(self, input: HookInput) -> HookOutput:  # noqa: A002, ARG002 - the SDK's signature
        """Look; a turn goes on ending, whatever is seen."""
        self._notice()
        return HookOutput()
