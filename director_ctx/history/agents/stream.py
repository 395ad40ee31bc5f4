"""What was said, out of what an agent streams: whichever mode it is streamed in, each message once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

MESSAGES, VALUES, UPDATES = "messages", "values", "updates"
CHUNK = "AIMessageChunk"
TOOLS = "tools"
"""The node that runs tools. What a model says in there is said to the tool."""
_ENVELOPE = {"type", "ns", "data"}


class Overheard:
    """Collects into a list that begins with what the agent was given."""

    def __init__(self, given: Sequence[Any], shorter: Sequence[Any], mode: str | Sequence[str] | None) -> None:
        self._said = list(given)
        self._given = len(shorter)
        self._known = {named for one in (*shorter, *given) if (named := _id(one))}
        self._mode = mode if isinstance(mode, str) else None
        modes = {mode} if isinstance(mode, str) else set(mode or ())
        self._whole = bool(modes & {VALUES, UPDATES})
        """Whether whole messages come anyway: then pieces of them tell nothing new."""
        self._pieces: dict[str, tuple[int, list[Any]]] = {}

    @property
    def said(self) -> list[Any]:
        """Everything up to now. Pieces are put together only here, because a long answer has thousands."""
        for name, (place, pieces) in self._pieces.items():
            if len(pieces) > 1 or self._said[place] is pieces[0]:
                self._said[place], whole = _together(pieces)
                self._pieces[name] = (place, [whole])
        return self._said

    def take(self, event: Any) -> None:
        mode, data = _opened(event, self._mode)
        if mode == MESSAGES or (mode is None and _is_spoken(data)):
            if not self._whole and _is_spoken(data):
                self._hear(*data)
        elif mode in (None, VALUES, UPDATES) and isinstance(data, dict):
            self._read(data)

    def _read(self, state: Mapping[str, Any]) -> None:
        """A whole state, or what a node adds to it."""
        if isinstance(state.get(MESSAGES), list):
            self._add(state[MESSAGES][self._given :])
            return
        for update in state.values():
            if isinstance(update, dict) and isinstance(update.get(MESSAGES), list):
                self._add(update[MESSAGES])

    def _hear(self, message: Any, about: Mapping[str, Any]) -> None:
        """A message, or a piece of one."""
        node = str(about.get("langgraph_node") or "")
        if message.type not in (CHUNK, "ai"):
            self._add([message])
        elif node != TOOLS and "." not in node:  # Middlewares have nodes with a dot in their names.
            self._spoken(message, _id(message) or str(about.get("langgraph_checkpoint_ns") or ""))

    def _spoken(self, message: Any, name: str) -> None:
        if message.type != CHUNK and name not in self._pieces:
            self._add([message])
        elif message.type != CHUNK:  # It was streamed, and comes as a whole now.
            self._said[self._pieces.pop(name)[0]] = message
            self._known.add(name)
        elif name in self._pieces:
            self._pieces[name][1].append(message)
        elif name not in self._known:
            self._pieces[name] = (len(self._said), [message])
            self._said.append(message)

    def _add(self, found: Iterable[Any]) -> None:
        found = list(found)
        for message in found:
            named = _id(message)
            if named in self._known or any(message is one for one in self._said[-len(found) - 20 :]):
                continue
            self._said.append(message)
            if named:
                self._known.add(named)


def _opened(event: Any, mode: str | None) -> tuple[str | None, Any]:
    """The mode, and what is streamed in it; where several graphs stream, without saying which."""
    if isinstance(event, dict) and event.keys() >= _ENVELOPE:
        return event["type"], event["data"]
    if isinstance(event, tuple) and len(event) > 1 and isinstance(event[0], tuple):
        event = event[1:] if len(event) > 2 else event[1]
    if isinstance(event, tuple) and len(event) == 2 and isinstance(event[0], str):
        return event
    return mode, event


def _is_spoken(data: Any) -> bool:
    return isinstance(data, tuple) and len(data) == 2 and hasattr(data[0], "model_copy") and isinstance(data[1], dict)


def _together(pieces: Sequence[Any]) -> tuple[Any, Any]:
    """A message of all its pieces; and as one piece, for what may still come."""
    from langchain_core.messages import message_chunk_to_message

    first, *others = pieces
    whole = first.__add__(others) if others else first
    return message_chunk_to_message(whole), whole


def _id(message: Any) -> str:
    found = message.get("id") if isinstance(message, dict) else getattr(message, "id", None)
    return found if isinstance(found, str) else ""
