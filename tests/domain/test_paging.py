"""What fits into one result."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kestrel_skills_core.domain.errors import OutOfRange
from kestrel_skills_core.domain.paging import FIGURE, Page, Window, clipped, cost, first_page, fitted, page, window
from kestrel_skills_core.domain.text import FLAGS, unseen
from tests.examples import examples

ALLOWED = 8_000
DEAREST = 12
"""What a character beyond the basic plane adds to a text."""

letters = st.sampled_from('aab \n\n\r\t"\\\x00\x1f\x7fé漢\u2028\ud800🦅')
lines = st.builds(lambda width, end: "x" * width + end, st.integers(0, 40), st.sampled_from(["\n", "\r\n", ""]))
texts = st.text(letters, max_size=60) | st.text(max_size=40) | st.lists(lines, max_size=8).map("".join)
rooms = st.integers(14, 120)
words = st.text(letters, max_size=9)
values = st.lists(words | st.integers() | st.lists(words, max_size=2) | st.none(), max_size=9)


def measured(value: object) -> int:
    """How many characters a value has as the host spells it."""
    return len(json.dumps(value))


def pages(text: str, room: int) -> list[Page]:
    """All pages of a text, as a reader asks for them."""
    found = [page(text, 0, room)]
    while (offset := found[-1].next_offset) is not None:
        found.append(page(text, offset, room))
    return found


def most(text: str, room: int) -> int:
    """How many of a text's characters fit, by trying all."""
    length = 0
    while length < len(text) and measured(text[: length + 1]) <= room:
        length += 1
    return length


@pytest.mark.parametrize(
    ("value", "characters"),
    [
        ("", 2),
        ("a", 3),
        ("~", 3),
        ('"', 4),
        ("\\", 4),
        ("/", 3),
        ("\n", 4),
        ("\r\n", 6),
        ("\x00", 8),
        ("\x7f", 8),
        ("é", 8),
        ("漢", 8),
        ("\u2028", 8),
        ("\ud800", 8),
        ("🦅", 14),
        ([], 2),
        ([1, "a"], 8),
        ({"a": None}, 11),
        (FIGURE, 7),
    ],
)
def test_what_a_value_costs(value, characters):
    """Counted by hand: quotes and brackets, six for what is not ASCII, twelve beyond the basic plane."""
    assert cost(value) == characters


@settings(max_examples=examples(500))
@given(texts, texts)
def test_a_text_costs_what_the_host_measures(one, other):
    """And what a character adds does not depend on what stands around it."""
    assert cost(one) == measured(one)
    assert cost(one + other) == cost(one) + cost(other) - len('""')


