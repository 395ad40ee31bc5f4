"""The line: the task in hand, how full the window is and with what, the task after it.

A client asks for it again and again, so nothing is loaded that it does not need.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.context.settings.budget import URGENT, WARN
from director_ctx.context.settings.filling import FINE, FULL, state_of
from director_ctx.history.sessions.usage import tokens_at_start, tokens_in_use, tokens_of
from director_ctx.project.dctx_folder import corner_of
from director_ctx.project.tasks.next import pending_places, readiness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place

    Json = dict[str, Any]
    Piece = tuple[str, str]
    """Words, and how they are: nothing, in front, quiet, a warning or urgent."""

USUAL, FRONT, QUIET, WARNING, URGENTLY = "", "front", "quiet", "warning", "urgent"
MOST_OF_WINDOW = (0.8, 0.9)
"""Of a window that is smaller than the marks: from there on it is filling up, and full."""
LONGEST, LONGEST_NEXT = 48, 32
IN_PROGRESS = "in_progress"


def status_pieces(project: Project | None, event: Json) -> list[Piece]:
    """What there is to say, in order; without a project only about the window."""
    pieces: list[Piece] = []
    if project is not None:
        pieces += _tasks(project)
    return [*pieces[:1], *_window(project, event), *pieces[1:]]


def _tasks(project: Project) -> Iterator[Piece]:
    begun = _begun(project)
    upcoming = None
    places = []
    for place in pending_places(project):
        if place.ref in begun:
            places.append(place)
        elif upcoming is None and readiness(project, place).ready:
            upcoming = place
    if places:
        more = ""
        if len(places) > 1:
            more = f" and {len(places) - 1} more"
        yield f"{_named(project, places[0], LONGEST)}{more}", FRONT
    if upcoming and places:
        yield f"then {_named(project, upcoming, LONGEST_NEXT)}", QUIET
    elif upcoming:
        yield f"next {_named(project, upcoming, LONGEST)}", FRONT
    elif not places:
        yield _why_nothing(project), QUIET


def _begun(project: Project) -> frozenset[str]:
    """Tasks that somebody is at; only a store in a file is asked, since another may be far away."""
    if not os.path.exists(os.path.join(corner_of(project.root), "store.db")):
        return frozenset()
    from director_ctx.base.light_json import parse
    from director_ctx.context.settings.options import load_settings
    from director_ctx.memory.plans.tasks import every_task
    from director_ctx.memory.plans.versions import current
    from director_ctx.memory.store.open import open_store, store_url

    try:
        if store_url(project.root, load_settings(project).store):
            return frozenset()
        with open_store(project) as store:
            version = current(store)
        # As it is kept: whether a task is done say the files, and those are looked at anyway.
        plan = parse(version.text) if version else {}
    except (DctxError, ValueError):
        return frozenset()
    begun = (task.name for task in every_task(plan) if task.task.get("status") == IN_PROGRESS)
    return frozenset(begun)


def _why_nothing(project: Project) -> str:
    from director_ctx.project.tasks.next import DONE, next_task

    upcoming = next_task(project)
    if upcoming.state == DONE:
        return "everything is done"
    if upcoming.waiting:
        return "nothing is ready: `dctx next` says why"
    return "no plan yet"


def _named(project: Project, place: Place, longest: int) -> str:
    assert place.task
    title = plain(project.title(place.task))
    if len(title) > longest:
        title = f"{title[: longest - 1].rstrip()}…"
    return f"{place.ref} {title}"


def _window(project: Project | None, event: Json) -> Iterator[Piece]:
    """What the client says of it, or else the transcript."""
    said = event.get("context_window")
    if not isinstance(said, dict):
        said = {}
    transcript = event.get("transcript_path")
    if not isinstance(transcript, str):
        transcript = ""
    used = tokens_of(said.get("current_usage")) or tokens_in_use(transcript) or 0
    if not used:
        return

    size = said.get("context_window_size")
    text = _thousands(used)
    if isinstance(size, int) and size > 0:
        text += f" of {_thousands(size)} ({used * 100 // size} %)"
    else:
        size = 0
    start = tokens_at_start(transcript)
    if 0 < start < used:
        text += f": {_thousands(start)} at the start, {_thousands(used - start)} since"
    yield _judged(text, used, size, _marks(project, size))


def _judged(text: str, used: int, size: int, marks: tuple[int, int]) -> Piece:
    state = state_of(used, *marks)
    if state == FINE:
        return text, USUAL
    passed, style, said = marks[0], WARNING, "filling up"
    if state == FULL:
        passed, style, said = marks[1], URGENTLY, "full: /compact"
    # Of a large window much may be left where attention is not.
    if size and used < size * MOST_OF_WINDOW[0]:
        said = f"more than {_thousands(passed)}"
    return f"{text}, {said}", style


def _marks(project: Project | None, size: int) -> tuple[int, int]:
    warn, urgent = WARN, URGENT
    if project is not None:
        from director_ctx.context.settings.options import hooks_of

        try:
            hooks = hooks_of(project)
        except DctxError:
            pass  # a mistake in dctx.yaml, which `dctx doctor` names
        else:
            warn, urgent = hooks.warn, hooks.urgent
    if size:
        warn = min(warn, int(size * MOST_OF_WINDOW[0]))
        urgent = min(urgent, int(size * MOST_OF_WINDOW[1]))
    return warn, urgent


def _thousands(tokens: int) -> str:
    if tokens < 1_000:
        return str(tokens)
    if tokens < 1_000_000:
        return f"{tokens // 1_000}k"
    return f"{tokens / 1_000_000:g}M"
