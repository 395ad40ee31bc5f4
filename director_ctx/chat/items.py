"""What was said, as items of the Responses API; pure. Ids of items are left out: with them a provider would
look for the thoughts that they came with.
"""

from __future__ import annotations

from director_ctx.base.light_json import dump, parse
from director_ctx.chat.reach import ANSWERED, ASSISTANT, CALLED, COMPACTED, USER
from director_ctx.memory.archive.alignment import hash_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from director_ctx.chat.exchange import Item
    from director_ctx.memory.conversations.chat_records import ChatRow

REFRESHED = "refresh_"
"""How the id of a call begins that nobody but a refresh made."""
SHORTEST = 400
"""Characters of a result that is worth a locator."""
DIGITS = 12


def items_of(
    rows: Iterable[ChatRow],
    short: int = 0,
    thoughts: Mapping[str, Sequence[Item]] | None = None,
) -> list[Item]:
    """`short`: up to this place results are told by their locators. `thoughts` go before the answers that
    they led to, or with them in their place.
    """
    rows = list(rows)
    outdated = _outdated(rows, short)
    items: list[Item] = []
    left = dict(thoughts or {})
    with_answers = {response for response, own in left.items() if _are_answers(own)}
    for row in rows:
        items += left.pop(row.response, ())
        if row.role != ANSWERED and row.response in with_answers:
            continue
        if row.call in outdated:
            continue
        items.append(_item(row, row.place <= short))
    return items


def _outdated(rows: Sequence[ChatRow], short: int) -> set[str]:
    """The calls of refreshes whose place a newer one took; they go with their results."""
    refreshed = [row for row in rows if row.call.startswith(REFRESHED)]
    if not refreshed:
        return set()
    newest, _, _ = refreshed[-1].call.rpartition("_")
    outdated: set[str] = set()
    for row in refreshed:
        refresh, _, _ = row.call.rpartition("_")
        if row.place <= short or refresh != newest:
            outdated.add(row.call)
    return outdated


def _are_answers(items: Sequence[Item]) -> bool:
    return any(item["type"] in ("message", "function_call") for item in items)


def from_compaction(rows: Sequence[ChatRow]) -> list[ChatRow]:
    """From the last place on at which a provider put something in the place of everything before. What the user said
    last before it stays, since a conversation begins with the user.
    """
    last: int | None = None
    for number, row in enumerate(rows):
        if row.role == COMPACTED:
            last = number
    if last is None:
        return list(rows)

    users = [row for row in rows[:last] if row.role == USER]
    last_said = users[-1:]
    return [*last_said, *rows[last:]]


def without_compactions(rows: Iterable[ChatRow]) -> list[ChatRow]:
    """For a provider that knows nothing of them: it is told everything."""
    return [row for row in rows if row.role != COMPACTED]


def _item(row: ChatRow, is_old: bool) -> Item:
    if row.role == COMPACTED:
        block: Item = parse(row.block)
        return block
    if row.role == CALLED:
        return {
            "type": "function_call",
            "call_id": row.call,
            "name": row.tool,
            "arguments": row.text,
        }
    if row.role == ANSWERED:
        output = row.text
        if is_old and is_long(row):
            output = stub(row)
        return {"type": "function_call_output", "call_id": row.call, "output": output}
    role = ASSISTANT if row.role == ASSISTANT else "user"
    return message(row.text, role)


def message(text: str, role: str = "user") -> Item:
    return {"type": "message", "role": role, "content": text}


def is_long(row: ChatRow) -> bool:
    """Whether a locator would be shorter."""
    return row.role == ANSWERED and len(row.text) > SHORTEST


def shortened(rows: Iterable[ChatRow], short: int) -> list[str]:
    """The texts that `items_of` tells by their locators."""
    texts: list[str] = []
    for row in rows:
        is_left_out = row.call.startswith(REFRESHED)
        if row.place <= short and is_long(row) and not is_left_out:
            texts.append(row.text)
    return texts


def stub(row: ChatRow) -> str:
    given = dump({"locator": locator(row.text)})
    return f"[{len(row.text):,} characters were here. The whole text: original {given}]"


def locator(text: str) -> str:
    return f"dctx:{hash_of(text)[:DIGITS]}"


def transcript(rows: Sequence[ChatRow]) -> str:
    """All that was said, for whoever looks it up."""
    pieces: list[str] = []
    for row in rows:
        head = row.role
        if row.tool:
            head = f"{row.role} {row.tool}"
        pieces.append(f"{head}: {row.text}")
    return "\n\n".join(pieces)
