"""Phases that are over become a checkpoint: where the run stands, what is completed, and where all
of it is kept.
"""

from __future__ import annotations

from director_ctx.history.digest.digest_message import summaries, whole_turns
from director_ctx.history.digest.write import Sources
from director_ctx.history.messages.message import (
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
from director_ctx.history.messages.stubs import digest_head, locator
from director_ctx.history.messages.turns import turns
from director_ctx.history.shorten.pages import page, title
from director_ctx.history.signals.importance import words
from director_ctx.history.signals.phases import phases, reached, results
from director_ctx.history.strategies.keep import protected
from director_ctx.history.strategies.run_state import END, HEAD, BrowserState, RunState, state_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.target import Aim
    from director_ctx.history.signals.phases import Phase

_LOOKED_AT = 40
"""Results in which the page that the run is on is looked for."""


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    rows = turns(messages)
    known_phases = phases(messages, rows, aim)
    start, stay = _staying(messages, rows, known_phases, aim)
    over = [message for index, message in enumerate(messages) if index not in stay]
    if not over:
        return list(messages)

    where = _standing(messages[:start], over, known_phases, aim)
    message = checkpoint(where, over, aim, _role(messages[start:]))
    if message.tokens >= size(over):
        return list(messages)

    # Where the phase begins that the run is in: the same again then finds that phase, and nothing
    # before it to do.
    kept = [messages[index] for index in sorted(stay)]
    before = len([index for index in stay if index < start])
    while before and _goes_on(kept, before):
        before -= 1
    return [*kept[:before], message, *kept[before:]]


def _goes_on(kept: Sequence[Message], index: int) -> bool:
    """Whether nothing may stand before a message: it follows an open call, or belongs to the same
    answer.
    """
    last = kept[index - 1]
    if any(block.kind == CALL for block in last.blocks):
        return True
    return index < len(kept) and bool(last.group) and last.group == kept[index].group


def standing(messages: Sequence[Message], aim: Aim) -> RunState:
    """What a checkpoint of this conversation would say, all of it."""
    rows = turns(messages)
    known_phases = phases(messages, rows, aim)
    start, stay = _staying(messages, rows, known_phases, aim)
    over = [message for index, message in enumerate(messages) if index not in stay]
    return _standing(messages[:start], over, known_phases, aim)


def _staying(
    messages: Sequence[Message], rows: Sequence[range], known_phases: Sequence[Phase], aim: Aim
) -> tuple[int, set[int]]:
    """Where the phase begins that the run is in, and the places of all messages that stay."""
    start = 0
    if rows:
        start = rows[known_phases[-1].start].start
    stay = protected(messages, aim, rows)
    stay.update(range(start, len(messages)))

    before = messages[:start]
    stay |= summaries(before)
    for index, message in enumerate(before):
        if _is_request(message):
            stay.add(index)
    return start, whole_turns(stay, rows)


def _is_request(message: Message) -> bool:
    """The user's own words stay; what tools observed does not."""
    return message.role in (USER, SYSTEM) and any(block.kind == TEXT for block in message.blocks)


def _role(after: Sequence[Message]) -> str:
    """An answer that begins with thoughts has to begin with them: the checkpoint is the user's
    then.
    """
    if not after or after[0].role != ASSISTANT:
        return ASSISTANT
    thinks = any(block.kind == THINKING for block in after[0].blocks)
    return USER if thinks else ASSISTANT


def checkpoint(standing: RunState, over: Sequence[Message], aim: Aim, role: str) -> Message:
    """The message, as large as it may be: what was completed first goes when there is no room for
    all.
    """
    most = aim.config.max_checkpoint_size
    block = Block(TEXT, "", action="checkpoint")
    block.sources = [source for message in over for source in message.blocks]
    note = digest_head(len(over), locator(block))
    index = Sources(over).index(most * LETTERS)
    while True:
        lines = [HEAD, "", *state_lines(standing), note, *index, "", END]
        block.text = "\n".join(lines)
        block.tokens = block_tokens(block, aim.count)
        if block.tokens <= most:
            break
        # Half of it goes, and at least one line.
        completed = standing.completed
        if index:
            index = index[len(index) // 2 + 1 :]
        elif completed:
            standing = standing.replace(completed=completed[len(completed) // 2 + 1 :])
        else:
            break
    return Message(role, [block], ADDED)


LETTERS = 3
"""Of a token, at least: an index that takes more is written in fewer words."""


def _standing(
    before: Sequence[Message], over: Sequence[Message], known_phases: Sequence[Phase], aim: Aim
) -> RunState:
    """The phase, the page that a run in a browser was on last, and what is completed."""
    *earlier, current = [phase.name for phase in known_phases]
    completed = [name for name in dict.fromkeys(earlier) if name and name != current]
    completed += [text for text in reached(over, words(aim.config)) if text not in completed]
    return RunState(current, _page(before), tuple(completed))


def _page(before: Sequence[Message]) -> BrowserState:
    for number, text in enumerate(results(before)):
        address = page(text)
        if address:
            return BrowserState(address, title(text))
        if number > _LOOKED_AT:
            break
    return BrowserState()
