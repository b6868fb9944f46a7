"""The feature of Kestrel Sovereign: an agent's tools, its context clause, and how both follow the host's agent."""

from __future__ import annotations

from .feature import ProceduralSkillsFeature

__all__ = ["ProceduralSkillsFeature"]
