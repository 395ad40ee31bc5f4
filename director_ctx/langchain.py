"""For agents of LangChain and LangGraph: `from director_ctx.langchain import ContextMiddleware`."""

from __future__ import annotations

from director_ctx.doors.langchain import ContextMiddleware, pre_model_hook, retrieval_tool
from director_ctx.history.agents.agent import ContextManagedAgent
from director_ctx.history.agents.manager import ContextManager
from director_ctx.history.strategies.config import ContextConfig

__all__ = [
    "ContextConfig",
    "ContextManagedAgent",
    "ContextManager",
    "ContextMiddleware",
    "pre_model_hook",
    "retrieval_tool",
]
