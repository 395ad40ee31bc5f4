"""An answer that was stopped, or broke off: what was shown of it is in the history and in the next request."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
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
ANSWERS = pytest.mark.parametrize(
    ("model", "keeps"), [(OPENAI, True), (OPENAI, False), (CLAUDE, True)]
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


def answers(asked: Json, number: int) -> list[Part]:
    return [Say(f"Answer {number}. "), Say(f"And more of {number}. " * 100)]


def told(provider: KeepingProvider) -> list[str]:
    """The words of the last request, from the newest that the user had said before."""
    asked = provider.asked[-1]
    if "input" in asked:
        return [item["content"] for item in asked["input"]][-3:]
    return [message["content"][0]["text"] for message in asked["messages"]][-3:]


class Listener:
    """Somebody who stops the second answer at its first piece."""

    def __init__(self, stop: type[BaseException]) -> None:
        self._stop = stop
        self.shown = ""
        self.stops = False

    def __call__(self, piece: str) -> None:
        if self.stops:
            self.shown += piece
            raise self._stop


@ANSWERS
@pytest.mark.parametrize("stop", [KeyboardInterrupt, ZeroDivisionError])
def test_what_was_shown_of_an_answer_that_was_stopped_is_told_next(
    root: str, model: str, keeps: bool, stop: type[BaseException]
) -> None:
    """What the listener raises is raised to whoever said it."""
    listener = Listener(stop)
    with KeepingProvider(answers) as provider:
        with talk(provider, root, model=model, provider_keeps=keeps) as chat:
            chat.say("one", listener)
            listener.stops = True
            with pytest.raises(stop):
                chat.say("two", listener)
            assert listener.shown
            kept = [message.content for message in all_messages(chat._store)]
            assert kept[-2:] == ["two", listener.shown]
            if stop is KeyboardInterrupt:
                assert chat.say("three").ended == "answered"
        with talk(provider, root, model=model, provider_keeps=keeps, go_on="") as again:
            if stop is not KeyboardInterrupt:
                assert again.say("three").ended == "answered"
        assert told(provider) == ["two", listener.shown, "three"]
        assert not provider.refusals


@ANSWERS
def test_what_was_shown_of_an_answer_that_broke_off_is_told_next(
    root: str, model: str, keeps: bool
) -> None:
    shown: list[str] = []
    with (
        KeepingProvider(answers, lambda number: "cut" if number == 2 else "") as provider,
        talk(provider, root, model=model, provider_keeps=keeps) as chat,
    ):
        chat.say("one", lambda piece: None)
        turn = chat.say("two", shown.append)
        heard = "".join(shown)
        assert turn.ended == "failed" and turn.text == heard and heard
        assert all_messages(chat._store)[-1].content == heard
        assert chat.say("three").ended == "answered"
        assert told(provider) == ["two", heard, "three"]
        chat.undo()
        chat.undo()
        chat.say("four")
        assert told(provider)[-1] == "four" and heard not in told(provider)
        assert not provider.refusals


def test_words_before_a_call_are_told_once(root: str) -> None:
    """What is kept with its answer is not kept again where the turn is stopped later."""

    def stopped(given: Json) -> str:
        raise KeyboardInterrupt

    tool = looking(20).replace(call=stopped)
    script: Callable[[Json, int], list[Part]] = lambda asked, number: (  # noqa: E731
        [Say("Let me look."), Call("look", at="x")] if number == 1 else [Say("on")]
    )
    with (
        KeepingProvider(script) as provider,
        talk(provider, root, own_tools=[tool]) as chat,
    ):
        with pytest.raises(KeyboardInterrupt):
            chat.say("one", lambda piece: None)
        kept = [message.content for message in all_messages(chat._store)]
        assert kept.count("Let me look.") == 1
        assert chat.say("two").text == "on" and not provider.refusals


def test_a_turn_that_is_cancelled_in_an_event_loop_keeps_what_was_shown(root: str) -> None:
    async def cancelled(url: str) -> tuple[str, list[str]]:
        shown: list[str] = []
        async with AsyncDirectorConversation(
            root, model=OPENAI, base_url=f"{url}/v1", retries=0
        ) as chat:

            def take(piece: str) -> None:
                shown.append(piece)
                turn.cancel()

            provider.second_half = threading.Event()
            turn = asyncio.create_task(chat.say("one", take))
            with pytest.raises(asyncio.CancelledError):
                await turn
            provider.second_half.set()
            provider.second_half = None
            await chat.say("two")
            return "".join(shown), [message.content for message in all_messages(chat._store)]

    with KeepingProvider(answers) as provider:
        shown, kept = asyncio.run(cancelled(provider.url))
        assert shown and kept[:3] == ["one", shown, "two"]
        assert told(provider) == ["one", shown, "two"]
