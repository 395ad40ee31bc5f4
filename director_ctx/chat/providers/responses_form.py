"""Requests and answers in the form of OpenAI's Responses API; pure."""

from __future__ import annotations

from director_ctx.base.light_json import dump, parse
from director_ctx.base.text import well_formed
from director_ctx.chat.exchange import (
    INCOMPLETE,
    KEEPS_NOTHING,
    LATER,
    REFUSAL,
    UNFINISHED,
    Asked,
    ExchangeFailure,
    Reply,
    ToolUse,
    TurnUsage,
)
from director_ctx.chat.providers.failures import AGAIN, ErrorSaid, NotAnAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


DELTA = "response.output_text.delta"
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
    cut = ""
    if status == INCOMPLETE:
        cut = str((document.get("incomplete_details") or {}).get("reason") or INCOMPLETE)
    lost_call = False
    output = document.get("output") or ()
    for item in output:
        kind = item.get("type")
        if kind == "message":
            parts = item.get("content") or ()
            texts.append(
                "".join(str(part.get("text") or part.get("refusal") or "") for part in parts)
            )
            if any(part.get("type") == REFUSAL for part in parts):
                cut = cut or REFUSAL
        elif kind == "function_call" and status == INCOMPLETE and _is_cut(item):
            lost_call = True
        elif kind == "function_call":
            arguments = item["arguments"]
            if not isinstance(arguments, str):
                arguments = dump(arguments)
            use = ToolUse(str(item["call_id"]), str(item["name"]), well_formed(arguments))
            calls.append(use)
    # The whole answer as it came, where there are thoughts in it that can be given back.
    has_thoughts = any(item.get("encrypted_content") for item in output)
    return Reply(
        id=str(document["id"]),
        text=well_formed("\n\n".join(filter(None, texts))),
        calls=tuple(calls),
        thoughts=tuple(output) if has_thoughts and status != INCOMPLETE else (),
        cut=cut,
        lost_call=lost_call,
        usage=_usage(document.get("usage") or {}),
        status=status,
    )


def _is_cut(call: Mapping[str, Any]) -> bool:
    """Whether the answer ended in the middle of it."""
    if call.get("status") == INCOMPLETE:
        return True
    try:
        parse(str(call["arguments"]) or "{}")
    except ValueError:
        return True
    return False


def _usage(document: Mapping[str, Any]) -> TurnUsage:
    details = document.get("input_tokens_details") or {}
    return TurnUsage(
        input=int(document.get("input_tokens") or 0),
        cached=int(details.get("cached_tokens") or 0),
        written=int(details.get("cache_write_tokens") or 0),
        output=int(document.get("output_tokens") or 0),
        requests=1,
    )
