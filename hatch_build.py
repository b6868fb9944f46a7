"""The long description on the package index: the README, with links that lead somewhere from there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class LongDescription(MetadataHookInterface):
    """Gives the project its `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Let what is relative lead to the release's own tag, or to the main branch before there is one."""
        version = metadata["version"]
        at = f"{metadata['urls']['Source']}/blob/{'main' if 'dev' in version else f'v{version}'}/"
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = re.sub(r"(?<=\]\()(?!https:|#)", at, text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
