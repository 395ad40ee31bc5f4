"""All that was said in a session: every row of it, numbered through, those before a compaction too."""

from __future__ import annotations

from director_ctx.base.claude_code_lines import UUID
from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import cleaned
from director_ctx.context.conversation.known_texts import KnownTexts
from director_ctx.context.conversation.text import CLIENT_SUMMARY, Said, filtered
from director_ctx.history import formats
from director_ctx.history.formats.document import read
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    OTHER,
    RESULT,
    Block,
    Conversation,
    measure,
)
from director_ctx.history.sessions.damage import Damage, notes_without_damage
from director_ctx.history.sessions.files import STORE
from director_ctx.history.sessions.find import read_bytes
from director_ctx.history.sessions.render import Row, message_of, rows
from director_ctx.history.signals.compactions import pieces
from director_ctx.memory.conversations.messages import (
    BROWSER,
    ENDED,
    about_of,
    all_messages,
    open_messages,
)
from director_ctx.memory.store.open import open_conversation, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from director_ctx.history.messages.message import Message
    from director_ctx.history.sessions.files import Session
    from director_ctx.memory.conversations.messages import StoredMessage
    from director_ctx.memory.store.store import Store


SHOWN = "shown"
"""What has no words, such as an image; only what it is stands in the store."""


class WholeTranscript(Record):
    """What was said in a session."""

    session: Session
    now: Conversation
    """What its model reads now."""
    rows: list[tuple[Row, bool]]
    """Everything, and whether it is archived."""
    notes: tuple[str, ...] = ()
    damage: tuple[str, ...] = ()
    """Those of a file of which something cannot be read."""


def read_transcript(
    session: Session,
    root: str | None,
    format: str | None = None,
) -> WholeTranscript:
    if session.client == STORE:
        return transcript_of_store(session, root)
    data = read_bytes(session)
    return transcript_of(session, data, format)


def transcript_of(
    session: Session,
    data: bytes,
    format: str | None = None,
) -> WholeTranscript:
    """Of the bytes of a file. Each compaction of its client begins a piece; all but the last are
    archived.
    """
    *before, last = pieces(data)
    now = read(last, format)
    numbered: list[tuple[Row, bool]] = []
    known: set[str] = set()
    damage = Damage(data)
    for piece in before:
        conversation = _read_piece(piece, now.format)
        if conversation is not None:
            messages = [*damage.messages_past(conversation), *conversation.messages]
            numbered += _numbered(messages, known, numbered, archived=True)
        damage.add_lines(piece)

    numbered += _numbered(damage.messages_past(now), known, numbered, archived=True)
    numbered += _numbered(now.messages, known, numbered, archived=False)
    notes_on_damage = damage.notes()
    notes = (*notes_on_damage, *notes_without_damage(now))
    return WholeTranscript(session, now, numbered, notes, notes_on_damage)


def every_message(transcript: WholeTranscript) -> list[Message]:
    """In order, those before a compaction too."""
    messages: list[Message] = []
    for row, _ in transcript.rows:
        if row.source is None:
            continue
        if not messages or row.source is not messages[-1]:
            messages.append(row.source)
    return messages


def _read_piece(piece: bytes, format: str) -> Conversation | None:
    """A piece that says nothing is none."""
    try:
        return read(piece, format)
    except DctxError:
        return None


def _numbered(
    messages: Iterable[Message],
    known: set[str],
    before: list[tuple[Row, bool]],
    archived: bool,
) -> list[tuple[Row, bool]]:
    """Without what a compaction kept of what came before it."""
    # Within a piece the same name may come again: only what earlier pieces had is left out.
    new = [message for message in messages if identity(message) not in known]
    for message in new:
        name = identity(message)
        if name:
            known.add(name)

    first = 1
    if before:
        last_row, _ = before[-1]
        first = last_row.message + 1
    return [(row, archived) for row in rows(new, first)]


def identity(message: Message) -> str:
    """As its client or the store names it."""
    if not isinstance(message.raw, dict):
        return ""
    name = message.raw.get(UUID)
    if not isinstance(name, str):
        return ""
    return name


# The store's conversation


