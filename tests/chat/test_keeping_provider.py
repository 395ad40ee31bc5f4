"""The provider that the tests of `chat` speak with does what the real ones do: both official clients
read it.
"""

from __future__ import annotations

import anthropic
import openai
import pytest
from asking_models import Call, Say, Think
from keeping_provider import KeepingProvider

TOOL = {
    "type": "function",
    "name": "status",
    "parameters": {"type": "object", "properties": {}},
    "strict": False,
}


def openai_client(provider: KeepingProvider) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{provider.url}/v1", api_key="none", max_retries=0)


def test_what_is_said_later_stands_on_what_was_kept() -> None:
    with (
        KeepingProvider(lambda asked, number: [Say(f"answer {number}")]) as provider,
        openai_client(provider) as client,
    ):
        first = client.responses.create(model="m", input="hello " * 50)
        second = client.responses.create(model="m", input="on", previous_response_id=first.id)
        assert second.output_text == "answer 2"
        assert second.usage is not None and first.usage is not None
        assert second.usage.input_tokens > first.usage.input_tokens


def test_an_id_that_it_does_not_know_is_refused_as_openai_refuses_it() -> None:
    with (
        KeepingProvider(lambda asked, number: [Say("a")]) as provider,
        openai_client(provider) as client,
    ):
        with pytest.raises(openai.BadRequestError) as caught:
            client.responses.create(model="m", input="on", previous_response_id="resp_9")
        assert caught.value.code == "previous_response_not_found"


def test_a_call_that_nobody_answers_is_refused() -> None:
    with (
        KeepingProvider(lambda asked, number: [Call("status")]) as provider,
        openai_client(provider) as client,
    ):
        first = client.responses.create(model="m", input="hello", tools=[TOOL])  # type: ignore[list-item]
        with pytest.raises(openai.BadRequestError, match="No tool output found"):
            client.responses.create(model="m", input="on", previous_response_id=first.id)


def test_a_call_without_the_thought_that_led_to_it_is_refused() -> None:
    with (
        KeepingProvider(lambda asked, number: [Think("why"), Call("status")]) as provider,
        openai_client(provider) as client,
    ):
        first = client.responses.create(model="m", input="hello", tools=[TOOL])  # type: ignore[list-item]
        call = first.output[1].to_dict()
        output = {"type": "function_call_output", "call_id": call["call_id"], "output": "x"}
        with pytest.raises(openai.BadRequestError, match="without its required 'reasoning' item"):
            client.responses.create(model="m", input=[call, output])  # type: ignore[list-item]


def test_in_the_background_an_answer_takes_its_states() -> None:
    with (
        KeepingProvider(lambda asked, number: [Say("done")]) as provider,
        openai_client(provider) as client,
    ):
        begun = client.responses.create(model="m", input="hello", background=True)
        states = [begun.status]
        while states[-1] != "completed":
            states.append(client.responses.retrieve(begun.id).status)
        assert states == ["queued", "in_progress", "completed"]


def test_a_stream_that_is_cut_is_no_answer() -> None:
    with (
        KeepingProvider(
            lambda asked, number: [Say("a long answer")], lambda number: "cut"
        ) as provider,
        openai_client(provider) as client,
        pytest.raises((openai.APIConnectionError, RuntimeError)),
        client.responses.stream(model="m", input="hello") as events,
    ):
        events.get_final_response()


@pytest.mark.parametrize(
    ("status", "error"), [("429", openai.RateLimitError), ("500", openai.InternalServerError)]
)
def test_a_provider_in_trouble_says_so(status: str, error: type[Exception]) -> None:
    with (
        KeepingProvider(lambda asked, number: [Say("a")], lambda number: status) as provider,
        openai_client(provider) as client,
        pytest.raises(error),
    ):
        client.responses.create(model="m", input="hello")


def test_messages_are_read_by_the_client_of_anthropic() -> None:
    with (
        KeepingProvider(lambda asked, number: [Say("hi"), Call("status", goal="1")]) as provider,
        anthropic.Anthropic(base_url=provider.url, api_key="none", max_retries=0) as client,
    ):
        asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}
        whole = client.messages.create(**asked)
        with client.messages.stream(**asked) as events:
            streamed = events.get_final_message()
        assert [block.type for block in whole.content] == ["text", "tool_use"]
        assert whole.usage.input_tokens == streamed.usage.input_tokens > 0
