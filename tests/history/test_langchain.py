"""In front of a model, with the real LangChain and LangGraph and a chat model that follows a
script.
"""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain.agents.middleware import ModelRequest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from langchain_models import PlayedModel, calling
from langgraph.config import get_stream_writer

from director_ctx import ContextConfig, ContextManagedAgent, ContextManager
from director_ctx.doors.langchain import ContextMiddleware, pre_model_hook
from director_ctx.history.agents import program_messages

LONG = "\n".join(f"line {n} of what was read" for n in range(120))
CALLS = 12


@tool
def read_file(path: str) -> str:
    """Reads a file."""
    return f"{path}\n{LONG}"


class Scripted(PlayedModel):
    """Reads file after file, then says so. It refuses what a provider would refuse."""

    seen: list[list[BaseMessage]] = []  # noqa: RUF012  pydantic copies it for each model

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        refuse(messages)
        self.seen.append(list(messages))
        number = len(self.seen) - 1
        if number >= CALLS:
            return AIMessage("All is read.")
        path = {"path": f"f{number}.py"}
        return calling("read_file", path, f"c{number}", f"I read file {number}.")

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None, **options: Any,
    ) -> Iterator[ChatGenerationChunk]:  # fmt: skip
        made = self.answer(messages)
        for word in str(made.content).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(word + " "))
        for call in made.tool_calls:
            chunk = {
                "name": call["name"],
                "args": json.dumps(call["args"]),
                "id": call["id"],
                "index": 0,
                "type": "tool_call_chunk",
            }
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[chunk]))


def refuse(messages: Sequence[BaseMessage]) -> None:
    """Every call is answered directly after it, and nothing is answered that was not called."""
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            assert message.tool_call_id in waiting, "an answer without a call"
            waiting.remove(message.tool_call_id)
            continue
        assert not waiting, "a call without an answer"
        if isinstance(message, AIMessage):
            waiting = [str(call["id"]) for call in message.tool_calls]
    assert not waiting


def config(strategy: str, **settings: Any) -> ContextConfig:
    return ContextConfig(strategy=strategy, when="always", **settings)


def manager(strategy: str = "clear", **settings: Any) -> ContextManager:
    return ContextManager(config(strategy, **settings), archive=False)


def size(messages: Sequence[BaseMessage]) -> int:
    return sum(len(str(message.content)) for message in messages)


STRATEGIES = ("sliding_window", "compression", "checkpoint", "pruning", "hybrid", "clear", "auto")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_agent_with_the_middleware_gets_to_its_end_on_less(strategy: str) -> None:
    model = Scripted()
    middleware = ContextMiddleware(manager(strategy, target_tokens=2500, window_size=6))
    agent = create_agent(model, [read_file], system_prompt="Be brief.", middleware=[middleware])
    state = agent.invoke({"messages": [HumanMessage("Read them all.")]}, {"recursion_limit": 99})
    assert state["messages"][-1].content == "All is read."
    assert len(state["messages"]) == 2 + 2 * CALLS
    assert all(
        message.content.endswith(LONG)
        for message in state["messages"]
        if isinstance(message, ToolMessage)
    )
    assert isinstance(model.seen[-1][0], SystemMessage)
    if strategy not in ("auto", "hybrid", "pruning"):
        assert size(model.seen[-1]) < size(state["messages"]) / 2


def test_asynchronous_agents_get_the_same() -> None:
    model, other = Scripted(), Scripted()
    given = {"messages": [HumanMessage("Read them all.", id="h")]}
    agent = create_agent(model, [read_file], middleware=[ContextMiddleware(manager())])
    asyncio.run(agent.ainvoke(given, {"recursion_limit": 99}))
    create_agent(other, [read_file], middleware=[ContextMiddleware(manager())]).invoke(
        given, {"recursion_limit": 99}
    )
    assert [[one.content for one in seen] for seen in model.seen] == [
        [one.content for one in seen] for seen in other.seen
    ]


def test_tokens_are_streamed_as_before() -> None:
    agent = create_agent(Scripted(), [read_file], middleware=[ContextMiddleware(manager())])
    given = {"messages": [HumanMessage("Read them all.")]}
    words = [chunk.content for chunk, _ in agent.stream(given, {"recursion_limit": 99}, stream_mode="messages")
             if isinstance(chunk, AIMessageChunk)]  # fmt: skip
    assert "".join(words[-4:]).strip() == "All is read."
    assert len(words) > 4 * CALLS


