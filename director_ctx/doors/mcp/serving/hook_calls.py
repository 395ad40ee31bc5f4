"""Events that a client asks this server about, where it would start `dctx hook` otherwise: answered by the
same code, in the same time, and with nothing where something is wrong.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread
from time import monotonic

from director_ctx.clients import presence
from director_ctx.clients.hooks.bounds import (
    DEADLINE,
    SHARE_OF_OTHERS,
    find_root,
    is_off,
    why_none,
)
from director_ctx.clients.protocol import event_name, text_of
from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.mcp.serving.call import ClientCall
    from director_ctx.doors.mcp.serving.peer import Peer
    from director_ctx.doors.mcp.wire.messages import Object

NOTHING = "{}"
"""Clients read the answer of a tool as that of a hook: an object that says nothing."""


def announce(call: ClientCall) -> None:
    """From here on the commands beside these hooks stay silent, where the client asks us."""
    peer = call.peer
    if peer.announced or not presence.is_possible():
        return
    for client in CLIENTS.values():
        if client.server_calls and client.server_calls == call.client:
            peer.announced = presence.announce(presence.own_name_for(client.name))


def withdraw(peer: Peer) -> None:
    if peer.announced:
        presence.withdraw(peer.announced)


def hook_result(call: ClientCall, given: Object) -> Object:
    text = NOTHING
    # Where it does not stand there, the command answers, and nobody is told twice.
    if call.peer.announced and os.path.exists(call.peer.announced):
        text = WarmHook(given).answer()
    return {"content": [{"type": "text", "text": text}], "isError": False}


class WarmHook:
    """One event. A thread of its own works on the answer, so that a slow disk holds nobody up."""

    def __init__(self, given: Object) -> None:
        self._given = given
        self._root = ""
        self._name = f"{text_of(given, 'client')} {event_name(given)}"
        self._text = NOTHING
        self._done = allocate_lock()

    def answer(self) -> str:
        self._done.acquire()
        start_new_thread(self._work, ())
        if self._done.acquire(timeout=DEADLINE):
            return self._text
        start_new_thread(self._write_down, (f"gave no answer within {DEADLINE:g} seconds",))
        return NOTHING

    def _work(self) -> None:
        try:
            self._text = self._answer() or NOTHING
        except BaseException as error:
            self._write_down(f"gave no answer: {why_none(error)}")
        finally:
            self._done.release()

    def _answer(self) -> str:
        from director_ctx.base.system.due import answer_by
        from director_ctx.clients.protocol import read_event

        answer_by(monotonic() + DEADLINE * SHARE_OF_OTHERS)
        if is_off():
            return ""
        self._root = find_root(text_of(self._given, "cwd"))
        if not self._root:
            return ""
        event = read_event(_as_event(self._given), text_of(self._given, "client"))
        if event is None:
            return ""

        from director_ctx.clients.hooks.answer import answer_in

        return answer_in(self._root, event, text_of(self._given, "part"))

    def _write_down(self, message: str) -> None:
        from director_ctx.project.hook_log import log

        try:
            # Without a project there is nobody to tell, and nowhere to write.
            if self._root:
                log(self._root, f"{self._name}: {message}")
        except BaseException:
            pass


def _as_event(given: Object) -> Object:
    """The event as a program would get it: what is no text came as the JSON of it."""
    from director_ctx.base.light_json import parse

    tool_input = text_of(given, "tool_input")
    if not tool_input:
        return given
    return {**given, "tool_input": parse(tool_input)}
