"""The table of rules."""

from __future__ import annotations

import re

import pytest

from kestrel_skills_core.domain.findings import Rule
from kestrel_skills_core.domain.rules import RULES


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
class TestEveryRule:
    def test_stands_under_its_code(self, rule: Rule) -> None:
        """The key is the code, `KS` and three digits."""
        assert RULES[rule.code] is rule
        assert re.fullmatch(r"KS[1235]\d\d", rule.code)

    def test_advice_is_never_an_error_and_everything_else_is(self, rule: Rule) -> None:
        """The code tells whether it refuses: KS5xx do not."""
        assert (rule.severity == "error") == (not rule.code.startswith("KS5"))

    def test_says_what_it_is_and_what_to_do(self, rule: Rule) -> None:
        """Title and fix are one phrase each, without a full stop, as messages are put together from them."""
        for text in (rule.title, rule.fix):
            assert text == text.strip()
            assert "\n" not in text
            assert not text.endswith(".")
            assert len(text) > 5


def test_titles_differ() -> None:
    """No two rules are told by the same words."""
    assert len({rule.title for rule in RULES.values()}) == len(RULES)
