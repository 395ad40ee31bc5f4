"""Phases that are over become a checkpoint: where the run stands, what is completed, and where all of it is kept."""

from __future__ import annotations

from director_ctx.history.digest.outline import Sources
from director_ctx.history.gap import summaries, whole_turns
from director_ctx.history.locator import locator
from director_ctx.history.message import (
    ADDED,
    ASSISTANT,
    CALL,
    SYSTEM,
    TEXT,
    THINKING,
    USER,
    Block,
    Message,
    block_tokens,
    size,
)
from director_ctx.history.phases import phases, results
from director_ctx.history.protected import protected
from director_ctx.history.quoted import on_one_line
from director_ctx.history.reached import reached
from director_ctx.history.snapshots import page, title
from director_ctx.history.stubs import CHECKPOINT, digest_head
from director_ctx.history.telling import words
from director_ctx.history.turns import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.aim import Aim

_LOOKED_AT = 40
"""Results in which the page that the run is on is looked for."""


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    rows = turns(messages)
    found = phases(messages, rows, aim)
    start = rows[found[-1].start].start if rows else 0
    stay = protected(messages, aim, rows) | set(range(start, len(messages)))
    stay |= summaries(messages[:start]) | {place for place, one in enumerate(messages[:start]) if _is_request(one)}
    stay = whole_turns(stay, rows)
    over = [message for place, message in enumerate(messages) if place not in stay]
    if not over:
        return list(messages)
    made = checkpoint(messages[:start], over, [one.name for one in found], aim, _role(messages[start:]))
    if made.tokens >= size(over):
        return list(messages)
    kept = [message for place, message in enumerate(messages) if place in stay]
    # Where the phase begins that the run is in: the same again then finds that phase, and nothing before it to do.
    before = sum(1 for place in stay if place < start)
    while before and any(block.kind == CALL for block in kept[before - 1].blocks):
        before -= 1  # an open call stays with what follows it
    return [*kept[:before], made, *kept[before:]]


def _is_request(message: Message) -> bool:
    """The user's own words stay; what tools observed does not."""
    return message.role in (USER, SYSTEM) and any(block.kind == TEXT for block in message.blocks)


def _role(after: Sequence[Message]) -> str:
    """An answer that begins with thoughts has to begin with them: the checkpoint is the user's then."""
    thinks = bool(after) and any(block.kind == THINKING for block in after[0].blocks)
    return USER if thinks and after[0].role == ASSISTANT else ASSISTANT


def checkpoint(before: Sequence[Message], over: Sequence[Message], named: list[str], aim: Aim, role: str) -> Message:
    """The message, as large as it may be: what was completed first goes when there is no room for all."""
    block = Block(TEXT, "", action="checkpoint")
    block.sources = [one for message in over for one in message.blocks]
    completed = [name for name in dict.fromkeys(named[:-1]) if name and name != named[-1]]
    completed += [text for text in map(on_one_line, reached(over, words(aim.config))) if text not in completed]
    where = _standing(before, named[-1])
    index = Sources(over).index(aim.config.max_checkpoint_size * LETTERS)
    note = digest_head(len(over), locator(block))
    while True:
        block.text = "\n".join([CHECKPOINT + " Current state:", "", *_filled(where, completed), note, *index, *_END])
        block.tokens = block_tokens(block, aim.count)
        if block.tokens <= aim.config.max_checkpoint_size or not (index or completed):
            return Message(role, [block], ADDED)
        index, completed = (
            (index[len(index) // 2 + 1 :], completed) if index else ([], completed[len(completed) // 2 + 1 :])
        )


LETTERS = 3
"""Of a token, at least: an index that takes more is written in fewer words."""
_END = ("", "Continuing with the next phase...")


def _filled(where: list[str], completed: list[str]) -> list[str]:
    lines = [*where, f"Completed: {', '.join(completed)}"] if completed else where
    on = next((line.removeprefix("Page: ") for line in where if line.startswith("Page: ")), "")
    said = f"Successfully completed {len(completed)} objective{'s' * (len(completed) != 1)}." if completed else ""
    told = " ".join(one for one in (said, f"Currently on {on} page." if on else "") if one)
    return [line for part in (lines, [told] if told else []) if part for line in (*part, "")]


def _standing(before: Sequence[Message], phase: str) -> list[str]:
    """The phase, and of a run in a browser the page that it was on last."""
    lines = [f"Phase: {phase}"] if phase else []
    for number, text in enumerate(results(before)):
        if address := page(text):
            lines.append(f"URL: {on_one_line(address)}")
            if name := title(text):
                lines.append(f"Page: {on_one_line(name)}")
        if address or number > _LOOKED_AT:
            break
    return lines
