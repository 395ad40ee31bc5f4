"""A conversation that outgrows its context: from one mark on it is said, from the next a summary
takes its place.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.context.settings.budget import URGENT, count_chars
from director_ctx.context.settings.filling import STORE, advice, sentence, state_of
from director_ctx.context.settings.hooks import Hooks
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.tags import CONVERSATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.context.assembly import Assembly
    from director_ctx.context.settings.request import Settings
    from director_ctx.memory.conversations.messages import StoredMessage as Kept
    from director_ctx.memory.conversations.summaries import Compression
    from director_ctx.project.project import Project


class Relief(Record):
    """What became of a conversation that was too long for its context."""

    summary: Compression | None = None
    """None where somebody else was faster, where it could not be done, or where nothing was to be
    gained.
    """
    why_not: str = ""


def warnings_at(tokens: int, hooks: Hooks) -> tuple[str, ...]:
    """What there is to say about the store's conversation at this size; nothing, where there is
    room.
    """
    said = sentence(tokens, hooks.warn, hooks.urgent)
    if not said:
        return ()
    state = state_of(tokens, hooks.warn, hooks.urgent)
    return (f"{said} {advice(STORE, state)}",)


def is_overfull(context: Assembly, settings: Settings) -> bool:
    """Whether a context with a conversation was as large as a full window before anything was cut.

    A budget that somebody made larger than the usual one is room.
    """
    full = (settings.hooks or Hooks()).urgent
    if context.budget.limit > URGENT:
        full = max(context.budget.limit, full)
    return CONVERSATION in context.tokens_by_tag and context.whole >= full


def compress_if_overfull(project: Project, context: Assembly) -> Relief | None:
    """Puts a summary in the place of what was said, unless the project wants to be asked. None
    where there is room.

    Whatever keeps it from being done keeps nobody from the context.
    """
    settings = load_settings(project)
    if not settings.compress or not is_overfull(context, settings):
        return None

    from director_ctx.memory.conversations.summaries import Overtaken

    try:
        return Relief(compress_older(project))
    except Overtaken:
        return Relief()
    except DctxError as error:
        return Relief(why_not=error.message)
    except OSError as error:
        return Relief(why_not=error.strerror or str(error))


def compress_older(project: Project) -> Compression | None:
    """A summary of all but the newest turns; None where it would gain too little."""
    from director_ctx.history.summaries.selection import fresh_messages
    from director_ctx.history.summaries.summaries import (
        TOO_SOON,
        NothingNew,
        SummaryWay,
        keep,
        plan_of,
        stands_for,
        write_summary,
    )
    from director_ctx.memory.conversations.summaries import AUTOMATIC
    from director_ctx.memory.store.open import open_store

    way = SummaryWay(count_chars, by=AUTOMATIC)
    with open_store(project, write=True) as store:
        try:
            plan = plan_of(store, without_newest(fresh_messages(store), TOO_SOON), count_chars)
        except NothingNew:
            return None
        if plan.tokens < TOO_SOON:
            return None

        text = write_summary(plan, way)
        # A summary that is no shorter than what it stands for would only cost words.
        if count_chars(text) >= stands_for(plan, count_chars):
            return None
        return keep(store, plan, text, way)


def without_newest(stored: Sequence[Kept], tokens: int) -> Sequence[Kept]:
    """All but the last whole turns that have at most so many tokens: what is being talked about
    stays word for word.
    """
    from director_ctx.history.messages.message import measure
    from director_ctx.history.messages.turns import rounds
    from director_ctx.history.sessions.transcript import as_message

    messages = list(map(as_message, stored))
    room = tokens
    for turn in reversed(rounds(messages)):
        said = [messages[index] for index in turn]
        room -= measure(said, count_chars)
        if room < 0:
            return stored[: turn.stop]
    return ()


def compress_apart(project: Project, context: Assembly) -> None:
    """The same for a hook, which waits for nothing: the next context has the summary."""
    settings = load_settings(project)
    if not settings.compress or not is_overfull(context, settings):
        return

    from director_ctx.base.system.detached import start_apart
    from director_ctx.project.hook_log import log

    try:
        start_apart(__name__, "finish", (project.root,))
    except OSError as error:
        why = error.strerror or error
        log(project.root, f"the conversation was not compressed: {why}")


def finish(root: str) -> None:
    """In a process of its own."""
    from director_ctx.memory.conversations.summaries import Overtaken
    from director_ctx.project.hook_log import log
    from director_ctx.project.project import load_project

    try:
        compress_older(load_project(root=root))
    except Overtaken:
        return
    except Exception as error:
        # Nobody sees this process fail.
        log(root, f"the conversation was not compressed: {error}")
