"""Whether the store that would be used is the one that is meant."""

from __future__ import annotations

import os

from director_ctx.base.system.user_folders import state_place
from director_ctx.context.settings.options import load_settings
from director_ctx.memory.store.file import FILE, VARIABLE
from director_ctx.memory.store.open import store_url
from director_ctx.project.dctx_folder import kept_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project


def place_outside() -> str:
    """The user's own file, if that is what serves here, as people write it."""
    if _is_named():
        return ""
    place = state_place(FILE)
    home = os.path.join(os.path.expanduser("~"), "")
    return f"~/{place.removeprefix(home)}" if place.startswith(home) else place


def may_be_elsewhere(project: Project) -> bool:
    """Whether a project that has its id from its team would begin a file of its own, because nobody
    named a store.
    """
    place = kept_path(project.root, FILE)
    if _is_named() or (place and os.path.lexists(place)):
        return False
    settings = load_settings(project)
    return bool(settings.workflow_id) and not settings.store


def _is_named() -> bool:
    return bool(os.environ.get(VARIABLE, "").strip())


def shared_unasked(project: Project | None) -> bool:
    """Whether the store is a server's, which others may read, and nobody said that conversations go
    there.
    """
    settings = load_settings(project) if project else None
    if settings and settings.hooks and settings.hooks.archive:
        return False
    url = store_url(project.root if project else None, settings.store if settings else None)
    if not url:
        return False
    # Only who names a store needs it.
    from director_ctx.memory.store.by_url import file_of

    return file_of(url) is None
