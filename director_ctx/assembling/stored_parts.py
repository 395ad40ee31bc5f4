"""Gathers what a context has beside its documents: plan, snapshot, variables, browser,
conversation, summary.
"""

from __future__ import annotations

from director_ctx.base.escape import escape_json
from director_ctx.base.text import cleaned
from director_ctx.context.sections import Remembered
from director_ctx.context.settings import tags
from director_ctx.memory.store.open import NotUsed, open_store
from director_ctx.memory.store.store import Store, no_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.project.project import Project

LARGEST_SUMMARIES = 80_000
"""Characters of summaries beside one another, about what one of them may have. The newest is always
whole.
"""


def recall(project: Project, wanted: Sequence[str]) -> dict[str, Remembered]:
    """What is known under each of the wanted tags; an empty one says why there is nothing."""
    try:
        store = open_store(project)
    except NotUsed:
        # Whoever made the store unusable shall not keep an agent from its context.
        store = no_store()
    with store:
        return {tag: ASK[tag](project, store) for tag in wanted}


def _plan(project: Project, store: Store) -> Remembered:
    from director_ctx.memory.plans.following import following
    from director_ctx.memory.plans.versions import current

    kept = current(store)
    if kept is None:
        # The snapshot beside it says all that the files say.
        return Remembered(why="nothing was written into the plan yet; the snapshot has the files")
    version = following(project, kept) or kept

    import json

    return Remembered((escape_json(json.dumps(version.data, indent=2, ensure_ascii=False)),))


def _snapshot(project: Project, store: Store) -> Remembered:
    from director_ctx.memory.plans.snapshot import is_open, make_snapshot, snapshot_text

    snapshot = make_snapshot(project, store)
    still_open = escape_json(snapshot_text(snapshot, is_open))
    return Remembered((escape_json(snapshot_text(snapshot)),), shorter=still_open)


def _variables(_: Project, store: Store) -> Remembered:
    from director_ctx.memory.variables.display import listing, shown_name
    from director_ctx.memory.variables.entries import variables

    rows = variables(store)
    if not rows:
        return Remembered(why="no variable is set")
    # The ladder puts the names alone where the values find no room.
    names = "\n".join(f"- {shown_name(row.name)}" for row in rows)
    return Remembered((listing(rows),), shorter=names)


def _browser(project: Project, store: Store) -> Remembered:
    """Live at each assembly; where there is no browser, only `--explain` says so."""
    from director_ctx.browser.state import browser_state

    state = browser_state(project, store=store)
    return Remembered((state,)) if state else Remembered(why="no browser answers")


def _conversation(_: Project, store: Store) -> Remembered:
    from director_ctx.context.conversation.text import exchanges, filtered
    from director_ctx.history.sessions.transcript import as_said, known_texts
    from director_ctx.memory.conversations.messages import open_messages

    own = filtered(as_said(open_messages(store)), known_texts(store))
    return Remembered(tuple(exchanges(own)), why="the store has no messages of this workflow")


def _compressed(_: Project, store: Store) -> Remembered:
    """Whatever no other summary has taken up; of many sessions that were compacted, the newest."""
    from director_ctx.context.settings.filling import compressed_line
    from director_ctx.memory.conversations.summaries import made_by_itself, standing, text_of

    # From the newest on while there is room, and then in their own order again.
    by_itself = made_by_itself(store)
    newest_first: list[str] = []
    room = LARGEST_SUMMARIES
    for name in reversed(standing(store)):
        text = cleaned(text_of(store, name)).strip()
        if name in by_itself:
            text = f"{compressed_line(by_itself[name], name[:8])}\n\n{text}"
        room -= len(text)
        if room < 0 and newest_first:
            break
        newest_first.append(text)

    if not newest_first:
        return Remembered(why="nothing was compressed yet")
    return Remembered(("\n\n".join(reversed(newest_first)),))


ASK: dict[str, Callable[[Project, Store], Remembered]] = {
    tags.PLAN: _plan,
    tags.SNAPSHOT: _snapshot,
    tags.VARIABLES: _variables,
    tags.BROWSER: _browser,
    tags.CONVERSATION: _conversation,
    tags.COMPRESSED: _compressed,
}
