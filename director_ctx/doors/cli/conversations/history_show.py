"""`dctx history show`: a conversation as people read it, where its tokens are, or a summary."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError
from director_ctx.base.text import counted
from director_ctx.context.conversation.speakers import DIRECTOR
from director_ctx.context.conversation.text import Said, shown
from director_ctx.doors.cli.conversations.session_input import transcript_here
from director_ctx.doors.cli.shared.output import is_on_screen, put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table, put_unstyled, rows_wanted
from director_ctx.history.sessions.files import STORE
from director_ctx.history.sessions.render import (
    ANSWERED,
    CALLED,
    THOUGHT,
    is_context,
    shortened,
)
from director_ctx.history.sessions.transcript import rows_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from director_ctx.history.sessions.render import Row
    from director_ctx.history.sessions.transcript import WholeTranscript

AGENTS = {"claude-code": "Claude", "codex": "Codex"}
"""What the model is called, by the format of its client's sessions."""


def show(values: dict[str, Any]) -> int:
    last = rows_wanted(values["last"])
    try:
        transcript = transcript_here(values, "history show")
    except DctxError:
        if values["session"] and _show_summary(values["session"], values["root"], values["json"]):
            return OK
        raise
    if values["tokens"]:
        return _put_tokens(transcript, values)
    for note in transcript.notes:
        say(note)
    if not transcript.rows:
        _say_empty(transcript)

    full = values["full"]
    # Contexts that a client put there only where everything is wanted.
    everything = [row for row in transcript.rows if full or not is_context(row[0])]
    rows = _last(everything, last)
    if values["json"]:
        session = transcript.session
        messages = rows_json(transcript, rows)
        put_json({"session": session.id, "client": session.client, "messages": messages})
        return OK

    # Numbered from the first message on, however few are shown.
    said = [Said(row.role, _text(row, full)) for row, _ in everything]
    texts = list(shown(said, _agent(transcript)))[len(everything) - len(rows) :]
    _print(zip(texts, (archived for _, archived in rows), strict=True))

    left = len(transcript.rows) - len(everything)
    if left:
        what = counted(left, "piece")
        say(f"Left out: {what} of context that the client attached; --full shows all of it.")
    return OK


def _show_summary(start: str, root: str | None, as_json: bool) -> bool:
    """Whether it is the id of a summary."""
    from director_ctx.history.summaries.summaries import find
    from director_ctx.memory.store.open import open_conversation, project_here

    with open_conversation(project_here(root)) as store:
        summary = find(store, start)
    if summary and as_json:
        put_json(summary.as_json())
    elif summary:
        put_unstyled(summary.text.split("\n"))
    return summary is not None


def _agent(transcript: WholeTranscript) -> str:
    # The store has what the director said.
    if transcript.session.client == STORE:
        return DIRECTOR
    return AGENTS.get(transcript.now.format, "Assistant")


def _say_empty(transcript: WholeTranscript) -> None:
    if transcript.session.client == STORE:
        hint = "`dctx history import` takes a client's session into the store."
        say("The store has no messages yet.", hint)
    else:
        say("Nothing was said in this conversation yet.")


def _last(rows: list[tuple[Row, bool]], last: int) -> list[tuple[Row, bool]]:
    """The rows of so many of the newest messages; all of them for 0."""
    # A message may be several rows, and is never cut between them.
    numbers = sorted({row.message for row, _ in rows})
    if not 0 < last <= len(numbers):
        return rows
    return [(row, archived) for row, archived in rows if row.message >= numbers[-last]]


def _text(row: Row, full: bool) -> str:
    if full or row.role not in (CALLED, ANSWERED, THOUGHT):
        return row.text
    return shortened(row.text)


def _print(texts: Iterable[tuple[str, bool]]) -> None:
    """Greyed on a terminal what is archived; in a pipe it is marked."""
    if not is_on_screen():
        put("".join(f"{'(archived) ' if archived else ''}{text}\n\n" for text, archived in texts))
        return

    lines = []
    for text, archived in texts:
        style = "dim" if archived else ""
        lines += [(line, style) for line in text.split("\n")]
        lines.append(("", style))
    put_lines(lines, tabs=True)


def _put_tokens(transcript: WholeTranscript, values: dict[str, Any]) -> int:
    from director_ctx.context.settings.options import hooks_of
    from director_ctx.context.tokens.counting import choose_counter
    from director_ctx.history.sessions.stats import stats
    from director_ctx.history.sessions.usage import tokens_in_use
    from director_ctx.memory.store.open import project_here

    session = transcript.session
    count, counter = choose_counter(values["counter"])
    # As its provider counted it, which only the file of a client says.
    used = tokens_in_use(session.path) if session.path else None
    full = hooks_of(project_here(values["root"])).urgent
    # The first message that its model still reads, by its number.
    first = next((row.message for row, archived in transcript.rows if not archived), 1)
    account = stats(transcript.now.messages, count, used, full, first)
    if values["json"]:
        about = {"session": session.id, "client": session.client, "counter": counter.name}
        put_json({**about, **account})
        return OK

    messages, turns, tokens = (
        counted(account[f"{what}s"], what) for what in ("message", "turn", "token")
    )
    heading = f"{messages} in {turns}, {tokens}"
    if account["used"]:
        heading += f"; {account['used']:,} are in use, as its client says"
    put_lines([(heading, "bold"), (f"{account['percent']}% of {account['limit']:,}", "")])
    for title, key in (("Kind", "kinds"), ("Tool", "tools")):
        sums = [[row["name"], f"{row['blocks']:,}", f"{row['tokens']:,}"] for row in account[key]]
        _put_section([title, ">Blocks", ">Tokens"], sums)
    largest = [
        [f"{one['number']:,}", one["kind"], one["tool"], f"{one['tokens']:,}", one["begins"]]
        for one in account["largest"]
    ]
    _put_section([">Message", "Largest", "Tool", ">Tokens", "~Begins"], largest)
    repeated = [
        [f"{one['times']:,}", f"{one['tokens']:,}", one["call"][:100]]
        for one in account["repeated"]
    ]
    _put_section([">Times", ">Tokens before the last", "~Called again"], repeated)
    put_lines([("", ""), (f"Counted by {counter.name}, {counter.says}", "dim")])
    return OK


def _put_section(columns: list[str], rows: list[list[str]]) -> None:
    if rows:
        put_lines([("", "")])
        put_table(columns, rows)
