"""Calls of the proxy's tool in OpenAI's Chat Completions."""

from __future__ import annotations

from director_ctx.history.proxy.retrieving.events import data_of, is_end, with_data
from director_ctx.history.proxy.retrieving.rounds import HiddenCall, HiddenWire, Woven, mark_of
from director_ctx.history.proxy.retrieving.rounds_of_answer import RoundsOfAnswer
from director_ctx.history.retrieve.tool import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.proxy.retrieving.rounds import HiddenRound

    Json = dict[str, Any]

CALLED = "tool_calls"
"""Why a model stopped, and where its calls are."""
DONE = "stop"
BROKEN_OFF = ("length", "content_filter")
"""Why a model stopped in the midst of something: its calls may not be whole."""
GAP = "\n\n"
"""Between what was said before a call and after it: both are one text for the client."""


class ChatAnswer(RoundsOfAnswer):
    """One answer, over all its rounds."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        """What the client was told in all rounds."""
        self._shown_calls: list[Json] = []
        self._id: Any = None

    def _begin(self) -> None:
        super()._begin()
        self._message: Json = {"role": "assistant", "content": None}
        self._has_begun_text = False
        self._calls: dict[int, Json] = {}
        self._places: dict[int, int] = {}
        """Where the client has a call."""

    @property
    def calls(self) -> list[HiddenCall]:
        return [HiddenCall(call["id"], call["function"]["arguments"]) for call in self._own_calls()]

    @property
    def said(self) -> list[Any]:
        return [{**self._message, CALLED: list(self._calls.values())}]

    @property
    def shown(self) -> list[Any]:
        return [{"role": "assistant", "content": self._text, CALLED: self._shown_calls}]

    def event(self, event: bytes) -> bytes:
        data = data_of(event)
        if data is None:
            if self.waits and is_end(event):
                return b""
            return event

        self._usage = data.get("usage") or self._usage
        self._id = self._id or data.get("id")
        told: Json = {**data, "id": self._id}
        if data.get("usage") and self._round:
            told["usage"] = self._used()
        choices = data.get("choices")
        if choices:
            told["choices"] = [self._choice(choices[0])]
        elif self.waits:  # Numbers of a round that is not the last are told with the last.
            return b""
        if told == data:
            return event
        if choices and not _says_something(told["choices"][0]):
            return b""
        return with_data(event, told)

    def whole(self, document: Json) -> Json:
        self._usage = document.get("usage") or {}
        choice = document["choices"][0]
        message = choice["message"]
        for index, call in enumerate(message.get(CALLED) or ()):
            self._take_call({**call, "index": index})
        self._message = dict(message)
        self._message.pop(CALLED, None)
        self._tell(message.get("content") or "")

        told = dict(self._message)
        told["content"] = self._text or None
        if self._shown_calls:
            told[CALLED] = self._shown_calls
        going_on = dict(choice)
        going_on["message"] = told
        going_on["finish_reason"] = self._decided(choice.get("finish_reason"))

        whole = dict(document)
        whole["choices"] = [going_on]
        whole["usage"] = self._used()
        return whole

    def _choice(self, choice: Json) -> Json:
        """What the client is told instead."""
        delta = dict(choice.get("delta") or {})
        calls = delta.pop(CALLED, None) or ()
        for name, text in delta.items():
            if name != "role" and isinstance(text, str):
                self._message[name] = (self._message.get(name) or "") + text
        # Clients put together what comes under one name, and this one comes once.
        if self._round:
            delta.pop("role", None)
        if delta.get("content"):
            delta["content"] = self._tell(delta["content"])

        shown = [call for call in map(self._take_call, calls) if call]
        if shown:
            delta[CALLED] = shown
        told = {**choice, "delta": delta}
        if choice.get("finish_reason"):
            told["finish_reason"] = self._decided(choice["finish_reason"])
        return told

    def _tell(self, text: str) -> str:
        """The text as the client gets it: behind what was said before a call."""
        if text and self._text and not self._has_begun_text:
            text = GAP + text
        self._has_begun_text = self._has_begun_text or bool(text)
        self._text += text
        return text

    def _take_call(self, piece: Json) -> Json | None:
        """A piece of a call, with the number that the call has for the client; None of one of ours."""
        index = piece["index"]
        call = self._calls.get(index)
        function = piece.get("function") or {}
        if call is None:
            call = {key: value for key, value in piece.items() if key != "index"}
            call["function"] = dict(function)
            self._calls[index] = call
            if not _is_own(call):
                self._places[index] = len(self._shown_calls)
                self._shown_calls.append(call)
        else:
            so_far = call["function"].get("arguments") or ""
            call["function"]["arguments"] = so_far + (function.get("arguments") or "")
        place = self._places.get(index)
        if place is None:
            return None
        return {**piece, "index": place}

    def _decided(self, reason: str | None) -> str | None:
        """What comes next, and why the client is told that the model stopped."""
        self.has_ended = True
        if reason in BROKEN_OFF or not self._own_calls():
            return reason
        has_others = len(self._own_calls()) < len(self._calls)
        self._settle(has_own=True, has_others=has_others)
        if has_others:
            return reason
        if self.waits:
            return None
        return DONE

    def _own_calls(self) -> list[Json]:
        return [call for call in self._calls.values() if _is_own(call)]


def _says_something(choice: Json) -> bool:
    if choice.get("finish_reason"):
        return True
    delta = choice["delta"]
    return any(value not in (None, "") for value in delta.values())


def _is_own(call: Any) -> bool:
    function = call.get("function")
    return isinstance(function, dict) and function.get("name") == NAME


def _results(answers: Sequence[tuple[HiddenCall, str]]) -> list[Any]:
    results: list[Any] = []
    for call, text in answers:
        results.append({"role": "tool", "tool_call_id": call.id, "content": text})
    return results


def _seen(elements: list[Any], place: int) -> str:
    message = elements[place]
    if not isinstance(message, dict):
        return ""
    calls = [str(call.get("id")) for call in message.get(CALLED) or ()]
    return mark_of(calls, [_text(message.get("content"))])


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for part in content or ():
        if isinstance(part, dict):
            texts.append(str(part.get("text", "")))
    return "".join(texts)


def _weave(elements: list[Any], place: int, rounds: Sequence[HiddenRound]) -> Woven | None:
    message = elements[place]
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return None
    instead: list[Any] = []
    content = message.get("content")
    for hidden in rounds:
        said = hidden.said[0]
        if hidden.mixed:
            return _mixed(elements, place, instead, {**message, "content": content}, hidden)
        instead += [*hidden.said, *hidden.results]
        if isinstance(content, str):
            content = content.removeprefix(said.get("content") or "").removeprefix(GAP)
    if content or message.get(CALLED):
        instead.append({**message, "content": content})
    return Woven(instead, place + 1)


def _mixed(
    elements: list[Any],
    place: int,
    instead: list[Any],
    message: Json,
    hidden: HiddenRound,
) -> Woven | None:
    """Calls of ours beside others, whose results come behind them."""
    following = None
    if place + 1 < len(elements):
        following = elements[place + 1]
    if not isinstance(following, dict) or following.get("role") != "tool":
        return None
    left = list(message[CALLED])
    both: list[Json] = []
    for call in hidden.said[0][CALLED]:
        if _is_own(call):
            both.append(call)
        elif left and left[0].get("id") == call.get("id"):
            both.append(left.pop(0))
    answer = {**message, CALLED: both + left}
    return Woven([*instead, answer, *hidden.results], place + 1)


CHAT = HiddenWire(
    name="openai-chat",
    key="messages",
    reading=ChatAnswer,
    results=_results,
    seen=_seen,
    weave=_weave,
    error=b"",
)
