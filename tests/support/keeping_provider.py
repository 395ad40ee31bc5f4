"""A provider on loopback that keeps what it answered, as OpenAI's Responses API does, and refuses what
that refuses; and Anthropic's Messages, which keeps nothing. Every body of the first is judged by
`openresponses-types`.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

from asking_models import (
    MESSAGES,
    RESPONSES,
    Part,
    message,
    message_events,
    plain,
    response,
    response_events,
)
from openresponses_types import CreateResponseBody, ResponseResource
from provider_rules import refused_by_anthropic, refused_pairs
from proxied import Upstream
from sending import cut_response, send_stream, send_whole

Json = dict[str, Any]
Script = Callable[[Json, int], "list[Part]"]
"""From a request and its number to what the model says."""
Trouble = Callable[[int], str]
"""From the number of a request to what goes wrong with it; nothing for an empty text."""

WINDOW = 200_000
SKELETON: Json = {
    "completed_at": 2, "incomplete_details": None, "error": None, "truncation": "disabled",
    "text": {"format": {"type": "text"}}, "top_p": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0,
    "top_logprobs": 0, "temperature": 1.0, "reasoning": None, "max_output_tokens": None,
    "max_tool_calls": None, "service_tier": "default", "metadata": {}, "safety_identifier": None,
    "prompt_cache_key": None,
}  # fmt: skip
STATUSES = {
    "400": "400 Bad Request", "404": "404 Not Found", "409": "409 Conflict", "429": "429 Too Many Requests",
    "500": "500 Internal Server Error", "401": "401 Unauthorized",
}  # fmt: skip


class Refused(Exception):
    """What is wrong with a request, and the status and code that the provider gives it."""

    def __init__(self, said: str, status: str = "400", code: str = "") -> None:
        self.said, self.status, self.code = said, status, code
        super().__init__(said)


class KeptAnswer:
    """One response, with everything before it."""

    def __init__(self, items: list[Json], document: Json) -> None:
        self.items, self.document = items, document
        self.looked = 0
        """How often somebody asked how far it is."""


def tokens_of(*values: object) -> int:
    return sum(len(json.dumps(value, ensure_ascii=False)) for value in values) // 4


class KeepingProvider(Upstream):
    """`refusals` is every sentence with which it refused a request by its rules."""

    def __init__(
        self, script: Script, trouble: Trouble = lambda number: "", window: int = WINDOW
    ) -> None:
        super().__init__(self._play)
        self._script, self._trouble, self._window = script, trouble, window
        self.keeps = True
        """Whether it takes `previous_response_id` at all."""
        self.unknown_status = "400"
        self.cut: dict[int, str] = {}
        """By the number of a request, why its answer ends before its end."""
        self.second_half: threading.Event | None = None
        """Until it is set, a stream stops in its middle."""
        self.kept: dict[str, KeptAnswer] = {}
        self.told: list[Json] = []
        """Every item of a model's answer, in order, as history knows it."""
        self.messages_told: list[Json] = []
        self.refusals: list[str] = []
        self.cancelled: list[str] = []
        self.sizes: list[int] = []
        """Tokens of each request that was answered, with everything that it stands on."""
        self._reason_of: dict[str, str] = {}

    @property
    def asked(self) -> list[Json]:
        """The bodies of every request for an answer."""
        return [json.loads(body) for body in self.bodies if body]

    def expire(self) -> None:
        """What was kept is forgotten."""
        self.kept.clear()

    def _play(self, client: socket.socket, head: bytes, body: bytes) -> None:
        method, path, _ = head.decode("latin-1").split(" ", 2)
        path = path[path.index("/v1") :]
        number = len(self.bodies)
        trouble = self._trouble(number) if method == "POST" else ""
        if trouble == "hang up":
            raise OSError
        if trouble in STATUSES:
            client.sendall(error_answer(Refused("The server had an error.", trouble)))
            return
        if trouble == "garbage":
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<html")
            return
        try:
            self._answer(client, method, path, body, number, trouble)
        except Refused as refused:
            self.refusals.append(refused.said)
            client.sendall(error_answer(refused))

    def _answer(
        self,
        client: socket.socket,
        method: str,
        path: str,
        body: bytes,
        number: int,
        trouble: str,
    ) -> None:
        if path == RESPONSES:
            self._respond(client, json.loads(body), number, trouble)
        elif path.partition("?")[0] == MESSAGES:
            self._reply(client, json.loads(body), number, trouble)
        else:
            client.sendall(plain(self._looked_at(method, path.removeprefix(f"{RESPONSES}/"))))

    def _respond(self, client: socket.socket, asked: Json, number: int, trouble: str) -> None:
        items = self._all_items(asked)
        sent = tokens_of(items, asked.get("instructions"), asked.get("tools"))
        if sent > self._window:
            raise Refused(
                "Your input exceeds the context window of this model. Please adjust your input and try again.",
                code="context_length_exceeded",
            )
        parts = self._script(asked, number)
        whole = self._document(parts, asked, number, sent)
        cut_response(whole, self.cut.get(number, ""))
        ResponseResource.model_validate(whole)
        self._remember(items, whole, asked)
        self.sizes.append(sent)

        if asked.get("stream"):
            events = list(response_events(parts, number))
            # In the first event nothing is answered yet; in the last, everything.
            events[0]["response"] = {**whole, "status": "in_progress", "output": [], "usage": None}
            events[-1] |= {"type": f"response.{whole['status']}", "response": whole}
            send_stream(client, iter(events), trouble, self.second_half)
            return
        if asked.get("background"):
            whole = {**whole, "status": "queued", "output": [], "usage": None}
        send_whole(client, whole, trouble)

    def _all_items(self, asked: Json) -> list[Json]:
        """Everything that the model would read, if it may be asked that way."""
        try:
            CreateResponseBody.model_validate(asked)
        except ValueError as error:
            raise Refused(f"Invalid request: {error}") from error
        items: list[Json] = []
        previous = asked.get("previous_response_id")
        if previous:
            if not self.keeps:
                raise Refused("Unsupported parameter: 'previous_response_id'.")
            if previous not in self.kept:
                raise Refused(
                    f"Previous response with id '{previous}' not found.",
                    self.unknown_status,
                    "previous_response_not_found",
                )
            items += self.kept[previous].items
        given = asked["input"]
        if isinstance(given, str):
            given = [{"type": "message", "role": "user", "content": given}]
        if not given:
            raise Refused("Input must not be empty.")
        items += given
        for sentence in (*refused_pairs(items), *self._reasons_lost(items)):
            raise Refused(sentence)
        return items

    def _reasons_lost(self, items: list[Json]) -> Iterator[str]:
        """A reasoning item stays with what came of it, and that with its reasoning item."""
        before: set[object] = set()
        for place, item in enumerate(items):
            name, kind = item.get("id"), item.get("type", "message")
            following = items[place + 1] if place + 1 < len(items) else {}
            if kind == "reasoning" and self._reason_of.get(following.get("id", "")) != name:
                yield f"Item '{name}' of type 'reasoning' was provided without its required following item."
            wanted = self._reason_of.get(name or "")
            if wanted and wanted not in before:
                yield f"Item '{name}' of type '{kind}' was provided without its required 'reasoning' item: '{wanted}'."
            before.add(name)

    def _document(self, parts: list[Part], asked: Json, number: int, sent: int) -> Json:
        whole = {**response(parts, number), **SKELETON}
        if "reasoning.encrypted_content" not in asked.get("include", ()):
            for item in whole["output"]:
                item.pop("encrypted_content", None)
        for item in whole["output"]:
            if item["type"] == "message":
                for text in item["content"]:
                    text.setdefault("logprobs", [])
        output = tokens_of(whole["output"])
        whole["usage"] = {
            "input_tokens": sent, "input_tokens_details": {"cached_tokens": sent // 2},
            "output_tokens": output, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + output,
        }  # fmt: skip
        told = {
            "model": asked["model"],
            "previous_response_id": asked.get("previous_response_id"),
            "instructions": asked.get("instructions"),
            "store": asked.get("store", True),
            "background": asked.get("background", False),
        }
        whole["tools"] = [
            {"strict": None, "description": None, "parameters": None, **tool}
            for tool in asked.get("tools", ())
        ]
        return {**whole, **told}

    def _remember(self, items: list[Json], whole: Json, asked: Json) -> None:
        reason = ""
        for item in whole["output"]:
            if reason:
                self._reason_of[item["id"]] = reason
            reason = item["id"] if item["type"] == "reasoning" else ""
        self.told += whole["output"]
        if asked.get("store", True):
            self.kept[whole["id"]] = KeptAnswer([*items, *whole["output"]], whole)

    def _looked_at(self, method: str, rest: str) -> Json:
        """A response that is asked for: one in the background goes a state further each time."""
        name, _, action = rest.partition("/")
        kept = self.kept.get(name)
        if kept is None:
            raise Refused(f"Response with id '{name}' not found.", "404")
        if method == "POST" and action == "cancel":
            self.cancelled.append(name)
            return {**kept.document, "status": "cancelled", "output": [], "usage": None}
        kept.looked += 1
        if kept.document["background"] and kept.looked < 2:
            return {**kept.document, "status": "in_progress", "output": [], "usage": None}
        return kept.document

    def _reply(self, client: socket.socket, asked: Json, number: int, trouble: str) -> None:
        """Anthropic's way."""
        messages = asked["messages"]
        # Without thinking it wants no thought back.
        history = self.messages_told if asked.get("thinking") else []
        refusals = refused_by_anthropic(messages, history)
        if any(not one["content"] for one in messages):
            refusals.append("messages: text content blocks must be non-empty")
        for sentence in refusals:
            raise Refused(sentence)
        sent = tokens_of(messages, asked.get("system"), asked.get("tools"))
        if sent > self._window:
            raise Refused(f"prompt is too long: {sent} tokens > {self._window} maximum")
        parts = self._script(asked, number)
        usage = {"input_tokens": sent, "output_tokens": tokens_of(message(parts, number))}
        whole = {**message(parts, number), "usage": usage}
        if number in self.cut:
            whole["stop_reason"] = self.cut[number]
        self.messages_told.append({"role": "assistant", "content": whole["content"]})
        self.sizes.append(sent)
        if asked.get("stream"):
            events = list(message_events(parts, number))
            begun: Any = events[0]
            begun["message"]["usage"] = {**usage, "output_tokens": 1}
            for event in events:
                if isinstance(event, dict) and event["type"] == "message_delta":
                    event["usage"] = {"output_tokens": usage["output_tokens"]}
                    event["delta"] = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
            send_stream(client, iter(events), trouble, self.second_half)
            return
        send_whole(client, whole, trouble)


def error_answer(refused: Refused) -> bytes:
    told = {
        "message": refused.said, "type": "invalid_request_error", "param": None, "code": refused.code or None,
        "details": {"error_code": refused.code} if refused.code else None,
    }  # fmt: skip
    return plain({"type": "error", "error": told}, STATUSES[refused.status])
