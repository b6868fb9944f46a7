"""The command line: `kestrel-skills`. Each command is a module of `commands`, imported when it is asked for."""

from __future__ import annotations

__all__ = ["start"]


def start() -> int:
    """Run the command line of this process; gives the exit code. An interrupt is one while modules load, too."""
    try:
        from .main import main

        return main()
    except KeyboardInterrupt:
        return 130  # `failures.INTERRUPTED`, which may not be loaded yet
