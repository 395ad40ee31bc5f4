"""What an agent says while it is streamed, in whichever mode: the same messages, each once."""

from __future__ import annotations

from director_ctx.history.agents.langchain_messages import is_message_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any


MESSAGES, VALUES, UPDATES = "messages", "values", "updates"
CHUNK = "AIMessageChunk"
TOOLS = "tools"
"""The node that runs tools. What a model says in there is said to the tool."""
_ENVELOPE = {"type", "ns", "data"}
"""What an event has in version 2 of LangGraph's streams."""
_LATELY = 20
"""So many of the messages before are compared with a new one that has no id."""


class StreamedAnswer:
    """An answer that comes piece by piece: its place among the messages, and the pieces up to now."""

    __slots__ = ("pieces", "place")

    def __init__(self, place: int, piece: Any) -> None:
        self.place = place
        self.pieces = [piece]


class StreamedMessages:
    """Collects into a list that begins with what the agent was given."""

    def __init__(
        self,
        given: Sequence[Any],
        shorter: Sequence[Any],
        mode: str | Sequence[str] | None,
    ) -> None:
        self._messages = list(given)
        self._begins = len(shorter)
        """How many messages a whole state begins with: what the agent was given."""
        self._known: set[str] = set()
        for message in (*shorter, *given):
            name = _id(message)
            if name:
                self._known.add(name)

        # One mode alone is not named in its events; several are, each in its own.
        self._mode: str | None = None
        modes = set(mode or ())
        if isinstance(mode, str):
            self._mode = mode
            modes = {mode}
        self._has_whole_messages = VALUES in modes or UPDATES in modes
        """Whether whole messages come anyway: then pieces of them tell nothing new."""
        self._answers: dict[str, StreamedAnswer] = {}

    @property
    def messages(self) -> list[Any]:
        """Everything up to now."""
        # Pieces are put together only here, because a long answer has thousands.
        for answer in self._answers.values():
            pieces = answer.pieces
            is_first_alone = self._messages[answer.place] is pieces[0]
            if len(pieces) > 1 or is_first_alone:
                message, whole = _together(pieces)
                self._messages[answer.place] = message
                answer.pieces = [whole]
        return self._messages

    def take(self, event: Any) -> None:
        mode, data = _opened(event, self._mode)
        if _is_message_event(data) and mode in (None, MESSAGES):
            if not self._has_whole_messages:
                message, about = data
                self._take_message(message, about)
            return
        # Other modes stream whatever tools write: it may look like a state, and is none.
        may_be_state = mode in (None, VALUES, UPDATES)
        if may_be_state and isinstance(data, dict):
            self._take_state(data)

    def _take_state(self, state: Mapping[str, Any]) -> None:
        """A whole state, or what a node adds to it."""
        messages = state.get(MESSAGES)
        if isinstance(messages, list):
            self._add(messages[self._begins :])
            return
        for update in state.values():
            if not isinstance(update, dict):
                continue
            messages = update.get(MESSAGES)
            if isinstance(messages, list):
                self._add(messages)

    def _take_message(self, message: Any, about: Mapping[str, Any]) -> None:
        """A message, or a piece of one."""
        if message.type not in (CHUNK, "ai"):
            self._add([message])
            return
        node = str(about.get("langgraph_node") or "")
        is_of_middleware = "." in node  # Middlewares have nodes with a dot in their names.
        if node == TOOLS or is_of_middleware:
            return

        # Pieces without an id belong together by the step of the graph that streams them.
        name = _id(message) or str(about.get("langgraph_checkpoint_ns") or "")
        if message.type == CHUNK:
            self._take_piece(message, name)
        else:
            self._take_whole(message, name)

    def _take_whole(self, message: Any, name: str) -> None:
        answer = self._answers.pop(name, None)
        if answer is None:
            self._add([message])
            return
        # It was streamed, and comes as a whole now.
        self._messages[answer.place] = message
        self._known.add(name)

    def _take_piece(self, piece: Any, name: str) -> None:
        if name in self._answers:
            self._answers[name].pieces.append(piece)
        elif name not in self._known:
            place = len(self._messages)
            self._answers[name] = StreamedAnswer(place, piece)
            self._messages.append(piece)

    def _add(self, messages: Iterable[Any]) -> None:
        new = list(messages)
        for message in new:
            name = _id(message)
            if name in self._known:
                continue
            # One without a name is known by itself, if it was said lately.
            lately = self._messages[-len(new) - _LATELY :]
            if any(message is known for known in lately):
                continue
            self._messages.append(message)
            if name:
                self._known.add(name)


def _opened(event: Any, mode: str | None) -> tuple[str | None, Any]:
    """The mode, and what is streamed in it; where several graphs stream, without saying which."""
    if isinstance(event, dict) and event.keys() >= _ENVELOPE:
        return event["type"], event["data"]
    if not isinstance(event, tuple):
        return mode, event

    # With subgraphs a tuple begins with the path of the graph: (path, data) or (path, mode, data).
    has_path = len(event) > 1 and isinstance(event[0], tuple)
    if has_path:
        event = event[1:]
        if len(event) == 1:
            (event,) = event
    if not isinstance(event, tuple) or len(event) != 2:
        return mode, event

    named_mode, data = event
    if not isinstance(named_mode, str):
        return mode, event
    return named_mode, data


def _is_message_event(data: Any) -> bool:
    """Whether it is a message, or a piece of one, beside what is known of where it was said."""
    if not isinstance(data, tuple) or len(data) != 2:
        return False
    message, about = data
    return is_message_object(message) and isinstance(about, dict)


def _together(pieces: Sequence[Any]) -> tuple[Any, Any]:
    """A message of all its pieces; and as one piece, for what may still come."""
    from langchain_core.messages import message_chunk_to_message

    first, *others = pieces
    whole = first
    if others:
        # In one go: with `+` each sum would copy all that was said before it.
        whole = first.__add__(others)
    return message_chunk_to_message(whole), whole


def _id(message: Any) -> str:
    if isinstance(message, dict):
        identity = message.get("id")
    else:
        # What a program streams by itself need not be one of LangChain's messages.
        identity = getattr(message, "id", None)
    if isinstance(identity, str):
        return identity
    return ""
