"""Characters that nobody sees: kept where writing needs them, shown everywhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx.base.unseen import is_unseen, show_unseen, unseen_in, without_unseen, written


@pytest.mark.parametrize(
    "text",
    [
        "Grüße — “quoted”, naïve, № 5…",
        "👩\u200d💻 👨🏽\u200d🦰 ❤\ufe0f\u200d🔥 ⚠\ufe0f ✅ 1\ufe0f⃣ #\ufe0f⃣ ©\ufe0f 🏳\ufe0f\u200d🌈 ☺\ufe0e",
        "می\u200cخواهم کتاب\u200cها را بخوانم",  # Persian, with joiners that keep letters apart
        "क्\u200dष क्\u200cष ශ්\u200dරී",  # Hindi and Sinhala, with both joiners
        "ภาษา\u200bไทย ភាសា\u200bខ្មែរ",  # Thai and Khmer, with blanks of no width
        "Donau\u00addampf\u00adschiff",  # soft hyphens
        "שלום!\u200f (abc)\u200e עולם",  # Hebrew, with marks of direction
        "العربية \u200eC++\u200e نص",
        "葛\U000e0100城市",  # an ideograph with a selector
        "ᠮᠣᠩᠭᠣᠯ\u180b ᠬᠡᠯᠡ",
        "\ufeff# Vision",  # a byte order mark, at the beginning
        "日本語　の文章",  # a wide blank
        "thin\u202fblank and\u00a0a line\u2028end",
    ],
)
def test_what_writing_needs_stays(text: str) -> None:
    assert show_unseen(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("in\u200bvisible", "in\\u200bvisible"),
        ("access\u202e level\u202c", "access\\u202e level\\u202c"),
        ("\u2066user\u2069", "\\u2066user\\u2069"),
        ("word\u2060joined \u2062 \ufeff", "word\\u2060joined \\u2062 \\ufeff"),
        ("a\U000e0068\U000e0069", "a\\udb40\\udc68\\udb40\\udc69"),
        ("a\ufe0f b\u200d c\u200c", "a\\ufe0f b\\u200d c\\u200c"),
        ("😀\ufe0f\ufe0e\U000e0100", "😀\ufe0f\\ufe0e\\udb40\\udd00"),
        ("क\u200d\u200d\u200c", "क\u200d\\u200d\\u200c"),
        ("co\xad\xadop \xad", "co\\u00ad\\u00adop \\u00ad"),
        ("plain\u200e text\u200f", "plain\\u200e text\\u200f"),
        ("שלום\u202e", "שלום\\u202e"),
        ("filler \u3164 \uffa0 \u115f", "filler \\u3164 \\uffa0 \\u115f"),
        ("next\x85line", "next\\u0085line"),
    ],
)
def test_what_means_nothing_where_it_stands_is_shown(text: str, shown: str) -> None:
    assert show_unseen(text) == shown


@given(
    st.text(
        st.sampled_from(
            "aZ1 \nクкص क😀⚠ภש\u200b\u200c\u200d\u200e\u200f\u202e\u2066"
            "\ufe0f\ufe00\xad\ufeff\U000e0041\U000e0100\u180b\u17b4"
        )
    )
)
@settings(max_examples=200)
def test_showing_twice_changes_nothing_more_and_loses_nothing(text: str) -> None:
    shown = show_unseen(text)
    assert show_unseen(shown) == shown
    for char in unseen_in(text):
        assert shown.count(char) + shown.count(written(char)) == text.count(char)


@given(st.text())
def test_without_the_unseen_nothing_unseen_is_left(text: str) -> None:
    bare = without_unseen(text)
    assert unseen_in(bare) == frozenset()
    assert bare == "".join(char for char in text if not is_unseen(char))
    assert show_unseen(bare) == bare


@pytest.mark.parametrize(
    "piece", ["\u200d", "क\u200d", "\U000e0041", "a\xad", "\u200e", "ש\u200e", "😀\ufe0f"]
)
def test_work_grows_with_the_text_and_not_faster(piece: str) -> None:
    assert len(show_unseen(piece * (300_000 // len(piece)))) >= 300_000
