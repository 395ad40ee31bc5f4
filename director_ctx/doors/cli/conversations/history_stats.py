"""`dctx history stats`: where the tokens of a conversation are."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.base.text import counted
from director_ctx.context.settings.options import hooks_of
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.doors.cli.conversations.transcript_input import transcript_here
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.history.sessions.stats import stats
from director_ctx.history.sessions.usage import tokens_in_use
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.sessions.transcript import WholeTranscript


def run(values: dict[str, Any]) -> int:
    transcript = transcript_here(values, "history stats")
    session = transcript.session
    count, counter = choose_counter(values["counter"])
    used = None
    if session.path:
        # As its provider counted it, which only the file of a client says.
        used = tokens_in_use(session.path)
    full = hooks_of(project_here(values["root"])).urgent
    first = _first_open(transcript)
    account = stats(transcript.now.messages, count, used, full, first)

    if values["json"]:
        about = {"session": session.id, "client": session.client, "counter": counter.name}
        put_json({**about, **account})
    else:
        _put_account(account, f"Counted by {counter.name}, {counter.says}")
    return OK


def _first_open(transcript: WholeTranscript) -> int:
    """The number of the first message that its model still reads."""
    for row, archived in transcript.rows:
        if not archived:
            return row.message
    return 1


def _put_account(account: dict[str, Any], by: str) -> None:
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
        put_table([">Message", "Largest", "Tool", ">Tokens", "~Begins"], rows)
    if account["repeated"]:
        rows = [_call_row(call) for call in account["repeated"]]
        put_lines([("", "")])
        put_table([">Times", ">Tokens before the last", "~Called again"], rows)


def _block_row(block: dict[str, Any]) -> list[str]:
    number, tokens = f"{block['number']:,}", f"{block['tokens']:,}"
    return [number, block["kind"], block["tool"], tokens, block["begins"]]


def _call_row(call: dict[str, Any]) -> list[str]:
    return [f"{call['times']:,}", f"{call['tokens']:,}", call["call"][:100]]
