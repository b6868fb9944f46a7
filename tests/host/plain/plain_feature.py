"""The least feature that has one of each: it shows that the laboratory sees what a host does with a feature."""

from __future__ import annotations

from kestrel_sdk.features.base import Feature, tool
from kestrel_sdk.features.contributions import ContextClauseRegistration, FeaturePermissionDefaults, PermissionLevel
from kestrel_sdk.tools.result import ToolResult

CLAUSE = "<plain-clause>It is there.</plain-clause>"


class PlainFeature(Feature):
    """A tool that runs at once, one that asks each time, and a clause."""

    promote_tools_on_startup = True

    @property
    def tool_description(self) -> str:
        """What the tool is for that delegates to this feature."""
        return "Add and forget."

    async def initialize(self) -> None:
        """Nothing is needed."""

    def get_feature_permission_defaults(self) -> FeaturePermissionDefaults:
        """As this project's own: adding is free, forgetting never is."""
        return FeaturePermissionDefaults(
            feature_default=PermissionLevel.ALLOW, tool_overrides={"plain_forget": PermissionLevel.ALWAYS_ASK}
        )

    def get_context_clause_registrations(self) -> tuple[ContextClauseRegistration, ...]:
        """One clause, always the same."""
        return (ContextClauseRegistration(self.contribution_owner, "plain", 100, lambda: CLAUSE),)

    @tool("plain_add", "Add two numbers.", command_prefix="!plain add")
    async def plain_add(self, one: int, other: int) -> ToolResult:
        """Add."""
        return ToolResult.ok(f"It is {one + other}.", data={"sum": one + other})

    @tool("plain_forget", "Forget it all.", command_prefix="!plain forget")
    async def plain_forget(self) -> ToolResult:
        """Forget."""
        return ToolResult.ok("It is forgotten.")
