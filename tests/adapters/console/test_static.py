"""The files of the panel, as a browser under a strict policy takes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kestrel_skills_adapters.console import MODULES, STATIC, STYLES

SCRIPTS = sorted(STATIC.glob("*.js"))
HOSTS = {"/js/api.js", "/js/ui-ext/bus.js", "/js/ui-ext/panels.js"}
"""What is imported of the host's, and so must be there in its stead where there is none."""


def test_the_modules_and_styles_are_there() -> None:
    """What is contributed is in the package."""
    assert all((STATIC / name).is_file() for name in (*MODULES, *STYLES))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_module_imports_only_what_is_there(script: Path) -> None:
    """Modules beside it, and three of the host's; nothing of another origin."""
    text = script.read_text()
    for wanted in re.findall(r"(?:from|import) '([^']+)'", text):
        assert wanted in HOSTS or (wanted.startswith("./") and (STATIC / wanted).is_file()), wanted
    assert "http://" not in text
    assert not re.search(r"https://\w", text)


def test_only_what_the_server_cleaned_is_ever_html() -> None:
    """One place sets HTML; none builds it of text, or runs text."""
    text = "\n".join(script.read_text() for script in SCRIPTS)
    assert re.findall(r".*innerHTML.*", text) == [
        "    article.innerHTML = preview.html; // cleaned by the server: no script, no style, nothing that loads"
    ]
    assert not re.search(
        r"outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\('style'", text
    )


def test_the_styles_load_nothing() -> None:
    """No address, and no import, in them."""
    assert not re.search(r"url\(|@import", (STATIC / "skills.css").read_text())
