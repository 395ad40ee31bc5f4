"""All that was said in a session: every row of it, numbered through, those before a compaction and
those before damaged lines too.
"""

from __future__ import annotations

from director_ctx.base.claude_code_lines import UUID
from director_ctx.base.errors import DctxError
from director_ctx.base.json_bytes import notes_on_broken
from director_ctx.base.record import Record
from director_ctx.base.text import cleaned, counted, plain
from director_ctx.context.conversation.known_texts import KnownTexts
from director_ctx.context.conversation.text import CLIENT_SUMMARY, Said, filtered
from director_ctx.history import formats
from director_ctx.history.formats.document import Around, read
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
from director_ctx.history.sessions.find import choose, folder_of, read_bytes, starting_with
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
_SEARCH_AGAIN = "Search again: it shows places that there are."


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
    session: Session, root: str | None, format: str | None = None
) -> WholeTranscript:
    if session.client == STORE:
        return transcript_of_store(session, root)
    return transcript_of(session, read_bytes(session), format)


def transcript_of(session: Session, data: bytes, format: str | None = None) -> WholeTranscript:
    """Of the bytes of a file. Each compaction of its client begins a piece; all but the last are
    archived.
    """
    *before, last = pieces(data)
    now = read(last, format)
    numbered: list[tuple[Row, bool]] = []
    known: set[str] = set()
    broken: list[int] = []
    past_gaps = 0
    lines_before = 0
    for piece in (*before, last):
        conversation = now if piece is last else _read_piece(piece, now.format)
        if conversation is not None:
            around = conversation.frame
            if isinstance(around, Around) and around.lines and around.broken:
                broken += [lines_before + number for number in around.broken]
                past = _messages_before_gaps(around)
                past_gaps += len(past)
                _number(past, known, numbered, archived=True)
            _number(conversation.messages, known, numbered, archived=piece is not last)
        lines_before += piece.count(b"\n")

    # By the numbers of lines in the whole file: those in a piece say nothing of it.
    damage = notes_on_broken(broken, data.count(b"\n") + (not data.endswith(b"\n")))
    if past_gaps:
        messages = counted(past_gaps, "message")
        note = (
            f"{messages} before a damaged line, to which no line leads any more, were read as well."
        )
        damage = (*damage, note)
    around = now.frame
    of_piece: tuple[str, ...] = ()
    if isinstance(around, Around) and around.lines:
        of_piece = notes_on_broken(around.broken, len(around.lines.spans))
    notes = (*damage, *(note for note in now.notes if note not in of_piece))
    return WholeTranscript(session, now, numbered, notes, damage)


def _read_piece(piece: bytes, format: str) -> Conversation | None:
    """A piece that says nothing is none."""
    try:
        return read(piece, format)
    except DctxError:
        return None


def _messages_before_gaps(around: Around) -> list[Message]:
    # Only few sessions are damaged.
    from director_ctx.history.formats.claude_code import messages_before_gaps

    assert around.lines
    return messages_before_gaps(around.frame, around.lines, around.broken)


def _number(
    messages: Iterable[Message],
    known: set[str],
    numbered: list[tuple[Row, bool]],
    archived: bool,
) -> None:
    """Adds their rows, without what a compaction kept of what came before it."""
    # Within a piece the same name may come again: only what earlier pieces had is left out.
    new = [message for message in messages if identity(message) not in known]
    known.update(filter(None, map(identity, new)))
    first = numbered[-1][0].message + 1 if numbered else 1
    numbered += [(row, archived) for row in rows(new, first)]


def identity(message: Message) -> str:
    """As its client or the store names it."""
    name = message.raw.get(UUID) if isinstance(message.raw, dict) else None
    return name if isinstance(name, str) else ""


def every_message(transcript: WholeTranscript) -> list[Message]:
    """In order, those before a compaction too."""
    messages: list[Message] = []
    for row, _ in transcript.rows:
        if row.source and (not messages or row.source is not messages[-1]):
            messages.append(row.source)
    return messages


def message_text(root: str, start: str, number: int) -> str:
    """Who said what in a message, by the start of its session's id; only of this project."""
    # No path is one: what is no conversation of the project is not read.
    sessions = [choose(STORE, root)] if start == STORE else starting_with(start, folder_of(root))
    if not sessions:
        raise DctxError(f"This project has no conversation {plain(start[:80])}.", _SEARCH_AGAIN)
    if len(sessions) > 1:
        raise DctxError(
            f"{plain(start)} is the start of {len(sessions)} conversations of this project.",
            _SEARCH_AGAIN,
        )
    every = read_transcript(sessions[0], root).rows
    said = [f"{row.role}: {row.text}" for row, _ in every if row.message == number]
    if not said:
        raise DctxError(f"Conversation {plain(start)} has no message {number}.", _SEARCH_AGAIN)
    return "\n\n".join(said)


