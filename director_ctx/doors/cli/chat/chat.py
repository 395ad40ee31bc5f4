"""`dctx chat`: one message and its answer, or a conversation for whoever sits at the terminal."""

from __future__ import annotations

import sys

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.chat.conversation import DirectorConversation
from director_ctx.chat.steps import ANSWERED_WELL
from director_ctx.doors.cli.chat.screen import ChatScreen
from director_ctx.doors.cli.shared.output import is_on_screen, put, put_json
from director_ctx.doors.cli.shared.speak import is_terminal, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.chat.steps import Turn

LONGEST = 4_000_000
"""Bytes of a message that is piped in."""


def run(values: dict[str, Any]) -> int:
    if values["list"]:
        from director_ctx.doors.cli.chat.listing import list_chats

        return list_chats(values)
    message = _message(values)
    screen = ChatScreen()
    with _opened(values, screen) as conversation:
        if message is None:
            # Only who sits at a terminal waits for it.
            from director_ctx.doors.cli.chat.terminal import talk

            return talk(conversation, screen)
        return _answer(conversation, message, values["json"], screen)


def _message(values: dict[str, Any]) -> str | None:
    """What is to be said; None where somebody is there to say it."""
    message = values["message"]
    if message is not None and message != "-":
        return str(message)
    if message is None and is_terminal():
        if values["json"]:
            raise UsageProblem("--json is for a single message.", "Give one, or pipe it in.")
        return None
    from director_ctx.doors.cli.shared.text_input import read_named

    # Without a standard input nothing is piped in, and a chat has no file to name.
    piped = read_named("-", "chat", LONGEST) if sys.stdin else ""
    if not piped.strip():
        raise UsageProblem("There is nothing to say.", "dctx chat 'What is next?'")
    return piped


def _opened(values: dict[str, Any], screen: ChatScreen) -> DirectorConversation:
    go_on = values["id"]
    if values["continue_"]:
        if go_on:
            raise UsageProblem("--continue and --id are two chats.", "Give one of them.")
        go_on = ""
    more: dict[str, Any] = {}
    if values["write"]:
        from director_ctx.doors.cli.clients.mcp import writable_areas

        more["write"] = writable_areas(values["write"])
    if values["limit"]:
        from director_ctx.context.tokens.counting import whole

        more["limit"] = whole(values["limit"], "--limit")
    for name in ("tools", "reset", "held", "editing"):
        if values[name]:
            more[name] = values[name]
    return DirectorConversation(
        values["root"],
        model=values["model"],
        base_url=values["base_url"],
        context=values["context"],
        background=values["background"],
        check_cache=values["check_cache"],
        go_on=go_on,
        on_notice=say,
        on_use=screen.tell_use,
        **more,
    )


def _answer(
    conversation: DirectorConversation, message: str, as_json: bool, screen: ChatScreen
) -> int:
    if as_json or not is_on_screen():
        turn = conversation.say(message)
        if as_json:
            put_json(turn_json(conversation, turn))
        elif turn.text:
            put(f"{turn.text}\n")
    else:
        turn = conversation.say(message, screen.take)
        screen.end()
        _tell_id(conversation)
    if turn.ended != ANSWERED_WELL:
        raise DctxError(turn.why, turn.hint)
    return OK


def _tell_id(conversation: DirectorConversation) -> None:
    from director_ctx.doors.cli.chat.going_on import going_on

    say(f"`{going_on(conversation)}` goes on with this chat.")


def turn_json(conversation: DirectorConversation, turn: Turn) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    for result in turn.results:
        call = {
            "tool": result.use.name,
            "arguments": result.use.arguments,
            "error": result.is_error,
        }
        calls.append(call)
    usage = turn.usage
    return {
        "chat": conversation.id,
        "model": conversation.provider.model,
        "text": turn.text,
        "ended": turn.ended,
        "why": turn.why,
        "calls": calls,
        "response": turn.response,
        "tokens": turn.tokens,
        "limit": conversation.limit,
        "usage": {
            "requests": usage.requests,
            "input": usage.input,
            "cached": usage.cached,
            "written": usage.written,
            "output": usage.output,
        },
        "cache": list(turn.cache),
    }
