"""Takes a client's session into the store. Done again, it adds only what is new."""

from __future__ import annotations

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
    from director_ctx.memory.conversations.messages import StoredMessage as Kept
    from director_ctx.memory.store.store import Store

_KEPT = ("user", "assistant", CALLED, ANSWERED, SUMMARY)
"""Thoughts are nobody's words, and what a client attaches is context."""


def sent(told: WholeTranscript) -> Iterator[Sent]:
    """What an import keeps of a session, in order. What its client compacted away is archived from
    the beginning.
    """
    if told.session.client == STORE:
        raise UsageProblem(
            "The store's conversation is in the store.", "Name a session, or a file."
        )
    _had(told)
    users_words = (row.text for row, _ in told.rows if row.role == "user")
    begins = next(users_words, "")
    seen: dict[str, int] = {}
    last = 0
    for row, archived in told.rows:
        text = cleaned(row.text)
        if row.role not in _KEPT or not text.strip() or is_context(row):
            continue
        # Each later than the one before it, so that the store keeps their order.
        earliest = last + 1 if last else 0
        last = max(_microseconds(row.source.when if row.source else ""), earliest)
        about = {"client": told.session.client, **_about(row)}
        role = row.role
        if role == SUMMARY and row.source:
            role = row.source.role
        key = _key(row.replace(role=role), begins, seen)
        yield Sent(role, text, key, _moment(last), about, archived)


def _had(told: WholeTranscript) -> None:
    """A conversation in which a client only summed another one up is nobody's, and has all of the
    other one in it.
    """
    typed = (row.text for row, _ in told.rows if row.role == "user" and not is_context(row))
    if next(typed, "").lstrip().startswith(OPENING):
        raise DctxError(
            f"Session {plain(short_id(told.session.id))} is no conversation: a client wrote a summary for dctx in it.",
            "`dctx history list` shows the conversations that there are.",
        )


class Copy(Record):
    """What of a session the store has from another one."""

    messages: int
    session: str
    shortened: bool
    """Whether it is a copy of which something was cut."""


def copied(store: Store, told: WholeTranscript, wanted: Sequence[Sent]) -> Copy | None:
    """A few words may be said twice; half of a conversation, or what is left of a shortened one, is
    a copy.
    """
    # The session of what the store has from others, by what was said.
    session_of: dict[tuple[str, str], str] = {}
    for kept in all_messages(store):
        session = about_of(kept.metadata).get("session")
        if isinstance(session, str) and session != told.session.id:
            session_of.setdefault((kept.role, kept.content), session)

    sessions: list[str] = []
    for message in wanted:
        said = message.role, message.content
        if said in session_of:
            sessions.append(session_of[said])

    shortened = any(LOCATOR.search(message.content) for message in wanted)
    is_half = 2 * len(sessions) >= len(wanted)
    if not sessions or not (shortened or is_half):
        return None
    most_of_it = max(sessions, key=sessions.count)
    return Copy(len(sessions), most_of_it, shortened)


def bring_in(store: Store, told: WholeTranscript) -> list[Kept]:
    """Everything or nothing; what is new of it."""
    return bring(store, told.session.id, sent(told))


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


def _kind(row: Row) -> str:
    raw = row.source.raw if row.source else None
    if isinstance(raw, dict) and is_summary(raw):
        return CLIENT_SUMMARY
    kinds = {CALLED: "tool_call", ANSWERED: "tool_result", SUMMARY: DIGEST}
    if row.role in kinds:
        return kinds[row.role]
    has_words = row.block is None or bool(row.block.text)
    return "said" if has_words else SHOWN


def _key(row: Row, begins: str, seen: dict[str, int]) -> str:
    """By the id that its client gave it; else by what it says, in which conversation, and for which
    time there.
    """
    name = _identity(row.source.raw if row.source else None)
    if not name:
        from hashlib import sha256

        said = f"{begins}\0{row.role}\0{row.text}"
        name = sha256(said.encode("utf-8", "replace")).hexdigest()[:24]
    key = f"{name}.{row.role}"
    seen[key] = seen.get(key, -1) + 1
    return f"{key}.{seen[key]}"


def _identity(raw: object) -> str:
    if not isinstance(raw, dict):
        return ""
    identity = raw.get(UUID) or raw.get("id")
    inner = raw.get("payload")
    if not identity and isinstance(inner, dict):
        identity = inner.get("id")
    return identity if isinstance(identity, str) else ""


def _microseconds(when: str) -> int:
    from datetime import UTC, datetime, timedelta

    try:
        moment = datetime.fromisoformat(when)
    except ValueError:
        return 0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _moment(microseconds: int) -> str:
    from datetime import UTC, datetime, timedelta

    if not microseconds:
        return ""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
