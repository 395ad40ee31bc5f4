"""The provider that chats are tested with, judged by LangChain's client, which goes on from answers by their ids."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from asking_models import Call, Part, Say, Think
from conftest import ROOT
from keeping_provider import KeepingProvider

Json = dict[str, Any]
CLIENTS = Path(os.environ.get("DCTX_CLIENTS") or ROOT / ".clients")
PLACE = CLIENTS / "langchain"
LOOK: Json = {
    "title": "look",
    "description": "Looks something up.",
    "type": "object",
    "properties": {"at": {"type": "string"}},
}


def script(asked: Json, number: int) -> list[Part]:
    last = asked["input"][-1]
    if last.get("type") == "function_call_output":
        return [Say(f"found {last['output']}")]
    return [Think("why"), Call("look", at="x"), Call("look", at="y")]


@pytest.mark.proof
@pytest.mark.parametrize("stream", [False, True])
def test_langchain_goes_on_from_the_ids_of_its_answers(
    monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    if not (PLACE / "langchain_openai").exists():
        pytest.skip("langchain-openai is not here: `make clients` fetches it")
    monkeypatch.syspath_prepend(str(PLACE))
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_openai import ChatOpenAI  # type: ignore[import-not-found, unused-ignore]

    with KeepingProvider(script) as provider:
        model = ChatOpenAI(
            model="gpt-6.1-terra", base_url=f"{provider.url}/v1", api_key="none", max_retries=0,
            use_responses_api=True, use_previous_response_id=True, streaming=stream,
        ).bind_tools([LOOK])  # fmt: skip
        messages: list[Any] = []
        for words in ("one", "two"):
            messages.append(HumanMessage(words))
            asked = model.invoke(messages)
            messages.append(asked)
            for call in asked.tool_calls:
                messages.append(ToolMessage(call["args"]["at"], tool_call_id=call["id"]))
            messages.append(model.invoke(messages))
        assert "found y" in str(messages[-1].content)
        stood_on = [asked.get("previous_response_id") for asked in provider.asked]
        assert stood_on == [None, "resp_1", "resp_2", "resp_3"]
        assert not provider.refusals

        provider.expire()
        with pytest.raises(Exception, match="not found"):
            model.invoke([*messages, HumanMessage("three")])
