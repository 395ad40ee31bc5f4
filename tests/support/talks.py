"""Conversations and the store that keeps what was cut from them."""

from __future__ import annotations


def text(number: int) -> str:
    return f"What the tool said {number}.\n" * 40


def run(turns: int = 12) -> list[dict[str, object]]:
    """A run of so many calls."""
    made: list[dict[str, object]] = [{"role": "user", "content": "Mend it."}]
    for number in range(turns):
        name, function = f"c{number}", {"name": "bash", "arguments": '{"command": "ls"}'}
        call = {"id": name, "type": "function", "function": function}
        made.append({"role": "assistant", "content": None, "tool_calls": [call]})
        made.append({"role": "tool", "tool_call_id": name, "content": text(number)})
    return made
