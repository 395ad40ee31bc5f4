"""What is asked next, out of how a chat stands, and how large it would be; pure.

What was said goes as items of the Responses API. Ids of items are left out: with them a provider would look for the
thoughts that they came with.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump
from director_ctx.base.one_line import begun
from director_ctx.chat.exchange import Asked, TurnJob
from director_ctx.chat.state import (
    ANSWERED,
    ASSISTANT,
    CALLED,
    IN_INPUT,
    IN_INSTRUCTIONS,
    USER,
    ChatState,
    in_pairs,
    is_known,
    is_taken,
    verbatim,
)
from director_ctx.history.messages.quoted import on_one_line
from director_ctx.memory.archive.alignment import hash_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from director_ctx.chat.exchange import Item
    from director_ctx.memory.conversations.chat_records import ChatRow

ANSWER = 4_000
"""Tokens that are left free for an answer, where that much is there."""
SUMMARY_SHARE = 8
"""One in so many parts of the limit is for a summary."""
CHARACTERS = 4
"""Of a token, about."""
REFRESHED = "refresh_"
"""How the id of a call begins that only a refresh made."""
SHORTEST = 400
"""Characters of a result that is worth a locator."""
DIGITS = 12
MOST_EXCERPT = 8_000
"""Characters of what stands for a summary, where none could be made."""
LONGEST_SAID = 160
"""Characters there of one message."""
_SAYS = {USER: "- you were asked:", ASSISTANT: "- you answered:"}
_PARTS = {
    USER: "user",
    ASSISTANT: "assistant",
    CALLED: "calls",
    ANSWERED: "tool results",
}


def asked(state: ChatState, job: TurnJob, may_call: bool = True) -> Asked:
    """The next request: only what is new, where the provider has the rest; else everything."""
    keeps = job.keeps and state.keeps
    previous = state.response if keeps else None
    cursor = state.cursor
    items: list[Item] = []
    if previous is None and cursor.since and cursor.told_in == IN_INPUT:
        items.append(message(summary_text(state, job)))
    if cursor.context:
        items.append(message(job.context()))
    rows = verbatim(state)
    if previous is None:
        items += items_of(in_pairs(rows), cursor.short, state.thoughts)
    else:
        new = [row for row in rows if not is_known(state, row)]
        items += items_of(in_pairs(new, [row for row in rows if is_known(state, row)]))
    return Asked(
        model=job.model,
        instructions=instructions(state, job),
        items=tuple(items),
        tools=job.tools,
        previous=previous,
        store=keeps,
        background=job.background,
        may_call=may_call,
    )


def instructions(state: ChatState, job: TurnJob) -> str:
    """They are not inherited from one answer to the next, so they go along each time."""
    cursor = state.cursor
    if not cursor.since or cursor.told_in != IN_INSTRUCTIONS:
        return job.instructions
    told = summary_text(state, job) if cursor.told_for else _pointer(state)
    return f"{job.instructions}\n\n{told}".strip()


def summary_text(state: ChatState, job: TurnJob) -> str:
    told = f"What was said before, in short:\n\n{summary_of(state, job)}"
    pointer = _pointer(state)
    return f"{told}\n\n{pointer}" if pointer else told


def _pointer(state: ChatState) -> str:
    """Where everything is that was said before."""
    before = state.cursor.before
    return f'All of it: original {{"locator":"{before}"}}' if before else ""


def summary_of(state: ChatState, job: TurnJob) -> str:
    """Of what cannot be summed up the beginning of each message is told: as much as finds room, the newest in any
    case.
    """
    cursor = state.cursor
    if state.summary or not cursor.since:
        return state.summary
    left = min(job.limit // SUMMARY_SHARE * CHARACTERS, MOST_EXCERPT)
    lines: list[str] = []
    for row in reversed(state.rows):
        if row.place > cursor.since or is_taken(cursor, row.place) or row.role not in _SAYS:
            continue
        words = begun(" ".join(row.text.split()), LONGEST_SAID)
        line = f"{_SAYS[row.role]} {on_one_line(words)}"
        left -= len(line)
        if left < 0 and lines:
            break
        lines.append(line)
    return "\n".join(reversed(lines))


def size(request: Asked, state: ChatState, job: TurnJob) -> int:
    """Tokens of a request with all that it stands on: the provider's own number, and ours for what is new."""
    written = job.count(dump(list(request.items)))
    if request.previous:
        return state.tokens + written
    return written + job.count(request.instructions) + job.count(dump(list(request.tools)))


