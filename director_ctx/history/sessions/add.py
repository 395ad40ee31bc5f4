"""Takes a client's session into the store. Done again, it adds only what is new."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from director_ctx.base.claude_code_lines import UUID, is_summary
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record
from director_ctx.base.text import cleaned, plain
from director_ctx.context.conversation.text import CLIENT_SUMMARY, DIGEST
from director_ctx.history.compress.put_back import LOCATOR
from director_ctx.history.sessions.files import OPENING, STORE, short_id
from director_ctx.history.sessions.render import ANSWERED, CALLED, SUMMARY, is_context
from director_ctx.history.sessions.transcript import SHOWN
from director_ctx.memory.conversations.messages import Sent, about_of, all_messages, bring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.sessions.render import Row
    from director_ctx.history.sessions.transcript import WholeTranscript
    from director_ctx.memory.conversations.messages import StoredMessage
    from director_ctx.memory.store.store import Store

_IMPORTED = ("user", "assistant", CALLED, ANSWERED, SUMMARY)
"""Thoughts are nobody's words, and what a client attaches is context."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def messages_to_import(transcript: WholeTranscript) -> Iterator[Sent]:
    """What an import keeps of a session, in order. What its client compacted away is archived from
    the beginning.
    """
    session = transcript.session
    if session.client == STORE:
        raise UsageProblem(
            "The store's conversation is in the store.", "Name a session, or a file."
        )
    _expect_conversation(transcript)
    # What the user said first.
    opening = next((row.text for row, _ in transcript.rows if row.role == "user"), "")
    repeated: dict[str, int] = {}
    last = 0
    for row, archived in transcript.rows:
        text = cleaned(row.text)
        if row.role not in _IMPORTED or not text.strip() or is_context(row):
            continue

        # Each later than the one before it, so that the store keeps their order.
        microseconds = _microseconds(row)
        if last and microseconds <= last:
            microseconds = last + 1
        last = microseconds
        when = ""
        if microseconds:
            moment = _EPOCH + timedelta(microseconds=microseconds)
            when = moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

        # A summary stands in the name of its message.
        role = row.source.role if row.role == SUMMARY and row.source else row.role
        yield Sent(
            role=role,
            content=text,
            key=_key(row, role, opening, repeated),
            when=when,
            about={"client": session.client, **_about(row)},
            archived=archived,
        )


def _expect_conversation(transcript: WholeTranscript) -> None:
    """A conversation in which a client only summed another one up is nobody's, and has all of the
    other one in it.
    """
    typed = (row.text for row, _ in transcript.rows if row.role == "user" and not is_context(row))
    if next(typed, "").lstrip().startswith(OPENING):
        name = plain(short_id(transcript.session.id))
        raise DctxError(
            f"Session {name} is no conversation: a client wrote a summary for dctx in it.",
            "`dctx history list` shows the conversations that there are.",
        )


class Copy(Record):
    """What of a session the store has from another one."""

    messages: int
    session: str
    shortened: bool
    """Whether it is a copy of which something was cut."""


def copy_in_store(
    store: Store,
    transcript: WholeTranscript,
    messages: Sequence[Sent],
) -> Copy | None:
    """What the store has of these from another session, if that makes the session a copy."""
    session_of: dict[tuple[str, str], str] = {}
    for stored in all_messages(store):
        session = about_of(stored.metadata).get("session")
        if isinstance(session, str) and session != transcript.session.id:
            session_of.setdefault((stored.role, stored.content), session)
    said = ((message.role, message.content) for message in messages)
    sessions = [session_of[words] for words in said if words in session_of]

    # A few words may be said twice; half of a conversation, or what is left of a shortened one, is
    # a copy.
    shortened = any(LOCATOR.search(message.content) for message in messages)
    if not sessions or not (shortened or 2 * len(sessions) >= len(messages)):
        return None
    return Copy(len(sessions), max(sessions, key=sessions.count), shortened)


def import_transcript(store: Store, transcript: WholeTranscript) -> list[StoredMessage]:
    """Everything or nothing; what is new of it."""
    return bring(store, transcript.session.id, messages_to_import(transcript))


def _about(row: Row) -> dict[str, Any]:
    about: dict[str, Any] = {"kind": _kind(row)}
    block = row.block
    if block:
        known = {"tool": block.tool, "call": block.call, "error": bool(block.error)}
        about.update((name, value) for name, value in known.items() if value)
    return about


def _raw(row: Row) -> dict[str, Any]:
    """What its client wrote; nothing for what is none of its lines."""
    raw = row.source.raw if row.source else None
    return raw if isinstance(raw, dict) else {}


def _kind(row: Row) -> str:
    if is_summary(_raw(row)):
        return CLIENT_SUMMARY
    kinds = {CALLED: "tool_call", ANSWERED: "tool_result", SUMMARY: DIGEST}
    has_words = row.block is None or bool(row.block.text)
    return kinds.get(row.role, "said" if has_words else SHOWN)


def _key(row: Row, role: str, opening: str, repeated: dict[str, int]) -> str:
    """What tells a message from the others, the same in every import."""
    # By the id that its client gave it; else by what it says, in which conversation. A message has
    # a row for each of its blocks, and words may be said again: so the time is counted, too.
    raw = _raw(row)
    payload = raw.get("payload")  # Codex has an item in an envelope.
    item = payload if isinstance(payload, dict) else {}
    name = raw.get(UUID) or raw.get("id") or item.get("id")
    if not isinstance(name, str) or not name:
        name = text_digest(f"{opening}\0{role}\0{row.text}")[:24]
    key = f"{name}.{role}"
    times = repeated.get(key, 0)
    repeated[key] = times + 1
    return f"{key}.{times}"


def _microseconds(row: Row) -> int:
    """When it was said; 0 where its client does not say that."""
    try:
        moment = datetime.fromisoformat(row.source.when if row.source else "")
    except ValueError:
        return 0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1)
