"""Agents get back what was cut: a model asks by the locator that it reads, is given the original, and
uses it. With the real LangChain and LangGraph, and without either.
"""

from __future__ import annotations

import asyncio
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_models import PlayedModel, calling

from director_ctx import ContextConfig, ContextManager, compress
from director_ctx.history.agents import originals
from director_ctx.history.formats.document import read, write
from director_ctx.history.retrieve.tool import NAME, definition
from director_ctx.langchain import ContextMiddleware, pre_model_hook, retrieval_tool

FILES = 12
WANTED = 3
ASKED = re.compile(rf"{NAME} (dctx:[0-9a-f]{{12}})")
LOCATOR = re.compile(r"dctx:[0-9a-f]{12}")
LIMIT: Any = {"recursion_limit": 99}
GIVEN: Any = {"messages": [HumanMessage("Read them all. What is the password of file 3?")]}


@tool
def read_file(path: str) -> str:
    """Reads a file."""
    lines = "\n".join(f"{path} line {number} of what was read" for number in range(120))
    return f"{lines}\nThe magic word of {path} is {path[::-1]}."


class Forgetful(PlayedModel):
    """Reads file after file, then asks for the original of one that it no longer sees, and answers
    with what is in it.
    """

    told: list[str] = []  # noqa: RUF012  pydantic copies it for each model

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        asked = [call for one in messages if isinstance(one, AIMessage) for call in one.tool_calls]
        if len(asked) < FILES:
            return calling("read_file", {"path": f"f{len(asked)}.py"}, f"c{len(asked)}")

        last = messages[-1]
        if asked[-1]["name"] == NAME:
            return AIMessage(str(last.content).splitlines()[-1])
        self.told[:] = [str(one.content) for one in messages]
        assert not any("magic word of f3.py" in text for text in self.told)
        assert any(ASKED.search(text) for text in self.told), "nothing says how"
        stub = next(text for text in self.told if '"f3.py"' in text)
        return calling(NAME, {"locator": LOCATOR.findall(stub)[-1]}, "original")


def clearing(**settings: Any) -> ContextConfig:
    return ContextConfig(strategy="clear", when="always", **settings)


def used(state: Any) -> None:
    """The agent answers with what was cut, and was given it by a call."""
    messages = state["messages"]
    assert messages[-1].content == "The magic word of f3.py is yp.3f."
    given = messages[-2]
    assert isinstance(given, ToolMessage) and given.name == NAME
    assert given.content == read_file.invoke({"path": "f3.py"})


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "project" / ".director").mkdir(parents=True)
    return str(tmp_path / "project")


def test_a_model_is_given_what_was_cut_and_uses_it(root: str) -> None:
    model = Forgetful()
    manager = ContextManager(clearing(), archive=root)
    agent = create_agent(model, [read_file], middleware=[ContextMiddleware(manager)])
    used(agent.invoke(GIVEN, LIMIT))
    assert sorted(model.offered) == [NAME, "read_file"]
    ways = [text for text in model.told if f"{NAME} dctx:" in text]
    assert len(ways) == 1


def test_it_is_so_in_asynchronous_agents_too(root: str) -> None:
    manager = ContextManager(clearing(), archive=root)
    agent = create_agent(Forgetful(), [read_file], middleware=[ContextMiddleware(manager)])
    used(asyncio.run(agent.ainvoke(GIVEN, LIMIT)))


def test_where_nothing_is_kept_on_disk_the_manager_holds_it() -> None:
    manager = ContextManager(clearing(), archive=False)
    agent = create_agent(Forgetful(), [read_file], middleware=[ContextMiddleware(manager)])
    used(agent.invoke(GIVEN, LIMIT))


