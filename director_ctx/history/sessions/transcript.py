"""A conversation as it is told: every row of it, numbered through, those before a compaction too."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import cleaned
from director_ctx.context.conversation.known_texts import KnownTexts
from director_ctx.context.conversation.text import CLIENT_SUMMARY, Said, filtered
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
    from director_ctx.memory.conversations.messages import StoredMessage as Kept
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


def told(session: Session, root: str | None, format: str | None = None) -> WholeTranscript:
    if session.client == STORE:
        return told_of_store(session, root)
    return told_of(session, read_bytes(session), format)


def told_of(session: Session, data: bytes, format: str | None = None) -> WholeTranscript:
    """Of the bytes of a file. Each compaction of its client begins a piece; all but the last are
    archived.
    """
    *earlier, last = pieces(data)
    now = read(last, format)
    numbered: list[tuple[Row, bool]] = []
    known: set[str] = set()
    for piece in earlier:
        numbered += _numbered(_read(piece, now.format), known, numbered, True)
    numbered += _numbered(now.messages, known, numbered, False)
    return WholeTranscript(session, now, numbered, now.notes)


def _read(piece: bytes, format: str) -> list[Message]:
    """A piece that says nothing is none."""
    try:
        return read(piece, format).messages
    except DctxError:
        return []


def _numbered(
    messages: Iterable[Message], known: set[str], before: list[tuple[Row, bool]], archived: bool
) -> Iterator[tuple[Row, bool]]:
    """Without what a compaction kept of what came before it."""
    new = [message for message in messages if identity(message) not in known]
    known.update(filter(None, map(identity, new)))
    first = 1
    if before:
        last_row, _ = before[-1]
        first = last_row.message + 1
    return ((row, archived) for row in rows(new, first))


def identity(message: Message) -> str:
    """As its client or the store names it."""
    if not isinstance(message.raw, dict):
        return ""
    name = message.raw.get("uuid")
    return name if isinstance(name, str) else ""


def placed(told: WholeTranscript) -> Callable[[Row], int | None]:
    """The place of a row's message among those that the model reads now, as receipts and checks
    count: from 0.

    None for what is archived, and in the store, which is no history that could be shortened.
    """
    if told.session.client == STORE:
        return lambda row: None
    now: dict[str | int, int] = {}
    for index, message in enumerate(told.now.messages):
        now[identity(message) or id(message)] = index

    def place(row: Row) -> int | None:
        if row.source is None:
            return None
        return now.get(identity(row.source) or id(row.source))

    return place


def told_of_store(
    session: Session, root: str | None, fits: Callable[[Kept], bool] | None = None
) -> WholeTranscript:
    """The store's own; only those that fit, under the numbers that they have among all of them."""
    with open_conversation(project_here(root)) as store:
        every = all_messages(store)
    numbered: list[tuple[Row, bool]] = []
    still: list[Message] = []
    for number, kept in enumerate(every, 1):
        if fits is not None and not fits(kept):
            continue
        message = as_message(kept)
        for row in rows([message], number):
            numbered.append((row, kept.archived))
        if not kept.archived:
            still.append(message)
    return WholeTranscript(session, Conversation("rows", still), numbered)


def as_message(kept: Kept) -> Message:
    """A row of the store as a message, with what it says of itself."""
    about = about_of(kept.metadata)
    tool, call, error = about.get("tool"), about.get("call"), about.get("error")
    message = message_of(
        kept.role,
        cleaned(kept.content),
        cleaned(tool) if isinstance(tool, str) else "",
        call if isinstance(call, str) else "",
        error if isinstance(error, bool) else None,
    )
    message.when, message.raw = kept.timestamp, {"uuid": kept.id}

    kind = about.get("kind")
    if about.get("isCompressed"):
        message.role = "summary"
    elif kind == CLIENT_SUMMARY:
        message.role = ASSISTANT
    elif kind == SHOWN:
        message.blocks = [Block(OTHER, block.text) for block in message.blocks]
    elif kind == BROWSER:
        message.blocks = _done_in_browser(kept, about)
    return message


def as_messages(store: Store, every: Iterable[Kept]) -> list[Message]:
    """What was said of it, without the contexts that stand in it."""
    known = known_texts(store)
    messages: list[Message] = []
    for kept in every:
        said = Said(kept.role, kept.content, about_of(kept.metadata))
        for left in filtered([said], known):
            messages.append(as_message(kept.replace(content=left.content)))
    return messages


def _done_in_browser(one: Kept, about: Mapping[str, Any]) -> list[Block]:
    """One row tells what was done and what came of it; for a reader these are a call and its
    result.
    """
    content = cleaned(one.content)
    failed = about.get("failed") is True
    ended = f"failed: {about.get('result')}" if failed else str(about.get("result"))

    if content.endswith(f"{ENDED}{ended}"):
        call = content.removesuffix(f"{ENDED}{ended}")
    else:
        call, _, ended = content.rpartition(ENDED)

    tool, _, given = call.partition(" ")
    seen = about.get("seen")
    lines = [str(line) for line in seen] if isinstance(seen, list) else []
    answer = "\n".join([ended, *map(cleaned, lines)])
    return [
        Block(CALL, given, call=one.id, tool=tool),
        Block(RESULT, answer, call=one.id, tool=tool, error=failed),
    ]


def known_texts(store: Store) -> KnownTexts:
    """What contexts of this project showed: their sections by their hashes, and what was said and
    is archived.
    """

    def printed() -> Iterator[str]:
        from director_ctx.memory.runs.storage import read_runs

        for run in read_runs(store.root) if store.root else ():
            yield from (section.sha256 for section in run.sections)

    def archived() -> Iterator[str]:
        from director_ctx.memory.conversations.summaries import compressions

        yield from (one.text for one in compressions(store))
        old = [one for one in all_messages(store) if one.archived]
        yield from (one.content for one in filtered(said(old)))

    return KnownTexts(printed, archived)


def said(kept: Iterable[Kept]) -> Iterator[Said]:
    """The store's messages as a context shows them: calls and results apart."""
    for one in kept:
        about = about_of(one.metadata)
        if about.get("kind") != BROWSER:
            yield Said(one.role, one.content, about)
            continue
        for row in rows([as_message(one)]):
            yield Said(row.role, row.text, about)


def tokens_of_store(store: Store, count: Callable[[str], int]) -> int:
    """How large the conversation is in a context: what is open of it, and the summaries of the
    rest.
    """
    from director_ctx.memory.conversations.summaries import standing, text_of

    rows_left = as_messages(store, open_messages(store))
    summaries = sum(count(text_of(store, name)) for name in standing(store))
    return measure(rows_left, count) + summaries


def rows_json(
    transcript: WholeTranscript, shown: Iterable[tuple[Row, bool]]
) -> list[dict[str, Any]]:
    """Rows of it as every door gives them.

    The number is that of `history show`, from 1; message and block are those of a receipt, from 0.
    """
    place = placed(transcript)
    documents = []
    for row, archived in shown:
        block = row.block
        source = row.source
        documents.append(
            {
                "number": row.message,
                "message": place(row),
                "block": _block_number(row),
                "id": identity(source) if source else "",
                "role": row.role,
                "text": row.text,
                "tool": block.tool if block else "",
                "call": block.call if block else "",
                "error": block.error if block else None,
                "time": source.when if source else "",
                "archived": archived,
            }
        )
    return documents


def _block_number(row: Row) -> int | None:
    """Which block of its message it is."""
    blocks = row.source.blocks if row.source else ()
    for number, block in enumerate(blocks):
        # Two blocks may say the same, so it is looked for by identity.
        if block is row.block:
            return number
    return None
