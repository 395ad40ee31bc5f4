"""An agent whose model reads less than was said, while everything that was said stays at hand: also what it says while
it is streamed, in whichever mode, each message once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence

from director_ctx.history.agents.program_messages import is_message_object, is_pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.agents.manager import ContextManager

MESSAGES, VALUES, UPDATES = "messages", "values", "updates"
CHUNK = "AIMessageChunk"
TOOLS = "tools"
"""The node that runs tools. What a model says in there is said to the tool."""
_ENVELOPE = {"type", "ns", "data"}
"""What an event has in version 2 of LangGraph's streams."""
_LATELY = 20
"""So many of the messages before are compared with a new one that has no id."""


class ContextManagedAgent:
    """Wrapper around an agent with context management.

    It shortens what the agent starts with. What comes up while the agent runs is shortened by a
    middleware.
    """

    def __init__(self, agent: Any, context_manager: ContextManager) -> None:
        self.agent = agent
        self.context_manager = context_manager
        self._streamed = StreamedMessages((), (), None)

    @property
    def original_messages(self) -> list[Any]:
        """Everything that was said, as it was said."""
        return self._streamed.messages

    def invoke(
        self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any
    ) -> Any:
        """What the agent answers, at once; everything else is the agent's own."""
        state = self._managed(messages, current_phase, options)
        return self._take_answer(self.agent.invoke(state, *args, **options))

    async def ainvoke(
        self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any
    ) -> Any:
        state = await self._amanaged(messages, current_phase, options)
        return self._take_answer(await self.agent.ainvoke(state, *args, **options))

    def stream(
        self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any
    ) -> Iterator[Any]:
        """Stream with context management."""
        state = self._managed(messages, current_phase, options)
        for chunk in self.agent.stream(state, *args, **options):
            self._streamed.take(chunk)
            yield chunk

    async def astream(
        self, messages: Any, *args: Any, current_phase: str | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        state = await self._amanaged(messages, current_phase, options)
        async for chunk in self.agent.astream(state, *args, **options):
            self._streamed.take(chunk)
            yield chunk

    def _managed(self, state: Any, phase: str | None, options: Mapping[str, Any]) -> Any:
        """What the agent is given: the same state, with fewer tokens in its messages."""
        said = _messages(state)
        shorter = self.context_manager.process_messages(said, phase)
        return self._begun(state, said, shorter, options)

    async def _amanaged(self, state: Any, phase: str | None, options: Mapping[str, Any]) -> Any:
        said = _messages(state)
        shorter = await self.context_manager.aprocess_messages(said, phase)
        return self._begun(state, said, shorter, options)

    def _begun(
        self, state: Any, said: list[Any], shorter: list[Any], options: Mapping[str, Any]
    ) -> Any:
        self._streamed = StreamedMessages(said, shorter, options.get("stream_mode"))
        return {**state, MESSAGES: list(shorter)} if said else state

    def _take_answer(self, answer: Any) -> Any:
        # A whole state; or a list of what would have been streamed, where a mode was asked for.
        for chunk in answer if isinstance(answer, list) else [answer]:
            self._streamed.take(chunk)
        return answer


def _messages(state: Any) -> list[Any]:
    """Those of a state. A command that resumes a run, or nothing at all, has none, and goes to the
    agent as it is.
    """
    if not isinstance(state, Mapping):
        return []
    messages = state.get(MESSAGES)
    if messages is None:
        return []

    # As LangGraph takes them: also one message alone, in any way that it can be written.
    is_written = isinstance(messages, str | Mapping) or is_pair(messages)
    if is_written or is_message_object(messages):
        return [messages]
    return list(messages)


# What is streamed


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
        self._known = {_id(message) for message in (*shorter, *given)} - {""}

        # One mode alone is not named in its events; several are, each in its own.
        self._mode = mode if isinstance(mode, str) else None
        modes = {mode} if isinstance(mode, str) else set(mode or ())
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
        updates = [update for update in state.values() if isinstance(update, dict)]
        for update in updates:
            if isinstance(update.get(MESSAGES), list):
                self._add(update[MESSAGES])

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
        answer = self._answers.get(name)
        if message.type != CHUNK:
            if answer is None:
                self._add([message])
                return
            # It was streamed, and comes as a whole now.
            del self._answers[name]
            self._messages[answer.place] = message
            self._known.add(name)
        elif answer:
            answer.pieces.append(message)
        elif name not in self._known:
            self._answers[name] = StreamedAnswer(len(self._messages), message)
            self._messages.append(message)

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
    # What a program streams by itself need not be one of LangChain's messages.
    identity = message.get("id") if isinstance(message, dict) else getattr(message, "id", None)
    return identity if isinstance(identity, str) else ""
