"""A model on the loopback that answers by rules, so that real agent clients run offline. It keeps
what it was asked.

    call = ToolCall("Agent|Task", {...})
    rule = AnswerRule("done", (call,), when="BUILD", unless="tool_result")
    with ScriptedModel([rule]) as model:
        ...                       # a client that is told to find its model at model.url
        model.requests            # everything that a real model would have been sent

It speaks the interfaces of Anthropic, OpenAI and Google as far as their clients need them.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from director_ctx.base.record import Record
from director_ctx.clients.verify.scripted_wires import (
    COUNTS,
    Answer,
    ScriptedCall,
    ScriptedWire,
    find_wire,
    streamed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Self


class AnswerRule(Record):
    """The first rule that applies answers a request."""

    say: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    """Called at once; a rule whose tools a client does not offer does not apply."""
    when: str = ""
    """What the conversation contains,"""
    unless: str = ""
    """and what it does not contain."""
    tokens: int = 10
    """How large the request is, as the model claims."""
    after: int = 0
    """Holds the answer back until so many requests have come: who is done does not wait for those
    it spawned.
    """


class ModelRequest(Record):
    """One request."""

    path: str
    body: dict[str, Any]

    @property
    def said(self) -> str:
        """The conversation and the instructions, as one text."""
        wire = find_wire(self.path)
        if wire is None:
            return ""
        texts = _texts(wire.said(self.body))
        return "\n".join(texts)

    @property
    def counts(self) -> bool:
        """Whether it only asks for a size."""
        return _size_name(self.path) != ""


DONE = AnswerRule("done")
PATIENCE = 10.0
"""Seconds that an answer is held back at most."""


def choose(
    rules: Sequence[AnswerRule],
    asked: ModelRequest,
    offered: frozenset[str],
) -> tuple[AnswerRule, tuple[ScriptedCall, ...]]:
    """The rule for a request, and its calls by the names that are offered."""
    said = asked.said
    for rule in rules:
        is_ruled_out = rule.unless and rule.unless in said
        if is_ruled_out or rule.when not in said:
            continue
        calls: list[ScriptedCall] = []
        for call in rule.calls:
            known_call = _offered(call, offered)
            if known_call:
                calls.append(known_call)
        if len(calls) == len(rule.calls):
            return rule, tuple(calls)
    return DONE, ()


def _offered(call: ScriptedCall, offered: frozenset[str]) -> ScriptedCall | None:
    for name in call.name.split("|"):
        if name in offered:
            return call.replace(name=name)
    return None


def _texts(value: object) -> list[str]:
    """Every text inside, keys too: they tell a result of a tool from a prompt."""
    if isinstance(value, str):
        return [value]
    texts: list[str] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            texts.append(key)
            texts += _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            texts += _texts(inner)
    return texts


def _size_name(path: str) -> str:
    """What the size is called in the answer to a request for it; nothing for another request."""
    without_query, _, _ = path.partition("?")
    for end, name in COUNTS.items():
        if without_query.endswith(end):
            return name
    return ""


class ScriptedModel:
    """The server, in threads of its own, for as long as the `with` lasts."""

    def __init__(self, rules: Sequence[AnswerRule]) -> None:
        self.rules = tuple(rules)
        self.requests: list[ModelRequest] = []
        self._came = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _speaker(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        # Asked every so many seconds whether it should end: half a second by itself.
        poll = 0.05
        thread = threading.Thread(target=self._server.serve_forever, args=(poll,), daemon=True)
        thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def conversations(self) -> list[ModelRequest]:
        """The requests that wanted an answer."""
        return [asked for asked in self.requests if find_wire(asked.path) and not asked.counts]

    def answer(self, asked: ModelRequest, size: int) -> tuple[str, str]:
        """The kind of an answer, and the answer."""
        with self._came:
            self.requests.append(asked)
            number = len(self.requests)
            self._came.notify_all()

        wire = find_wire(asked.path)
        if asked.counts or wire is None:
            return "application/json", json.dumps(_counted(asked, size))

        offered = frozenset(wire.offers(asked.body))
        rule, calls = choose(self.rules, asked, offered)
        with self._came:
            self._came.wait_for(lambda: len(self.conversations) >= rule.after, PATIENCE)
        answer = Answer(
            number=number,
            say=rule.say,
            calls=calls,
            tokens=rule.tokens,
        )
        return _written(wire, answer, asked)


def _counted(asked: ModelRequest, size: int) -> dict[str, int]:
    name = _size_name(asked.path)
    if not name:
        return {}
    # Four bytes a token, as a rule of thumb.
    return {name: size // 4}


def _written(
    wire: ScriptedWire,
    answer: Answer,
    asked: ModelRequest,
) -> tuple[str, str]:
    if asked.body.get("stream") or "streamGenerate" in asked.path:
        return "text/event-stream", streamed(wire.pieces(answer))
    return "application/json", json.dumps(wire.whole(answer))


def _speaker(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Speaker(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._reply(200, "application/json", b"")

        def do_GET(self) -> None:
            self._reply(404, "application/json", b"{}")

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            raw = self.rfile.read(size)
            try:
                body = json.loads(raw)
            except ValueError:
                body = {}
            if not isinstance(body, dict):
                body = {}
            asked = ModelRequest(self.path, body)
            kind, text = model.answer(asked, len(raw))
            self._reply(200, kind, text.encode())

        def _reply(
            self,
            status: int,
            kind: str,
            payload: bytes,
        ) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

    return Speaker
