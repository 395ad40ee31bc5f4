"""Conversations in every format, right and wrong ones."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from director_ctx.history.formats import FORMATS
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    RESULT,
    SYSTEM,
    TEXT,
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
)

EACH = st.sampled_from(FORMATS)


def call(name: str, text: str = '{"path":"a.py"}') -> Block:
    return Block(CALL, text, call=name, tool="read")


def result(name: str) -> Message:
    return Message(TOOL, [Block(RESULT, f"what {name} found", call=name, tool="read")])


def told(turns: int, calls: int = 2) -> Conversation:
    """A sound conversation, in nobody's format."""
    messages = [
        Message(SYSTEM, [Block(TEXT, "Be kind.")]),
        Message(USER, [Block(TEXT, "Look after it.")]),
    ]
    for turn in range(turns):
        names = [f"c{turn}_{number}" for number in range(calls)]
        messages.append(Message(ASSISTANT, [Block(TEXT, f"Step {turn}."), *map(call, names)]))
        messages += map(result, names)
    return Conversation("openai-chat", [*messages, Message(ASSISTANT, [Block(TEXT, "Done.")])])


@st.composite
def stories(draw: st.DrawFn) -> Conversation:
    """Sound conversations with odd texts in them."""
    text = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(str.strip)
    messages = [Message(SYSTEM, [Block(TEXT, draw(text))])] if draw(st.booleans()) else []
    messages.append(Message(USER, [Block(TEXT, draw(text))]))
    for turn in range(draw(st.integers(1, 5))):
        names = [f"c{turn}_{number}" for number in range(draw(st.integers(0, 3)))]
        made = [
            call(name, json.dumps({"path": draw(text)}, separators=(",", ":"), ensure_ascii=False))
            for name in names
        ]
        messages.append(Message(ASSISTANT, [Block(TEXT, f"{turn} {draw(text)}"), *made]))
        messages += [
            Message(TOOL, [Block(RESULT, f"{name} {draw(text)}", call=name, tool="read")])
            for name in names
        ]
        if not names or draw(st.booleans()):
            messages.append(Message(USER, [Block(TEXT, f"{turn} {draw(text)}")]))
    return Conversation("openai-chat", [*messages, Message(ASSISTANT, [Block(TEXT, draw(text))])])
