"""What a server was started with: where the project is, the tools, and what they may change."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.kept_documents import KeptDocuments
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.doors.mcp.tools.tool import Tool
    from director_ctx.doors.mcp.wire.messages import Object
    from director_ctx.project.project import Project

_KEPT = KeptDocuments()


class Service(Record):
    """The same for every request, and never changed by one."""

    root: str | None
    """The project that was named; None for the nearest one above `start`."""
    start: str
    """The folder that the server was started in, or that its client calls the project."""
    tools: tuple[Tool, ...]
    writable: tuple[str, ...] = ()
    hook: Callable[[Object], str] | None = None
    """What answers the hooks of the client that started us, if that may ask."""
    view: Callable[[Project, str], str | None] | None = None
    """What makes the page of a tool, for clients that show such pages."""

    def project(self) -> Project:
        """The folder as it is now. No request can name another one."""
        project = load_project(None if self.root else self.start, root=self.root)
        project.kept = _KEPT
        return project

    def tool(self, name: str) -> Tool | None:
        for tool in self.tools:
            if tool.name == name:
                return tool
        return None
