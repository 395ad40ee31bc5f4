"""A document keeps every byte that no edit names, whatever its encoding and line ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from director_ctx.upkeep.records.source import Edit, Source, parse_source, source_of

ENDS = ("\n", "\r\n", "\r")
LINES = st.lists(st.tuples(st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=12),
                           st.sampled_from(ENDS)), max_size=8)  # fmt: skip


def source(data: bytes) -> Source:
    found = parse_source(data)
    assert found
    return found


@given(st.binary(max_size=200))
def test_whatever_is_read_is_written_back_byte_for_byte(data: bytes) -> None:
    found = parse_source(data)
    assert found is None or found.data() == data


@given(LINES, st.data())
def test_replacing_a_line_leaves_all_others_and_all_ends(
    lines: list[tuple[str, str]], data: st.DataObject
) -> None:
    found = source_of("".join(text + end for text, end in lines))
    if not found.lines:
        return
    number = data.draw(st.integers(1, len(found.lines)))
    after = found.edited([Edit(number, found.line(number), "new")])
    assert after.line(number) == "new"
    assert [line for place, line in enumerate(after.lines, 1) if place != number] == [
        line for place, line in enumerate(found.lines, 1) if place != number
    ]
    back = after.edited([Edit(number, "new", found.line(number))])
    assert back.data() == found.data()


def test_several_edits_count_in_the_lines_of_the_document_before() -> None:
    found = source_of("one\ntwo\nthree\n")
    edits = [
        Edit(1, None, "after one"),
        Edit(3, "three", "3"),
        Edit(2, "two", None),
        Edit(0, None, "first"),
    ]
    assert found.edited(edits).text == "first\none\nafter one\n3"


def test_insertions_use_the_end_that_most_lines_have() -> None:
    assert (
        source(b"a\r\nb\r\nc\n").edited([Edit(1, None, "x\ny")]).data()
        == b"a\r\nx\r\ny\r\nb\r\nc\n"
    )


def test_a_document_without_a_final_line_end_keeps_having_none() -> None:
    assert source(b"a\nb").edited([Edit(2, None, "c")]).data() == b"a\nb\nc"
    assert source(b"a\nb").edited([Edit(2, "b", "c")]).data() == b"a\nc"


def test_utf_16_stays_utf_16_and_what_is_no_text_is_refused() -> None:
    data = "a\r\nb\r\n".encode("utf-16")
    assert source(data).edited([Edit(1, "a", "ä")]).data() == "ä\r\nb\r\n".encode("utf-16")
    assert parse_source(b"\xff\xfea") is None


def test_the_shown_text_has_the_same_lines_without_control_characters() -> None:
    assert source(b"a\x07b\r\n\xc2\x85c\x0b\rd").text == "ab\nc\nd"
