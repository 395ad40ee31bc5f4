"""Asks at the terminal about what a project has agents told in its own words."""

from __future__ import annotations

from director_ctx.base.text import plain
from director_ctx.context.settings.agreement import agree, refuse
from director_ctx.context.settings.overrides import unanswered
from director_ctx.doors.cli.shared.confirm import NobodyAnswered, answers_yes
from director_ctx.doors.cli.shared.speak import say, speak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.context.settings.agreement import Override
    from director_ctx.project.project import Project

QUESTION = "Allow this?"


def ask_once(project: Project) -> None:
    """Whoever sits at the terminal, on standard error: the output may be a context. Each text is
    asked about once.
    """
    # A "no" was remembered for this very text: who is asked daily reads nothing.
    unused = unanswered(project)
    if not unused:
        return

    lines = [f"{line}\n" for line in lines_of(project, unused)]
    speak("".join(lines))
    try:
        is_allowed = answers_yes(QUESTION)
    except NobodyAnswered:
        # Nothing is remembered of a question that nobody answered.
        say("It is not used.")
        return
    if is_allowed:
        agree(project, unused)
    else:
        refuse(project, unused)
        say("It is not used.", "`dctx setup --trust` asks again.")


def lines_of(project: Project, unused: Sequence[Override]) -> Iterator[str]:
    yield f"{plain(project.root)} would have agents told, in its own words:"
    for override in unused:
        yield f"  {plain(override.thing)}"
        for line in override.text.splitlines():
            yield f"    {plain(line)}"
