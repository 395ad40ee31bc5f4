"""Which notes an agent gets: those that were named, those that the task's kind needs, or a
profile's own list.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.settings.keywords import (
    Subject,
    TaskMatch,
    in_order,
    match,
)
from director_ctx.context.settings.profiles import BY_TASK
from director_ctx.project.reading.markdown import section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Request, Settings

SUMMARY = "SUMMARY"


class Choice(Record):
    """File names without their ending, and what spoke for them."""

    files: tuple[str, ...]
    related: tuple[str, ...] = ()
    named: bool = False
    """Named by the user or the profile, not chosen by the kind of task."""
    why: str = ""
    left_out: tuple[tuple[str, str], ...] = ()


def task_text(task: str) -> str:
    """What a task is judged by: What To Do and Done When, or all of it where it has neither."""
    texts = []
    for title in ("what to do", "done when"):
        text = section(task, title)
        if text:
            texts.append(text)
    if not texts:
        return task
    return "\n".join(texts)


def subject_of(title: str, task: str, quick: str | None = None) -> Subject:
    """What a task is about. The first line of a quick request is its title."""
    if quick:
        first_line, _, _ = quick.strip().partition("\n")
        return Subject(first_line, quick)
    if not task:
        return Subject()
    return Subject(title, task_text(task))


def choose_codebase(
    profile: Profile,
    request: Request,
    settings: Settings,
    subject: Subject,
    names: Sequence[str],
) -> Choice:
    kind = match(subject, settings.task_types)
    return _choose(request.codebase, profile.codebase, kind, names)


def choose_research(
    profile: Profile,
    request: Request,
    settings: Settings,
    subject: Subject,
    names: Sequence[str],
) -> Choice:
    kind = match(subject, settings.research_types)
    return _choose(request.research, profile.research, kind, names)


def _choose(
    asked: Sequence[str],
    profiled: Sequence[str],
    kind: TaskMatch,
    names: Sequence[str],
) -> Choice:
    words = [word for word in asked if word.strip()]
    if not words:
        words = list(profiled)
    if words == [BY_TASK]:
        return Choice(
            files=kind.files,
            related=kind.related,
            why=str(kind) or "no keyword of `dctx profiles --types`",
            left_out=tuple(
                (name, _why_not(name, kind))
                for name in names
                if name not in kind.files and name != SUMMARY
            ),
        )

    files: list[str] = []
    for word in words:
        files += _expand(word, kind, names)
    chosen_files = in_order(files)

    related = kind.related
    is_told_by_words = any(words for _, words in kind.hits)
    if not is_told_by_words:
        # A task that says nothing of its domain makes no note unrelated.
        related = chosen_files
    return Choice(chosen_files, related, named=True, why="named")


def _bare(word: str) -> str:
    _, _, name = word.strip().rpartition("/")
    return name.removesuffix(".md")


def is_summary(word: str) -> bool:
    """The summary has a tag of its own."""
    return _bare(word).casefold() == SUMMARY.casefold()


def _expand(word: str, kind: TaskMatch, names: Sequence[str]) -> list[str]:
    """The notes that a word names, by their own names where they are there."""
    name = _bare(word)
    key = name.casefold()
    if key == "none" or is_summary(word):
        return []
    if key == "all":
        return [known for known in names if known != SUMMARY]
    if key == BY_TASK:
        return list(kind.files)

    for known in names:
        if known.casefold() == key:
            return [known]
    # The plugin's notes have their names in capitals.
    if name.islower():
        name = name.upper()
    return [name]


def _why_not(name: str, kind: TaskMatch) -> str:
    if name in kind.related:
        return f"the task is first of another kind: {kind}"
    if kind.hits:
        return f"not needed for this kind of task: {kind}"
    return "not needed for this kind of task"
