"""`run-live-suite.sh live-path`: a hosted model, and no other, uses a skill of an agent on a real host."""

from __future__ import annotations

import os

import pytest

from tests.e2e.places import Console, Pages
from tests.host.lab import Host
from tests.host.model import ScriptedModel

from .conftest import HomeOf
from .evidence import NoEvidence, Pinned, pinned, settings
from .walk import TOLD, walk

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("no_model_is_asked")]


@pytest.fixture(scope="session")
def pin() -> Pinned:
    """The model that the environment pins."""
    try:
        return pinned(os.environ)
    except NoEvidence as why:
        pytest.skip(f"only a hosted model can show this: {why}")


def test_the_pinned_model_reads_a_skill_and_does_what_it_says(
    pin: Pinned, home_of: HomeOf, model: ScriptedModel, pages: Pages
) -> None:
    """Its answer has what stands in the skill alone, and is reported as its own; the scripted model is not asked."""
    text, environ = settings(pin)
    home = home_of(environ=environ)
    (home.folder / "kestrel.toml").write_text(text)
    host = Host(home, model)
    try:
        assert TOLD in walk(Console(host).desktop(pages), pin)
    finally:
        host.stop()
