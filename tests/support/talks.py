"""Conversations and the store that keeps what was cut from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


def text(number: int) -> str:
    return f"What the tool said {number}.\n" * 40


def run(turns: int = 12) -> list[dict[str, object]]:
    """A run of so many calls."""
    made: list[dict[str, object]] = [{"role": "user", "content": "Mend it."}]
    for number in range(turns):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "bash", "arguments": '{"command": "ls"}'},
        }
        made.append({"role": "assistant", "content": None, "tool_calls": [call]})
        made.append({"role": "tool", "tool_call_id": f"c{number}", "content": text(number)})
    return made
