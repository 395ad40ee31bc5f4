"""Requests and answers in the form of OpenAI's Responses API; pure."""

from __future__ import annotations

from director_ctx.base.light_json import dump, parse
from director_ctx.base.text import well_formed
from director_ctx.chat.endings import REFUSAL
from director_ctx.chat.exchange import (
    INCOMPLETE,
    KEEPS_NOTHING,
    LATER,
    UNFINISHED,
    ExchangeFailure,
    Reply,
    ToolUse,
    TurnUsage,
)
from director_ctx.chat.providers.no_answer import AGAIN, ErrorSaid, NotAnAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.chat.exchange import Asked, Item

DELTA = "response.output_text.delta"
ERROR = "error"
ENDINGS = ("response.completed", "response.incomplete", "response.failed")
_GONE = ("failed", "cancelled")


def body(asked: Asked) -> dict[str, Any]:
    """The request, without what says how its answer travels."""
    request: dict[str, Any] = {
        "model": asked.model,
        "instructions": asked.instructions,
        "input": list(asked.items),
        "store": asked.store,
    }
    if asked.tools:
        request["tools"] = list(asked.tools)
        request["tool_choice"] = "auto" if asked.may_call else "none"
    if not asked.store:
        # What the model thought comes along sealed, and goes back with what it led to.
        request["include"] = ["reasoning.encrypted_content"]
    if asked.checks_cache and asked.compared:
        request["prompt_cache_options"] = {"comparison_response_id": asked.compared}
    if asked.previous:
        request["previous_response_id"] = asked.previous
    if asked.background:
        request["background"] = True
    return request


def reply_of(document: Mapping[str, Any], previous: str | None = None) -> Reply | ExchangeFailure:
    """What an answer says. `previous` is what the request stood on."""
    status = str(document.get("status") or "completed")
    if status in _GONE:
        if document.get("error"):
            raise ErrorSaid(document["error"])
        return ExchangeFailure(LATER, f"The answer was {status}.", AGAIN)
    is_whole = isinstance(document.get("output"), list)
    if not is_whole and status not in UNFINISHED:
        raise NotAnAnswer
    if previous and document.get("previous_response_id") != previous:
        # A server that takes every id and keeps none answers as if nothing had been said before.
        return ExchangeFailure(KEEPS_NOTHING, "The provider kept nothing of what was said before.")

    texts: list[str] = []
    calls: list[ToolUse] = []
    cut = _why_cut(document, status)
    lost_call = False
    output = document.get("output") or ()
    for item in output:
        kind = item.get("type")
        if kind == "message":
            texts.append(_text_of(item))
            cut = cut or _refusal(item)
        elif kind == "function_call" and _is_cut(item, status):
            lost_call = True
        elif kind == "function_call":
            arguments = item["arguments"]
            if not isinstance(arguments, str):
                arguments = dump(arguments)
            use = ToolUse(str(item["call_id"]), str(item["name"]), well_formed(arguments))
            calls.append(use)
    text = "\n\n".join(filter(None, texts))
    usage = _usage(document.get("usage"))
    return Reply(
        id=str(document["id"]),
        text=well_formed(text),
        calls=tuple(calls),
        thoughts=_sealed(output, status),
        cut=cut,
        lost_call=lost_call,
        cache=_cache(document.get("prompt_cache_diagnostics")),
        usage=usage,
        status=status,
    )


def _sealed(output: Sequence[Item], status: str) -> tuple[Item, ...]:
    """The whole answer as it came, where there are thoughts in it that can be given back."""
    has_thoughts = any(item.get("encrypted_content") for item in output)
    if status == INCOMPLETE or not has_thoughts:
        return ()
    return tuple(output)


def _cache(told: Mapping[str, Any] | None) -> str:
    if not told:
        return ""
    return str(told.get("reason") or told.get("type") or "")


def _is_cut(item: Mapping[str, Any], status: str) -> bool:
    """Whether the answer ended in the middle of a call."""
    if status != INCOMPLETE:
        return False
    return item.get("status") == INCOMPLETE or not _is_json(str(item["arguments"]))


def _is_json(text: str) -> bool:
    try:
        parse(text or "{}")
    except ValueError:
        return False
    return True


def _why_cut(document: Mapping[str, Any], status: str) -> str:
    if status != INCOMPLETE:
        return ""
    details = document.get("incomplete_details") or {}
    return str(details.get("reason") or INCOMPLETE)


def _refusal(item: Mapping[str, Any]) -> str:
    """Where the model says that it will not answer."""
    parts = item.get("content") or ()
    return REFUSAL if any(part.get("type") == REFUSAL for part in parts) else ""


def _text_of(item: Mapping[str, Any]) -> str:
    pieces: list[str] = []
    for part in item.get("content") or ():
        pieces.append(str(part.get("text") or part.get("refusal") or ""))
    return "".join(pieces)


def _usage(document: Mapping[str, Any] | None) -> TurnUsage:
    if not document:
        return TurnUsage(requests=1)
    details = document.get("input_tokens_details") or {}
    return TurnUsage(
        input=int(document.get("input_tokens") or 0),
        cached=int(details.get("cached_tokens") or 0),
        written=int(details.get("cache_write_tokens") or 0),
        output=int(document.get("output_tokens") or 0),
        requests=1,
    )
