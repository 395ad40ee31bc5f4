"""No request has a result without its call, or a call without its result, wherever in a turn a chat gets smaller."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from asking_models import Call, Part, Say, Think
from chats import keys, looking, project_in, talk
from keeping_provider import KeepingProvider

from director_ctx.chat.state import ANSWERED, ASSISTANT, CALLED, USER
from director_ctx.context.settings.chat import RESETS
from director_ctx.memory.conversations import chats
from director_ctx.memory.conversations.chat_records import ChatNews, ChatPoint, ChatRow
from director_ctx.memory.store.open import open_conversation, project_here

Json = dict[str, Any]
OPENAI, CLAUDE = "gpt-6.1-terra", "claude-sonnet-5-5"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """In memory where the system has such a place: thousands of writes are waited for here."""
    keys(monkeypatch)
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as folder:
        yield project_in(Path(folder))


class Worker:
    """A model that does the same several times in each turn, before it answers."""

    def __init__(self, steps: int, *parts: Part) -> None:
        self._steps, self._parts = steps, list(parts)
        self.left = steps

    def __call__(self, asked: Json, number: int) -> list[Part]:
        if self.left and _may_call(asked):
            self.left -= 1
            return self._parts
        self.left = self._steps
        return [Say(f"answer {number}")]


def _may_call(asked: Json) -> bool:
    return asked["tool_choice"] not in ("none", {"type": "none"})


CONTEXT = Call("context")
LOOK = Call("look", at="x")
TWO = (LOOK, Call("look", at="y"))


@pytest.mark.parametrize(("model", "keeps"), [(OPENAI, True), (OPENAI, False), (CLAUDE, True)])
@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize(
    ("parts", "steps", "limit", "size"),
    [
        ((CONTEXT,), 4, 6_000, 0),
        (TWO, 3, 6_000, 2_400),
        ((Think("why"), Say("Let me look."), *TWO), 3, 6_000, 2_400),
        ((LOOK,), 8, 12_000, 2_400),
        ((LOOK,), 20, 40_000, 12_000),
        ((Call("status"),), 1, 2_000, 0),
        ((LOOK,), 1, 2_000, 200),
    ],
)
def test_a_reset_in_any_place_of_a_turn_leaves_calls_and_results_together(
    root: str,
    model: str,
    keeps: bool,
    reset: str,
    parts: tuple[Part, ...],
    steps: int,
    limit: int,
    size: int,
) -> None:
    options: Json = {"model": model, "provider_keeps": keeps, "reset": reset, "limit": limit}
    with (
        KeepingProvider(Worker(steps, *parts), window=limit) as provider,
        talk(provider, root, own_tools=[looking(size)], **options) as chat,
    ):
        for number in range(22 if limit == 2_000 else 4):
            turn = chat.say(f"turn {number}")
            assert turn.ended == "answered", (number, turn.why)
        assert not provider.refusals


BROKEN = (
    ChatRow(1, USER, "go"),
    ChatRow(2, CALLED, "{}", tool="status", call="refresh_2_1"),
    ChatRow(3, CALLED, "{}", tool="plan", call="refresh_2_2"),
    ChatRow(4, ANSWERED, "the status", tool="status", call="refresh_2_1"),
    ChatRow(5, ANSWERED, "the plan", tool="plan", call="refresh_2_2"),
    ChatRow(6, ANSWERED, "nobody asked", tool="look", call="lonely"),
    ChatRow(7, CALLED, "{}", tool="look", call="open"),
    ChatRow(8, ASSISTANT, "Well."),
    ChatRow(9, CALLED, "{}", tool="look", call="late"),
    ChatRow(10, ASSISTANT, "So."),
    ChatRow(11, ANSWERED, "a look", tool="look", call="late"),
    ChatRow(12, ANSWERED, "a second one", tool="look", call="late"),
)


@pytest.mark.parametrize("model", [OPENAI, CLAUDE])
@pytest.mark.parametrize("short", range(8))
def test_a_chat_that_was_left_broken_is_whole_in_its_next_turn(
    root: str, model: str, short: int
) -> None:
    point = ChatPoint(1, "shortened", "openai", OPENAI, None, 0, {"short": short})
    with open_conversation(project_here(root), write=True) as store:
        chats.keep(store, "broken", ChatNews(BROKEN, point))
    with (
        KeepingProvider(lambda asked, number: [Say("on")]) as provider,
        talk(provider, root, model=model, go_on="broken") as chat,
    ):
        for words in ("on", "and on"):
            turn = chat.say(words)
            assert turn.ended == "answered", turn.why
        assert not provider.refusals
        said = json.dumps(provider.asked[0])
        assert "a second one" in said and "nobody asked" not in said


def test_what_the_provider_still_waits_for_is_answered_before_anything_else(root: str) -> None:
    """Also where what came of a call was put into the store behind what was said next."""
    rows = (
        ChatRow(1, USER, "go"),
        ChatRow(2, CALLED, "{}", tool="look", call="call_1_0", response="resp_1"),
    )
    later = (
        ChatRow(3, USER, "still there?"),
        ChatRow(4, ANSWERED, "a look", tool="look", call="call_1_0"),
        ChatRow(5, ANSWERED, "another", tool="look", call="lonely"),
    )
    with KeepingProvider(lambda asked, number: [LOOK] if number == 1 else [Say("on")]) as provider:
        with talk(provider, root, own_tools=[looking(20)]) as chat:
            chat.prepare()
            client = chat._wire._client
            client.responses.create(model="m", input="go", tools=chat._job(True).tools)
            own = chat.provider.identity
        point = ChatPoint(1, "turn", own, OPENAI, "resp_1", 10, {"until": 2})
        with open_conversation(project_here(root), write=True) as store:
            chats.keep(store, "left", ChatNews((*rows, *later), point))
        with talk(provider, root, go_on="left", own_tools=[looking(20)]) as chat:
            assert chat.say("on").ended == "answered"
        assert not provider.refusals
        kinds = [item["type"] for item in provider.asked[-1]["input"]]
        assert kinds == ["function_call_output", "message", "message"]
        assert provider.asked[-1]["input"][0]["output"] == "a look"
