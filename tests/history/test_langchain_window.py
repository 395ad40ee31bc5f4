"""The middleware of LangChain: its limit is that of the model's profile, as the model's provider counts."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool
from langchain_models import PlayedModel, calling

from director_ctx import ContextConfig, ContextManager
from director_ctx.base.errors import UsageProblem
from director_ctx.doors.langchain import ContextMiddleware

PAGE = "会議の議事録を読み、決定事項と担当者をまとめてから、次の作業に進みます。" * 20
CALLS = 60


@tool
def read_page(number: int) -> str:
    """Reads a page."""
    return f"{number}: {PAGE}"


class Counting(PlayedModel):
    """Reads page after page. It counts a token for each character, and says so in its answers."""

    sizes: list[int] = []  # noqa: RUF012  pydantic copies it for each model
    calls: int = CALLS
    tells: bool = True

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        number = sum(isinstance(message, AIMessage) for message in messages)
        size = 200 + sum(len(str(message.text)) for message in messages)
        self.sizes.append(size)
        answer = AIMessage("All is read.")
        if len(self.sizes) <= self.calls:
            answer = calling("read_page", {"number": number}, f"c{len(self.sizes)}", "I read on.")
        if self.tells:
            usage = {"input_tokens": size, "output_tokens": 5, "total_tokens": size + 5}
            answer.usage_metadata = usage
        return answer


def run(model: Counting, middleware: ContextMiddleware) -> list[int]:
    agent = create_agent(model, [read_page], middleware=[middleware])
    agent.invoke({"messages": [("user", "Read every page.")]}, {"recursion_limit": 4 * CALLS})
    return model.sizes


def counting(window: int | None = None) -> Counting:
    return Counting(profile={"max_input_tokens": window} if window else None)


@pytest.fixture(autouse=True)
def here(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".director").mkdir()
    monkeypatch.chdir(tmp_path)


def test_a_conversation_stays_below_the_limit_as_its_provider_counts() -> None:
    config = ContextConfig(strategy="hybrid", limit=20_000, target_tokens=8_000)
    middleware = ContextMiddleware(config)
    sizes = run(counting(), middleware)
    assert sum(map(len, [PAGE])) * CALLS > 20_000 > CALLS * len(PAGE) / 4, (
        "by the estimate none would be cut"
    )
    assert max(sizes) <= 20_000
    assert middleware.manager.provider_factor > 3
    assert middleware.manager.receipt is not None


def test_without_sizes_in_the_answers_it_goes_by_the_estimate() -> None:
    config = ContextConfig(strategy="hybrid", limit=20_000, target_tokens=8_000)
    assert max(run(Counting(tells=False), ContextMiddleware(config))) > 20_000


def test_a_share_is_of_the_window_in_the_models_profile() -> None:
    middleware = ContextMiddleware(ContextConfig(strategy="hybrid", limit=0.5, target_tokens=0.2))
    sizes = run(counting(30_000), middleware)
    assert middleware.manager.config.limit == 15_000
    assert middleware.manager.windowed.limit_from.endswith("30,000 tokens, the model's window")
    assert max(sizes) <= 15_000 < sum(len(PAGE) for _ in range(CALLS))


def test_where_nobody_says_a_limit_it_is_below_the_models_window() -> None:
    middleware = ContextMiddleware(ContextConfig(strategy="hybrid"))
    assert middleware.manager.config.limit == 180_000
    sizes = run(counting(16_000), middleware)
    assert middleware.manager.config.limit == 14_400
    assert max(sizes) <= 14_400


def test_a_limit_in_tokens_stays_whatever_the_window() -> None:
    middleware = ContextMiddleware(ContextConfig(strategy="hybrid", limit=9_000))
    middleware.manager.take_window(1_000_000)
    assert middleware.manager.config.limit == 9_000


def test_a_share_of_nobodys_window_is_refused_where_no_model_will_be_known() -> None:
    with pytest.raises(UsageProblem, match="no model is named"):
        ContextManager(ContextConfig(limit=0.5))
