"""Calls of the proxy's tool in OpenAI's Responses."""

from __future__ import annotations

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

CALL = "function_call"
CALLS = (
    CALL,
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "computer_call",
    "mcp_approval_request",
)
"""What a client answers."""
SAID = (*CALLS, "message", "reasoning")
ENDS = ("response.completed", "response.incomplete", "response.failed")
BEGINS = ("response.created", "response.in_progress", "response.queued")


class ResponsesAnswer(RoundsOfAnswer):
    """One answer, over all its rounds."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: list[Json] = []
        self._next = 0
        """The number of the next item for the client."""
        self._sequence = 0
        """And of the next event."""
        self._id: Any = None

    def _begin(self) -> None:
        super()._begin()
        self._items: dict[int, Json] = {}
        self._places: dict[int, int | None] = {}
        """Where the client has an item; None of a call of ours."""

    @property
    def calls(self) -> list[HiddenCall]:
        return [HiddenCall(item["call_id"], item["arguments"]) for item in self._own_items()]

    @property
    def said(self) -> list[Any]:
        return list(self._items.values())

    @property
    def shown(self) -> list[Any]:
        return self._shown

    def event(self, event: bytes) -> bytes:
        data = data_of(event)
        if data is None:
            return event
        told = self._told(data)
        if told is None:
            return b""
        if "sequence_number" in told:
            told = {**told, "sequence_number": self._sequence}
            self._sequence += 1
        if told == data:
            return event
        return with_data(event, told)

    def whole(self, document: Json) -> Json:
        for index, item in enumerate(document["output"]):
            self._item_done(index, item)
        return self._response(document)

    def _told(self, data: Json) -> Json | None:
        """What the client is told instead of an event."""
        kind = data["type"]
        if kind in BEGINS:
            self._id = self._id or data["response"].get("id")
            # The client knows already that there is an answer.
            return None if self._round else data
        if kind in ENDS:
            response = self._response(data["response"])
            if self.waits:
                return None
            return {**data, "response": response}
        if "output_index" not in data:
            return data

        index = data["output_index"]
        if kind == "response.output_item.added":
            self._place(index, data["item"])
        elif kind == "response.output_item.done":
            self._item_done(index, data["item"])
        place = self._places[index]
        if place is None:
            return None
        return {**data, "output_index": place}

    def _place(self, index: int, item: Json) -> None:
        if index in self._places:
            return
        if _is_own(item):
            self._places[index] = None
            return
        self._places[index] = self._next
        self._next += 1

    def _item_done(self, index: int, item: Json) -> None:
        self._place(index, item)
        self._items[index] = item
        if not _is_own(item):
            self._shown.append(item)

    def _response(self, response: Json) -> Json:
        """The whole answer at its end, as the client is told of it."""
        self._usage = response.get("usage") or {}
        self._decide(response.get("status"))
        told = {**response, "output": self._shown}
        if self._round:
            told["usage"] = self._used()
            told["id"] = self._id or response.get("id")
        return told

    def _decide(self, status: Any) -> None:
        self.has_ended = True
        is_whole = status in (None, "completed")
        has_own = is_whole and bool(self._own_items())
        has_others = any(map(_is_clients_call, self._items.values()))
        self._settle(has_own, has_others)

    def _own_items(self) -> list[Json]:
        return [item for item in self._items.values() if _is_own(item)]


def _is_own(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") == CALL and item.get("name") == NAME


def _is_clients_call(item: Json) -> bool:
    return item.get("type") in CALLS and not _is_own(item)


def _results(answers: Sequence[tuple[HiddenCall, str]]) -> list[Any]:
    results: list[Any] = []
    for call, text in answers:
        results.append({"type": "function_call_output", "call_id": call.id, "output": text})
    return results


def _seen(elements: list[Any], place: int) -> str:
    calls: list[str] = []
    texts: list[str] = []
    for item in elements[place : _end(elements, place)]:
        if "call_id" in item:
            calls.append(str(item["call_id"]))
        elif item.get("type", "message") == "message":
            texts += _texts(item)
    return mark_of(calls, texts)


def _end(elements: list[Any], place: int) -> int:
    """Where an answer ends: what comes then is said by somebody else."""
    end = place
    while end < len(elements) and _is_said(elements[end]):
        end += 1
    return end


def _is_said(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    kind = item.get("type", "message")
    if kind == "message":
        return item.get("role") == "assistant"
    # What a provider does itself, such as a search, stands in the answer, too.
    return kind in SAID or not str(kind).endswith("_output")


def _texts(item: Json) -> list[str]:
    content = item.get("content")
    if isinstance(content, str):
        return [content]
    return [str(part.get("text", "")) for part in content or () if isinstance(part, dict)]


def _weave(elements: list[Any], place: int, rounds: Sequence[HiddenRound]) -> Woven | None:
    at = place
    end = _end(elements, place)
    instead: list[Any] = []
    for hidden in rounds:
        for item in hidden.said:
            is_written = at < end and _is_same(elements[at], item)
            if is_written and hidden.mixed:
                instead.append(elements[at])  # It goes out for the first time.
            elif _is_own(item) or not hidden.mixed:
                instead.append(item)
            if is_written:
                at += 1
        if hidden.mixed:
            instead += elements[at:end]
            at = end
        instead += hidden.results
    return Woven(instead, at)


def _is_same(first: Json, second: Json) -> bool:
    """Whether two items are the same one, as far as clients keep them."""
    kind = second.get("type")
    if first.get("type", "message") != kind:
        return False
    if "call_id" in second:
        return bool(first.get("call_id") == second["call_id"])
    if kind == "message":
        return "".join(_texts(first)).strip() == "".join(_texts(second)).strip()
    same_id = first.get("id") == second.get("id")
    same_seal = first.get("encrypted_content") == second.get("encrypted_content")
    return same_id or same_seal


RESPONSES = HiddenWire(
    name="openai-responses",
    key="input",
    reading=ResponsesAnswer,
    results=_results,
    seen=_seen,
    weave=_weave,
    error=b"event: error\n",
)
