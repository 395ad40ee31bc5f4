"""What a server was started with: its tools, and what else it answers."""

from __future__ import annotations

from director_ctx.tools.service import ToolService

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.doors.mcp.wire.messages import Object
    from director_ctx.project.project import Project


class Service(ToolService):
    """The same for every request, and never changed by one."""

    hook: Callable[[Object], str] | None = None
    """What answers the hooks of the client that started us, if that may ask."""
    loaded: Project | None = None
    """The project as somebody read it already, who measures what tools answer."""

    def project(self) -> Project:
        """The folder as it is now. No request can name another one."""
        return self.loaded or super().project()