def test_the_pre_model_hook_of_langgraph_leaves_the_state_as_it_is() -> None:
    from langgraph.prebuilt import create_react_agent

    model = Scripted()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agent = create_react_agent(model, [read_file], pre_model_hook=pre_model_hook(manager()))
        state = agent.invoke(
            {"messages": [HumanMessage("Read them all.")]}, {"recursion_limit": 99}
        )
        again = asyncio.run(
            agent.ainvoke({"messages": [HumanMessage("Read them all.")]}, {"recursion_limit": 99})
        )
    assert state["messages"][-1].content == again["messages"][-1].content == "All is read."
    assert len(state["messages"]) == 2 + 2 * CALLS
    assert size(model.seen[CALLS]) < size(state["messages"]) / 2


def test_a_managed_agent_keeps_what_was_said() -> None:
    async def streamed() -> list[Any]:
        return [
            chunk async for chunk in agent.astream({"messages": given}, {"recursion_limit": 99})
        ]

    model = Scripted()
    given = history(20)
    agent = ContextManagedAgent(create_agent(model, [read_file]), manager())
    chunks = asyncio.run(streamed())
    assert [name for chunk in chunks for name in chunk] == ["model", *["tools", "model"] * CALLS]
    assert agent.original_messages[: len(given)] == given
    assert len(agent.original_messages) == len(given) + 1 + 2 * CALLS
    assert size(model.seen[0]) < size(given) / 2


def test_a_managed_agent_is_invoked_as_any_agent_is() -> None:
    limit: Any = {"recursion_limit": 99}
    given = history(20)
    model, other = Scripted(), Scripted()
    agent = ContextManagedAgent(create_agent(model, [read_file]), manager())
    later = ContextManagedAgent(create_agent(other, [read_file]), manager())
    state = agent.invoke({"messages": given}, limit)
    awaited = asyncio.run(later.ainvoke({"messages": given}, config=limit))
    for one, answer, seen in ((agent, state, model.seen), (later, awaited, other.seen)):
        assert answer["messages"][-1].content == "All is read."
        assert one.original_messages[: len(given)] == given
        assert len(one.original_messages) == len(given) + 1 + 2 * CALLS
        assert size(seen[0]) < size(given) / 2


def test_an_agent_goes_on_from_everything_that_was_said() -> None:
    agent = ContextManagedAgent(
        create_agent(Scripted(), [read_file]), manager("hybrid", target_tokens=2_000)
    )
    agent.invoke({"messages": history(20)}, {"recursion_limit": 99})
    before = agent.original_messages
    agent.agent = create_agent(Scripted(seen=[[]] * CALLS), [read_file])
    agent.invoke({"messages": [*before, HumanMessage("Go on.")]})
    assert agent.original_messages[: len(before)] == before
    assert agent.original_messages[-1].content == "All is read."


def test_an_agent_is_invoked_in_whichever_mode_and_phase() -> None:
    model = Scripted()
    agent = ContextManagedAgent(
        create_agent(model, [read_file]), manager("checkpoint", compression_level="none")
    )
    updates = agent.invoke({"messages": history(9)}, {"recursion_limit": 99}, stream_mode="updates")
    assert [name for chunk in updates for name in chunk] == ["model", *["tools", "model"] * CALLS]
    assert len(agent.original_messages) == 19 + 1 + 2 * CALLS
    agent.agent = create_agent(Scripted(seen=[[]] * CALLS), [read_file])
    agent.invoke({"messages": history(12)}, current_phase="mend")
    assert agent.context_manager.checkpoints.current_phase is not None


@pytest.mark.parametrize(
    "given",
    [
        "Hi.",
        ("user", "Hi."),
        HumanMessage("Hi."),
        [("user", "Hi.")],
        [HumanMessage("Hi."), {"role": "user", "content": "?"}],
    ],
    ids=str,
)
def test_messages_may_be_written_in_every_way_that_an_agent_takes(given: Any) -> None:
    agent = ContextManagedAgent(create_agent(Scripted(seen=[[]] * CALLS), []), manager())
    assert agent.invoke({"messages": given})["messages"][-1].content == "All is read."
    assert agent.original_messages[-1].content == "All is read."


def test_a_run_that_was_interrupted_is_resumed_as_it_is() -> None:
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command, interrupt

    @tool
    def read_file(path: str) -> str:
        """Asks first."""
        return f"{path}: {interrupt('May I?')}"

    model, thread = Scripted(seen=[[]] * (CALLS - 1)), {"configurable": {"thread_id": "1"}}
    agent = ContextManagedAgent(
        create_agent(model, [read_file], checkpointer=InMemorySaver()), manager()
    )
    assert "__interrupt__" in agent.invoke({"messages": history(1)}, thread)
    state = agent.invoke(Command(resume="yes"), thread)
    assert (
        state["messages"][-2].content.endswith(": yes")
        and state["messages"][-1].content == "All is read."
    )


