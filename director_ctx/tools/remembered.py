"""What was found out from the whole folder, as long as nothing in it changes."""

from __future__ import annotations

from director_ctx.project.fingerprint import fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from director_ctx.project.fingerprint import Mark
    from director_ctx.project.project import Project

    Value = TypeVar("Value")

MOST_KNOWN = 16
_KNOWN: dict[tuple[str, str], tuple[tuple[Mark, ...], Any]] = {}
"""By project and name: how the folder was then, and what was found out. Whoever gets it changes
nothing of it.
"""


def remembered(project: Project, name: str, find_out: Callable[[], Value]) -> Value:
    """As it was found out before under this name, where nothing in the folder changed since."""
    now = fingerprint(project.root)
    known = _KNOWN.get((project.root, name))
    if known and now and known[0] == now:
        value: Value = known[1]
        return value

    value = find_out()
    if len(_KNOWN) >= MOST_KNOWN:
        # Two threads may both make room, and then there is more of it.
        _KNOWN.clear()
    if now:
        _KNOWN[project.root, name] = (now, value)
    return value
