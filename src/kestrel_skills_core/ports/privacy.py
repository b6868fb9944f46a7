"""Port: whether what is kept of an agent may be seen and changed now."""

from __future__ import annotations

from types import TracebackType

from ..domain.errors import Hidden

__all__ = ["Held", "Privacy"]


class Held:
    """A privacy mode that stays as it is from entering to leaving; this one holds nothing, as there is nothing to hold.

    Entered, left and used in one and the same task, once. Another one of the same mode may be entered meanwhile in that
    task, and by whatever it calls.
    """

    async def __aenter__(self) -> None:
        """Wait until the mode cannot change, in the task of the caller and in no other.

        Raises:
            Hidden: In the mode that is held nothing kept may be seen, nor written; it is let go again.
            Busy: It could not be held in time.
        """

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Let it change again, whatever was raised; nothing of that is swallowed."""


class Privacy:
    """The privacy mode of one agent; by default there is none, and nothing is hidden."""

    def hidden(self) -> Hidden | None:
        """Why nothing that is kept may be seen now; nothing where it may. Cheap, and never raises."""
        return None

    def held(self) -> Held:
        """Hold the mode for one check and the writes that follow it, and for nothing slow."""
        return Held()