@pytest.mark.parametrize("mode", ["values", "updates", ["updates", "values"]])
def test_whatever_is_streamed_each_message_is_kept_once(mode: Any) -> None:
    agent = ContextManagedAgent(create_agent(Scripted(), [read_file]), manager())
    given = history(20)
    list(agent.stream({"messages": given}, {"recursion_limit": 99}, stream_mode=mode))
    assert len(agent.original_messages) == len(given) + 1 + 2 * CALLS


_SEVERAL = (
    ("messages", "custom"),
    ("messages", "updates"),
    ("values", "messages"),
    ("messages", "values", "updates"),
)
MODES = ["messages", *map(list, _SEVERAL)]


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("more", [{}, {"subgraphs": True}, {"version": "v2"}], ids=str)
def test_out_of_the_words_of_a_stream_the_same_messages_are_kept(
    mode: Any, more: dict[str, Any]
) -> None:
    given = history(3)
    plain = ContextManagedAgent(create_agent(Scripted(), [read_file]), manager())
    list(plain.stream({"messages": given}, {"recursion_limit": 99}))
    agent = ContextManagedAgent(create_agent(Scripted(), [read_file]), manager())
    list(agent.stream({"messages": given}, {"recursion_limit": 99}, stream_mode=mode, **more))
    assert [told(one) for one in agent.original_messages] == [
        told(one) for one in plain.original_messages
    ]
    assert len({one.id for one in agent.original_messages[len(given) :]}) == 1 + 2 * CALLS
    decoded = program_messages.decode(agent.original_messages)
    assert len(decoded.messages) == len(given) + 1 + 2 * CALLS


def told(message: BaseMessage) -> Any:
    calls = [
        (call["name"], call["args"], call["id"]) for call in getattr(message, "tool_calls", ())
    ]
    return message.type, str(message.content).rstrip(), calls


def test_asynchronous_words_are_kept_and_can_be_read_in_the_midst_of_them() -> None:
    async def streamed() -> list[str]:
        source = agent.astream({"messages": given}, {"recursion_limit": 99}, stream_mode="messages")
        return [str(agent.original_messages[-1].content) async for _ in source]

    given = history(3)
    agent = ContextManagedAgent(create_agent(Scripted(), [read_file]), manager())
    seen = asyncio.run(streamed())
    assert {"I ", "I read ", "I read file ", "I read file 0. "} <= set(seen)
    assert len(agent.original_messages) == len(given) + 1 + 2 * CALLS
    assert {type(one) for one in agent.original_messages} == {HumanMessage, AIMessage, ToolMessage}


def test_a_model_that_does_not_stream_is_kept_as_well_and_what_a_tool_tells_on_its_own_is_no_message() -> (
    None
):
    class Whole(Scripted):
        _stream = BaseChatModel._stream

    @tool
    def read_file(path: str) -> str:
        """Reads a file, and tells how far it is."""
        get_stream_writer()({"messages": ["half of it"]})
        return path

    for mode in ("messages", ["messages", "custom"], ["updates", "custom"]):
        agent = ContextManagedAgent(create_agent(Whole(), [read_file]), manager())
        list(agent.stream({"messages": history(1)}, {"recursion_limit": 99}, stream_mode=mode))
        assert len(agent.original_messages) == 3 + 1 + 2 * CALLS


def test_what_a_model_says_to_a_tool_is_not_kept() -> None:
    inner = Scripted(seen=[[]] * CALLS)

    @tool
    def read_file(path: str) -> str:
        """Asks somebody else."""
        return "".join(str(one.content) for one in inner.stream([HumanMessage("What is in it?")]))

    agent = ContextManagedAgent(create_agent(Scripted(), [read_file]), manager())
    list(agent.stream({"messages": history(1)}, {"recursion_limit": 99}, stream_mode="messages"))
    assert len(agent.original_messages) == 3 + 1 + 2 * CALLS


def history(turns: int) -> list[BaseMessage]:
    made: list[BaseMessage] = [HumanMessage("Read them all.")]
    for number in range(turns):
        call = {
            "name": "read_file",
            "args": {"path": f"old{number}.py"},
            "id": f"old{number}",
            "type": "tool_call",
        }
        made += [AIMessage("", tool_calls=[call]), ToolMessage(LONG, tool_call_id=f"old{number}")]
    return made


