"""Every format: what is read is written back, whatever is in it, and what changed is all that
changes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_stories import EACH, stories, told

from director_ctx.history.formats import FORMATS
from director_ctx.history.formats.document import read, write
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    RESULT,
    SYSTEM,
    TEXT,
    THINKING,
    TOOL,
    USER,
    Conversation,
    said,
)
from director_ctx.history.messages.turns import turns
from director_ctx.history.valid.check import check

SAMPLES = sorted((Path(__file__).parents[1] / "samples" / "histories").iterdir())
NAMES = [path.name for path in SAMPLES]


def size(text: str) -> int:
    return len(text)


def values(data: bytes) -> list[Any]:
    """The JSON values in a text, line by line where it is lines."""
    try:
        return [json.loads(data)]
    except ValueError:
        return [json.loads(line) for line in data.splitlines() if line.endswith(b"}")]


def words(conversation: Conversation) -> list[tuple[str, str, str]]:
    """What is said, and by which kind of block; without calls nothing tells an observation from a
    text.
    """
    blocks = [block for message in conversation.messages for block in message.blocks if block.text]
    return [
        (TEXT if one.kind == RESULT and not one.call else one.kind, one.text, one.call)
        for one in blocks
    ]


def sample(name: str) -> Conversation:
    return read((SAMPLES[0].parent / name).read_bytes())


@pytest.mark.parametrize("path", SAMPLES, ids=NAMES)
def test_a_sample_is_recognised_sound_and_written_back_to_the_byte(path: Path) -> None:
    data = path.read_bytes()
    conversation = read(data)
    assert path.name.startswith(conversation.format.split("-old")[0].split(".")[0])
    assert check(conversation) == []
    assert [message.index for message in conversation.messages] == list(
        range(len(conversation.messages))
    )
    assert all(
        len({one.at for one in message.blocks}) == len(message.blocks)
        for message in conversation.messages
    )
    assert write(conversation, conversation.messages) == data


@st.composite
def injected(draw: st.DrawFn, value: Any) -> Any:
    """The same value with unknown fields in some of its objects."""
    if isinstance(value, dict):
        made = {key: draw(injected(inner)) for key, inner in value.items()}
        if "args" not in made and draw(st.integers(0, 3)) == 0:
            made["x_unknown"] = draw(
                st.sampled_from([None, 1.5, "\ud83d", "\U0001f600", [], {"a": [True]}, 10**30])
            )
        return made
    return [draw(injected(inner)) for inner in value] if isinstance(value, list) else value


@given(stories(), EACH, st.data())
@settings(max_examples=120, deadline=None)
def test_unknown_fields_survive_in_every_format(
    story: Conversation, form: str, data: st.DataObject
) -> None:
    rows = [data.draw(injected(value)) for value in values(write(story, story.messages, form))]
    source = "\n".join(json.dumps(row) for row in rows).encode()
    conversation = read(source, form)
    again = write(conversation, conversation.messages)
    assert values(again) == rows
    assert len(rows) == 1 or again == source


@given(stories(), EACH, st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_what_changed_is_read_again_and_nothing_else_changed(
    story: Conversation, form: str, random: Any
) -> None:
    conversation = read(write(story, story.messages, form), form)
    made = []
    rows = turns(conversation.messages)
    for number, row in enumerate(rows):
        first = conversation.messages[row[0]]
        if 1 < number < len(rows) - 1 and first.role == ASSISTANT and random.random() < 0.3:
            made.append(said(f"Turn {number} was here.", ASSISTANT, size))
            continue
        for place in row:
            message = conversation.messages[place]
            blocks = [
                one.changed(one.text[: len(one.text) // 2] + "…", "cut", size)
                if one.kind in (TEXT, RESULT) and one.text and random.random() < 0.4
                else one
                for one in message.blocks
            ]
            made.append(message if blocks == list(message.blocks) else message.with_blocks(blocks))
    data = write(conversation, made)
    again = read(data, form)
    assert words(again) == words(conversation.replace(messages=made))
    assert {one.rule for one in check(again)} <= {one.rule for one in check(conversation)}
    assert write(conversation, made) == data


@given(stories(), EACH)
@settings(max_examples=100, deadline=None)
def test_words_calls_and_results_go_from_every_format_to_every_other(
    story: Conversation, form: str
) -> None:
    for middle in FORMATS:
        there = read(write(story, story.messages, middle), middle)
        here = read(write(there, there.messages, form), form)
        assert sorted(words(here)) == sorted(words(there)), middle


def test_results_know_the_tool_of_their_call() -> None:
    for name in NAMES:
        for message in sample(name).messages:
            assert all(one.tool for one in message.blocks if one.kind == RESULT), name


def test_the_system_of_a_request_is_a_message_and_can_change() -> None:
    for name, key in (("anthropic.json", "system"), ("openai-responses.json", "instructions")):
        conversation = sample(name)
        first, *rest = conversation.messages
        assert first.role == SYSTEM
        changed = first.with_blocks([one.changed("Be short.", "cut", size) for one in first.blocks])
        body = json.loads(write(conversation, [changed, *rest]))
        assert "Be short." in json.dumps(body[key]) and "web shop" not in json.dumps(body)


def test_what_a_cache_is_told_stays_with_a_text_that_changed() -> None:
    conversation = sample("anthropic.json")
    first, *rest = conversation.messages
    changed = first.with_blocks([one.changed("Be short.", "cut", size) for one in first.blocks])
    body = json.loads(write(conversation, [changed, *rest]))
    assert body["system"] == [
        {"type": "text", "text": "Be short.", "cache_control": {"type": "ephemeral"}}
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_result_that_was_cut_is_nowhere_in_what_is_written(name: str) -> None:
    conversation = sample(name)
    cut = [
        message.with_blocks([
            one.changed("[cut]", "cut", size) if one.kind == RESULT else one for one in message.blocks
        ]) if any(one.kind == RESULT for one in message.blocks) else message
        for message in conversation.messages
    ]  # fmt: skip
    text = write(conversation, cut).decode()
    assert "[cut]" in text
    assert all(
        word not in text
        for word in ("def add(cart", "1 failed in", "AssertionError", '"stdout":"7"')
    )


def test_a_mark_is_left_only_where_a_format_allows_it() -> None:
    marked = {}
    for name in NAMES:
        conversation = sample(name)
        cut = [
            one.with_blocks([block.changed("-", "cut", size) if block.kind == TEXT else block for block in one.blocks])
            if one.role == ASSISTANT else one for one in conversation.messages
        ]  # fmt: skip
        marked[name] = '"compressed":true' in write(conversation, cut).decode().replace(" ", "")
    assert {name for name, mark in marked.items() if mark} == {
        "claude-code.jsonl", "claude-code-agent.jsonl", "langchain.json", "langchain-dumped.json",

    }  # fmt: skip


def test_thoughts_that_a_format_cannot_carry_are_told() -> None:
    from director_ctx.history.formats.convert import convert

    conversation = sample("anthropic.json")
    assert (
        "1 thoughts could not be carried over to openai-chat."
        in convert(conversation, conversation.messages, "openai-chat").notes
    )
    kin = write(conversation, conversation.messages, "claude-code")
    assert b'"signature":"c2ln"' in kin and THINKING in {one[0] for one in words(read(kin))}


def test_a_picture_goes_from_provider_to_provider() -> None:
    conversation = sample("anthropic.json")
    for form in ("openai-chat", "openai-responses", "codex", "langchain", "claude-code"):
        there = read(write(conversation, conversation.messages, form))
        assert (
            json.dumps(json.loads(write(there, there.messages, "anthropic"))).count("iVBORw0KGgo")
            == 2
        ), form


def test_calls_of_broken_arguments_stay_what_a_provider_accepts() -> None:
    for name in NAMES:
        conversation = sample(name)
        cut = [
            one.with_blocks([block.changed("no json", "cut", size) if block.kind == CALL else block
                             for block in one.blocks]) for one in conversation.messages
        ]  # fmt: skip
        again = read(write(conversation, cut), conversation.format)
        assert [one.rule for one in check(again) if one.rule == "arguments"] == []


def test_told_stories_have_every_kind_of_message() -> None:
    assert {message.role for message in told(3).messages} == {SYSTEM, USER, ASSISTANT, TOOL}
