"""The home that `tour` makes: skills that are useful in themselves, a broken one, and a shared one that is shadowed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from attrs import frozen

__all__ = ["FOLDERS", "Home", "furnish"]

FOLDERS: Final = {"KESTREL_SKILLS_ROOT": "skills", "KESTREL_SHARED_SKILLS_DIR": "shared"}
"""The variables that make `kestrel-skills` work on a home, and the folder in it that each of them names."""

_EXAMPLES: Final = Path(__file__).with_name("home")


@frozen
class Home:
    """A folder with an agent's skills in `skills`, a host's in `shared`, and the database of what is on."""

    path: Path

    @property
    def variables(self) -> dict[str, str]:
        """The environment in which `kestrel-skills` works on this home."""
        return {name: str(self.path / folder) for name, folder in FOLDERS.items()}


def furnish(path: Path) -> Home:
    """Copy the examples into a folder that is empty or not there."""
    shutil.copytree(_EXAMPLES, path, copy_function=shutil.copyfile, dirs_exist_ok=True)
    return Home(path)
