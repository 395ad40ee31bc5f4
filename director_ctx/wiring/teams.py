"""A store that several share: the database that a URL names, and whether the user agreed to it."""

from __future__ import annotations

from director_ctx.errors import DctxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.folder.project import Project
    from director_ctx.memory.store import Store


def open_shared(project: Project | None, url: str, workflow: str, write: bool) -> Store:
    """The store behind a URL."""
    raise DctxError("A shared store cannot be opened yet.", "Leave DCTX_STORE empty.")


def agreed_url(root: str, configured: str) -> str:
    """The URL of `dctx.yaml`, if the user agreed to it for this project."""
    raise DctxError("A shared store cannot be opened yet.", "Leave DCTX_STORE empty.")
