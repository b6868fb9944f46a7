"""The live path: an agent's skill over HTTP and in the Console, and then what a model makes of it in a turn."""

from __future__ import annotations

from tests.e2e.places import API, InConsole
from tests.e2e.test_panel import pick, says
from tests.host.lab import FEATURE

from .evidence import Pinned, vouch

__all__ = ["DELEGATE", "SKILL", "TOLD", "WORDS", "walk"]

SKILL = "harbour-signal"
TOLD = "PELICAN-4127"
"""What stands in the procedure of that skill, and nowhere else."""
DELEGATE = "procedural_skills_feature"
"""What the host offers a model in the place of the feature's tools."""
WORDS = (
    f"A ship asks for the harbour signal. Read the procedure of your skill {SKILL} with skill_read, and answer with "
    "the signal that it tells, and nothing else."
)


def walk(desktop: InConsole, pin: Pinned, words: str = WORDS) -> str:
    """What the agent says to those words, once its onboarding is over and the skill is on.

    Raises:
        NoEvidence: It was not the pinned model that answered.
    """
    client = desktop.client
    client.permit(FEATURE, DELEGATE, "allow")  # nobody is there to be asked
    body = f"# Signal\n\nThe harbour signal is {TOLD}.\n"
    told = {"name": SKILL, "description": "Use when a ship asks for the harbour signal.", "body": body}
    assert client.of_agent("POST", API, told, headers={"X-Kestrel-Request": "a test"}).status == 201
    page = desktop.open()
    pick(page, SKILL)
    page.get_by_role("switch").click()
    says(page, f"{SKILL} is enabled.")
    request = {"input": words, "provider": pin.provider, "model": pin.model}
    answer = client.of_agent("POST", "/api/agent/invoke", request, timeout=240)
    said = vouch(pin, answer.status, answer.body)
    (seen,) = client.of_agent("GET", API)["skills"]
    assert (seen["name"], seen["enabled"]) == (SKILL, True)
    return said