def test_agents_with_the_hook_are_given_the_tool_by_hand(root: str) -> None:
    from langgraph.prebuilt import create_react_agent

    manager = ContextManager(clearing(), archive=root)
    tools = [read_file, retrieval_tool(manager)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agent = create_react_agent(
            Forgetful(), tools, pre_model_hook=pre_model_hook(manager, tools=tools)
        )
        used(agent.invoke(GIVEN, LIMIT))


def test_what_one_agent_was_given_is_cut_like_everything_else(root: str) -> None:
    manager = ContextManager(clearing(), archive=root)
    agent = create_agent(Forgetful(), [read_file], middleware=[ContextMiddleware(manager)])
    messages = agent.invoke(GIVEN, LIMIT)["messages"]
    for number in range(5):
        call = f"later{number}"
        answer = ToolMessage(f"{number}: " + "ok " * 100, tool_call_id=call)
        messages += [calling("read_file", {"path": f"g{number}.py"}, call), answer]
    stub = next(
        one.content
        for one in manager.process_messages(messages)
        if isinstance(one, ToolMessage) and one.tool_call_id == "original"
    )
    assert stub.startswith(f"[… result of {NAME} ")
    assert manager.retrieve({"locator": LOCATOR.findall(stub)[-1]}).endswith("is yp.3f.")


@pytest.mark.parametrize("retrieval", ["command", "mcp", "none"])
def test_who_wants_another_way_is_brought_no_tool(retrieval: str) -> None:
    middleware = ContextMiddleware(clearing(retrieval=retrieval))
    assert middleware.tools == []
    assert middleware.manager.config.retrieval == retrieval


def test_a_model_that_takes_no_tools_works_as_before() -> None:
    model = FakeListChatModel(responses=["Hello."])
    agent = create_agent(model, middleware=[ContextMiddleware(clearing())])
    assert agent.invoke({"messages": [HumanMessage("Hi.")]})["messages"][-1].content == "Hello."


# Without a framework


def history(files: int = FILES, prefix: str = "f") -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Read them all: {prefix}"}]
    for number in range(files):
        path = f"{prefix}{number}.py"
        function = {"name": "read_file", "arguments": f'{{"path": "{path}"}}'}
        call = {"id": f"c{number}", "type": "function", "function": function}
        text = read_file.invoke({"path": path})
        messages += [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": text},
        ]
    return messages


def first_locator(messages: Any) -> str:
    return ASKED.findall(str(messages))[0]


@pytest.mark.parametrize("wire", ["anthropic", "openai-chat", "openai-responses"])
def test_a_manager_offers_the_tool_and_answers_it(root: str, wire: str) -> None:
    manager = ContextManager(clearing(), archive=root)
    assert manager.retrieval_tool(wire) == definition(wire)
    chat = read(json.dumps(history()).encode(), "openai-chat")
    given = json.loads(write(chat, chat.messages, wire))
    messages = given if isinstance(given, list) else given.get("messages") or given["input"]
    locator = first_locator(manager.process_messages(messages))
    whole = history()[2]["content"]
    assert manager.retrieve({"locator": locator}) == whole
    assert asyncio.run(manager.aretrieve(f'{{"locator": "{locator}"}}')) == whole
    assert ContextManager(archive=root).retrieve({"locator": locator}) == whole


def test_a_digest_says_how_each_of_its_blocks_is_had(root: str) -> None:
    manager = ContextManager(ContextConfig(strategy="sliding_window", window_size=4), archive=root)
    manager.retrieval_tool()
    shorter = manager.process_messages(history())
    digest = next(one["content"] for one in shorter if "earlier messages" in str(one["content"]))
    assert "dctx restore" not in str(shorter)
    locator = first_locator(digest)
    assert f"Block N of them: {NAME} {locator}#N." in digest
    assert manager.retrieve({"locator": f"{locator}#2"}) == history()[2]["content"]


def test_of_what_was_kept_nowhere_nothing_is_promised() -> None:
    manager = ContextManager(clearing(), archive=False)
    shorter = str(manager.process_messages(history()))
    assert "dctx restore" not in shorter
    assert "dctx restore" not in str(compress(history(), ratio=0.2, archive=False).document)
    said = manager.retrieve({"locator": LOCATOR.findall(shorter)[0]})
    assert said == "Originals are not kept here, so what was cut is gone."


def test_memory_is_bounded_and_the_newest_conversation_is_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(originals, "MOST_HELD", 60_000)
    manager = ContextManager(clearing(), archive=False)
    manager.retrieval_tool()
    locators = []
    for prefix in "abcdef":
        locator = first_locator(manager.process_messages(history(prefix=prefix)))
        locators.append(locator)
    first, *_, last = [manager.retrieve({"locator": locator}) for locator in locators]
    assert first.startswith("The archive of this project has no dctx:")
    assert last.startswith("f0.py line 0")


def test_what_goes_wrong_is_an_answer(root: str) -> None:
    manager = ContextManager(clearing(), archive=root)
    assert manager.retrieve({}).startswith("It needs a whole locator")
    elsewhere = ContextManager(clearing(), archive=f"{root}/nowhere")
    assert elsewhere.retrieve({"locator": "dctx:0123456789ab"}).endswith(".")
