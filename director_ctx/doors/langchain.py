"""How agents of LangChain and LangGraph come in. Their state keeps everything; only what the model
reads is shorter.
"""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError

try:
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.language_models import BaseChatModel
    from langchain_core.tools import StructuredTool
    from langchain_core.utils.function_calling import convert_to_openai_tool
except ImportError as error:
    raise DctxError(
        "LangChain is not installed.", "Install it with: pip install 'director-ctx[langchain]'"
    ) from error

from director_ctx.history.agents.manager import ContextManager
from director_ctx.history.agents.model_window import fitting_model
from director_ctx.history.retrieve.tool import DESCRIPTION, NAME, parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import Any

    from langchain.agents.middleware import ModelRequest, ModelResponse
    from langchain_core.messages import SystemMessage
    from langchain_core.tools import BaseTool

    from director_ctx.history.strategies.config import ContextConfig

    Answer = ModelResponse[Any]

MOST_TOOLS = 1000


class ContextMiddleware(AgentMiddleware):
    """For `create_agent(middleware=[...])`: every call of the model gets the messages as the
    manager makes them.
    """

    def __init__(
        self,
        manager: ContextManager | ContextConfig | None = None,
        phase_key: str = "current_phase",
    ) -> None:
        """It brings the tool by which the model gets back what was cut, unless the manager's
        `retrieval` says otherwise.
        """
        super().__init__()
        self.manager = _manager(manager, knows_model=True)
        self.tools = []
        if self.manager.offer_tool():
            self.tools = [retrieval_tool(self.manager)]
        self._beside = Beside(self.manager)
        self._phase_key = phase_key

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Answer]
    ) -> Answer:
        request = self._without_tool(request)
        self.manager.take_window(_window_of(request.model))
        beside = self._beside(request.system_message, request.tools)
        phase = self._phase(request)
        messages = self.manager.process_messages(request.messages, phase, beside=beside)
        return handler(request.override(messages=list(messages)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Answer]]
    ) -> Answer:
        request = self._without_tool(request)
        self.manager.take_window(_window_of(request.model))
        beside = self._beside(request.system_message, request.tools)
        phase = self._phase(request)
        messages = await self.manager.aprocess_messages(request.messages, phase, beside=beside)
        return await handler(request.override(messages=list(messages)))

    def _without_tool(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """A model that takes no tools goes without ours."""
        if type(request.model).bind_tools is not BaseChatModel.bind_tools:
            return request
        own = set(map(id, self.tools))
        others = [tool for tool in request.tools if id(tool) not in own]
        return request.override(tools=others)

    def _phase(self, request: ModelRequest[Any]) -> str | None:
        phase = request.state.get(self._phase_key)
        if isinstance(phase, str):
            return phase
        return None


def retrieval_tool(manager: ContextManager) -> BaseTool:
    """For agents that are given their tools one by one: the tool by which a model gets back what
    this manager has cut.
    """
    manager.offer_tool()

    # LangGraph reads these annotations as the program runs, when `Any` is not known.
    def retrieve(**arguments: object) -> str:
        return manager.retrieve(arguments)

    async def aretrieve(**arguments: object) -> str:
        return await manager.aretrieve(arguments)

    return StructuredTool.from_function(
        retrieve,
        aretrieve,
        name=NAME,
        description=DESCRIPTION,
        args_schema=parameters(),
    )


def _manager(
    manager: ContextManager | ContextConfig | None,
    knows_model: bool = False,
) -> ContextManager:
    if isinstance(manager, ContextManager):
        return manager
    if knows_model:
        return ContextManager(fitting_model(manager))
    return ContextManager(manager)


def _window_of(model: object) -> int:
    """What a model's profile says that it takes; 0 where it says nothing."""
    profile = getattr(model, "profile", None)
    if not isinstance(profile, dict):
        return 0
    tokens = profile.get("max_input_tokens")
    if isinstance(tokens, int):
        return tokens
    return 0


class Beside:
    """Tokens of what goes out beside the messages: the system message, and the tools as a model is
    told of them.
    """

    def __init__(self, manager: ContextManager) -> None:
        self._count = manager.count
        self._known: dict[int, tuple[Any, int]] = {}

    def __call__(self, system: SystemMessage | str | None, tools: Iterable[Any]) -> int:
        tokens = 0
        text = _text(system)
        if text:
            tokens = self._count(text)
        return tokens + sum(map(self._tool, tools))

    def _tool(self, tool: Any) -> int:
        """Each is the same object at every turn, and is counted once."""
        known, tokens = self._known.get(id(tool), (None, 0))
        if known is tool:
            return tokens

        tokens = self._count(_schema(tool))
        if len(self._known) >= MOST_TOOLS:
            self._known.clear()
        # The tool is kept too: as long as it lives, nothing else has its id.
        self._known[id(tool)] = (tool, tokens)
        return tokens


def _text(system: SystemMessage | str | None) -> str:
    if not system:
        return ""
    if isinstance(system, str):
        return system
    return str(system.text)


def _schema(tool: Any) -> str:
    try:
        schema = convert_to_openai_tool(tool)
    except Exception:  # Tools of a provider have shapes of their own; and counting stops no agent.
        schema = tool
    return json.dumps(schema, ensure_ascii=False, default=str)


def pre_model_hook(
    manager: ContextManager | ContextConfig | None = None,
    *,
    prompt: SystemMessage | str | None = None,
    tools: Iterable[Any] = (),
) -> Any:
    """For LangGraph's `create_react_agent(pre_model_hook=...)`: the model reads less, the state
    stays as it is.

    `prompt` and `tools` are those of the agent: they go out beside the messages, and the hook is
    not shown them.
    """
    from langchain_core.runnables import RunnableLambda

    # Counted once: this hook is made for one agent, whose prompt and tools stay.
    own = _manager(manager)
    beside = Beside(own)(prompt, tools)

    def hook(state: Any) -> dict[str, Any]:
        messages = own.process_messages(_messages(state), beside=beside)
        # Under this key the model reads them, and the state keeps its own.
        return {"llm_input_messages": list(messages)}

    async def ahook(state: Any) -> dict[str, Any]:
        messages = await own.aprocess_messages(_messages(state), beside=beside)
        return {"llm_input_messages": list(messages)}

    return RunnableLambda(hook, ahook)


def _messages(state: Any) -> list[Any]:
    messages = state["messages"] if isinstance(state, dict) else state.messages
    return list(messages)
