"""What a server was started with: its tools, and what else it answers."""

from __future__ import annotations

from director_ctx.tools.service import ToolService

TYPE_CHECKING = False


class Service(ToolService):
    """The same for every request, and never changed by one."""