class TestPage:
    @settings(max_examples=examples(500))
    @given(texts, rooms)
    def test_pages_are_together_the_text(self, text, room):
        """To its last character, each within the room, each saying where it begins and how long the whole is."""
        found = pages(text, room)
        assert "".join(each.content for each in found) == text
        assert all(measured(each.content) <= room for each in found)
        assert all(each.total_chars == len(text) for each in found)
        assert [each.offset for each in found] == [0, *(each.next_offset for each in found[:-1])]
        assert all(each.content for each in found) or text == ""

    @settings(max_examples=examples(500))
    @given(texts, rooms)
    def test_a_page_ends_after_the_last_line_end_that_fits(self, text, room):
        """Where none fits, it is as long as can be, but that it does not part a CR from its LF."""
        for each in pages(text, room):
            rest = text[each.offset :]
            fits = rest[: most(rest, room)]
            if fits == rest:
                assert each.content == rest
            elif "\n" in fits:
                assert each.content == fits[: fits.rindex("\n") + 1]
            elif rest.startswith(fits + "\n") and fits.endswith("\r"):
                assert each.content == fits[:-1]
            else:
                assert each.content == fits

    @settings(max_examples=examples(500))
    @given(texts, rooms)
    def test_two_pages_in_a_row_fill_a_room(self, text, room):
        """But for less than the dearest character: no text, whatever its lines are, has a crowd of tiny pages."""
        found = pages(text, room)
        within = [measured(each.content) - 2 for each in found]
        least = room - 2 - DEAREST
        assert all(one + other > least for one, other in pairwise(within))
        assert len(found) <= 2 * (measured(text) - 2) // (least + 1) + 1

    @given(texts, st.integers(0, 80), rooms)
    def test_a_page_begins_at_any_offset(self, text, offset, room):
        """A reader may ask for any piece, and gets what the rest of the text would give from its own beginning."""
        if offset <= len(text):
            rest = page(text[offset:], 0, room)
            found = page(text, offset, room)
            assert (found.content, found.next_offset is None) == (rest.content, rest.next_offset is None)

    def test_a_long_procedure_is_read_to_its_last_character(self):
        """40,000 characters in lines of 100, each of which costs 101: 79 lines a page."""
        text = "".join(f"{number:>6}. {'x' * 91}\n" for number in range(400))
        found = pages(text, ALLOWED)
        assert len(text) == 40_000
        assert [each.content.count("\n") for each in found] == [79, 79, 79, 79, 79, 5]
        assert "".join(each.content for each in found) == text

    def test_lines_that_are_just_too_long_together(self):
        """The worst that line ends can do: each page holds half of what it could."""
        text = ("x" * 4_000 + "\n") * 10
        assert [len(each.content) for each in pages(text, ALLOWED)] == [4_001] * 10

    @pytest.mark.parametrize(
        ("text", "room", "content", "next_offset"),
        [
            ("", 2, "", None),
            ("one\ntwo\n", 12, "one\ntwo\n", None),
            ("one\ntwo\n", 11, "one\n", 4),
            ("one\ntwo", 11, "one\ntwo", None),
            ("one\r\ntwo", 9, "one\r\n", 5),
            ("one\r\ntwo", 8, "one", 3),
            ("one\r\ntwo", 7, "one", 3),
            ("\r\ntwo", 6, "\r\n", 2),
            ("one two", 6, "one ", 4),
            ("🦅🦅", 14, "🦅", 1),
            ("漢\n", 11, "漢\n", None),
        ],
    )
    def test_the_boundaries(self, text, room, content, next_offset):
        """Each of these pages is the longest that may be."""
        assert page(text, 0, room) == Page(content, 0, next_offset, len(text))

    def test_the_end_is_an_empty_page(self):
        """Who asks at the end is told that there is no more; a text without a character has one page."""
        assert page("one\n", 4, 14) == Page("", 4, None, 4)
        assert page("", 0, 14) == Page("", 0, None, 0)

    @pytest.mark.parametrize("offset", [-1, 5, 10**30])
    def test_an_offset_beyond_the_text_is_refused(self, offset):
        """It says how long the text is."""
        with pytest.raises(OutOfRange) as caught:
            page("one\n", offset, 14)
        assert (caught.value.what, caught.value.given, caught.value.least, caught.value.most) == (
            "offset",
            offset,
            0,
            4,
        )
        assert "next_offset" in caught.value.fix

    @pytest.mark.parametrize(("text", "room"), [("a", 2), ("é", 7), ("🦅", 13), ("\r\n", 5), ("a", 0), ("a", -9)])
    def test_a_room_without_a_character_is_a_mistake_of_the_program(self, text, room):
        """Nobody would ever come to the end of it."""
        with pytest.raises(ValueError, match="too small"):
            page(text, 0, room)


