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


def recall(project: Project, request: Request, wanted: Sequence[str]) -> dict[str, Remembered]:
    """What is known under each of the wanted tags; an empty one says why there is nothing."""
    found: dict[str, Remembered] = {}
    with _store(project) as store:
        for tag in wanted:
            found[tag] = (
                _browser(project, store, request.cdp)
                if tag == BROWSER
                else ASK[tag](project, store)
            )
    return found


def _store(project: Project) -> Store:
    """Whoever made the store unusable shall not keep an agent from its context."""
    try:
        return open_store(project)
    except NotUsed:
        return no_store()


def _plan(_: Project, store: Store) -> Remembered:
    from director_ctx.memory.plans.versions import current

    version = current(store)
    if version is None:
        return Remembered(why="there is no plan yet; `dctx plan from-folder` makes one")
    import json

    return Remembered((escape_json(json.dumps(version.data, indent=2, ensure_ascii=False)),))


def _snapshot(project: Project, store: Store) -> Remembered:
    from director_ctx.memory.plans.snapshot import is_open, make_snapshot, snapshot_text

    snapshot = make_snapshot(project, store)
    whole, shorter = snapshot_text(snapshot), snapshot_text(snapshot, is_open)
    return Remembered((escape_json(whole),), shorter=escape_json(shorter))


def _variables(_: Project, store: Store) -> Remembered:
    from director_ctx.memory.variables.display import listing, shown_name
    from director_ctx.memory.variables.entries import variables

    rows = variables(store)
    names = "\n".join(f"- {shown_name(row.name)}" for row in rows)
    return (
        Remembered((listing(rows),), shorter=names)
        if rows
        else Remembered(why="no variable is set")
    )


def _browser(project: Project, store: Store, cdp: str | None) -> Remembered:
    """Live at each assembly; where there is no browser, only `--explain` says so."""
    from director_ctx.browser.state import browser_state

    state = browser_state(project, cdp, store)
    return Remembered((state,) if state else (), "no browser answers")


def _conversation(_: Project, store: Store) -> Remembered:
    from director_ctx.context.conversation.text import exchanges, filtered
    from director_ctx.history.sessions.transcript import known_texts, said
    from director_ctx.memory.conversations.messages import open_messages

    rows = filtered(said(open_messages(store)), known_texts(store))
    return Remembered(tuple(exchanges(rows)), "the store has no messages of this workflow")


def _compressed(_: Project, store: Store) -> Remembered:
    """Whatever no other summary has taken up; of many sessions that were compacted, the newest."""
    from director_ctx.context.settings.filling import compressed_line
    from director_ctx.memory.conversations.summaries import made_by_itself, standing, text_of

    by_itself = made_by_itself(store)
    texts: list[str] = []
    room = LARGEST_SUMMARIES
    for name in reversed(standing(store)):
        text = cleaned(text_of(store, name)).strip()
        if name in by_itself:
            text = f"{compressed_line(by_itself[name], name[:8])}\n\n{text}"
        room -= len(text)
        if room < 0 and texts:
            break
        texts.append(text)
    return (
        Remembered(("\n\n".join(reversed(texts)),))
        if texts
        else Remembered(why="nothing was compressed yet")
    )


ASK: dict[str, Ask] = {
    PLAN: _plan,
    SNAPSHOT: _snapshot,
    VARIABLES: _variables,
    CONVERSATION: _conversation,
    COMPRESSED: _compressed,
}
