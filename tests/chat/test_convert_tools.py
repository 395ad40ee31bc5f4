"""Definitions of tools from one form into another, and what the vendors' own types say of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openresponses_types import CreateResponseBody

from director_ctx import convert_tools
from director_ctx.base.errors import UsageProblem
from director_ctx.chat.convert_tools import FORMS

SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
CHAT = {
    "type": "function",
    "function": {"name": "look", "description": "Looks.", "parameters": SCHEMA},
}
RESPONSES = {
    "type": "function", "strict": False, "name": "look", "description": "Looks.", "parameters": SCHEMA,
}  # fmt: skip
MESSAGES = {"name": "look", "description": "Looks.", "input_schema": SCHEMA}


@pytest.mark.parametrize("tool", [CHAT, RESPONSES, MESSAGES, {**MESSAGES, "inputSchema": SCHEMA}])
def test_a_tool_of_any_form_has_every_other_one(tool: dict[str, object]) -> None:
    assert convert_tools([tool]) == [RESPONSES]
    assert convert_tools([tool], "messages") == [MESSAGES]
    (chat,) = convert_tools([tool], "chat")
    assert chat["function"]["parameters"] == SCHEMA


NAMES = st.from_regex(r"[a-zA-Z0-9_-]{1,40}", fullmatch=True)
TOOLS = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES, "parameters": st.just(SCHEMA)},
        optional={"description": st.text(max_size=20), "strict": st.booleans()},
    ).map(lambda function: {"type": "function", "function": function}),
    max_size=4,
)


@given(TOOLS)
def test_there_and_back_nothing_is_lost(tools: list[dict[str, dict[str, object]]]) -> None:
    back = convert_tools(convert_tools(tools, "responses"), "chat")
    for before, after in zip(tools, back, strict=True):
        assert after["function"] == {"strict": False, **before["function"]}


@given(TOOLS)
def test_what_comes_out_is_what_the_api_takes(tools: list[dict[str, object]]) -> None:
    body = {"model": "m", "input": "x", "tools": convert_tools(tools)}
    CreateResponseBody.model_validate(body)


def test_a_tool_of_the_providers_own_stays_as_it_is() -> None:
    for form in FORMS:
        assert convert_tools([{"type": "web_search"}], form) == [{"type": "web_search"}]


def test_a_tool_without_a_name_and_an_unknown_form_are_refused() -> None:
    for tool, form in ([{"input_schema": SCHEMA}, "chat"], [CHAT, "xml"]):
        with pytest.raises(UsageProblem):
            convert_tools([tool], form)  # type: ignore[list-item, arg-type]
