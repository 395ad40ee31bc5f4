"""`dctx chat`: one message and its answer, a conversation at the terminal, or the list of chats."""

from __future__ import annotations

import os
import sys

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.record import as_dict
from director_ctx.chat.conversation import DirectorConversation
from director_ctx.chat.kept_chats import listed_chats
from director_ctx.chat.providers.provider import ADDRESSES, address_for
from director_ctx.chat.steps import ANSWERED_WELL
from director_ctx.doors.cli.chat.terminal import ChatScreen, talk
from director_ctx.doors.cli.shared.output import is_on_screen, put, put_json
from director_ctx.doors.cli.shared.speak import is_terminal, say
from director_ctx.memory.store.open import open_conversation, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.chat.steps import Turn

LONGEST = 4_000_000
"""Bytes of a message that is piped in."""
SHORT_ID = 8


def run(values: dict[str, Any]) -> int:
    if values["list"]:
        return _list_chats(values)
    message = _message(values)
    screen = ChatScreen()
    with _opened(values, screen) as conversation:
        if message is None:
            talk(conversation, screen)
        elif values["json"] or not is_on_screen():
            turn = conversation.say(message)
            if values["json"]:
                put_json(turn_json(conversation, turn))
            elif turn.text:
                put(f"{turn.text}\n")
            return _ended(turn)
        else:
            turn = conversation.say(message, screen.take)
            screen.end()
        say(f"`{_going_on(conversation)}` goes on with this chat.")
    return OK if message is None else _ended(turn)


def _ended(turn: Turn) -> int:
    if turn.ended != ANSWERED_WELL:
        raise DctxError(turn.why, turn.hint)
    return OK


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
    write: tuple[str, ...] = ()
    if values["write"]:
        from director_ctx.doors.cli.clients.mcp import writable_areas

        write = writable_areas(values["write"])
    return DirectorConversation(
        values["root"],
        model=values["model"],
        base_url=values["base_url"],
        reset=values["reset"],
        write=write,
        go_on=go_on,
        on_notice=say,
        on_use=screen.tell_use,
    )


def _going_on(conversation: DirectorConversation) -> str:
    """The command that goes on with a chat: with its address, where the environment names another one."""
    command = f"dctx chat --id {conversation.id[:SHORT_ID]}"
    provider = conversation.provider
    is_named = bool(os.environ.get(ADDRESSES[provider.name], "").strip())
    if is_named and address_for(provider.name, None) != provider.base_url:
        command += f" --base-url {provider.place}"
    return command


def turn_json(conversation: DirectorConversation, turn: Turn) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    for result in turn.results:
        use = result.use
        calls.append({"tool": use.name, "arguments": use.arguments, "error": result.is_error})
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
        "usage": as_dict(turn.usage),
    }


def _list_chats(values: dict[str, Any]) -> int:
    if values["message"] is not None or values["id"] or values["continue_"]:
        raise UsageProblem("--list says nothing.", "Leave out the message, --id and --continue.")
    with open_conversation(project_here(values["root"])) as store:
        listed = listed_chats(store)
    if values["json"]:
        put_json([as_dict(chat) for chat in listed])
        return OK
    if not listed:
        say("There is no chat yet in this project.", "`dctx chat MESSAGE` begins one.")
        return OK
    from director_ctx.doors.cli.shared.table import put_table
    from director_ctx.doors.cli.shared.times import local_time

    rows: list[list[str]] = []
    for chat in listed:
        moment = local_time(chat.last)
        rows.append([chat.id[:SHORT_ID], moment, chat.model, chat.provider, chat.began])
    put_table(["Chat", "Last", "Model", "With", "~Began with"], rows)
    return OK
