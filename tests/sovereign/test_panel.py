"""The panel that the feature brings to the host's Console."""

from __future__ import annotations

from pathlib import Path

from kestrel_skills_adapters.sovereign import ProceduralSkillsFeature
from tests.sovereign.agent import Agent


def test_the_console_is_given_the_panel_and_its_styles(agent: Agent) -> None:
    """One module and one style sheet, which are there, below a folder that is told in full."""
    told = ProceduralSkillsFeature(agent).get_ui_contributions()
    assert told.static_dir is not None
    folder = Path(told.static_dir)
    assert folder.is_absolute()
    assert (told.modules, told.css) == (["skills.js"], ["skills.css"])
    assert "panelId: PANEL" in (folder / "skills.js").read_text()
    assert ".ksk {" in (folder / "skills.css").read_text()


def test_no_agent_has_to_be_well_for_the_panel_to_be_there(agent: Agent) -> None:
    """The host asks as it starts, whatever else is broken: the panel is what explains it."""
    agent.did = ""
    assert ProceduralSkillsFeature(agent).get_ui_contributions().modules == ["skills.js"]
