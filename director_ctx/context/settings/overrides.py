"""What a project changes about what agents are told: instructions of its own, and a profile for
every type of agent.

Whoever wrote the repository chose it, so it holds once the user has agreed to these very words.
"""

from __future__ import annotations

from director_ctx.context.settings.agreement import (
    DEFAULT,
    INSTRUCTIONS,
    Override,
    is_agreed,
    is_shipped,
    was_refused,
)
from director_ctx.context.settings.hooks import NONE
from director_ctx.context.settings.options import written_settings
from director_ctx.project.project import FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.project import Project

UNUSED = "that the user has not agreed to, so they are not used"


def overrides(project: Project) -> Iterator[Override]:
    """All that this project has, whether the user has agreed to it or not."""
    for name, kind in project.listing(INSTRUCTIONS).items():
        if kind != FILE or not name.endswith(".md"):
            continue
        path = f"{INSTRUCTIONS}/{name}"
        text = project.text(path)
        # A copy of the shipped instructions changes nothing, so there is nothing to agree to.
        if text.strip() and not is_shipped(name, text):
            yield Override(path, text)

    hooks = written_settings(project).hooks
    if hooks and hooks.default not in ("", NONE):
        yield Override(DEFAULT, hooks.default)


def not_agreed(project: Project) -> list[Override]:
    """What the user has not agreed to."""
    return [override for override in overrides(project) if not is_agreed(project, override)]


def unanswered(project: Project) -> list[Override]:
    """Of that, what the user was not even asked about."""
    return [override for override in not_agreed(project) if not was_refused(project, override)]


def said_of(unused: list[Override]) -> str:
    """In words for people and agents alike. The names of files are the repository's own words, so
    they are counted.
    """
    files = [override for override in unused if override.thing != DEFAULT]
    parts: list[str] = []
    if len(files) == 1:
        parts.append("instructions of its own (1 file)")
    elif files:
        parts.append(f"instructions of its own ({len(files)} files)")
    if len(unused) > len(files):
        parts.append(f"a profile for every type of agent ({DEFAULT})")
    things = " and ".join(parts)
    return f"This project has {things} {UNUSED}"
