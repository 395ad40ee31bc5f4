"""What a project changes about what agents are told: instructions of its own.

Whoever wrote the repository chose it, so it holds once the user has agreed to these very words.
"""

from __future__ import annotations

from director_ctx.base.text import counted
from director_ctx.context.settings.agreement import (
    INSTRUCTIONS,
    Override,
    is_agreed,
    is_shipped,
    was_refused,
)
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
    return f"This project has instructions of its own ({counted(len(unused), 'file')}) {UNUSED}"
