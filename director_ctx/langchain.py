"""For agents of LangChain and LangGraph: `from director_ctx.langchain import ContextMiddleware`."""

from __future__ import annotations

from director_ctx.doors.langchain import ContextMiddleware, pre_model_hook
from director_ctx.history.config import ContextConfig
from director_ctx.wiring.context_manager import ContextManager
from director_ctx.wiring.managed_agent import ContextManagedAgent

__all__ = ["ContextConfig", "ContextManagedAgent", "ContextManager", "ContextMiddleware", "pre_model_hook"]
