"""Each request extends the one before: which beginnings are known, and how other text is put in
their place.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.history.proxy.cuts import PrefixCut, PrefixCuts, chain, unmarked
from director_ctx.history.proxy.request import Body, written

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
LISTS = st.lists(VALUES, max_size=6)
STYLES = st.sampled_from([{}, {"separators": (",", ":")}, {"indent": 1}, {"ensure_ascii": False}])


def body(*messages: Any, **more: Any) -> Body:
    return Body(json.dumps({"model": "m", "messages": list(messages), **more}), "messages")


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text, **more}]}


def cut(length: int, text: str | None = "{}", reach: int = 10) -> PrefixCut:
    return PrefixCut(length, text, 1, 1, 100, reach)


@given(LISTS, LISTS, st.integers(0, 6), STYLES)
def test_what_is_kept_is_the_same_text_and_what_is_replaced_is_the_same_value(
    messages: list[Any], instead: list[Any], kept: int, style: dict[str, Any]
) -> None:
    text = json.dumps({"a": [1, 2], "messages": messages, "z": {"messages": 3}}, **style)
    read = Body(text, "messages")
    assert read.document == json.loads(text) and read.elements == messages
    assert [json.loads(read.raw(place)) for place in range(len(messages))] == messages
    kept = min(kept, len(messages))
    made = read.spliced(written(instead), kept)
    assert json.loads(made) == {
        "a": [1, 2],
        "messages": [*instead, *messages[kept:]],
        "z": {"messages": 3},
    }
    for place in range(kept, len(messages)):
        assert read.raw(place) in made


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"messages":[1', '{"messages":[1}', '{"messages":[1 2]}', '{"messages":[],"messages":[]}',
     '{"a":1}x', '{"a" 1}', "{1:2}", "\ufeff{}"],
)  # fmt: skip
def test_what_is_no_object_or_says_something_twice_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Body(text, "messages")


def test_messages_that_are_not_listed_are_none() -> None:
    assert Body('{"input": "hello"}', "input").elements == [] and Body("{}", "input").elements == []


def test_half_a_character_is_written_by_its_number() -> None:
    assert written([{"a": "\ud800"}, "é"]) == '{"a":"\\ud800"},"\\u00e9"'
    assert written(["é"]) == '"é"'


def test_marks_for_the_cache_and_the_form_of_a_text_make_no_difference() -> None:
    plain = chain(body({"role": "user", "content": "a"}, said("b")))
    assert plain == chain(body(said("a"), said("b", cache_control={"type": "ephemeral"})))
    assert plain == chain(
        Body(
            '{"messages":[{"content":"a","role":"user"},' + json.dumps(said("b")) + "]}", "messages"
        )
    )
    assert plain != chain(body(said("a"), said("b", cache="x")))


def test_a_call_may_have_an_argument_of_that_name() -> None:
    def call(value: str) -> dict[str, Any]:
        return {
            "role": "assistant",
            "content": [{"type": "tool_use", "input": {"cache_control": value}}],
        }

    assert unmarked(call("a")) == call("a")
    assert chain(body(call("a"))) != chain(body(call("b")))


def test_marks_are_taken_out_of_results_too() -> None:
    inner = {"type": "text", "text": "x", "cache_control": {}}
    marked = {
        "role": "user",
        "content": [{"type": "tool_result", "content": [inner], "cache_control": {}}],
    }
    assert "cache_control" not in json.dumps(unmarked(marked))
    assert "cache_control" in json.dumps(marked), "the value itself stays"


def test_replacements_take_no_more_room_than_they_may() -> None:
    steady = PrefixCuts(largest=100)
    links = [chain(body(said(name), said("end"))) for name in "abc"]
    for one in links:
        steady.keep(one, cut(1, "x" * 60))
    assert [bool(steady.find(one)) for one in links] == [False, False, True]