def test_objects_that_nobody_touched_are_the_very_same() -> None:
    given = history(6)
    before = [one.model_dump_json() for one in given]
    made = manager().process_messages(given)
    assert [one is old for one, old in zip(made, given, strict=True)].count(False) == 3
    assert [one.model_dump_json() for one in given] == before
    assert made[2].response_metadata == {"compressed": True}
    assert made[2].tool_call_id == "old0"
    assert "dctx:" in made[2].content


def test_content_in_parts_keeps_its_other_parts() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    given = history(6)
    given[2] = ToolMessage([{"type": "text", "text": LONG}, image], tool_call_id="old0")
    made = manager().process_messages(given)
    assert "dctx:" in made[2].content[0]["text"]
    assert made[2].content[1] == image


def test_the_state_says_which_phase_it_is_in() -> None:
    middleware = ContextMiddleware(manager("checkpoint", compression_level="none"))
    model = Scripted()
    from langchain.agents.middleware import AgentState

    class Phased(AgentState):  # type: ignore[type-arg]
        current_phase: str

    agent = create_agent(model, [read_file], middleware=[middleware], state_schema=Phased)
    agent.invoke(
        {"messages": [*history(9), HumanMessage("Go on.")], "current_phase": "mend"},
        {"recursion_limit": 99},
    )
    assert any("Phase: mend" in str(message.content) for message in model.seen[0])


@tool
def described(path: str) -> str:
    """Reads a file."""
    return path


described.description = "What it does, at length. " * 400  # 2,500 tokens
WIDE = {"type": "object", "properties": {"path": {"type": "string", "description": "x" * 10_000}}}


def plainly(path: str) -> None:
    """Reads a file."""


plainly.__doc__ = "What it does, at length. " * 400
TOOLS = {
    "an object": described,
    "as OpenAI has them": {
        "type": "function",
        "function": {"name": "a", "description": "b", "parameters": WIDE},
    },
    "as Anthropic has them": {"name": "a", "description": "b", "input_schema": WIDE},
    "as a provider alone has them": {"type": "odd_20260101", "x": "y" * 10_000},
    "a function": plainly,
}


@pytest.mark.parametrize("name", TOOLS)
def test_tools_count_towards_the_limit(name: str) -> None:
    given = history(9)
    all_of = ContextManager(ContextConfig(enabled=False))
    all_of.process_messages(given)
    limit = all_of.tokens + 1_500
    for tools, cut in (([], False), ([TOOLS[name]], True)):
        model = Scripted(seen=[[]] * CALLS)
        own = ContextManager(ContextConfig(strategy="hybrid", limit=limit), archive=False)
        request = ModelRequest(
            model=model, messages=list(given), tools=tools, state={"messages": given}
        )
        sent: list[Any] = []
        ContextMiddleware(own).wrap_model_call(
            request, lambda asked, sent=sent: sent.append(asked.messages)
        )
        assert (size(sent[0]) < size(given)) is cut
        assert (size(hooked(own, given, tools=tools)) < size(given)) is cut


def hooked(own: ContextManager, given: list[BaseMessage], **beside: Any) -> list[BaseMessage]:
    fresh = ContextManager(own.config, archive=False)
    found: list[BaseMessage] = pre_model_hook(fresh, **beside).invoke({"messages": given})[
        "llm_input_messages"
    ]
    return found


def test_a_prompt_counts_towards_the_limit_of_the_hook() -> None:
    given = history(9)
    own = ContextManager(ContextConfig(strategy="hybrid", limit=15_000), archive=False)
    assert size(hooked(own, given, prompt="word " * 200)) == size(given)
    assert size(hooked(own, given, prompt="word " * 15_000)) < size(given)
    assert size(hooked(own, given, prompt=SystemMessage("word " * 15_000))) < size(given)


def test_a_tool_is_turned_into_its_schema_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from director_ctx.doors import langchain

    made: list[Any] = []
    whole = langchain.convert_to_openai_tool
    monkeypatch.setattr(
        langchain, "convert_to_openai_tool", lambda tool: made.append(tool) or whole(tool)
    )
    model = Scripted()
    agent = create_agent(model, [read_file, described], middleware=[ContextMiddleware(manager())])
    agent.invoke({"messages": [HumanMessage("Read them all.")]}, {"recursion_limit": 99})
    assert len(model.seen) == CALLS + 1 and len(made) == 3  # with the tool for originals


def test_messages_are_recognised_without_an_import() -> None:
    assert program_messages.fits(history(1))
    assert not program_messages.fits([{"role": "user", "content": "hi"}])
    assert not program_messages.fits([])
