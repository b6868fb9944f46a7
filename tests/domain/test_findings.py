"""Findings: what they say of themselves, and how many are shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kestrel_skills_core.domain.findings import Finding, Rule, capped, faults_of

FAULT = Rule("KS901", "error", "a fault", "mend it")
ADVICE = Rule("KS902", "info", "advice", "think of it")
WARNING = Rule("KS903", "warning", "a warning", "mend it soon")
MORE = "; more was found than is shown"

findings = st.builds(
    Finding,
    st.sampled_from([FAULT, WARNING, ADVICE]),
    st.sampled_from([".", "SKILL.md", "a.md"]),
    st.just("it is so"),
    st.integers(0, 5),
    st.integers(0, 5),
)


def at(line: int, rule: Rule = FAULT) -> Finding:
    """A finding in that line."""
    return Finding(rule, "SKILL.md", "it is so", line, 1)


class TestFinding:
    def test_the_particular_advice_goes_before_the_general(self) -> None:
        """The fix is the finding's own where it has one, else the rule's."""
        assert Finding(FAULT, ".", "x").fix == "mend it"
        assert Finding(FAULT, ".", "x", advice="write `y`").fix == "write `y`"

    def test_it_reads_as_compilers_write(self) -> None:
        """File, line and column, code, message; without line and column where the whole file is meant."""
        assert str(Finding(FAULT, "SKILL.md", "it is so", 3, 14)) == "SKILL.md:3:14: KS901 it is so"
        assert str(Finding(FAULT, "SKILL.md", "it is so")) == "SKILL.md: KS901 it is so"

    def test_code_and_severity_are_the_rules(self) -> None:
        """A finding has them from its rule."""
        assert (at(1).code, at(1).severity) == ("KS901", "error")


class TestFaultsOf:
    def test_only_errors_are_faults_and_they_come_in_reading_order(self) -> None:
        """Advice is left out, lines ascend."""
        assert faults_of([at(9), at(1, ADVICE), at(2)]) == (at(2), at(9))

    @given(st.lists(findings))
    def test_faults_are_sorted_errors(self, found: list[Finding]) -> None:
        """Every fault is there, and nothing else, by file, line, column and code."""
        faults = faults_of(found)
        assert len(faults) == sum(each.rule is FAULT for each in found)
        assert list(faults) == sorted(faults, key=lambda each: (each.file, each.line, each.column, each.code))


class TestCapped:
    def test_sixty_four_are_shown_as_they_are(self) -> None:
        """Up to the limit nothing is cut or marked."""
        assert capped(at(line) for line in range(64, 0, -1)) == tuple(at(line) for line in range(1, 65))

    def test_of_sixty_five_the_last_shown_says_that_there_are_more(self) -> None:
        """The limit is 64, in reading order."""
        shown = capped(at(line) for line in range(65, 0, -1))
        assert [each.line for each in shown] == list(range(1, 65))
        assert [each.message for each in shown] == ["it is so"] * 63 + ["it is so" + MORE]

    def test_faults_are_shown_before_advice(self) -> None:
        """A fault at the end of a file is not lost behind advice at its begin."""
        shown = capped([*(at(line, ADVICE) for line in range(1, 70)), at(99)])
        assert len(shown) == 64
        assert shown[-1].rule is FAULT

    def test_warnings_are_shown_before_information(self) -> None:
        """What should be mended goes before what is merely to be known."""
        shown = capped([*(at(line, ADVICE) for line in range(1, 70)), at(99, WARNING)])
        assert len(shown) == 64
        assert shown[-1].rule is WARNING

    def test_capping_again_marks_the_last_only(self) -> None:
        """What was cut before and is cut again, with more, has one mark."""
        shown = capped([*capped(at(line) for line in range(65)), at(999)])
        assert [each.message.count(MORE) for each in shown] == [0] * 63 + [1]

    @given(st.lists(findings, max_size=140))
    def test_the_cap_keeps_order_and_weight(self, found: list[Finding]) -> None:
        """At most 64, sorted, no advice where a fault was dropped, a mark if, and only if, something was."""
        shown = capped(found)
        assert len(shown) == min(len(found), 64)
        assert list(shown) == sorted(shown, key=lambda each: (each.file, each.line, each.column, each.code))
        assert (len(found) > 64) == any(each.message.endswith(MORE) for each in shown)
        dropped_faults = len(faults_of(found)) - len(faults_of(shown))
        assert dropped_faults == 0 or len(faults_of(shown)) == 64
        assert capped(shown) == shown