class TestWindow:
    @settings(max_examples=examples(300))
    @given(values, st.integers(1, 8), st.integers(0, 60))
    def test_windows_are_together_the_list(self, items, limit, more):
        """Each item once and in order, none over the limit or the room, none cut short of what would have fitted."""
        room = max(map(measured, items), default=0) + 2 + more
        found: list[Window[object]] = []
        offset: int | None = 0
        while offset is not None:
            found.append(window(items, lambda item: item, offset=offset, limit=limit, room=room))
            shown = [*found[-1].items]
            longer = items[offset : offset + len(shown) + 1]
            assert measured(shown) <= room
            assert len(shown) == limit or longer == shown or measured(longer) > room
            offset = found[-1].next_offset
        assert [item for each in found for item in each.items] == items
        assert all(1 <= len(each.items) <= limit for each in found) or items == []
        assert all(each.total == len(items) for each in found)

    def test_items_are_shown_one_by_one(self):
        """What is shown counts, and no more is shown than is needed to see that the window is full."""
        seen: list[int] = []

        def show(item: int) -> str:
            seen.append(item)
            return "x" * item

        found = window(range(1, 900), show, offset=2, limit=50, room=18)
        assert found == Window(("xxx", "xxxx"), 4, 899)
        assert seen == [3, 4, 5]

    @pytest.mark.parametrize(("room", "fit"), [(5, 1), (9, 1), (10, 2), (14, 2), (15, 3)])
    def test_the_boundaries(self, room, fit):
        """Three texts of one character: brackets, quotes, and a comma with its space between."""
        assert len(window("abc", str, offset=0, limit=9, room=room).items) == fit

    def test_the_end_is_an_empty_window(self):
        """Who asks at the end is told that there is no more; so is who asks for a list of nothing."""
        assert window([1, 2], str, offset=2, limit=5, room=9) == Window((), None, 2)
        assert window([], str, offset=0, limit=5, room=9) == Window((), None, 0)

    @pytest.mark.parametrize(
        ("offset", "limit", "text"),
        [
            (3, 1, "the offset is 3, and must be from 0 to 2"),
            (-1, 1, "the offset is -1, and must be from 0 to 2"),
            (0, 0, "the limit is 0, and must be 1 or more"),
        ],
    )
    def test_what_is_out_of_range_is_refused(self, offset, limit, text):
        """A list may have become shorter since: it says how long it is."""
        with pytest.raises(OutOfRange) as caught:
            window([1, 2], str, offset=offset, limit=limit, room=9)
        assert str(caught.value) == text

    def test_an_item_that_does_not_fit_is_a_mistake_of_the_program(self):
        """Whoever shows items keeps each within the room."""
        with pytest.raises(ValueError, match="does not fit"):
            window(["abc"], str, offset=0, limit=1, room=6)


