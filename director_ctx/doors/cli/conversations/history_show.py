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
from director_ctx.history.sessions.transcript import identity, placed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from director_ctx.history.sessions.transcript import Told

ARCHIVED = "(archived) "


def show(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    found = told_here(values, "history show")
    for note in found.notes:
        say(note)
    rows = _last(found, last, values["full"])
    if not found.rows:
        _nothing_in(found)
    if values["json"]:
        messages = list(_json(rows, placed(found)))
        put_json(
            {"session": found.session.id, "client": found.session.client, "messages": messages}
        )
    else:
        _print(_texts(found, rows, values["full"]))
        left = sum(is_context(row) for row, _ in found.rows)
        if left and not values["full"]:
            say(
                f"Left out: {counted(left, 'piece')} of context that the client attached; --full shows all of it."
            )
    return OK


def _nothing_in(found: Told) -> None:
    if found.session.client == STORE:
        say(
            "The store has no messages yet.",
            "`dctx history import` takes a client's session into the store.",
        )
    else:
        say("Nothing was said in it yet.")


def _last(found: Told, last: int, full: bool) -> list[tuple[Row, bool]]:
    """The rows of so many of the newest messages; contexts that a client put there only where
    everything is wanted.
    """
    rows = [one for one in found.rows if full or not is_context(one[0])]
    numbers = sorted({row.message for row, _ in rows})
    first = numbers[-last] if 0 < last <= len(numbers) else 0
    return [one for one in rows if one[0].message >= first]


def _texts(found: Told, rows: list[tuple[Row, bool]], full: bool) -> Iterator[tuple[str, bool]]:
    """Numbered from the first message on, however few are shown."""
    everything = [row for row, _ in found.rows if full or not is_context(row)]
    texts = list(shown([Said(row.role, _text(row, full)) for row in everything]))[
        len(everything) - len(rows) :
    ]
    return ((text, archived) for text, (_, archived) in zip(texts, rows, strict=True))


def _text(row: Row, full: bool) -> str:
    return shortened(row.text) if row.role in (CALLED, ANSWERED, THOUGHT) and not full else row.text


def _print(texts: Iterator[tuple[str, bool]]) -> None:
    """Greyed on a terminal what is archived; in a pipe it is marked."""
    if sys.stdout and sys.stdout.isatty():
        lines = [
            (line, "dim" if archived else "")
            for text, archived in texts
            for line in [*text.split("\n"), ""]
        ]
        put_lines(lines, tabs=True)
        return
    put("".join(f"{ARCHIVED * archived}{text}\n\n" for text, archived in texts))


def _json(
    rows: list[tuple[Row, bool]], place: Callable[[Row], int | None]
) -> Iterator[dict[str, Any]]:
    """The number is that of `history show`, from 1; message and block are those of a receipt, from
    0.
    """
    for row, archived in rows:
        block = row.block
        blocks = row.source.blocks if row.source else ()
        yield {
            "number": row.message,
            "message": place(row),
            "block": next((number for number, one in enumerate(blocks) if one is block), None),
            "id": identity(row.source) if row.source else "",
            "role": row.role,
            "text": row.text,
            "tool": block.tool if block else "",
            "call": block.call if block else "",
            "error": block.error if block else None,
            "time": row.source.when if row.source else "",
            "archived": archived,
        }


def stats(values: dict[str, Any]) -> int:
    from director_ctx.context.settings.options import hooks_of
    from director_ctx.context.tokens.counting import choose_counter
    from director_ctx.history.sessions import stats as session_stats
    from director_ctx.history.sessions.usage import tokens_in_use
    from director_ctx.memory.store.open import project_here

    found = told_here(values, "history stats")
    session = found.session
    count, counter = choose_counter(values["counter"])
    used = tokens_in_use(session.path) if session.path else None
    first = next((row.message for row, archived in found.rows if not archived), 1)
    full = hooks_of(project_here(values["root"])).urgent
    account = session_stats.stats(found.now.messages, count, used, full, first)
    if values["json"]:
        put_json(
            {"session": session.id, "client": session.client, "counter": counter.name, **account}
        )
    else:
        _tell(account, f"Counted by {counter.name}, {counter.says}")
    return OK


def _tell(account: dict[str, Any], counted: str) -> None:
    used = f"; {account['used']:,} are in use, as its client says" if account["used"] else ""
    heading = (
        f"{_many(account, 'message')} in {_many(account, 'turn')}, {_many(account, 'token')}{used}"
    )
    put_lines([(heading, "bold"), (f"{account['percent']}% of {account['limit']:,}", "")])
    for title, rows in (("Kind", account["kinds"]), ("Tool", account["tools"])):
        if rows:
            put_lines([("", "")])
            put_table(
                [title, ">Blocks", ">Tokens"],
                [[one["name"], f"{one['blocks']:,}", f"{one['tokens']:,}"] for one in rows],
            )
    _largest(account)
    put_lines([("", ""), (counted, "dim")])


def _many(account: dict[str, Any], what: str) -> str:
    return counted(account[f"{what}s"], what)


def _largest(account: dict[str, Any]) -> None:
    if account["largest"]:
        rows = [
            [f"{one['number']:,}", one["kind"], one["tool"], f"{one['tokens']:,}", one["begins"]]
            for one in account["largest"]
        ]
        put_lines([("", "")])
        put_table([">Message", "Largest", "Tool", ">Tokens", "Begins"], rows)
    if account["repeated"]:
        rows = [
            [f"{one['times']:,}", f"{one['tokens']:,}", one["call"][:100]]
            for one in account["repeated"]
        ]
        put_lines([("", "")])
        put_table([">Times", ">Tokens before the last", "Called again"], rows)
