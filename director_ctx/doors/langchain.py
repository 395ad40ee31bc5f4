"""How agents of LangChain and LangGraph come in. Their state keeps everything; only what the model reads is shorter."""

from __future__ import annotations

from director_ctx.errors import DctxError

try:
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages.utils import count_tokens_approximately
except ImportError as error:
    raise DctxError("LangChain is not installed.", "Install it with: pip install 'director-ctx[langchain]'") from error

from director_ctx.wiring.context_manager import ContextManager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from langchain.agents.middleware import ModelRequest, ModelResponse

    from director_ctx.history.config import ContextConfig

    Answer = ModelResponse[Any]


class ContextMiddleware(AgentMiddleware):
    """For `create_agent(middleware=[...])`: every call of the model gets the messages as the manager makes them."""

    def __init__(self, manager: ContextManager | ContextConfig | None = None, phase_key: str = "current_phase") -> None:
        super().__init__()
        self.manager = manager if isinstance(manager, ContextManager) else ContextManager(manager)
        self._phase_key = phase_key

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Answer]) -> Answer:
        made = self.manager.process_messages(request.messages, self._phase(request), beside=_beside(request))
        return handler(request.override(messages=list(made)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Answer]]
    ) -> Answer:
        made = await self.manager.aprocess_messages(request.messages, self._phase(request), beside=_beside(request))
        return await handler(request.override(messages=list(made)))

    def _phase(self, request: ModelRequest[Any]) -> str | None:
        found = request.state.get(self._phase_key)
        return found if isinstance(found, str) else None


def _beside(request: ModelRequest[Any]) -> int:
    """Tokens of the system message, roughly."""
    return count_tokens_approximately([request.system_message]) if request.system_message else 0


def pre_model_hook(manager: ContextManager | ContextConfig | None = None) -> Any:
    """For LangGraph's `create_react_agent(pre_model_hook=...)`: the model reads less, the state stays as it is."""
    from langchain_core.runnables import RunnableLambda

    own = manager if isinstance(manager, ContextManager) else ContextManager(manager)

    def hook(state: Any) -> dict[str, Any]:
        return {"llm_input_messages": list(own.process_messages(_messages(state)))}

    async def ahook(state: Any) -> dict[str, Any]:
        return {"llm_input_messages": list(await own.aprocess_messages(_messages(state)))}

    return RunnableLambda(hook, ahook)


def _messages(state: Any) -> list[Any]:
    return list(state["messages"] if isinstance(state, dict) else state.messages)