class TestFirstPage:
    @settings(max_examples=examples(300))
    @given(texts, values, st.integers(19, 200))
    def test_both_share_the_room(self, text, beside, room):
        """What stands beside the text takes a quarter, or what the whole text leaves; the text has all the rest."""
        found, shown = first_page(text, beside, room)
        assert measured(found.content) + measured(shown) <= room
        assert shown == beside[: len(shown)]
        part = max(room // 4, room - measured(text))
        longer = beside[: len(shown) + 1]
        assert measured(shown) <= part
        assert longer == shown or measured(longer) > part
        assert found == page(text, 0, room - measured(shown))

    def test_a_short_text_leaves_its_room_to_the_list(self):
        """And a short list its own to the text; where both are long, the list has a quarter."""
        long, files = "x" * 9_000, ["y" * 96] * 90
        both = [first_page(long, files, 8_000), first_page("x", files, 8_000), first_page(long, files[:1], 8_000)]
        assert [(len(text.content), len(shown)) for text, shown in both] == [(5_998, 20), (1, 79), (7_898, 1)]


class TestClipped:
    @settings(max_examples=examples(500))
    @given(texts, st.integers(0, 300))
    def test_it_fits(self, line, room):
        """What fits is left as it is; what does not ends in an ellipsis, or is empty where that does not fit."""
        found = clipped(line, room)
        if measured(line) <= room:
            assert found == line
        elif room < 8:
            assert found == ""
        else:
            assert measured(found) <= room
            assert found.endswith("…")

    @settings(max_examples=examples(300))
    @given(
        st.lists(
            st.sampled_from(["👩\u200d💻", "❤\ufe0f", "👍🏽", "1\ufe0f\u20e3", *FLAGS, "क\u094d\u200dष", "ab "]),
            max_size=6,
        )
    )
    def test_nothing_hidden_stays_behind(self, pieces):
        """A cut through an emoji leaves what can be seen of it."""
        line = "".join(pieces)
        assert not [*unseen(line)]
        assert not [room for room in range(measured(line)) if [*unseen(clipped(line, room))]]

    @pytest.mark.parametrize(
        ("room", "found"),
        [
            (16, "one two 漢"),
            (15, "one two…"),
            (14, "one tw…"),
            (13, "one t…"),
            (12, "one…"),
            (11, "one…"),
            (10, "on…"),
            (8, "…"),
            (7, ""),
        ],
    )
    def test_the_boundaries(self, room, found):
        """Sixteen for the whole; no white space stays before the ellipsis, which costs six."""
        assert clipped("one two 漢", room) == found


class TestFitted:
    members = st.fixed_dictionaries(
        {
            "name": words,
            "fix": st.text(letters, max_size=40),
            "lines": st.lists(words, max_size=9),
            "none": st.none(),
            "figure": st.integers(),
        }
    )

    @settings(max_examples=examples(500))
    @given(members, st.integers(0, 400), st.permutations(["fix", "lines", "none", "absent"]))
    def test_the_named_are_cut_until_all_fits(self, members, room, names):
        """The first to nothing before the next is touched; each says how long it was; all else is as it was."""
        emptied = [
            members
            | {name: members[name][:0] for name in each}
            | {f"{name}_total": len(members[name]) for name in each}
            for each in ([], ["fix"], ["lines"], ["fix", "lines"])
        ]
        if min(map(measured, emptied)) > room:
            with pytest.raises(ValueError, match="too small for "):
                fitted(members, room, *names)
            return
        found = fitted(members, room, *names)
        cut = [name for name in names if f"{name}_total" in found]
        assert measured(found) <= room
        assert bool(cut) == (measured(members) > room)
        assert set(found) == {*members, *(f"{name}_total" for name in cut)}
        assert all(found[name] == members[name] for name in members if name not in cut)
        assert all(found[f"{name}_total"] == len(members[name]) for name in cut)
        assert all(measured(found[name]) < measured(members[name]) for name in cut)
        assert found["lines"] == members["lines"][: len(found["lines"])]
        assert all(not found[name] for name in cut[:-1])

    @pytest.mark.parametrize(
        ("room", "rest"),
        [
            (75, {"fix": "make it quick", "lines": [11, 22, 33, 44, 55, 66]}),
            (74, {"fix": "make it quick", "lines": [11, 22, 33, 44, 55, 66]}),
            (73, {"fix": "make it quick", "lines": [11], "lines_total": 6}),
            (72, {"fix": "make it quick", "lines": [11], "lines_total": 6}),
            (71, {"fix": "make it quick", "lines": [], "lines_total": 6}),
            (70, {"fix": "make it quick", "lines": [], "lines_total": 6}),
        ],
    )
    def test_the_boundaries(self, room, rest):
        """Counted by hand: 74 characters as it is; emptied, the list gives 22 and its total takes 18."""
        members = {"name": "tea", "fix": "make it quick", "lines": [11, 22, 33, 44, 55, 66]}
        assert fitted(members, room, "lines", "fix") == {"name": "tea", **rest}

    def test_the_next_is_cut_where_the_first_was_not_enough(self):
        """Of a long text a beginning stays; what is shorter than its own total is left whole."""
        members = {"shadowed": [1, 2], "description": "Use when it is late, and nobody is there to ask", "priority": 7}
        assert fitted(members, 98, "shadowed", "description") == {
            "shadowed": [1, 2],
            "description": "Use when it i…",
            "description_total": 47,
            "priority": 7,
        }

    def test_what_is_cut_twice_says_how_long_it_was_at_first(self):
        """The total is that of the whole, however often it is cut."""
        once = fitted({"lines": [*range(10, 60)]}, 100, "lines")
        twice = fitted(once, 60, "lines")
        assert (len(once["lines"]), len(twice["lines"])) == (17, 7)
        assert once["lines_total"] == twice["lines_total"] == 50

    def test_what_is_not_named_is_never_cut(self):
        """A token that was cut would be another token: who names too little made a mistake."""
        with pytest.raises(ValueError, match="too small for name, revision"):
            fitted({"name": "tea", "revision": "ab" * 32}, 60, "description")
