"""One turn of a chat: what goes out, what tools do in it, and what is kept."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

import openai
import pytest
from asking_models import Call, Part, Say, Think
from chats import KEY, keys, looking, project_in, talk
from keeping_provider import KeepingProvider

from director_ctx import AsyncDirectorConversation, OwnTool
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.chat.exchange import ToolUse, TurnLimits, usage_in

Json = dict[str, Any]
MODELS = ("gpt-6.1-terra", "claude-sonnet-5-5")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    keys(monkeypatch)
    return project_in(tmp_path)


def calling_once(*calls: Call) -> Any:
    """A model that calls tools, and then says what it was answered."""

    def script(asked: Json, number: int) -> list[Part]:
        outputs = [one["output"] for one in asked["input"] if one["type"] == "function_call_output"]
        if outputs:
            return [Say(f"I read: {' | '.join(outputs)[:200]}")]
        return [Think("look first"), *calls]

    return script


def test_a_turn_sends_the_clean_prompt_and_the_tools_and_tells_the_answer(root: str) -> None:
    with (
        KeepingProvider(lambda asked, number: [Say("Hello.")]) as provider,
        talk(provider, root) as chat,
    ):
        turn = chat.say("Hi")
        assert (turn.text, turn.ended) == ("Hello.", "answered")
        (asked,) = provider.asked
        assert asked["instructions"].startswith("You are the director of Reading List.")
        assert [tool["name"] for tool in asked["tools"]][:2] == ["context", "status"]
        assert asked["store"] is True and "stream" not in asked
        assert asked["input"] == [{"type": "message", "role": "user", "content": "Hi"}]
        assert turn.usage.input == provider.sizes[0]


def test_the_next_turn_sends_only_what_is_new(root: str) -> None:
    with (
        KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider,
        talk(provider, root) as chat,
    ):
        chat.say("one")
        chat.say("two")
        asked = provider.asked[1]
        assert asked["previous_response_id"] == "resp_1"
        assert [item["content"] for item in asked["input"]] == ["two"]
        assert asked["instructions"]


def test_calls_of_one_answer_are_all_answered_in_their_order(root: str) -> None:
    calls = (Call("status"), Call("look", at="a"), Call("look", at="b"))
    with (
        KeepingProvider(calling_once(*calls)) as provider,
        talk(provider, root, own_tools=[looking(60)]) as chat,
    ):
        turn = chat.say("What is next?")
        results = provider.asked[1]["input"]
        assert [item["call_id"] for item in results] == ["call_1_1", "call_1_2", "call_1_3"]
        assert "Reading List" in results[0]["output"]
        assert results[1]["output"].startswith("a: ") and results[2]["output"].startswith("b: ")
        assert turn.text.startswith("I read: ") and not provider.refusals


def test_what_is_wrong_with_a_call_is_told_to_the_model(root: str) -> None:
    def broken(given: Json) -> str:
        raise OSError("no disk")

    calls = (Call("nothing"), Call("status", goal=[]), Call("look", at="x"))
    own = OwnTool({"name": "look", "inputSchema": {"type": "object"}}, broken)
    with (
        KeepingProvider(calling_once(*calls)) as provider,
        talk(provider, root, own_tools=[own]) as chat,
    ):
        turn = chat.say("go")
        texts = [result.text for result in turn.results]
        assert texts[0].startswith("There is no such tool; there are: context")
        assert "goal has to be a text" in texts[1]
        assert texts[2] == "OSError: no disk"
        assert all(result.is_error for result in turn.results)


def test_a_tool_may_change_only_what_was_allowed(root: str) -> None:
    call = Call("set_variable", variableName="found", value=7, reason="read")
    for write, is_error in (((), True), (("variables",), False)):
        with (
            KeepingProvider(calling_once(call)) as provider,
            talk(provider, root, tools="seed", write=write) as chat,
        ):
            (result,) = chat.say("remember").results
            assert result.is_error is is_error


def test_a_turn_ends_at_its_last_request_in_words(root: str) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        return [Say("enough")] if asked["tool_choice"] == "none" else [Call("look", at=str(number))]

    with (
        KeepingProvider(script) as provider,
        talk(provider, root, own_tools=[looking(20)], limits=TurnLimits(rounds=4)) as chat,
    ):
        turn = chat.say("go")
        assert (turn.text, turn.ended, turn.usage.requests) == ("enough", "answered", 4)


def test_a_model_that_calls_on_and_on_is_stopped_and_its_calls_are_answered(root: str) -> None:
    with (
        KeepingProvider(lambda asked, number: [Call("look", at="x")]) as provider,
        talk(provider, root, own_tools=[looking(20)], limits=TurnLimits(rounds=3)) as chat,
    ):
        turn = chat.say("go")
        assert turn.ended == "limited" and "at most 3 requests" in turn.why
        chat.say("and now?")
        results = [item for item in provider.asked[3]["input"] if item["type"] != "message"]
        assert "This was not carried out" in results[0]["output"] and not provider.refusals


def test_a_turn_that_was_stopped_in_a_tool_leaves_no_call_without_an_answer(root: str) -> None:
    def stopped(given: Json) -> str:
        raise KeyboardInterrupt

    own = OwnTool({"name": "look", "parameters": {"type": "object"}}, stopped)
    with (
        KeepingProvider(
            lambda asked, number: [Call("look")] if number == 1 else [Say("on")]
        ) as provider,
        talk(provider, root, own_tools=[own]) as chat,
    ):
        with pytest.raises(KeyboardInterrupt):
            chat.say("go")
        assert chat.say("again").text == "on"
        output, said = provider.asked[1]["input"]
        assert "not carried out" in output["output"] and said["content"] == "again"
        assert not provider.refusals


def test_another_program_goes_on_where_one_was_killed_in_the_middle_of_its_calls(root: str) -> None:
    class Killed(BaseException):
        pass

    def dies(given: Json) -> str:
        raise Killed

    own = OwnTool({"name": "look", "parameters": {"type": "object"}}, dies)
    script: Any = lambda asked, number: [Call("look")] if number == 1 else [Say("on")]  # noqa: E731
    with KeepingProvider(script) as provider:
        first = talk(provider, root, own_tools=[own])
        with pytest.raises(Killed):
            first.say("go")
        # Nothing of the first is closed.
        with talk(provider, root, go_on="") as chat:
            assert chat.id == first.id
            assert chat.say("again").text == "on"
        assert provider.asked[1]["previous_response_id"] == "resp_1" and not provider.refusals
        first.close()


def test_everything_is_in_the_store_before_the_provider_has_answered(root: str) -> None:
    seen: list[str] = []

    def script(asked: Json, number: int) -> list[Part]:
        with sqlite3.connect(Path(root, ".director/.dctx/store.db")) as store:
            rows = store.execute("SELECT role, content FROM conversations ORDER BY timestamp")
            seen[:] = [f"{role}: {content[:20]}" for role, content in rows]
        return [Call("look", at="x")] if number == 1 else [Say("done")]

    with (
        KeepingProvider(script) as provider,
        talk(provider, root, own_tools=[looking(20)]) as chat,
    ):
        chat.say("Find it")
    assert seen == ["user: Find it", 'tool: {"at": "x"}', "tool: x: line of x "]


@pytest.mark.parametrize("model", MODELS)
def test_an_answer_is_told_piece_by_piece_to_whoever_listens(root: str, model: str) -> None:
    pieces: list[str] = []
    with (
        KeepingProvider(lambda asked, number: [Say("A long answer.")]) as provider,
        talk(provider, root, model=model) as chat,
    ):
        turn = chat.say("Hi", on_text=pieces.append)
        assert len(pieces) > 1 and "".join(pieces) == turn.text == "A long answer."
        assert provider.asked[0]["stream"] is True
        assert turn.usage.output


def test_anthropic_is_told_everything_each_time_in_its_own_form(root: str) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        return [Say("Let me look."), Call("look", at="x")] if number == 1 else [Say("done")]

    with (
        KeepingProvider(script) as provider,
        talk(provider, root, model="claude-sonnet-5-5", own_tools=[looking(20)]) as chat,
    ):
        chat.say("Find it")
        chat.say("And?")
        last = provider.asked[-1]
        assert [one["role"] for one in last["messages"]] == [
            "user",
            "assistant",
            "user",
            "assistant",
            "user",
        ]
        kinds = [[block["type"] for block in one["content"]] for one in last["messages"]]
        assert kinds[1:3] == [["text", "tool_use"], ["tool_result"]]
        assert last["system"][0]["text"].startswith("You are the director")
        assert last["tools"][0]["input_schema"] and not provider.refusals


def test_a_thought_stays_with_the_call_that_it_led_to(root: str) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        return [Think("why"), Call("look", at="x")] if number == 1 else [Say("done")]

    with (
        KeepingProvider(script) as provider,
        talk(provider, root, model="claude-sonnet-5-5", own_tools=[looking(20)]) as chat,
    ):
        chat.say("Find it")
        blocks = provider.asked[1]["messages"][1]["content"]
        assert blocks[0] == {"type": "thinking", "thinking": "why", "signature": "signed why"}
        assert blocks[1]["type"] == "tool_use"


def test_a_program_with_an_event_loop_has_the_same(root: str) -> None:
    async def both(url: str) -> list[str]:
        said: list[str] = []
        for model, base in zip(MODELS, (f"{url}/v1", url), strict=True):
            async with AsyncDirectorConversation(
                root, model=model, base_url=base, own_tools=[looking(20)]
            ) as chat:
                for on_text in (None, said.append):
                    turn = await chat.say("Hi", on_text)
                    assert turn.ended == "answered" and len(turn.results) == 1
        return said

    def script(asked: Json, number: int) -> list[Part]:
        return [Call("look", at="x")] if number % 2 else [Say("a long answer")]

    with KeepingProvider(script) as provider:
        assert "".join(asyncio.run(both(provider.url))) == "a long answer" * 2
        assert not provider.refusals


def test_in_the_background_an_answer_is_waited_for(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("director_ctx.chat.providers.wire.POLL_SECONDS", 0.01)
    with (
        KeepingProvider(lambda asked, number: [Say("done")]) as provider,
        talk(provider, root, background=True) as chat,
    ):
        assert chat.say("a long task").text == "done"
        assert provider.asked[0]["background"] is True
        assert chat.say("on").ended == "answered" and not provider.refusals


def test_an_answer_that_nobody_waited_for_is_there_when_the_chat_goes_on(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("director_ctx.chat.providers.wire.POLL_SECONDS", 0.01)

    class Killed(BaseException):
        pass

    def kill(_: float) -> None:
        raise Killed

    with KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider:
        first = talk(provider, root, background=True)
        with monkeypatch.context() as patch:
            patch.setattr("director_ctx.chat.providers.wire.sleep", kill)
            with pytest.raises(Killed):
                first.say("a long task")
        first.close()
        heard: list[str] = []
        with talk(provider, root, go_on=first.id) as chat:
            chat.say("on", heard.append)
            assert [row.text for row in chat.state.rows][:2] == ["a long task", "answer 1"]
        assert "".join(heard) == "answer 1\n\nanswer 4"
        assert provider.asked[-1]["previous_response_id"] == "resp_1"


def test_whoever_stops_waiting_stops_the_work(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("director_ctx.chat.providers.wire.sleep", stop)
    with (
        KeepingProvider(lambda asked, number: [Say("done")]) as provider,
        talk(provider, root, background=True) as chat,
    ):
        with pytest.raises(KeyboardInterrupt):
            chat.say("a long task")
        assert provider.cancelled == ["resp_1"]


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
        talk(provider, root, provider_keeps=False, own_tools=[looking(50)]) as chat,
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


def test_another_program_goes_on_from_an_answer_of_a_chat(root: str) -> None:
    """Whoever else knows the id reads the same conversation."""
    with (
        KeepingProvider(lambda asked, number: [Say("Hello.")]) as provider,
        talk(provider, root) as chat,
        openai.OpenAI(base_url=f"{provider.url}/v1", api_key="none") as client,
    ):
        turn = chat.say("Hi")
        assert turn.response
        response = client.responses.create(
            model="m", input="on", previous_response_id=turn.response
        )
        assert response.output_text == "Hello."


def test_nothing_is_said_by_an_empty_message(root: str) -> None:
    with KeepingProvider(lambda asked, number: []) as provider, talk(provider, root) as chat:
        with pytest.raises(UsageProblem):
            chat.say("  \n")
        assert not provider.asked


def test_a_key_is_needed_for_the_vendor_and_never_shown(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(asked: Json, number: int) -> list[Part]:
        raise AssertionError

    with KeepingProvider(script, lambda number: "401") as provider, talk(provider, root) as chat:
        turn = chat.say("Hi")
        assert turn.ended == "failed" and "key" in turn.hint
        assert KEY not in repr(turn) + repr(chat.state)
        assert KEY.encode() in provider.heads[0]
    for place in Path(root).rglob("*"):
        assert not place.is_file() or KEY.encode() not in place.read_bytes()
    monkeypatch.delenv("OPENAI_API_KEY")
    from director_ctx import DirectorConversation

    with (
        DirectorConversation(root, model="gpt-6.1-terra") as chat,
        pytest.raises(DctxError) as caught,
    ):
        chat.say("Hi")
    assert "OPENAI_API_KEY" in caught.value.hint


def test_a_call_is_shown_to_whoever_wants_to_see_it(root: str) -> None:
    uses: list[ToolUse] = []
    with (
        KeepingProvider(calling_once(Call("look", at="x"))) as provider,
        talk(provider, root, own_tools=[looking(20)], on_use=uses.append) as chat,
    ):
        chat.say("go")
    assert [(use.name, json.loads(use.arguments)) for use in uses] == [("look", {"at": "x"})]


def test_a_chat_whose_first_request_failed_is_gone_on_with(root: str) -> None:
    with KeepingProvider(
        lambda asked, number: [Say("a")], lambda number: "500" if number == 1 else ""
    ) as provider:
        with talk(provider, root) as chat:
            assert chat.say("one").ended == "failed"
        with talk(provider, root, go_on="") as again:
            assert again.id == chat.id and again.say("two").ended == "answered"
        said = [item["content"] for item in provider.asked[-1]["input"]]
        assert said == ["one", "two"]


def test_what_an_answer_took_is_kept_with_it(root: str) -> None:
    with (
        KeepingProvider(calling_once(Call("look", at="x"))) as provider,
        talk(provider, root, own_tools=[looking(20)]) as chat,
    ):
        turn = chat.say("go")
    with talk(provider, root, go_on="") as again:
        kept = [usage_in(row.usage) for row in again.state.rows if row.usage]
    assert len(kept) == 2 and kept[0].plus(kept[1]) == turn.usage


def test_a_turn_that_is_cancelled_in_a_tool_leaves_the_store_whole(root: str) -> None:
    begun = threading.Event()
    may_end = threading.Event()

    def waits(given: Json) -> str:
        begun.set()
        assert may_end.wait(30)
        return "done"

    async def cancelled(url: str) -> str:
        tool = OwnTool({"name": "look", "parameters": {"type": "object"}}, waits)
        async with AsyncDirectorConversation(
            root, model="gpt-6.1-terra", base_url=f"{url}/v1", own_tools=[tool]
        ) as chat:
            turn = asyncio.create_task(chat.say("go"))
            await asyncio.to_thread(begun.wait, 30)
            turn.cancel()
            may_end.set()
            with pytest.raises(asyncio.CancelledError):
                await turn
            return (await chat.say("on")).text

    script: Any = lambda asked, number: [Call("look")] if number == 1 else [Say("on")]  # noqa: E731
    with KeepingProvider(script) as provider:
        assert asyncio.run(cancelled(provider.url)) == "on"
        assert not provider.refusals
