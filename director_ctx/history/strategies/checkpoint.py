"""Phases that are over become a checkpoint: where the run stands, what is completed, and where all
of it is kept; in the words of the design.
"""

from __future__ import annotations

from itertools import islice

from director_ctx.base.record import Record
from director_ctx.history.digest.digest_message import DigestSources, summaries, whole_turns
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
    has_kind,
    size,
)
from director_ctx.history.messages.quoted import on_one_line
from director_ctx.history.messages.stubs import CHECKPOINT, digest_head, locator
from director_ctx.history.messages.turns import turns
from director_ctx.history.results.snapshot import page, title
from director_ctx.history.signals.importance import state_words
from director_ctx.history.signals.phases import Phase, achievements, phases, results
from director_ctx.history.strategies.keep import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.messages.target import Aim


HEAD = CHECKPOINT + " Current state:"
END = "Continuing with the next phase..."


class BrowserState(Record):
    """The page of a browser."""

    url: str = ""
    page_title: str = ""


class Checkpoint(Record):
    """A phase that is over, or a state from which a run may start."""

    phase: str
    timestamp: Any
    state: BrowserState
    completed_objectives: tuple[str, ...]
    summary: str


class RunState(Record):
    """The same of a conversation, before anybody wrote down when it was."""

    phase: str
    state: BrowserState
    completed: tuple[str, ...] = ()


def summary_of(standing: RunState) -> str:
    """In a sentence or two; empty where nothing is known."""
    count = len(standing.completed)
    title = standing.state.page_title
    sentences = []
    if count:
        objectives = "objective" if count == 1 else "objectives"
        sentences.append(f"Successfully completed {count} {objectives}.")
    if title:
        sentences.append(f"Currently on {on_one_line(title)} page.")
    return " ".join(sentences)


def state_lines(standing: RunState) -> list[str]:
    """What is known, line by line, then the summary; an empty line behind each of both."""
    known = {
        "Phase": standing.phase,
        "URL": standing.state.url,
        "Page": standing.state.page_title,
        "Completed": ", ".join(standing.completed),
    }
    lines: list[str] = []
    for name, value in known.items():
        if value:
            # Titles, addresses and what was reached are a page's words, not ours.
            lines.append(f"{name}: {on_one_line(value)}")
    if lines:
        lines.append("")

    summary = summary_of(standing)
    if summary:
        lines += [summary, ""]
    return lines


_LOOKED_AT = 40
"""Results in which the page that the run is on is looked for."""
CHARACTERS = 3
"""Of a token, at least: an index that takes more is written in fewer words."""


class _PhasesOver(Record):
    """A conversation at the beginning of the phase that the run is in."""

    phases: list[Phase]
    start: int
    """The place where the current phase begins."""
    stay: set[int]
    """The places of all messages that stay."""
    over: list[Message]
    """Those for which the checkpoint stands."""


def apply(messages: Sequence[Message], aim: Aim) -> list[Message]:
    divided = _divided(messages, aim)
    if not divided.over:
        return list(messages)

    # An answer that begins with thoughts has to begin with them: the checkpoint is the user's then.
    after = messages[divided.start : divided.start + 1]
    kinds = (
        {block.kind for block in after[0].blocks} if after and after[0].role == ASSISTANT else ()
    )
    role = USER if THINKING in kinds else ASSISTANT
    message = checkpoint(_state(messages, divided, aim), divided.over, aim, role)
    if message.tokens >= size(divided.over):
        return list(messages)

    # Where the phase begins that the run is in: the same again then finds that phase, and nothing
    # before it to do.
    staying = [messages[index] for index in sorted(divided.stay)]
    before = sum(index < divided.start for index in divided.stay)
    while before and _belongs_together(staying, before):
        before -= 1
    return [*staying[:before], message, *staying[before:]]


def _belongs_together(staying: Sequence[Message], index: int) -> bool:
    """Whether nothing may stand before a message: it follows an open call, or belongs to the same
    answer.
    """
    last = staying[index - 1]
    if has_kind(last.blocks, CALL):
        return True
    if index == len(staying) or not last.group:
        return False
    return last.group == staying[index].group


def standing(messages: Sequence[Message], aim: Aim) -> RunState:
    """What a checkpoint of this conversation would say, all of it."""
    return _state(messages, _divided(messages, aim), aim)


def _divided(messages: Sequence[Message], aim: Aim) -> _PhasesOver:
    """What stays of the phases that are over, and what does not."""
    rows = turns(messages)
    known_phases = phases(messages, rows, aim)
    start = rows[known_phases[-1].start].start if rows else 0
    stay = protected(messages, aim, rows)
    stay.update(range(start, len(messages)))
    before = messages[:start]
    # No summary of a summary is made.
    stay |= summaries(before)
    # The user's own words stay; what tools observed does not.
    for index, message in enumerate(before):
        if message.role in (USER, SYSTEM) and has_kind(message.blocks, TEXT):
            stay.add(index)
    stay = whole_turns(stay, rows)
    over = [message for index, message in enumerate(messages) if index not in stay]
    return _PhasesOver(known_phases, start, stay, over)


def checkpoint(
    state: RunState,
    over: Sequence[Message],
    aim: Aim,
    role: str,
) -> Message:
    """The message, as large as it may be: what was completed first goes when there is no room for
    all.
    """
    most = aim.config.max_checkpoint_size
    block = Block(TEXT, "", action="checkpoint")
    block.sources = [source for message in over for source in message.blocks]
    note = digest_head(len(over), locator(block))
    index: Sequence[str] = DigestSources(over).index(most * CHARACTERS)
    while True:
        lines = [HEAD, "", *state_lines(state), note, *index, "", END]
        block.text = "\n".join(lines)
        block.tokens = block_tokens(block, aim.count)
        if block.tokens <= most:
            break
        if index:
            index = _later_half(index)
        elif state.completed:
            state = state.replace(completed=tuple(_later_half(state.completed)))
        else:
            break
    return Message(role, [block], ADDED)


def _later_half(entries: Sequence[str]) -> Sequence[str]:
    """At least one of them goes."""
    return entries[len(entries) // 2 + 1 :]


def _state(
    messages: Sequence[Message],
    divided: _PhasesOver,
    aim: Aim,
) -> RunState:
    """The phase, the page that a run in a browser was on last, and what is completed."""
    current = divided.phases[-1].name
    names = [phase.name for phase in divided.phases if phase.name not in ("", current)]
    completed = dict.fromkeys([*names, *achievements(divided.over, state_words(aim.config))])
    last_page = BrowserState()
    for text in islice(results(messages[: divided.start]), _LOOKED_AT + 2):
        if page(text):
            last_page = BrowserState(page(text), title(text))
            break
    return RunState(current, last_page, tuple(completed))
