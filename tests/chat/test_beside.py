"""Several that go on with one chat at once: each is answered, and what each said is told with the next request."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from asking_models import Call, Part, Say
from chats import keys, looking, project_in, talk
from keeping_provider import KeepingProvider

from director_ctx import AsyncDirectorConversation
from director_ctx.memory.conversations.messages import all_messages

Json = dict[str, Any]
OPENAI, CLAUDE = "gpt-6.1-terra", "claude-sonnet-5-5"
HOLDERS = pytest.mark.parametrize(
    ("model", "keeps"), [(OPENAI, True), (OPENAI, False), (CLAUDE, True)]
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


class Meanwhile:
    """A model that answers; while it is at one request, something else happens."""

    def __init__(self, at: int, parts: dict[int, list[Part]] | None = None) -> None:
        self._at, self._parts = at, parts or {}
        self.happens: Callable[[], object] = str

    def __call__(self, asked: Json, number: int) -> list[Part]:
        if number == self._at:
            self.happens()
        return self._parts.get(number, [Say(f"answer {number}")])


def told_of(provider: KeepingProvider, number: int) -> list[str]:
    """What the provider knows at a request: all that it kept, and what is sent."""
    asked = provider.asked[number]
    if "messages" in asked:
        whole = (
            provider.threads.whole(asked)["messages"] if "thread" in asked else asked["messages"]
        )
        return [block["text"] for one in whole for block in one["content"] if "text" in block]
    items = list(asked["input"])
    if asked.get("previous_response_id"):
        items = provider.kept[asked["previous_response_id"]].items + items
    texts: list[str] = []
    for item in items:
        if item["type"] == "message":
            content = item["content"]
            texts.append(content if isinstance(content, str) else content[0]["text"])
    return texts


@HOLDERS
def test_what_was_said_beside_somebody_elses_turn_is_told_next(
    root: str, model: str, keeps: bool
) -> None:
    notices: list[str] = []
    script = Meanwhile(2)
    with (
        KeepingProvider(script) as provider,
        talk(provider, root, model=model, provider_keeps=keeps) as first,
    ):
        first.say("one")
        with talk(provider, root, model=model, provider_keeps=keeps, go_on=first.id) as second:
            second._on_notice = notices.append
            script.happens = lambda: second.say("of the second")
            turn = first.say("of the first")
            assert (turn.ended, turn.text) == ("answered", "answer 2")
            # Neither has the other one's words twice, or forgets any of them.
            for chat in (second, first):
                assert chat.say("next").ended == "answered"
                told = told_of(provider, -1)
                for words in ("one", "of the first", "of the second", "answer 2", "answer 3"):
                    assert told.count(words) == 1, (words, told)
        assert len(notices) >= 1 and "Somebody else" in notices[0]
        assert not [words for words in provider.refusals if "thread" not in words]
        with talk(provider, root, model=model, provider_keeps=keeps, go_on="") as again:
            places = [row.place for row in again.state.rows]
            assert places == list(range(1, len(places) + 1))


@pytest.mark.parametrize(("model", "keeps"), [(OPENAI, True), (OPENAI, False), (CLAUDE, True)])
def test_calls_of_two_turns_at_once_keep_their_results(root: str, model: str, keeps: bool) -> None:
    """The second one begins while the first one's tool is at work, and calls tools, too."""
    with KeepingProvider(
        Meanwhile(0, {1: [Call("look", at="a")], 2: [Call("look", at="b")]})
    ) as provider:
        tool = looking(20)
        begun: list[str] = []

        def look(given: Json) -> str:
            if given["at"] == "a":
                turn = second.say("of the second")
                begun.append(f"{turn.ended}{turn.why}")
            return tool.call(given)

        own = [tool.replace(call=look)]
        options: Json = {"model": model, "provider_keeps": keeps, "own_tools": own}
        first = talk(provider, root, **options)
        second = talk(provider, root, **options)
        second.state = first.state
        assert first.say("of the first").ended == "answered" and begun == ["answered"]
        assert first.say("next").ended == "answered"
        told = told_of(provider, -1)
        for words in ("of the first", "of the second", "next"):
            assert told.count(words) == 1
        assert not [words for words in provider.refusals if "thread" not in words]
        first.close()
        second.close()


def test_one_object_in_several_threads_loses_nothing(root: str) -> None:
    all_there = threading.Barrier(8)

    def script(asked: Json, number: int) -> list[Part]:
        if number <= 8:
            all_there.wait(30)
        return [Say(f"answer {number}")]

    with (
        KeepingProvider(script) as provider,
        talk(provider, root) as chat,
        ThreadPoolExecutor(8) as threads,
    ):
        said = [f"message {number}" for number in range(8)]
        turns = list(threads.map(chat.say, said))
        assert {turn.ended for turn in turns} == {"answered"}
        assert chat.say("next").ended == "answered"
        told = told_of(provider, -1)
        answers = [turn.text for turn in turns]
        assert sorted(told) == sorted([*said, *answers, "next"])


def test_one_object_in_an_event_loop_loses_nothing(root: str) -> None:
    async def gathered(url: str) -> list[str]:
        async with AsyncDirectorConversation(root, model=OPENAI, base_url=f"{url}/v1") as chat:
            turns = await asyncio.gather(*(chat.say(f"message {number}") for number in range(8)))
            await chat.say("next")
            return [turn.text for turn in turns]

    with KeepingProvider(Meanwhile(0)) as provider:
        answers = asyncio.run(gathered(provider.url))
        told = told_of(provider, -1)
        said = [f"message {number}" for number in range(8)]
        assert sorted(told) == sorted([*said, *answers, "next"])


def test_a_refused_message_takes_nobody_elses_words_with_it(root: str) -> None:
    parts: dict[int, list[Part]] = {1: [Call("look", at="a")]}
    with KeepingProvider(Meanwhile(0, parts)) as provider:
        tool = looking(20)

        def look(given: Json) -> str:
            second.say("of the second")
            provider._window = 100
            return tool.call(given)

        first = talk(provider, root, own_tools=[tool.replace(call=look)])
        second = talk(provider, root)
        second.state = first.state
        assert first.say("of the first").ended == "failed"
        provider._window = 200_000
        assert first.say("next").ended == "answered"
        told = told_of(provider, -1)
        assert "of the second" in told and "of the first" not in told
        first.close()
        second.close()


def test_a_turn_is_taken_back_from_a_chat_that_somebody_else_went_on_with(root: str) -> None:
    with KeepingProvider(Meanwhile(0)) as provider, talk(provider, root) as first:
        first.say("one")
        with talk(provider, root, go_on=first.id) as second:
            second.say("two")
        first.undo()
        first.say("three")
        assert told_of(provider, -1) == ["one", "answer 1", "three"]
        kept = [message.content for message in all_messages(first._store)]
        assert "two" in kept
