"""`dctx history show` and `stats`: a conversation as people read it, and where its tokens are."""

from __future__ import annotations

import sys

from director_ctx.base.errors import OK
from director_ctx.base.text import counted
from director_ctx.context.conversation.text import Said, shown
from director_ctx.doors.cli.shared.history_input import told_here
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table, rows_wanted
from director_ctx.history.sessions.files import STORE
from director_ctx.history.sessions.render import (
    ANSWERED,
    CALLED,
    THOUGHT,
    Row,
    is_context,
    shortened,
)
from director_ctx.history.sessions.transcript import identity, row_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from director_ctx.history.sessions.transcript import WholeTranscript

ARCHIVED = "(archived) "


def show(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    full = values["full"]
    told = told_here(values, "history show")
    for note in told.notes:
        say(note)
    if not told.rows:
        _nothing_in(told)

    everything = _shown_rows(told, full)
    rows = _last(everything, last)
    if values["json"]:
        session = told.session
        messages = list(_json(rows, row_places(told)))
        put_json({"session": session.id, "client": session.client, "messages": messages})
        return OK

    # Numbered from the first message on, however few are shown.
    said = [Said(row.role, _text(row, full)) for row, _ in everything]
    texts = list(shown(said))[len(everything) - len(rows) :]
    archived = [is_archived for _, is_archived in rows]
    _print(zip(texts, archived, strict=True))

    left = len(told.rows) - len(everything)
    if left:
        what = counted(left, "piece")
        say(f"Left out: {what} of context that the client attached; --full shows all of it.")
    return OK


def _nothing_in(told: WholeTranscript) -> None:
    if told.session.client == STORE:
        say(
            "The store has no messages yet.",
            "`dctx history import` takes a client's session into the store.",
        )
    else:
        say("Nothing was said in it yet.")


def _shown_rows(told: WholeTranscript, full: bool) -> list[tuple[Row, bool]]:
    """Contexts that a client put there only where everything is wanted."""
    if full:
        return list(told.rows)
    return [(row, archived) for row, archived in told.rows if not is_context(row)]


def _last(rows: list[tuple[Row, bool]], last: int) -> list[tuple[Row, bool]]:
    """The rows of so many of the newest messages; all of them for 0."""
    numbers = sorted({row.message for row, _ in rows})
    if not 0 < last <= len(numbers):
        return rows
    first = numbers[-last]
    return [(row, archived) for row, archived in rows if row.message >= first]


def _text(row: Row, full: bool) -> str:
    if full or row.role not in (CALLED, ANSWERED, THOUGHT):
        return row.text
    return shortened(row.text)


def _print(texts: Iterable[tuple[str, bool]]) -> None:
    """Greyed on a terminal what is archived; in a pipe it is marked."""
    if not (sys.stdout and sys.stdout.isatty()):
        put("".join(f"{ARCHIVED * archived}{text}\n\n" for text, archived in texts))
        return

    lines = []
    for text, archived in texts:
        style = "dim" if archived else ""
        for line in text.split("\n"):
            lines.append((line, style))
        lines.append(("", style))
    put_lines(lines, tabs=True)


def _json(
    rows: list[tuple[Row, bool]], place: Callable[[Row], int | None]
) -> Iterator[dict[str, Any]]:
    """The number is that of `history show`, from 1; message and block are those of a receipt, from
    0.
    """
    for row, archived in rows:
        block = row.block
        source = row.source
        yield {
            "number": row.message,
            "message": place(row),
            "block": _number(row),
            "id": identity(source) if source else "",
            "role": row.role,
            "text": row.text,
            "tool": block.tool if block else "",
            "call": block.call if block else "",
            "error": block.error if block else None,
            "time": source.when if source else "",
            "archived": archived,
        }


def _number(row: Row) -> int | None:
    """Which block of its message it is."""
    blocks = row.source.blocks if row.source else ()
    for number, block in enumerate(blocks):
        if block is row.block:
            return number
    return None


def stats(values: dict[str, Any]) -> int:
    from director_ctx.context.settings.options import hooks_of
    from director_ctx.context.tokens.counting import choose_counter
    from director_ctx.history.sessions import stats as session_stats
    from director_ctx.history.sessions.usage import tokens_in_use
    from director_ctx.memory.store.open import project_here

    told = told_here(values, "history stats")
    session = told.session
    count, counter = choose_counter(values["counter"])
    used = tokens_in_use(session.path) if session.path else None
    first = next((row.message for row, archived in told.rows if not archived), 1)
    full = hooks_of(project_here(values["root"])).urgent
    account = session_stats.stats(told.now.messages, count, used, full, first)

    if values["json"]:
        about = {"session": session.id, "client": session.client, "counter": counter.name}
        put_json({**about, **account})
    else:
        _tell(account, f"Counted by {counter.name}, {counter.says}")
    return OK


def _tell(account: dict[str, Any], by: str) -> None:
    messages = _many(account, "message")
    heading = f"{messages} in {_many(account, 'turn')}, {_many(account, 'token')}"
    if account["used"]:
        heading += f"; {account['used']:,} are in use, as its client says"
    put_lines([(heading, "bold"), (f"{account['percent']}% of {account['limit']:,}", "")])

    _put_sums("Kind", account["kinds"])
    _put_sums("Tool", account["tools"])
    _largest(account)
    put_lines([("", ""), (by, "dim")])


def _put_sums(title: str, sums: list[dict[str, Any]]) -> None:
    if not sums:
        return
    rows = [[row["name"], f"{row['blocks']:,}", f"{row['tokens']:,}"] for row in sums]
    put_lines([("", "")])
    put_table([title, ">Blocks", ">Tokens"], rows)


def _many(account: dict[str, Any], what: str) -> str:
    return counted(account[f"{what}s"], what)


def _largest(account: dict[str, Any]) -> None:
    if account["largest"]:
        rows = [_block_row(block) for block in account["largest"]]
        put_lines([("", "")])
        put_table([">Message", "Largest", "Tool", ">Tokens", "Begins"], rows)
    if account["repeated"]:
        rows = [_call_row(call) for call in account["repeated"]]
        put_lines([("", "")])
        put_table([">Times", ">Tokens before the last", "Called again"], rows)


def _block_row(block: dict[str, Any]) -> list[str]:
    number, tokens = f"{block['number']:,}", f"{block['tokens']:,}"
    return [number, block["kind"], block["tool"], tokens, block["begins"]]


def _call_row(call: dict[str, Any]) -> list[str]:
    return [f"{call['times']:,}", f"{call['tokens']:,}", call["call"][:100]]
