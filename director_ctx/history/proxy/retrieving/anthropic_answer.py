"""Calls of the proxy's tool in Anthropic's Messages."""

from __future__ import annotations

import json

from director_ctx.history.proxy.cuts import unmarked
from director_ctx.history.proxy.retrieving.events import data_of, with_data
from director_ctx.history.proxy.retrieving.rounds import HiddenCall, HiddenWire, Woven, mark_of
from director_ctx.history.proxy.retrieving.rounds_of_answer import RoundsOfAnswer
from director_ctx.history.retrieve.tool import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.proxy.retrieving.rounds import HiddenRound

    Json = dict[str, Any]

CALLED = "tool_use"
"""Why a model stopped, and what a call is called."""
DONE = "end_turn"
GROWING = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
"""What grows of a block with each kind of delta; it is called the same in both."""


class AnthropicAnswer(RoundsOfAnswer):
    """One answer, over all its rounds."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: list[Json] = []

    def _begin(self) -> None:
        super()._begin()
        self._blocks: dict[int, Json] = {}
        self._inputs: dict[int, list[str]] = {}
        """The arguments of calls, as they come."""
        self._places: dict[int, int] = {}
        """Where the client has a block."""

    @property
    def calls(self) -> list[HiddenCall]:
        return [HiddenCall(block["id"], block["input"]) for block in self._own_blocks()]

    @property
    def said(self) -> list[Any]:
        content = [block for block in self._blocks.values() if not _is_empty(block)]
        return [{"role": "assistant", "content": content}]

    @property
    def shown(self) -> list[Any]:
        return [{"role": "assistant", "content": self._shown}]

    def event(self, event: bytes) -> bytes:
        data = data_of(event)
        if data is None:
            return event
        kind = data.get("type")
        if kind == "message_start":
            return self._message_start(event, data)
        if kind == "content_block_start":
            return self._block_start(event, data)
        if kind == "content_block_delta":
            self._grow(data["index"], data["delta"])
            return self._placed(event, data)
        if kind == "content_block_stop":
            self._close(data["index"])
            return self._placed(event, data)
        if kind == "message_delta":
            return self._message_delta(event, data)
        if kind == "message_stop" and self.waits:
            return b""
        return event

    def whole(self, document: Json) -> Json:
        for index, block in enumerate(document["content"]):
            self._blocks[index] = block
            if not is_own(block):
                self._shown.append(block)
        self._usage = document["usage"]
        reason = self._decided(document["stop_reason"])
        usage = self._used()
        return {**document, "content": self._shown, "stop_reason": reason, "usage": usage}

    def _message_start(self, event: bytes, data: Json) -> bytes:
        self._usage = data["message"].get("usage") or {}
        # The client knows already that there is an answer.
        if self._round:
            return b""
        return event

    def _block_start(self, event: bytes, data: Json) -> bytes:
        index = data["index"]
        block = dict(data["content_block"])
        self._blocks[index] = block
        if not is_own(block):
            self._places[index] = len(self._shown)
            self._shown.append(block)
        return self._placed(event, data)

    def _placed(self, event: bytes, data: Json) -> bytes:
        """The event with the number that its block has for the client; nothing of a call of ours."""
        place = self._places.get(data["index"])
        if place is None:
            return b""
        if place == data["index"]:
            return event
        return with_data(event, {**data, "index": place})

    def _grow(self, index: int, delta: Json) -> None:
        block = self._blocks[index]
        kind = delta["type"]
        if kind in GROWING:
            name = GROWING[kind]
            block[name] = block.get(name, "") + delta[name]
        elif kind == "input_json_delta":
            self._inputs.setdefault(index, []).append(delta["partial_json"])
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
        else:
            self.is_odd = True

    def _close(self, index: int) -> None:
        text = "".join(self._inputs.get(index, ()))
        if not text:
            return
        try:
            self._blocks[index]["input"] = json.loads(text)
        except ValueError:  # An answer that was broken off, and ends with that for a reason.
            self._blocks[index]["input"] = {}

    def _message_delta(self, event: bytes, data: Json) -> bytes:
        self._usage = {**self._usage, **(data.get("usage") or {})}
        before = data["delta"].get("stop_reason")
        reason = self._decided(before)
        if self.waits:
            return b""
        if not self._round and reason == before:
            return event
        delta = {**data["delta"], "stop_reason": reason}
        usage = self._used()
        return with_data(event, {**data, "delta": delta, "usage": usage})

    def _decided(self, reason: str | None) -> str | None:
        """What comes next, and why the client is told that the model stopped."""
        self.has_ended = True
        if reason != CALLED or not self._own_blocks():
            return reason
        has_others = any(map(_is_clients_call, self._blocks.values()))
        self._settle(has_own=True, has_others=has_others)
        if has_others:
            return reason
        return DONE

    def _own_blocks(self) -> list[Json]:
        return [block for block in self._blocks.values() if is_own(block)]


def is_own(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == CALLED and block.get("name") == NAME


def _is_clients_call(block: Json) -> bool:
    return block.get("type") == CALLED and not is_own(block)


def _is_empty(block: Json) -> bool:
    """A text without words may come from a model, but not go back to it."""
    return block.get("type") == "text" and not block["text"].strip()


def _results(answers: Sequence[tuple[HiddenCall, str]]) -> list[Any]:
    content: list[Json] = []
    for call, text in answers:
        content.append({"type": "tool_result", "tool_use_id": call.id, "content": text})
    return [{"role": "user", "content": content}]


def _seen(elements: list[Any], place: int) -> str:
    calls: list[str] = []
    texts: list[str] = []
    for block in _content(elements[place]):
        if block.get("type") == CALLED:
            calls.append(str(block.get("id")))
        elif block.get("type") == "text":
            texts.append(str(block.get("text")))
    return mark_of(calls, texts)


def _weave(elements: list[Any], place: int, rounds: Sequence[HiddenRound]) -> Woven | None:
    message = elements[place]
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return None
    left = _content(message)
    instead: list[Any] = []
    for hidden in rounds:
        content = hidden.said[0]["content"]
        if hidden.mixed:
            return _mixed(elements, place, instead, left, hidden)
        instead += [*hidden.said, *hidden.results]
        for block in content:
            if left and _is_same(left[0], block):
                left = left[1:]
    if left:
        instead.append({**message, "content": left})
    return Woven(instead, place + 1)


def _mixed(
    elements: list[Any],
    place: int,
    instead: list[Any],
    left: list[Json],
    hidden: HiddenRound,
) -> Woven | None:
    """Calls of ours beside others: a model gets the results of all of them at once."""
    if place + 1 == len(elements):
        return None
    following = elements[place + 1]
    content = _content(following)
    answers_calls = any(block.get("type") == "tool_result" for block in content)
    if not answers_calls:
        return None
    both: list[Json] = []
    for block in hidden.said[0]["content"]:
        if is_own(block):
            both.append(block)
        elif left and _is_same(left[0], block):
            both.append(left[0])
            left = left[1:]
    answer = {**elements[place], "content": both + left}
    results = {**following, "content": hidden.results[0]["content"] + content}
    return Woven([*instead, answer, results], place + 2)


def _content(message: Any) -> list[Json]:
    content = None
    if isinstance(message, dict):
        content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def _is_same(first: Json, second: Json) -> bool:
    """Whether two blocks are the same one, also after a client has trimmed it."""
    kind = first.get("type")
    if kind != second.get("type"):
        return False
    if kind == CALLED:
        return bool(first.get("id") == second.get("id"))
    if kind == "text":
        return bool(first["text"].strip() == second["text"].strip())
    return bool(unmarked(first) == unmarked(second))


ANTHROPIC = HiddenWire(
    name="anthropic",
    key="messages",
    reading=AnthropicAnswer,
    results=_results,
    seen=_seen,
    weave=_weave,
    error=b"event: error\n",
)
