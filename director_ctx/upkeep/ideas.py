"""Ideas in and out of IDEAS.md. What is taken out is kept aside first."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.project.project import Project
from director_ctx.project.reading.lock import alone_in_project
from director_ctx.project.reading.model import FOLDER
from director_ctx.upkeep.archive import keep_aside
from director_ctx.upkeep.idea_list import EMPTY, Idea, as_written, ideas, with_idea, without_idea
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
        _change(root, lambda source: with_idea(source, text, now))
        return list_ideas(Project(root))[0]


def remove_idea(root: str, number: int) -> Idea:
    """What is taken out is kept aside first, exactly as it stood there."""
    with alone_in_project(root):
        source = _source(root)
        entries = {idea.number: idea for idea in ideas(source.text)}
        idea = entries.get(number)
        if idea is None:
            raise DctxError(
                f"There is no idea {number}: IDEAS.md has {_how_many(len(entries))}.",
                "See `dctx idea list`.",
            )
        # First the copy, then the removal: a kill in between loses nothing.
        keep_aside(root, "ideas.md", as_written(source, idea))
        _change(root, lambda current: _without(current, idea))
        return idea


def _how_many(ideas: int) -> str:
    if ideas == 0:
        return "no ideas"
    if ideas == 1:
        return "one idea"
    return f"{ideas} ideas"


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
            return without_idea(source, entry)
    return []


def _change(root: str, edits: Callable[[Source], list[Edit]]) -> None:
    _, failed = change(Project(root), PATH, edits, EMPTY)
    if failed:
        raise DctxError(f"Could not write {PATH}: {failed[0].why}.", "Nothing was changed.")
