"""An event that the client of a running server asks about, where it would start `dctx hook` otherwise:
answered by the same code, in the same time, and with nothing where something is wrong.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from time import monotonic

from director_ctx.base.light_json import parse
from director_ctx.base.system.due import answer_by
from director_ctx.clients.hooks.answer import answer_in
from director_ctx.clients.presence import claim
from director_ctx.clients.protocol import event_name, read_event, text_of
from director_ctx.doors.cli.clients.hook import (
    DEADLINE,
    SHARE_OF_OTHERS,
    find_root,
    is_off,
    why_none,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Told = dict[str, Any]


class WarmHook:
    """One event. A thread of its own works on the answer, so that a slow disk holds nobody up."""

    def __init__(self, given: Told) -> None:
        self._given = given
        self._root = ""
        self._name = f"{text_of(given, 'client')} {event_name(given)}"
        self._text = ""
        self._done = allocate_lock()

    def answer(self) -> str:
        self._done.acquire()
        start_new_thread(self._work, ())
        if self._done.acquire(timeout=DEADLINE):
            return self._text
        start_new_thread(self._write_down, (f"gave no answer within {DEADLINE:g} seconds",))
        return ""

    def _work(self) -> None:
        try:
            self._text = self._answer()
        except BaseException as error:
            self._write_down(f"gave no answer: {why_none(error)}")
        finally:
            self._done.release()

    def _answer(self) -> str:
        answer_by(monotonic() + DEADLINE * SHARE_OF_OTHERS)
        if is_off():
            return ""
        self._root = find_root(text_of(self._given, "cwd"))
        if not self._root:
            return ""
        event = read_event(_as_event(self._given), text_of(self._given, "client"))
        # Whatever else happens is the program's, which alone keeps conversations.
        if event is None or event.kind not in event.client.by_tool:
            return ""

        part = text_of(self._given, "part")
        answer = answer_in(self._root, event, part)
        # The program beside us may have been faster, where this server has only just begun.
        if answer and not claim(event.key(part)):
            return ""
        return answer

    def _write_down(self, message: str) -> None:
        from director_ctx.project.hook_log import log

        try:
            # Without a project there is nobody to tell, and nowhere to write.
            if self._root:
                log(self._root, f"{self._name}: {message}")
        except BaseException:
            pass


def _as_event(given: Told) -> Told:
    """The event as a program would get it: what is no text came as the JSON of it."""
    tool_input = text_of(given, "tool_input")
    if not tool_input:
        return given
    return {**given, "tool_input": parse(tool_input)}
