"""Takes a client's session into the store. Done again, it adds only what is new."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256

from director_ctx.base.claude_code_lines import UUID, is_summary
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import cleaned, plain
from director_ctx.context.conversation.text import CLIENT_SUMMARY, DIGEST
from director_ctx.history.compress.put_back import LOCATOR
from director_ctx.history.sessions.files import STORE, short_id
from director_ctx.history.sessions.lines import OPENING
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
    opening = _opening(transcript)
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

        role = _stored_role(row)
        yield Sent(
            role=role,
            content=text,
            key=_key(row, role, opening, repeated),
            when=_moment(microseconds),
            about={"client": session.client, **_about(row)},
            archived=archived,
        )


def _stored_role(row: Row) -> str:
    """In whose name it stands in the store: a summary in that of its message."""
    if row.role == SUMMARY and row.source:
        return row.source.role
    return row.role


def _opening(transcript: WholeTranscript) -> str:
    """What the user said first."""
    for row, _ in transcript.rows:
        if row.role == "user":
            return row.text
    return ""


def _expect_conversation(transcript: WholeTranscript) -> None:
    """A conversation in which a client only summed another one up is nobody's, and has all of the
    other one in it.
    """
    typed = ""
    for row, _ in transcript.rows:
        if row.role == "user" and not is_context(row):
            typed = row.text
            break
    if typed.lstrip().startswith(OPENING):
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
    session_of = _sessions_by_words(store, transcript.session.id)
    sessions: list[str] = []
    for message in messages:
        said = (message.role, message.content)
        if said in session_of:
            sessions.append(session_of[said])

    # A few words may be said twice; half of a conversation, or what is left of a shortened one, is
    # a copy.
    shortened = any(LOCATOR.search(message.content) for message in messages)
    is_half = 2 * len(sessions) >= len(messages)
    if not sessions or not (shortened or is_half):
        return None
    most_of_it = max(sessions, key=sessions.count)
    return Copy(len(sessions), most_of_it, shortened)


def _sessions_by_words(store: Store, own: str) -> dict[tuple[str, str], str]:
    """The session of what the store has from others, by who said what."""
    session_of: dict[tuple[str, str], str] = {}
    for stored in all_messages(store):
        about = about_of(stored.metadata)
        session = about.get("session")
        if isinstance(session, str) and session != own:
            words = (stored.role, stored.content)
            session_of.setdefault(words, session)
    return session_of


def import_transcript(store: Store, transcript: WholeTranscript) -> list[StoredMessage]:
    """Everything or nothing; what is new of it."""
    messages = messages_to_import(transcript)
    return bring(store, transcript.session.id, messages)


def _about(row: Row) -> dict[str, Any]:
    about: dict[str, Any] = {"kind": _kind(row)}
    block = row.block
    if block is None:
        return about
    if block.tool:
        about["tool"] = block.tool
    if block.call:
        about["call"] = block.call
    if block.error:
        about["error"] = True
    return about


def _raw(row: Row) -> dict[str, Any]:
    """What its client wrote; nothing for what is none of its lines."""
    if row.source is None or not isinstance(row.source.raw, dict):
        return {}
    return row.source.raw


def _kind(row: Row) -> str:
    if is_summary(_raw(row)):
        return CLIENT_SUMMARY
    kinds = {CALLED: "tool_call", ANSWERED: "tool_result", SUMMARY: DIGEST}
    if row.role in kinds:
        return kinds[row.role]
    has_words = row.block is None or bool(row.block.text)
    if has_words:
        return "said"
    return SHOWN


def _key(row: Row, role: str, opening: str, repeated: dict[str, int]) -> str:
    """What tells a message from the others, the same in every import."""
    # By the id that its client gave it; else by what it says, in which conversation. A message has
    # a row for each of its blocks, and words may be said again: so the time is counted, too.
    name = _client_id(row)
    if not name:
        said = f"{opening}\0{role}\0{row.text}"
        name = sha256(said.encode("utf-8", "replace")).hexdigest()[:24]
    key = f"{name}.{role}"
    times = repeated.get(key, 0)
    repeated[key] = times + 1
    return f"{key}.{times}"


def _client_id(row: Row) -> str:
    raw = _raw(row)
    identity = raw.get(UUID) or raw.get("id")
    payload = raw.get("payload")  # Codex has an item in an envelope.
    if not identity and isinstance(payload, dict):
        identity = payload.get("id")
    if not isinstance(identity, str):
        return ""
    return identity


def _microseconds(row: Row) -> int:
    """When it was said; 0 where its client does not say that."""
    if row.source is None:
        return 0
    try:
        moment = datetime.fromisoformat(row.source.when)
    except ValueError:
        return 0
    if not moment.tzinfo:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _moment(microseconds: int) -> str:
    if not microseconds:
        return ""
    moment = _EPOCH + timedelta(microseconds=microseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
