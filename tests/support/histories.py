"""Conversations for tests: chosen turn by turn, or made up by hypothesis."""

from __future__ import annotations

import json
from typing import Any
from zlib import crc32

from hypothesis import strategies as st

from director_ctx.history.formats import load
from director_ctx.history.messages.message import Conversation, measure
from director_ctx.history.messages.target import Aim
from director_ctx.history.strategies.config import ContextConfig

Raw = dict[str, Any]


def chars4(text: str) -> int:
    return (len(text) + 3) // 4


def aim(
    target: int | None = None, phase: str | None = None, keep: Any = None, **settings: Any
) -> Aim:
    return Aim(chars4, ContextConfig(**settings), target, keep, phase)


def user(text: str) -> list[Raw]:
    return [{"role": "user", "content": text}]


def said(text: str) -> list[Raw]:
    return [{"role": "assistant", "content": text}]


def acted(
    tool: str, arguments: Any, result: str, said: str | None = None, name: str = ""
) -> list[Raw]:
    """One turn: a call with its result."""
    written = json.dumps(arguments)
    name = name or f"call_{crc32((tool + written + result).encode())}"
    call = {"id": name, "type": "function", "function": {"name": tool, "arguments": written}}
    return [
        {"role": "assistant", "content": said, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": name, "content": result},
    ]


def conversation(*turns: list[Raw]) -> Conversation:
    """As a format reads it, measured."""
    found = load("openai-chat").decode([one for turn in turns for one in turn])
    measure(found.messages, chars4)
    return found


LINES = (
    "def open_box(lid):",
    "    return lid + 1",
    "name: value 17",
    "ok",
    "src/app.py:12: note",
    "warning: old",
    "x" * 90,
)
WORDS = ("a.py", "go to cart", "git commit -m 'x'", "login")
TREE = "\n".join(
    ["- generic [ref=e1]:"]
    + [
        f'  - button "Save {n}" [ref=e{n}]\n  - paragraph: some text number {n}'
        for n in range(4, 14)
    ]
)
results = st.one_of(
    st.lists(st.sampled_from(LINES), max_size=60).map("\n".join),
    st.just(f"Page URL: http://a.example/\n{TREE}"),
    st.just("\n".join(["[LOG] drawn"] * 9 + ["[ERROR] it broke"])),
    st.just("Traceback (most recent call last)\n  File 'a.py'\nValueError: no"),
    st.just("You are logged in."),
    st.just("3 passed in 0.1s"),
)
calls = st.tuples(
    st.sampled_from(("read_file", "bash", "browser_snapshot", "edit_file", "console")),
    st.dictionaries(st.sampled_from(("path", "command", "element")), st.sampled_from(WORDS)),
    results,
    st.none() | st.sampled_from(("I look.", "Now let's go on.", "The cart is next. " * 200)),
)  # fmt: skip
turns = st.one_of(
    st.sampled_from(("Please go on.", "error: this is my word for it")).map(user),
    st.sampled_from(("Done.", "I think so. " * 300)).map(said),
    *[calls.map(lambda call: acted(*call))] * 4,
)


@st.composite
def runs(draw: st.DrawFn) -> list[Raw]:
    """Openings and turns; every call has a name of its own."""
    made: list[Raw] = [{"role": "system", "content": "Be brief."}, *user("Mend the box.")]
    for number, turn in enumerate(draw(st.lists(turns, max_size=40))):
        for one in json.loads(json.dumps(turn)):
            if "tool_calls" in one:
                one["tool_calls"][0]["id"] = f"call_{number}"
            if "tool_call_id" in one:
                one["tool_call_id"] = f"call_{number}"
            made.append(one)
    return made
