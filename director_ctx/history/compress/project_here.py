"""The project that a compression is for: one value, passed along by everything that asks for it."""

from __future__ import annotations

from functools import cached_property

from director_ctx.context.settings.options import load_settings
from director_ctx.memory.store.open import open_store, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.context.settings.request import Settings
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project


class ProjectHere:
    """Looked for when it is first asked for, and only once: a dry run does without it, whatever is
    wrong with it.
    """

    def __init__(self, root: str | None) -> None:
        self._root = root

    @cached_property
    def project(self) -> Project | None:
        """None outside of any, where the user's own store serves."""
        return project_here(self._root)

    @cached_property
    def settings(self) -> Settings | None:
        if self.project is None:
            return None
        return load_settings(self.project)

    def open_store(self, write: bool = False) -> Store:
        return open_store(self.project, write)