def transcript_of_store(
    session: Session,
    root: str | None,
    fits: Callable[[StoredMessage], bool] | None = None,
) -> WholeTranscript:
    """The store's own; only those that fit, under the numbers that they have among all of them."""
    with open_conversation(project_here(root)) as store:
        every = all_messages(store)
    numbered: list[tuple[Row, bool]] = []
    now: list[Message] = []
    for number, stored in enumerate(every, 1):
        if fits is not None and not fits(stored):
            continue
        message = as_message(stored)
        for row in rows([message], number):
            numbered.append((row, stored.archived))
        if not stored.archived:
            now.append(message)
    conversation = Conversation(formats.STORE, now)
    return WholeTranscript(session, conversation, numbered)


def as_message(stored: StoredMessage) -> Message:
    """A row of the store as a message, with what it says of itself."""
    about = about_of(stored.metadata)
    error = about.get("error")
    if not isinstance(error, bool):
        error = None
    message = message_of(
        stored.role,
        text=cleaned(stored.content),
        tool=cleaned(_text(about.get("tool"))),
        call=_text(about.get("call")),
        error=error,
    )
    message.when = stored.timestamp
    message.raw = {UUID: stored.id}

    kind = about.get("kind")
    if about.get("isCompressed"):
        message.role = "summary"
    elif kind == CLIENT_SUMMARY:
        # It stands in the user's name, and the user never said it.
        message.role = ASSISTANT
    elif kind == SHOWN:
        message.blocks = [Block(OTHER, block.text) for block in message.blocks]
    elif kind == BROWSER:
        message.blocks = _done_in_browser(stored, about)
    return message


def _text(value: object) -> str:
    """What is known about a message may come from other programs."""
    if isinstance(value, str):
        return value
    return ""


def as_messages(store: Store, every: Iterable[StoredMessage]) -> list[Message]:
    """What was said of it, without the contexts that stand in it."""
    known = known_texts(store)
    messages: list[Message] = []
    for stored in every:
        said = Said(stored.role, stored.content, about_of(stored.metadata))
        for own_words in filtered([said], known):
            without_contexts = stored.replace(content=own_words.content)
            messages.append(as_message(without_contexts))
    return messages


def _done_in_browser(stored: StoredMessage, about: Mapping[str, Any]) -> list[Block]:
    """One row tells what was done and what came of it; for a reader these are a call and its
    result.
    """
    content = cleaned(stored.content)
    failed = about.get("failed") is True
    result = str(about.get("result"))
    if failed:
        result = f"failed: {result}"

    # What was typed may have an arrow in it, too: the result that is known tells which one is ours.
    ending = f"{ENDED}{result}"
    if content.endswith(ending):
        call = content.removesuffix(ending)
    else:
        call, _, result = content.rpartition(ENDED)

    tool, _, arguments = call.partition(" ")
    answer = [result]
    looked_at = about.get("seen")
    if isinstance(looked_at, list):
        for line in looked_at:
            answer.append(cleaned(str(line)))
    return [
        Block(CALL, arguments, call=stored.id, tool=tool),
        Block(RESULT, "\n".join(answer), call=stored.id, tool=tool, error=failed),
    ]


def known_texts(store: Store) -> KnownTexts:
    """What contexts of this project showed: their sections by their hashes, and what was said and
    is archived.
    """
    # Both are functions: most conversations have no context in them, and then nothing is read.

    def printed() -> Iterator[str]:
        from director_ctx.memory.runs.storage import read_runs

        if not store.root:
            return
        for run in read_runs(store.root):
            for section in run.sections:
                yield section.sha256

    def archived() -> Iterator[str]:
        from director_ctx.memory.conversations.summaries import compressions

        for summary in compressions(store):
            yield summary.text
        old = [message for message in all_messages(store) if message.archived]
        for said in filtered(as_said(old)):
            yield said.content

    return KnownTexts(printed, archived)


def as_said(messages: Iterable[StoredMessage]) -> Iterator[Said]:
    """The store's messages as a context shows them: calls and results apart."""
    for stored in messages:
        about = about_of(stored.metadata)
        if about.get("kind") != BROWSER:
            yield Said(stored.role, stored.content, about)
            continue
        message = as_message(stored)
        for row in rows([message]):
            yield Said(row.role, row.text, about)


def tokens_of_store(store: Store, count: Callable[[str], int]) -> int:
    """How large the conversation is in a context: what is open of it, and the summaries of the
    rest.
    """
    from director_ctx.memory.conversations.summaries import standing, text_of

    rows_left = as_messages(store, open_messages(store))
    summaries = sum(count(text_of(store, name)) for name in standing(store))
    return measure(rows_left, count) + summaries
