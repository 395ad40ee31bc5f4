"""What was cut, given back to an agent's model: a tool to offer it, and the answers to its calls."""

from __future__ import annotations

from director_ctx.history.retrieve.tool import definition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.agents.originals import Keeping
    from director_ctx.history.strategies.config import ContextConfig


class Retrieval:
    """This side of a `ContextManager`."""

    config: ContextConfig
    _keeping: Keeping

    def retrieval_tool(self, wire: str = "openai-chat") -> dict[str, Any]:
        """The tool by which a model gets back what was cut, as an API is told of it: `anthropic`,
        `openai-chat` or `openai-responses`.

        Offer it from the first request on. What is cut from now on names it, unless `retrieval` says
        otherwise.
        """
        self.offer_tool()
        return definition(wire)

    def offer_tool(self) -> bool:
        """Whether models are to have the tool; then what is cut names it, and can be had."""
        if self.config.retrieval == "auto":
            self.config.retrieval = "tool"
        if self.config.retrieval != "tool":
            return False
        self._keeping.hold()
        return True

    def retrieve(self, arguments: object) -> str:
        """What the tool answers to a call with these arguments: an object, or its JSON. What goes
        wrong is an answer, too.
        """
        return self._keeping.answer(arguments)

    async def aretrieve(self, arguments: object) -> str:
        """The same in a thread of its own, so that nothing else waits."""
        from asyncio import to_thread

        return await to_thread(self.retrieve, arguments)
