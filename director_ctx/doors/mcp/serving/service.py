"""What a server was started with: its tools, and what else it answers."""

from __future__ import annotations

from director_ctx.tools.service import ToolService

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.project.project import Project


class Service(ToolService):
    """The same for every request, and never changed by one."""

    view: Callable[[Project, str], str | None] | None = None
    """What makes the page of a tool, for clients that show such pages."""
