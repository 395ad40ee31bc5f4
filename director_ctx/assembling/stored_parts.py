"""Gathers what a context has beside its documents: plan, snapshot, variables, browser,
conversation, summary.
"""

from __future__ import annotations

from director_ctx.base.escape import escape_json
from director_ctx.base.text import cleaned
from director_ctx.context.sections import Remembered
from director_ctx.context.settings.tags import (
    BROWSER,
    COMPRESSED,
    CONVERSATION,
    PLAN,
    SNAPSHOT,
    VARIABLES,
)
from director_ctx.memory.store.open import NotUsed, open_store
from director_ctx.memory.store.store import no_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.context.settings.request import Request
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

    Ask = Callable[[Project, Store], Remembered]

LARGEST_SUMMARIES = 80_000
"""Characters of summaries beside one another, about what one of them may have. The newest is always
whole.
"""


def recall(
    project: Project,
    request: Request,
    tags: Sequence[str],
) -> dict[str, Remembered]:
    """What is known under each of the wanted tags; an empty one says why there is nothing."""
    memories: dict[str, Remembered] = {}
    with _store(project) as store:
        for tag in tags:
            if tag == BROWSER:
                memories[tag] = _browser(project, store)
            else:
                memories[tag] = ASK[tag](project, store)
    return memories


def _store(project: Project) -> Store:
    """Whoever made the store unusable shall not keep an agent from its context."""
    try:
        return open_store(project)
    except NotUsed:
        return no_store()


def _plan(project: Project, store: Store) -> Remembered:
    from director_ctx.memory.plans.following import following
    from director_ctx.memory.plans.versions import current

    kept = current(store)
    if kept is None:
        # The snapshot beside it says all that the files say.
        return Remembered(why="nothing was written into the plan yet; the snapshot has the files")
    version = following(project, kept) or kept

    import json

    text = json.dumps(version.data, indent=2, ensure_ascii=False)
    return Remembered((escape_json(text),))


def _snapshot(project: Project, store: Store) -> Remembered:
    from director_ctx.memory.plans.snapshot import is_open, make_snapshot, snapshot_text

    snapshot = make_snapshot(project, store)
    whole = snapshot_text(snapshot)
    still_open = snapshot_text(snapshot, is_open)
    return Remembered((escape_json(whole),), shorter=escape_json(still_open))


def _variables(_: Project, store: Store) -> Remembered:
    from director_ctx.memory.variables.display import listing, shown_name
    from director_ctx.memory.variables.entries import variables

    rows = variables(store)
    if not rows:
        return Remembered(why="no variable is set")
    # The ladder puts the names alone where the values find no room.
    names: list[str] = []
    for row in rows:
        names.append(f"- {shown_name(row.name)}")
    return Remembered((listing(rows),), shorter="\n".join(names))


def _browser(project: Project, store: Store) -> Remembered:
    """Live at each assembly; where there is no browser, only `--explain` says so."""
    from director_ctx.browser.state import browser_state

    state = browser_state(project, store=store)
    if not state:
        return Remembered(why="no browser answers")
    return Remembered((state,))


def _conversation(_: Project, store: Store) -> Remembered:
    from director_ctx.context.conversation.text import exchanges, filtered
    from director_ctx.history.sessions.transcript import as_said, known_texts
    from director_ctx.memory.conversations.messages import open_messages

    messages = as_said(open_messages(store))
    own = filtered(messages, known_texts(store))
    texts = tuple(exchanges(own))
    return Remembered(texts, why="the store has no messages of this workflow")


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
            line = compressed_line(by_itself[name], name[:8])
            text = f"{line}\n\n{text}"
        room -= len(text)
        if room < 0 and newest_first:
            break
        newest_first.append(text)

    if not newest_first:
        return Remembered(why="nothing was compressed yet")
    return Remembered(("\n\n".join(reversed(newest_first)),))


ASK: dict[str, Ask] = {
    PLAN: _plan,
    SNAPSHOT: _snapshot,
    VARIABLES: _variables,
    CONVERSATION: _conversation,
    COMPRESSED: _compressed,
}