def room(job: TurnJob) -> int:
    """Tokens that a request may have, so that its answer finds room, too."""
    return job.limit - min(ANSWER, job.limit // 5)


def prompt_sizes(state: ChatState, job: TurnJob) -> dict[str, int]:
    """What a model is told at the next request, by part: tokens, by our own count."""
    sizes = {
        "instructions": job.count(job.instructions),
        "tools": job.count(dump(list(job.tools))),
    }
    if state.cursor.context:
        sizes["context, once"] = job.count(job.context())
    elif state.cursor.held:
        sizes["context, once"] = state.cursor.held
    if state.cursor.since:
        sizes["summary"] = job.count(summary_text(state, job))
    told = verbatim(state)
    for role, name in _PARTS.items():
        items = items_of([row for row in told if row.role == role], state.cursor.short)
        if items:
            sizes[name] = job.count(dump(items))
    return sizes


# Items


def items_of(
    rows: Sequence[ChatRow],
    short: int = 0,
    thoughts: Mapping[str, Sequence[Item]] | None = None,
) -> list[Item]:
    """`short`: up to this place results are told by their locators. `thoughts` go before the answers that
    they led to, or with them in their place.
    """
    outdated = _outdated(rows, short)
    items: list[Item] = []
    left = dict(thoughts or {})
    whole_answers: set[str] = set()
    for response, own in left.items():
        if any(item["type"] in ("message", "function_call") for item in own):
            whole_answers.add(response)
    for row in rows:
        items += left.pop(row.response, ())
        is_told = row.role != ANSWERED and row.response in whole_answers
        if not is_told and row.call not in outdated:
            items.append(_item(row, short))
    return items


def _outdated(rows: Iterable[ChatRow], short: int) -> set[str]:
    """The calls of refreshes whose place a newer one took; they go with their results."""
    refreshed = [row for row in rows if row.call.startswith(REFRESHED)]
    outdated: set[str] = set()
    for row in refreshed:
        newest, refresh = (call.rpartition("_")[0] for call in (refreshed[-1].call, row.call))
        if row.place <= short or refresh != newest:
            outdated.add(row.call)
    return outdated


def _item(row: ChatRow, short: int) -> Item:
    if row.role == CALLED:
        return {
            "type": "function_call",
            "call_id": row.call,
            "name": row.tool,
            "arguments": row.text,
        }
    if row.role == ANSWERED:
        output = _stub(row) if _is_shortened(row, short) else row.text
        return {"type": "function_call_output", "call_id": row.call, "output": output}
    return message(row.text, ASSISTANT if row.role == ASSISTANT else USER)


def message(text: str, role: str = USER) -> Item:
    return {"type": "message", "role": role, "content": text}


def _is_shortened(row: ChatRow, short: int) -> bool:
    """Whether it is told by its locator, which would be shorter."""
    return row.role == ANSWERED and row.place <= short and len(row.text) > SHORTEST


def shortened(rows: Iterable[ChatRow], short: int) -> list[str]:
    """The texts that `items_of` tells by their locators."""
    own = [row for row in rows if not row.call.startswith(REFRESHED)]
    return [row.text for row in own if _is_shortened(row, short)]


def _stub(row: ChatRow) -> str:
    given = dump({"locator": locator(row.text)})
    return f"[{len(row.text):,} characters were here. The whole text: original {given}]"


def locator(text: str) -> str:
    return f"dctx:{hash_of(text)[:DIGITS]}"
