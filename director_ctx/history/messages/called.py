"""What a result is the result of: the call that is marked as such, else the command in the answer before it."""

from __future__ import annotations

from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, TEXT
from director_ctx.history.messages.stubs import brief, called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Message

_FENCE = "```"
_TAGS = ("command", "execute_bash", "bash", "execute", "action", "tool_call")
"""In these, agents without calls of tools write what is to be done."""


def called_before(messages: Sequence[Message]) -> dict[int, str]:
    """For each result, by the `id()` of its block, what produced it, as a stub says it."""
    found: dict[int, str] = {}
    calls: dict[str, str] = {}
    answer = ""
    for message in messages:
        if message.role == ASSISTANT:
            # Results that name no call are those of what was asked for last.
            calls.pop("", None)
            answer = next((block.text for block in reversed(message.blocks) if block.kind == TEXT), "")
        for block in message.blocks:
            if block.kind == CALL:
                calls[block.call] = called(block.tool, block.text)
            elif block.kind == RESULT and block.call in calls:
                found[id(block)] = calls[block.call]
            elif block.kind == RESULT and not block.call and answer:
                found[id(block)] = brief(command(answer) or _first_line(answer))
    return found


def command(text: str) -> str:
    """The last command in what an agent said: in a fence or in a tag; empty where there is none."""
    return max((_fenced(text), *(_tagged(text, tag) for tag in _TAGS)))[1].strip()


def _fenced(text: str) -> tuple[int, str]:
    """Where it begins, and what is in it; a fence that nobody closed goes to the end."""
    end = text.rfind(_FENCE)
    start = end if text.count(_FENCE) % 2 else text.rfind(_FENCE, 0, max(end, 0))
    if start < 0:
        return -1, ""
    inside = text[start + len(_FENCE) : end] if start < end else text[start + len(_FENCE) :]
    language, line, rest = inside.partition("\n")
    return start, rest if line and len(language.split()) <= 1 else inside


def _tagged(text: str, tag: str) -> tuple[int, str]:
    end = text.rfind(f"</{tag}>")
    start = text.rfind(f"<{tag}>", 0, max(end, 0))
    return (start, text[start + len(tag) + 2 : end]) if start >= 0 else (-1, "")


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")
