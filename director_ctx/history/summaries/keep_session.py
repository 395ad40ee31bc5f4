"""A session that its client is about to compact goes into the store, and a note of it beside: in a
process of its own, because a long one takes longer than a hook may.
"""

from __future__ import annotations

from director_ctx.context.settings.budget import count_chars
from director_ctx.context.settings.hooks import Hooks
from director_ctx.context.settings.options import load_settings
from director_ctx.history.handover.running import handover_of
from director_ctx.history.handover.write import newest, written
from director_ctx.history.sessions.add import import_transcript
from director_ctx.history.sessions.find import read_bytes, unread_session
from director_ctx.history.sessions.transcript import as_messages, transcript_of
from director_ctx.history.summaries.before_compaction import (
    DONE,
    LONGEST,
    NOT_KEPT,
    Compaction,
    write_compaction,
)
from director_ctx.history.summaries.summaries import (
    NothingNew,
    SummaryWay,
    keep,
    last_of_session,
    plan_of_session,
    write_summary,
)
from director_ctx.memory.conversations.messages import about_of, all_messages
from director_ctx.memory.conversations.summaries import SESSION, Overtaken
from director_ctx.memory.store.open import open_store
from director_ctx.project.hook_log import log
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.sessions.transcript import WholeTranscript
    from director_ctx.memory.conversations.messages import StoredMessage
    from director_ctx.memory.conversations.summaries import Compression
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project


def finish(
    root: str,
    client: str,
    session: str,
    transcript: str,
    size: str,
) -> None:
    """What a hook began. All words are texts, as they stand on a command line."""
    compaction = Compaction(session, NOT_KEPT, size)
    try:
        project = load_project(root=root)
        unread = unread_session(session, client, transcript)
        # Only as far as the conversation went then: behind it stands the client's own summary.
        data = read_bytes(unread, int(size))
        compaction = _keep(project, transcript_of(unread, data), size)
    except Exception as error:
        # Nobody sees this process fail.
        log(root, f"{client} compaction: the conversation of {session} is not kept: {error}")
    write_compaction(root, compaction)


def _keep(
    project: Project,
    transcript: WholeTranscript,
    size: str,
) -> Compaction:
    session = transcript.session.id
    with open_store(project, write=True) as store:
        # A store that others read is given a conversation only where the settings ask for it.
        is_shared = store.engine.name != "sqlite"
        if is_shared and not _may_be_shared(project):
            return Compaction(session, NOT_KEPT, size)

        import_transcript(store, transcript)
        own = [message for message in all_messages(store) if _is_of(message, session)]
        messages = as_messages(store, own)
        summary = _summed_up(store, own)

    # From its own messages, whoever archived them: so a session is told nothing of others.
    handover = newest(handover_of(messages))
    compaction = Compaction(session, DONE, size, text=written(handover, LONGEST))
    if summary is None:
        return compaction
    replaced = summary.messages or ()
    return compaction.replace(summary=summary.id, messages=str(len(replaced)))


def _may_be_shared(project: Project) -> bool:
    hooks = load_settings(project).hooks or Hooks()
    return bool(hooks.archive)


def _is_of(message: StoredMessage, session: str) -> bool:
    about = about_of(message.metadata)
    return about.get("session") == session and not about.get("isCompressed")


def _summed_up(store: Store, own: Sequence[StoredMessage]) -> Compression | None:
    """The summary of what is still open of a session; the one before, where nothing is or somebody
    was faster.
    """
    names = {message.id for message in own}
    still_open = [message for message in own if not message.archived]
    way = SummaryWay(count_chars, by=SESSION)
    try:
        plan = plan_of_session(store, still_open, names, count_chars)
        text = write_summary(plan, way)
        return keep(store, plan, text, way)
    except (NothingNew, Overtaken):
        return last_of_session(store, names)
