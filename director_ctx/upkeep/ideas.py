"""Ideas in and out of IDEAS.md. What is taken out is kept aside first."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.model import FOLDER
from director_ctx.upkeep.archive import keep_aside
from director_ctx.upkeep.idea_list import EMPTY, Idea, added, ideas, raw, removed
from director_ctx.upkeep.records.source import source_of
from director_ctx.upkeep.rewrite import change, source_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.upkeep.records.source import Edit, Source

PATH = f"{FOLDER}/IDEAS.md"


def list_ideas(project: Project) -> list[Idea]:
    return ideas(project.text(PATH))


def add_idea(root: str, text: str, now: str) -> Idea:
    """The idea as it is read back."""
    with alone_in_project(root):
        _change(root, lambda source: added(source, text, now))
        return list_ideas(Project(root))[0]


def remove_idea(root: str, number: int) -> Idea:
    """What is taken out is kept aside first, exactly as it stood there."""
    with alone_in_project(root):
        source = _source(root)
        entries = {idea.number: idea for idea in ideas(source.text)}
        idea = entries.get(number)
        if idea is None:
            count = {0: "no ideas", 1: "one idea"}.get(len(entries), f"{len(entries)} ideas")
            raise DctxError(
                f"There is no idea {number}: IDEAS.md has {count}.", "See `dctx idea list`."
            )
        keep_aside(root, "ideas.md", raw(source, idea))
        _change(root, lambda now: _without(now, idea))
        return idea


def _source(root: str) -> Source:
    """The document line by line; an empty one where it has no ideas."""
    if list_ideas(Project(root)):
        document = source_at(Project(root), PATH)
        if document:
            _, source = document
            return source
    return source_of("")


def _without(source: Source, idea: Idea) -> list[Edit]:
    """Found again by what it says, should somebody else have written in the meantime."""
    for entry in ideas(source.text):
        if entry.when == idea.when and entry.text == idea.text:
            return removed(source, entry)
    return []


def _change(root: str, edits: Callable[[Source], list[Edit]]) -> None:
    _, failed = change(Project(root), PATH, edits, EMPTY)
    if failed:
        raise DctxError(f"Could not write {PATH}: {failed[0].why}.", "Nothing was changed.")