# Where rows stand


def row_places(transcript: WholeTranscript) -> Callable[[Row], int | None]:
    """The place of a row's message among those that the model reads now, as receipts and checks
    count: from 0.

    None for what is archived, and in the store, which is no history that could be shortened.
    """
    places: dict[str | int, int] = {}
    if transcript.session.client != STORE:
        # Without a name only the object itself tells a message from another one that says the same.
        for place, message in enumerate(transcript.now.messages):
            places[identity(message) or id(message)] = place

    def place_of(row: Row) -> int | None:
        return places.get(identity(row.source) or id(row.source)) if row.source else None

    return place_of


def rows_json(
    transcript: WholeTranscript, shown: Iterable[tuple[Row, bool]]
) -> list[dict[str, Any]]:
    """Rows of it as every door gives them.

    The number is that of `history show`, from 1; message and block are those of a receipt, from 0.
    """
    place = row_places(transcript)
    documents = []
    for row, archived in shown:
        block = row.block
        source = row.source
        documents.append(
            {
                "number": row.message,
                "message": place(row),
                "block": block_number(row),
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


def block_number(row: Row) -> int | None:
    """Which block of its message it is."""
    blocks = row.source.blocks if row.source else ()
    # Two blocks may say the same, so it is looked for by identity.
    return next((number for number, block in enumerate(blocks) if block is row.block), None)


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
        numbered += [(row, stored.archived) for row in rows([message], number)]
        if not stored.archived:
            now.append(message)
    return WholeTranscript(session, Conversation(formats.STORE, now), numbered)


def as_message(stored: StoredMessage) -> Message:
    """A row of the store as a message, with what it says of itself."""
    about = about_of(stored.metadata)
    # What is known about a message may come from other programs.
    words = {name: about[name] for name in ("tool", "call") if isinstance(about.get(name), str)}
    error = about.get("error")
    message = message_of(
        stored.role,
        text=cleaned(stored.content),
        tool=cleaned(words.get("tool", "")),
        call=words.get("call", ""),
        error=error if isinstance(error, bool) else None,
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


def _done_in_browser(stored: StoredMessage, about: Mapping[str, Any]) -> list[Block]:
    """One row tells what was done and what came of it; for a reader these are a call and its
    result.
    """
    content = cleaned(stored.content)
    failed = about.get("failed") is True
    result = f"failed: {about.get('result')}" if failed else str(about.get("result"))
    # What was typed may have an arrow in it, too: the result that is known tells which one is ours.
    call = content.removesuffix(f"{ENDED}{result}")
    if call == content:
        call, _, result = content.rpartition(ENDED)
    tool, _, arguments = call.partition(" ")
    seen = about.get("seen")
    answer = [result, *(cleaned(str(line)) for line in (seen if isinstance(seen, list) else ()))]
    return [
        Block(CALL, arguments, call=stored.id, tool=tool),
        Block(RESULT, "\n".join(answer), call=stored.id, tool=tool, error=failed),
    ]


def as_messages(store: Store, every: Iterable[StoredMessage]) -> list[Message]:
    """What was said of it, without the contexts that stand in it."""
    known = known_texts(store)
    messages: list[Message] = []
    for stored in every:
        said = Said(stored.role, stored.content, about_of(stored.metadata))
        for own_words in filtered([said], known):
            messages.append(as_message(stored.replace(content=own_words.content)))
    return messages


def known_texts(store: Store) -> KnownTexts:
    """What contexts of this project showed: their sections by their hashes, and what was said and
    is archived.
    """
    # Both are functions: most conversations have no context in them, and then nothing is read.

    def printed() -> Iterator[str]:
        from director_ctx.memory.runs.storage import read_runs

        for run in read_runs(store.root) if store.root else ():
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
        for row in rows([as_message(stored)]):
            yield Said(row.role, row.text, about)


def tokens_of_store(store: Store, count: Callable[[str], int]) -> int:
    """How large the conversation is in a context: what is open of it, and the summaries of the
    rest.
    """
    from director_ctx.memory.conversations.summaries import standing, text_of

    rows_left = as_messages(store, open_messages(store))
    summaries = sum(count(text_of(store, name)) for name in standing(store))
    return measure(rows_left, count) + summaries
