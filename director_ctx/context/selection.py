"""Which notes an agent gets: those that were named, those that the task's kind needs, or a
profile's own list.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.context.settings.keywords import Match, Subject, chosen, in_order, match
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
    parts = [section(task, title) for title in ("what to do", "done when")]
    found = [part for part in parts if part]
    return "\n".join(found) if found else task


def subject_of(title: str, task: str, quick: str | None = None) -> Subject:
    """What a task is about. The first line of a quick request is its title."""
    if quick:
        return Subject(quick.strip().partition("\n")[0], quick)
    return Subject(title, task_text(task)) if task else Subject()


def task_kind(request: Request, settings: Settings, subject: Subject) -> Match:
    """The kinds of the task: those named with `--type`, else those its words match."""
    if not request.type:
        return match(subject, settings.task_types)
    known = {kind.name.casefold() for kind in settings.task_types}
    for name in request.type:
        if name.casefold() not in known:
            raise UsageProblem(
                f"--type: there is no {name!r}.",
                "Types: " + ", ".join(kind.name for kind in settings.task_types),
            )
    return chosen(request.type, settings.task_types)


def choose_codebase(
    profile: Profile, request: Request, settings: Settings, subject: Subject, names: Sequence[str]
) -> Choice:
    kind = task_kind(request, settings, subject)
    return _choose(request.codebase, profile.codebase, kind, names)


def choose_research(
    profile: Profile, request: Request, settings: Settings, subject: Subject, names: Sequence[str]
) -> Choice:
    kind = match(subject, settings.research_types)
    return _choose(request.research, profile.research, kind, names)


def _choose(
    asked: Sequence[str], profiled: Sequence[str], kind: Match, names: Sequence[str]
) -> Choice:
    words = [word for word in asked if word.strip()] or list(profiled)
    if words == [BY_TASK]:
        return Choice(
            kind.files,
            kind.related,
            why=str(kind) or "no keyword of `dctx profiles --types`",
            left_out=_others(names, kind),
        )
    files: list[str] = []
    for word in words:
        files += _expand(word, kind, names)
    chosen_files = in_order(files)
    # A task that says nothing of its domain makes no note unrelated.
    says = any(words for _, words in kind.hits)
    return Choice(chosen_files, kind.related if says else chosen_files, True, why="named")


def _bare(word: str) -> str:
    return word.strip().rpartition("/")[2].removesuffix(".md")


def is_summary(word: str) -> bool:
    """The summary has a tag of its own."""
    return _bare(word).casefold() == SUMMARY.casefold()


def _expand(word: str, kind: Match, names: Sequence[str]) -> list[str]:
    name = _bare(word)
    if name.casefold() == "none" or is_summary(word):
        return []
    if name.casefold() == "all":
        return [known for known in names if known != SUMMARY]
    if name.casefold() == BY_TASK:
        return list(kind.files)
    return [
        next(
            (known for known in names if known.casefold() == name.casefold()),
            name.upper() if name.islower() else name,
        )
    ]


def _others(names: Sequence[str], kind: Match) -> tuple[tuple[str, str], ...]:
    left_out = [name for name in names if name not in kind.files and name != SUMMARY]
    return tuple((name, _why_not(name, kind)) for name in left_out)


def _why_not(name: str, kind: Match) -> str:
    if name in kind.related:
        return f"the task is first of another kind: {kind}"
    why = "not needed for this kind of task"
    return f"{why}: {kind}" if kind.hits else why
