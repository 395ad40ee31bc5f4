"""What each client accepts as the answer of a hook, by its own schema, and what is wrong with one
that it gets.
"""

from __future__ import annotations

from director_ctx.clients.protocol import event_name, text_of
from director_ctx.clients.table import SPAWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from director_ctx.clients.table import Client

_SPECIFIC = "hookSpecificOutput"
_COMMON = frozenset(("continue", "stopReason", "suppressOutput", "systemMessage", _SPECIFIC))
_SPECIFIC_KEYS = {
    "PreToolUse": ("updatedInput", "additionalContext"),
    "BeforeTool": ("tool_input", "additionalContext"),
}
"""Where it is more than context. Keys that decide about a permission are left out: ours never do."""
_CODEX_KEYS = ("permissionDecision", "updatedInput")
"""Codex passes over a changed input without a decision, and asks nobody before it spawns."""
_CURSOR_KEYS = {
    "preToolUse": frozenset(("updated_input",)),
    "sessionStart": frozenset(("additional_context", "env")),
}
_ON_TOP = frozenset(("additionalContext",))
_INPUTS = ("updatedInput", "tool_input", "updated_input")
_CONTEXTS = ("additionalContext", "additional_context")


def faults_of_answer(client: Client, event: Mapping[str, Any], answer: object) -> tuple[str, ...]:
    """Why the client would refuse this answer, or cut it; nothing for an answer that is as it
    should be.
    """
    if not isinstance(answer, dict):
        return ("the answer is no JSON object",)
    name = event_name(event)
    known = _COMMON
    if client.name == "cursor":
        known = _CURSOR_KEYS.get(name, frozenset())
    elif client.on_top and _SPECIFIC not in answer:
        known = _ON_TOP
    faults = _unknown(answer, known)
    fields = answer
    if known is _COMMON:
        fields = answer.get(_SPECIFIC, {})
        if not isinstance(fields, dict):
            return (f"{_SPECIFIC} is no JSON object",)
        keys = _SPECIFIC_KEYS.get(name, ("additionalContext",))
        if client.name == "codex" and name == "PreToolUse":
            keys = _CODEX_KEYS
        faults += _unknown(fields, frozenset(("hookEventName", *keys)))
        said = fields.get("hookEventName")
        # An answer that says nothing of the event need not name it either.
        if fields and said != name:
            faults.append(f"hookEventName is {said!r} and not {name!r}")
    return (*faults, *_fields(client, event, fields))


def _unknown(fields: Mapping[str, Any], known: frozenset[str]) -> list[str]:
    return [f"{key} is not a key that it accepts" for key in sorted(set(fields) - known)]


def context_of(answer: Mapping[str, Any]) -> str:
    """The text that an answer puts into a context, or the prompt that it gives to a sub-agent."""
    inner = answer.get(_SPECIFIC, answer)
    if not isinstance(inner, dict):
        return ""
    for key in (*_CONTEXTS, *_INPUTS):
        if key not in inner:
            continue
        value = inner[key]
        if isinstance(value, dict):
            return text_of(value, "prompt", "message")
        return str(value)
    return ""


def kind_of(answer: Mapping[str, Any]) -> str:
    """`prompt` for one that rewrites a prompt, `context` for one that adds a context, `nothing` for
    neither.
    """
    inner = answer.get(_SPECIFIC, answer)
    if not isinstance(inner, dict):
        return "nothing"
    if any(key in inner for key in _INPUTS):
        return "prompt"
    if any(key in inner for key in _CONTEXTS):
        return "context"
    return "nothing"


def _fields(
    client: Client,
    event: Mapping[str, Any],
    fields: Mapping[str, Any],
) -> Iterator[str]:
    for key in _CONTEXTS:
        text = fields.get(key)
        if not isinstance(text, str):
            continue
        # Counted as the client counts, in units of UTF-16 or in bytes.
        size = client.size(text)
        if size > client.cap:
            yield f"{key} is {size:,} long, and what is over {client.cap:,} is not shown"

    is_spawn = client.events.get(event_name(event)) == SPAWN
    tool_input = event.get("tool_input")
    if not is_spawn or not isinstance(tool_input, dict):
        return
    for key in _INPUTS:
        new_input = fields.get(key)
        if not isinstance(new_input, dict):
            continue
        # What else the call says, and whether it is allowed, is not ours to decide.
        if {**tool_input, client.prompt_key: new_input.get(client.prompt_key)} != new_input:
            yield f"{key} changes more than the prompt"
