"""A model of LangChain that plays a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool


class PlayedModel(BaseChatModel):
    """Answers as `answer` of its subclass says."""

    offered: list[str] = []  # noqa: RUF012  pydantic copies it for each model
    """The names of its tools."""

    @property
    def _llm_type(self) -> str:
        return "played"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Any:
        self.offered[:] = [convert_to_openai_tool(one)["function"]["name"] for one in tools]
        return self

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        raise NotImplementedError

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None, **options: Any,
    ) -> ChatResult:  # fmt: skip
        return ChatResult(generations=[ChatGeneration(message=self.answer(messages))])


def calling(name: str, arguments: dict[str, Any], call: str, said: str = "") -> AIMessage:
    asked = {"name": name, "args": arguments, "id": call, "type": "tool_call"}
    return AIMessage(said, tool_calls=[asked])
