"""A message that is too large by itself changes nothing, and a chat that is small is never reset for one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asking_models import Part, Say
from chats import keys, project_in, talk
from keeping_provider import KeepingProvider

from director_ctx.base.errors import DctxError
from director_ctx.context.settings.chat import RESETS
from director_ctx.memory.conversations.messages import all_messages

Json = dict[str, Any]
LIMIT = 12_000
OPENAI, CLAUDE = "gpt-6.1-terra", "claude-sonnet-5-5"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


def noted(asked: Json, number: int) -> list[Part]:
    return [Say(f"I noted {number}.")]


@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize("model", [OPENAI, CLAUDE])
@pytest.mark.parametrize("tokens", [11_500, 20_000])
def test_a_refused_message_changes_nothing(root: str, reset: str, model: str, tokens: int) -> None:
    notices: list[str] = []
    with (
        KeepingProvider(noted, window=LIMIT) as provider,
        talk(
            provider, root, model=model, reset=reset, limit=LIMIT, on_notice=notices.append
        ) as chat,
    ):
        chat.say("one")
        chat.say("two")
        before = chat.state
        turn = chat.say("x" * tokens * 4)
        assert turn.ended == "failed" and "12,000 tokens" in turn.why
        assert (turn.tokens, turn.response) == (before.tokens, before.response)
        assert not notices and len(provider.asked) == 2
        after = chat.state.cursor
        assert after.replace(taken=()) == before.cursor
        chat.say("three")
        assert not provider.refusals
        if model == OPENAI:
            assert provider.asked[-1]["previous_response_id"] == "resp_2"
            assert [item["content"] for item in provider.asked[-1]["input"]] == ["three"]
        with pytest.raises(DctxError, match="no reset"):
            chat.undo_reset()


def test_a_new_chat_has_not_grown(root: str) -> None:
    notices: list[str] = []
    with (
        KeepingProvider(noted) as provider,
        talk(provider, root, limit=LIMIT, on_notice=notices.append) as chat,
    ):
        assert chat.say("x" * 100_000).ended == "failed"
        assert not notices and not provider.asked


def test_a_message_that_was_not_answered_stays_where_the_next_one_is_refused(root: str) -> None:
    with (
        KeepingProvider(noted, lambda number: "500" if number == 1 else "") as provider,
        talk(provider, root, limit=LIMIT) as chat,
    ):
        assert chat.say("one").ended == "failed"
        assert chat.say("x" * 100_000).ended == "failed"
        chat.say("two")
        assert [item["content"] for item in provider.asked[-1]["input"]] == ["one", "two"]


@pytest.mark.parametrize("reset", RESETS)
def test_what_a_provider_refuses_in_the_end_was_not_summed_up(root: str, reset: str) -> None:
    """Its window is smaller than the limit, which only its answers say."""
    with (
        KeepingProvider(noted, window=9_000) as provider,
        talk(provider, root, reset=reset, limit=40_000) as chat,
    ):
        for number in range(4):
            assert chat.say(f"Rule {number}: keep it. " * 60).ended == "answered"
        before = chat.state
        turn = chat.say("x" * 36_000)
        assert turn.ended == "failed" and "context window" in turn.why
        # The same is not sent again.
        assert len({str(asked) for asked in provider.asked}) == len(provider.asked)
        assert chat.state.cursor.replace(taken=()) == before.cursor
        assert chat.state.response == before.response
        assert not any(message.archived for message in all_messages(chat._store))
        assert chat.say("on").ended == "answered"
        assert provider.asked[-1]["previous_response_id"] == before.response


def test_a_chat_that_is_large_makes_room_for_a_message_that_has_room_by_itself(root: str) -> None:
    notices: list[str] = []
    with (
        KeepingProvider(noted, window=LIMIT) as provider,
        talk(provider, root, limit=LIMIT, on_notice=notices.append) as chat,
    ):
        for number in range(3):
            assert chat.say(f"Rule {number}: keep it. " * 300).ended == "answered"
        assert chat.say("x" * 20_000).ended == "answered"
        assert "summary" in notices[0] and not provider.refusals


@pytest.mark.parametrize("by_hand", [True, False])
def test_of_what_cannot_be_summed_up_the_beginning_of_each_message_is_told(
    root: str, by_hand: bool
) -> None:
    numbers = " ".join(map(str, range(2_000)))
    with (
        KeepingProvider(lambda asked, number: [Say("1 2 3")]) as provider,
        talk(provider, root, limit=LIMIT) as chat,
    ):
        for number in range(2):
            chat.say(f"{number} {numbers}")
        if by_hand:
            assert "you were asked: 0 0 1 2" in chat.compress()
            chat.say("on")
        else:
            chat.say(f"2 {numbers} {numbers}")
        told = provider.asked[-1]["input"][0]["content"]
        assert "you were asked: 0 0 1 2" in told and "(no summary)" not in told
        assert "original {" in told
    with talk(provider, root, go_on="", limit=LIMIT) as again:
        assert again.context()["summary"] > 20
