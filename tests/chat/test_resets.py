"""Long conversations: each reset keeps them below their limit, and loses nothing; and whatever goes wrong on the
way, they go on.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from asking_models import Call, Part, Say, Think
from chats import keys, looking, project_in, talk
from keeping_provider import KeepingProvider

from director_ctx import DirectorConversation
from director_ctx.base.errors import DctxError
from director_ctx.chat.exchange import TurnUsage
from director_ctx.context.settings.chat import CHECKPOINT, REFRESH, RESETS, SUMMARY
from director_ctx.memory.archive import originals
from director_ctx.memory.conversations.messages import all_messages

Json = dict[str, Any]
LIMIT = 12_000
OPENAI, CLAUDE = "gpt-6.1-terra", "claude-sonnet-5-5"
LOCATOR = re.compile(r"dctx:[0-9a-f]{12}")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """In memory where the system has such a place: thousands of writes are waited for here."""
    keys(monkeypatch)
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as folder:
        yield project_in(Path(folder))


def busy(asked: Json, number: int) -> list[Part]:
    """A model that thinks, looks at two things at once, sometimes a second time, and answers."""
    done = "input" in asked and sum(
        item["type"] == "function_call_output" for item in asked["input"]
    )
    last = (asked.get("input") or asked["messages"])[-1]
    is_answered = last.get("type") == "function_call_output" or _has_result(last)
    if is_answered and (number % 3 or done):
        return [Think("enough"), Say(f"Decided in {number}: keep file_{number}.py as it is.")]
    return [
        Think("look"),
        Call("look", at=f"file_{number}.py"),
        Call("look", at=f"test_{number}.py"),
    ]


def _has_result(message: Json) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(one["type"] == "tool_result" for one in content)


def sent_locators(provider: KeepingProvider) -> set[str]:
    found: set[str] = set()
    for asked in provider.asked:
        found |= set(LOCATOR.findall(json.dumps(asked)))
    return found


def resolve_all(chat: DirectorConversation, provider: KeepingProvider) -> int:
    locators = sent_locators(provider)
    for name in locators:
        assert originals.find(chat._store, name) is not None, name
    return len(locators)


LONG = tuple((reset, OPENAI, 300) for reset in RESETS)


@pytest.mark.parametrize(
    ("reset", "model", "turns"), [*LONG, *((reset, CLAUDE, 40) for reset in RESETS)]
)
def test_hundreds_of_turns_with_tools_stay_below_their_limit(
    root: str, reset: str, model: str, turns: int, figure: Callable[[str, str], None]
) -> None:
    with (
        KeepingProvider(busy, window=LIMIT) as provider,
        talk(provider, root, model=model, reset=reset, limit=LIMIT, own_tools=[looking()]) as chat,
    ):
        for number in range(turns):
            turn = chat.say(f"Question {number}: what of file_{number}.py?")
            assert turn.ended == "answered", turn.why
        assert not provider.refusals
        assert max(provider.sizes) <= LIMIT
        kept = [message.content for message in all_messages(chat._store)]
        for number in range(turns):
            assert f"Question {number}: what of file_{number}.py?" in kept
        assert resolve_all(chat, provider) > 5
    fresh = sum("previous_response_id" not in asked for asked in provider.asked)
    told = f"{sum(provider.sizes):,} tokens read in {len(provider.sizes)} requests, {fresh} of them afresh"
    figure(f"{turns} turns, {reset}, {model}", f"{told}; the largest {max(provider.sizes):,}")


def test_what_is_asked_for_costs_less_than_what_is_pushed_with_every_request(
    root: str, figure: Callable[[str, str], None]
) -> None:
    """The model asks for the same in each way."""
    read: dict[str, int] = {}
    for way in ("push", "hybrid", "pull"):
        usage = TurnUsage()
        with (
            KeepingProvider(busy) as provider,
            talk(provider, root, context=way, own_tools=[looking()]) as chat,
        ):
            for number in range(40):
                turn = chat.say(f"Question {number}?")
                usage = usage.plus(turn.usage)
        read[way] = usage.input
        told = f"{usage.input:,} tokens read, {usage.cached:,} of them cached"
        figure(f"40 turns, {way}", told)
    assert read["pull"] < read["hybrid"] < read["push"]


def fill(chat: DirectorConversation, turns: int) -> None:
    for number in range(turns):
        assert chat.say(f"Question {number}?").ended == "answered"


def test_a_summary_is_the_first_thing_that_is_told_of_what_was_said_before(root: str) -> None:
    with (
        KeepingProvider(busy) as provider,
        talk(provider, root, reset=SUMMARY, limit=LIMIT, own_tools=[looking()]) as chat,
    ):
        fill(chat, 25)
        fresh = [asked for asked in provider.asked[1:] if "previous_response_id" not in asked]
        first = fresh[0]["input"][0]
        assert first["role"] == "user" and first["content"].startswith("What was said before")
        assert chat.state.summary in json.loads(provider.bodies[-1]).get("input", [{}])[0].get(
            "content", chat.state.summary
        )


def test_a_checkpoint_tells_the_summary_in_the_instructions_for_some_turns(root: str) -> None:
    with (
        KeepingProvider(busy) as provider,
        talk(provider, root, reset=CHECKPOINT, limit=20_000, own_tools=[looking(600)]) as chat,
    ):
        fill(chat, 60)
        told = ["What was said before" in asked["instructions"] for asked in provider.asked]
        assert not told[0] and any(told)
        after = provider.asked[told.index(True) :]
        assert any("What was said before" not in asked["instructions"] for asked in after)
        assert not any(
            "What was said before" in json.dumps(asked["input"]) for asked in provider.asked
        )


def test_a_refresh_asks_the_context_tools_again_and_old_answers_become_locators(root: str) -> None:
    with (
        KeepingProvider(busy) as provider,
        talk(provider, root, reset=REFRESH, every=3, own_tools=[looking()]) as chat,
    ):
        fill(chat, 8)
        fresh = [asked for asked in provider.asked[1:] if "previous_response_id" not in asked]
        assert len(fresh) == 2
        outputs = [one for one in fresh[-1]["input"] if one["type"] == "function_call_output"]
        names = [one["name"] for one in fresh[-1]["input"] if one["type"] == "function_call"]
        assert names.count("status") == 1 and names[-2:] == ["status", "plan"]
        assert "Reading List" in outputs[-2]["output"]
        assert all("original {" in one["output"] for one in outputs[:-2])
        assert resolve_all(chat, provider)


@pytest.mark.parametrize("reset", RESETS)
def test_a_reset_is_taken_back_and_everything_is_told_again(root: str, reset: str) -> None:
    with (
        KeepingProvider(busy) as provider,
        talk(provider, root, reset=reset, limit=LIMIT, own_tools=[looking()]) as chat,
    ):
        while not any(row.place <= chat.state.cursor.since for row in chat.state.rows):
            fill(chat, 1)
        before = chat.state.cursor.since
        assert before
        chat.undo_reset()
        assert chat.state.cursor.since == 0
        told = chat.context()
        assert "summary" not in told
        with pytest.raises(DctxError):
            while True:
                chat.undo_reset()


def test_after_a_compression_by_hand_a_whole_context_is_told_once(root: str) -> None:
    with (
        KeepingProvider(busy) as provider,
        talk(provider, root, own_tools=[looking(100)]) as chat,
    ):
        fill(chat, 4)
        assert chat.compress() == chat.state.summary
        assert "context, once" in chat.context()
        count = len(provider.asked)
        chat.say("On.")
        chat.say("And on.")
        told = provider.asked[count:]
        first = [item["content"] for item in told[0]["input"]]
        assert first[0].startswith("What was said before") and "(1) SYSTEM PROMPT" in first[1]
        assert first[2] == "On."
        assert not any("(1) SYSTEM PROMPT" in json.dumps(asked["input"]) for asked in told[1:])


@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize("model", [OPENAI, CLAUDE])
def test_no_reset_tells_other_chats_or_turns_that_were_taken_back(
    root: str, model: str, reset: str
) -> None:
    with KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider:
        with talk(provider, root, model=model) as other:
            other.say("SECRETOTHER of the other chat")
        with talk(provider, root, model=model, reset=reset, limit=LIMIT) as chat:
            for number in range(3):
                chat.say(f"Rule {number}: keep it.")
            chat.say("SECRETUNDONE")
            chat.undo()
            count = len(provider.asked)
            chat.compress()
            chat.say("On.")
            for number in range(12):
                chat.say(f"Rule {number}: keep it. " * 100)
            told = json.dumps(provider.asked[count:])
        assert "(1) SYSTEM PROMPT" in told and "Rule 1: keep it." in told
        assert "SECRET" not in told and "CONVERSATION HISTORY" not in told


def test_a_whole_context_counts_as_long_as_the_provider_holds_it(root: str) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        return [Say(f"answer {number}")]

    for model, is_held in ((OPENAI, True), (CLAUDE, False)):
        with KeepingProvider(script) as provider, talk(provider, root, model=model) as chat:
            fill(chat, 2)
            chat.compress()
            before = chat.context()["context, once"]
            tokens = chat.say("On.").tokens
            assert chat.context().get("context, once", 0) == (before if is_held else 0)
            if is_held:
                assert abs(sum(chat.context().values()) - tokens) < tokens // 10
                # It goes with the turn that it came with, and comes again.
                chat.undo()
                chat.say("Other.")
                assert "(1) SYSTEM PROMPT" in json.dumps(provider.asked[-1]["input"])
            provider.expire()
            chat.say("And on.")
            assert "context, once" not in chat.context()


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_reset_is_taken_back_in_a_fork_and_stays_where_that_was_left(
    root: str, by_hand: bool
) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        return [Say(f"answer {number}")]

    with KeepingProvider(script) as provider, talk(provider, root, limit=LIMIT) as chat:
        first = chat.id
        for number in range(2 if by_hand else 12):
            chat.say(f"Rule {number}: keep it. " * (1 if by_hand else 200))
        if by_hand:
            chat.compress()
        summary = chat.state.summary
        assert chat.state.cursor.since and summary
        chat.fork()
        chat.say("in the fork")
        chat.undo_reset()
        assert chat.state.cursor.since == 0
        provider.expire()
        if by_hand:
            chat.say("on")
            said = [item["content"] for item in provider.asked[-1]["input"]]
            assert said[0].startswith("Rule 0") and said[-3:] == ["in the fork", "answer 3", "on"]
        with talk(provider, root, go_on=first, limit=LIMIT) as other:
            assert other.state.summary == summary and other.state.cursor.since
            # What was done in the fork is not of the other one.
            other.undo_reset()
            with pytest.raises(DctxError, match="no reset"):
                while True:
                    other.undo_reset()
        with pytest.raises(DctxError, match="no reset"):
            while True:
                chat.undo_reset()


def test_a_turn_is_taken_back(root: str) -> None:
    with (
        KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider,
        talk(provider, root) as chat,
    ):
        for text in ("one", "two", "three"):
            chat.say(text)
        chat.undo()
        chat.say("other")
        assert provider.asked[-1]["previous_response_id"] == "resp_2"
        provider.expire()
        chat.say("on")
        said = [item["content"] for item in provider.asked[-1]["input"]]
        assert said == ["one", "answer 1", "two", "answer 2", "other", "answer 4", "on"]


def test_a_fork_goes_on_and_the_other_stays_as_it_is(root: str) -> None:
    with (
        KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider,
        talk(provider, root) as chat,
    ):
        first = chat.id
        chat.say("one")
        second = chat.fork()
        assert second != first
        chat.say("in the fork")
        assert provider.asked[-1]["previous_response_id"] == "resp_1"
        with talk(provider, root, go_on=first) as other:
            other.say("in the first")
            assert provider.asked[-1]["previous_response_id"] == "resp_1"
        provider.expire()
        with talk(provider, root, go_on=second) as again:
            again.say("on")
        said = [item["content"] for item in provider.asked[-1]["input"]]
        assert said == ["one", "answer 1", "in the fork", "answer 2", "on"]


@pytest.mark.parametrize("status", ["400", "404"])
def test_an_id_that_expired_is_said_and_the_conversation_begins_afresh(
    root: str, status: str
) -> None:
    notices: list[str] = []
    with (
        KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider,
        talk(provider, root, on_notice=notices.append) as chat,
    ):
        provider.unknown_status = status
        chat.say("one")
        provider.expire()
        assert chat.say("two").ended == "answered"
        asked = provider.asked[-1]
        assert "previous_response_id" not in asked
        assert [item["content"] for item in asked["input"]] == ["one", "answer 1", "two"]
        assert "no longer knows" in notices[0]


def test_a_provider_that_keeps_nothing_is_told_everything(root: str) -> None:
    notices: list[str] = []
    with (
        KeepingProvider(busy) as provider,
        talk(provider, root, own_tools=[looking(50)], on_notice=notices.append) as chat,
    ):
        provider.keeps = False
        fill(chat, 3)
        assert len(notices) == 1 and "keeps no conversations" in notices[0]
        assert len(provider.refusals) == 1


def test_ids_of_another_provider_are_not_used(root: str) -> None:
    notices: list[str] = []
    with (
        KeepingProvider(lambda asked, number: [Say("a")]) as one,
        KeepingProvider(lambda asked, number: [Say("b")]) as two,
    ):
        with talk(one, root) as chat:
            chat.say("Hi")
        with talk(two, root, go_on="", on_notice=notices.append) as chat:
            chat.say("on")
        assert [item["content"] for item in two.asked[0]["input"]] == ["Hi", "a", "on"]
        assert not two.refusals and f"So far this chat was with openai {one.url}" in notices[0]


def test_what_is_too_large_by_itself_is_refused_and_the_chat_goes_on(root: str) -> None:
    with (
        KeepingProvider(lambda asked, number: [Say("a")], window=LIMIT) as provider,
        talk(provider, root, limit=LIMIT) as chat,
    ):
        chat.say("one")
        turn = chat.say("x" * 100_000)
        assert turn.ended == "failed" and "12,000 tokens" in turn.why
        assert chat.say("two").ended == "answered"
        assert not provider.refusals


TROUBLES = ("429", "500", "400", "cut", "garbage", "hang up", "expire", "stop", "")


class Stopped(BaseException):
    """As Ctrl-C, or a process that is killed."""


@pytest.mark.parametrize(
    ("model", "stream", "keeps"),
    [(OPENAI, False, True), (OPENAI, True, True), (OPENAI, True, False), (CLAUDE, True, True)],
)
def test_after_a_thousand_failures_nothing_said_is_lost(
    root: str, model: str, stream: bool, keeps: bool
) -> None:
    """Whatever goes wrong in whatever turn, the next one goes on, or says why not."""
    chance = random.Random(f"{model} {stream} {keeps}")
    failures = 0
    trouble = ""

    def happens(number: int) -> str:
        return trouble if trouble in TROUBLES[:6] and chance.random() < 0.6 else ""

    def look(given: Json) -> str:
        if trouble == "stop" and chance.random() < 0.5:
            raise Stopped
        return str(given) * 40

    tool = looking()
    own = [tool.replace(call=look)]
    said: list[str] = []
    with KeepingProvider(busy, happens, window=LIMIT) as provider:
        chat = talk(provider, root, model=model, limit=LIMIT, provider_keeps=keeps, own_tools=own)
        number = 0
        while failures < 200:
            number += 1
            trouble = chance.choice(TROUBLES)
            if trouble == "expire":
                provider.expire()
                failures += 1
            words = f"Question {number}."
            said.append(words)
            try:
                turn = chat.say(words, (lambda text: None) if stream else None)
            except Stopped:
                failures += 1
                chat.close()
                chat = talk(
                    provider,
                    root,
                    model=model,
                    limit=LIMIT,
                    provider_keeps=keeps,
                    own_tools=own,
                    go_on="",
                )
                continue
            if turn.ended == "failed":
                failures += 1
                assert turn.why
        trouble = ""
        last = chat.say("At last?")
        assert last.ended == "answered", last.why
        rules = [one for one in provider.refusals if "not found" not in one]
        assert not rules
        kept = {message.content for message in all_messages(chat._store)}
        assert kept.issuperset(said)
        resolve_all(chat, provider)
        chat.close()
