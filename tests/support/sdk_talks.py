"""A program that talks to a model with the official client of its vendor, and keeps what it was told."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import openai
from asking_models import CHAT, MESSAGES, RESPONSES

Json = dict[str, Any]
TOOL_NAMES = ("Read", "Write")
_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
_DESCRIBED = [{"name": name, "description": f"{name} a file."} for name in TOOL_NAMES]


class Told:
    """One answer: its text, its calls, why it ended, and what it cost."""

    def __init__(
        self, text: str, calls: list[tuple[str, Json]], why: str, spent: tuple[int, int]
    ) -> None:
        self.text, self.calls, self.why, self.spent = text, calls, why, spent


class Talk:
    """The transcript is the program's own; `give` answers every call of the last answer."""

    client: anthropic.Anthropic | openai.OpenAI

    def __init__(self, url: str, stream: bool) -> None:
        self.stream = stream
        self.transcript: list[Json] = []
        self._pending: list[str] = []
        self._begin(url)

    def say(self, text: str) -> Told:
        self.transcript.append({"role": "user", "content": text})
        return self.ask()

    def give(self, *results: str) -> Told:
        assert len(results) == len(self._pending)
        self._results(list(zip(self._pending, results, strict=True)))
        return self.ask()

    def end(self) -> None:
        self.client.close()

    def _begin(self, url: str) -> None:
        raise NotImplementedError

    def _results(self, results: list[tuple[str, str]]) -> None:
        raise NotImplementedError

    def ask(self) -> Told:
        raise NotImplementedError


class MessagesTalk(Talk):
    def _begin(self, url: str) -> None:
        self.client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)

    def _results(self, results: list[tuple[str, str]]) -> None:
        content = [
            {"type": "tool_result", "tool_use_id": name, "content": text} for name, text in results
        ]
        self.transcript.append({"role": "user", "content": content})

    def ask(self) -> Told:
        asked: Any = {
            "model": "m", "max_tokens": 100, "messages": self.transcript,
            "tools": [{**tool, "input_schema": _SCHEMA} for tool in _DESCRIBED],
        }  # fmt: skip
        if self.stream:
            with self.client.messages.stream(**asked) as events:
                answer = events.get_final_message()
        else:
            answer = self.client.messages.create(**asked)
        content = [block.to_dict() for block in answer.content]
        self.transcript.append({"role": "assistant", "content": content})
        calls = [block for block in content if block["type"] == "tool_use"]
        self._pending = [str(call["id"]) for call in calls]
        return Told(
            "".join(str(block["text"]) for block in content if block["type"] == "text"),
            [(str(call["name"]), dict(call["input"])) for call in calls],  # type: ignore[call-overload]
            str(answer.stop_reason),
            (answer.usage.input_tokens, answer.usage.output_tokens),
        )


class ChatTalk(Talk):
    def _begin(self, url: str) -> None:
        self.client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)

    def _results(self, results: list[tuple[str, str]]) -> None:
        for name, text in results:
            self.transcript.append({"role": "tool", "tool_call_id": name, "content": text})

    def ask(self) -> Told:
        asked: Any = {
            "model": "m", "messages": self.transcript,
            "tools": [{"type": "function", "function": {**tool, "parameters": _SCHEMA}} for tool in _DESCRIBED],
        }  # fmt: skip
        if self.stream:
            asked["stream_options"] = {"include_usage": True}
            with self.client.chat.completions.stream(**asked) as events:
                answer: Any = events.get_final_completion()
        else:
            answer = self.client.chat.completions.create(**asked)
        message = answer.choices[0].message
        calls: list[Json] = []
        for call in message.tool_calls or ():
            function = {"name": call.function.name, "arguments": call.function.arguments}
            calls.append({"id": call.id, "type": "function", "function": function})
        written: Json = {"role": "assistant", "content": message.content}
        if calls:
            written["tool_calls"] = calls
        self.transcript.append(written)
        self._pending = [call["id"] for call in calls]
        return Told(
            message.content or "",
            [
                (call["function"]["name"], json.loads(call["function"]["arguments"]))
                for call in calls
            ],
            answer.choices[0].finish_reason,
            (answer.usage.prompt_tokens, answer.usage.completion_tokens),
        )


class ResponsesTalk(Talk):
    def _begin(self, url: str) -> None:
        self.client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)

    def _results(self, results: list[tuple[str, str]]) -> None:
        for name, text in results:
            self.transcript.append(
                {"type": "function_call_output", "call_id": name, "output": text}
            )

    def ask(self) -> Told:
        asked: Any = {
            "model": "m", "input": self.transcript,
            "tools": [{"type": "function", **tool, "parameters": _SCHEMA, "strict": False} for tool in _DESCRIBED],
        }  # fmt: skip
        if self.stream:
            with self.client.responses.stream(**asked) as events:
                numbers = [event.sequence_number for event in events]
                answer: Any = events.get_final_response()
            assert numbers == list(range(len(numbers)))
        else:
            answer = self.client.responses.create(**asked)
        self.transcript += [item.model_dump(exclude_none=True) for item in answer.output]
        calls = [item for item in answer.output if item.type == "function_call"]
        self._pending = [call.call_id for call in calls]
        return Told(
            answer.output_text,
            [(call.name, json.loads(call.arguments)) for call in calls],
            answer.status,
            (answer.usage.input_tokens, answer.usage.output_tokens),
        )


TALKS = {MESSAGES: MessagesTalk, CHAT: ChatTalk, RESPONSES: ResponsesTalk}
