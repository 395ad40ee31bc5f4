"""Who holds what was said: the client, OpenAI by its answers' ids, Anthropic by its threads; what Anthropic edits by
itself, and what both say of their caches.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from asking_models import Call, Part, Say, Think
from chats import keys, looking, project_in, talk
from keeping_provider import KeepingProvider

from director_ctx import DirectorConversation
from director_ctx.base.errors import UsageProblem

Json = dict[str, Any]
OPENAI, CLAUDE = "gpt-6.1-terra", "claude-sonnet-5-5"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


def looks_twice(asked: Json, number: int) -> list[Part]:
    """Two requests with calls, then words, in each turn."""
    if number % 3 == 0:
        return [Think("enough"), Say(f"answer {number}")]
    return [Think(f"look {number}"), Call("look", at=f"{number}a"), Call("look", at=f"{number}b")]


def test_with_a_client_that_holds_everything_nothing_is_kept_and_thoughts_stay_with_theirs(
    root: str,
) -> None:
    """The provider refuses a thought without what it led to, and what a thought led to without it."""
    with (
        KeepingProvider(looks_twice) as provider,
        talk(provider, root, held="client", own_tools=[looking(50)]) as chat,
    ):
        chat.say("one")
        chat.say("two")
        assert not provider.refusals
        assert not any("previous_response_id" in asked for asked in provider.asked)
        assert {asked["store"] for asked in provider.asked} == {False}
        kinds = [item["type"] for item in provider.asked[2]["input"]]
        assert kinds[:4] == ["message", "reasoning", "function_call", "function_call"]
        assert provider.asked[2]["input"][1]["encrypted_content"] == "look 1"
        # The thoughts of a turn that is over are not needed any more.
        assert "reasoning" not in [item["type"] for item in provider.asked[3]["input"]]


def test_a_server_that_keeps_nothing_is_given_back_what_it_sealed(root: str) -> None:
    with (
        KeepingProvider(looks_twice) as provider,
        talk(provider, root, own_tools=[looking(50)]) as chat,
    ):
        provider.keeps = False
        chat.say("one")
        chat.say("two")
        assert provider.refusals == ["Unsupported parameter: 'previous_response_id'."]
        last = provider.asked[-1]["input"]
        assert [item["type"] for item in last].count("reasoning") == 2


@pytest.mark.parametrize("stream", [False, True])
def test_a_thread_of_anthropic_is_told_only_what_is_new(root: str, stream: bool) -> None:
    on_text = (lambda text: None) if stream else None
    with (
        KeepingProvider(looks_twice) as provider,
        talk(provider, root, model=CLAUDE, held="provider", own_tools=[looking(50)]) as chat,
    ):
        for words in ("one", "two"):
            assert chat.say(words, on_text).ended == "answered"
        first, *others = provider.asked
        assert first["thread"] == {"type": "create"} and first["system"] and first["tools"]
        for asked in others:
            assert asked["thread"]["type"] == "continue" and len(asked["messages"]) == 1
            assert "system" not in asked and "tools" not in asked
        assert not provider.refusals


def test_a_thread_that_is_gone_is_said_and_begun_anew(root: str) -> None:
    notices: list[str] = []
    with (
        KeepingProvider(looks_twice) as provider,
        talk(
            provider, root, model=CLAUDE, held="provider", own_tools=[looking(50)],
            on_notice=notices.append,
        ) as chat,
    ):  # fmt: skip
        chat.say("one")
        provider.expire()
        assert chat.say("two").ended == "answered"
        asked = provider.asked[4]
        assert asked["thread"] == {"type": "create"} and len(asked["messages"]) > 4
        assert len(notices) == 1 and "no longer knows" in notices[0]


def test_what_a_thread_does_not_hold_is_told_anew_without_asking_first(root: str) -> None:
    """A turn taken back, and another process: the provider is not asked for what it would refuse."""
    options: Json = {"model": CLAUDE, "held": "provider"}
    with KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider:
        with talk(provider, root, **options) as chat:
            for words in ("one", "two"):
                chat.say(words)
            chat.undo()
            chat.say("other")
        with talk(provider, root, go_on="", **options) as chat:
            chat.say("on")
        assert not provider.refusals
        threads = [asked["thread"]["type"] for asked in provider.asked]
        assert threads == ["create", "continue", "create", "create"]
        said = [one["content"][0]["text"] for one in provider.asked[-1]["messages"]]
        assert said == ["one", "answer 1", "other", "answer 3", "on"]


def test_a_thread_stays_below_the_limit(root: str) -> None:
    limit = 8_000
    with (
        KeepingProvider(looks_twice, window=limit) as provider,
        talk(
            provider, root, model=CLAUDE, held="provider", limit=limit, own_tools=[looking()]
        ) as chat,
    ):
        for number in range(12):
            assert chat.say(f"Question {number}?").ended == "answered"
        assert not provider.refusals and max(provider.sizes) <= limit


def test_anthropic_leaves_old_results_out_where_it_is_asked_to(root: str) -> None:
    def sizes(**options: Any) -> list[int]:
        with (
            KeepingProvider(looks_twice) as provider,
            talk(
                provider, root, model=CLAUDE, limit=20_000, own_tools=[looking(3_000)], **options
            ) as chat,
        ):
            for number in range(4):
                assert chat.say(f"Question {number}?").ended == "answered"
            assert not provider.refusals
            return provider.sizes

    assert max(sizes(editing="clear")) < max(sizes())


def test_what_anthropic_compacts_is_given_back_and_stands_for_everything_before(root: str) -> None:
    """Also in another process; another provider is told everything."""
    options: Json = {"model": CLAUDE, "editing": "compact", "limit": 120_000}
    with KeepingProvider(looks_twice) as provider:
        with talk(provider, root, own_tools=[looking(60_000)], **options) as chat:
            for number in range(3):
                turn = chat.say(f"Question {number}?")
                assert turn.ended == "answered", turn.why
        assert provider.asked[-1]["messages"][0]["content"][0]["text"] != "Question 0?"
        with talk(provider, root, go_on="", own_tools=[looking(60)], **options) as chat:
            assert "compaction" in chat.context()
            chat.say("on")
        user, second = provider.asked[-1]["messages"][:2]
        assert user["role"] == "user" and second["content"][0] == {
            "type": "compaction",
            "content": "Summary: files were looked at.",
        }
        assert not provider.refusals
        with talk(provider, root, go_on="", model=OPENAI, limit=400_000) as chat:
            chat.say("and on")
        first = next(asked for asked in provider.asked if "input" in asked)
        said = json.dumps(first["input"])
        assert "Question 0?" in said and "compaction" not in said
        assert not provider.refusals


@pytest.mark.parametrize("model", [OPENAI, CLAUDE])
def test_the_cache_knows_the_beginning_as_long_as_nothing_is_reset(root: str, model: str) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        # The thoughts of a turn that is over are not told again, which a cache would notice.
        return [part for part in looks_twice(asked, number) if not isinstance(part, Think)]

    with (
        KeepingProvider(script) as provider,
        talk(provider, root, model=model, check_cache=True, own_tools=[looking(50)]) as chat,
    ):
        first = chat.say("one")
        second = chat.say("two")
        assert set(first.cache) == set(second.cache) == {"cache_hit"} and len(second.cache) == 3
        assert not provider.refusals


def test_why_the_cache_did_not_know_the_beginning_is_said(root: str) -> None:
    for model, said in ((OPENAI, "tools_changed"), (CLAUDE, "tools_changed")):
        with KeepingProvider(lambda asked, number: [Say("a")]) as provider:
            with talk(provider, root, model=model) as chat:
                chat.say("one")
            with talk(
                provider, root, model=model, go_on="", check_cache=True, own_tools=[looking(50)]
            ) as chat:
                assert chat.say("two").cache == (said,)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"held": "nobody"}, "no holder 'nobody'"),
        ({"editing": "all"}, "no editing 'all'"),
        ({"editing": "clear"}, "openai edits nothing"),
        ({"editing": "clear", "held": "provider", "model": CLAUDE}, "not edited by it, too"),
    ],
)
def test_what_does_not_go_together_is_said(root: str, options: Json, said: str) -> None:
    with pytest.raises(UsageProblem, match=said):
        DirectorConversation(root, **{"model": OPENAI, **options})
