"""What tools are served with: where the project is, which tools, and what they may change."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.project.kept_documents import KeptDocuments
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project
    from director_ctx.tools.tool import Tool

NOT_IN_SERVER = (
    "This server may not change the {area}.",
    "A person allows that with `dctx setup --what mcp --write {areas}`, and starts the client again.",
)
_KEPT = KeptDocuments()


class ToolService(Record):
    """The same for every call, and never changed by one."""

    root: str | None
    """The project that was named; None for the nearest one above `start`."""
    start: str
    """The folder that we were started in, or that a client calls the project."""
    tools: tuple[Tool, ...]
    writable: tuple[str, ...] = ()
    refusal: tuple[str, str] = NOT_IN_SERVER
    """What whoever changes anything else is told, and how a person allows it."""

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
