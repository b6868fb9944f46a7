"""Which tools ask, and how often; and which are left out where the host has tools of the same names.

`ALWAYS_ASK` asks until an operator answers "always", which the host then remembers. So what is deleted, and what is
installed, is bound to a digest among the arguments, whoever approves it and however often.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from kestrel_sdk.features.contributions import FeaturePermissionDefaults, PermissionLevel

__all__ = ["CLAIMED", "LEVELS", "defaults"]

LEVELS: Final[Mapping[str, PermissionLevel]] = {
    "skill_list": PermissionLevel.ALLOW,
    "skill_search": PermissionLevel.ALLOW,
    "skill_read": PermissionLevel.ALLOW,
    "skill_create": PermissionLevel.ASK,
    "skill_edit": PermissionLevel.ASK,
    "skill_enable": PermissionLevel.ASK,
    "skill_disable": PermissionLevel.ASK,
    "skill_preview_install": PermissionLevel.ASK,
    "skill_delete": PermissionLevel.ALWAYS_ASK,
    "skill_install": PermissionLevel.ALWAYS_ASK,
}
"""Every tool of ours."""

CLAIMED: Final = frozenset({"skill_list", "skill_delete"})
"""Those whose names, and whose commands, the host's own `SkillsFeature` claims. Two of a name end its boot."""


def defaults(tools: Collection[str]) -> FeaturePermissionDefaults:
    """The permissions of these tools; the host refuses to start an agent where one is named that there is not."""
    return FeaturePermissionDefaults(
        feature_default=PermissionLevel.ASK,
        tool_overrides={name: level for name, level in LEVELS.items() if name in tools},
    )
