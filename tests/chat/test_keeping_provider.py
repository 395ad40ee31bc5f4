"""The provider that the tests of `chat` speak with does what the real ones do: both official clients
read it.
"""

from __future__ import annotations

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
