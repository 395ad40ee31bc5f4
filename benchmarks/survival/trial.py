"""One compression of one run at one cut, judged; and many of them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.survival.going_on import share_by_kind
from benchmarks.survival.judge import LOST, Output, letters
from benchmarks.survival.methods import count
from benchmarks.survival.targets import cut_places, moment
from director_ctx.history import formats
from director_ctx.history.messages.message import measure
from director_ctx.history.messages.target import Aim
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.keep import protected
from director_ctx.history.valid.check import check

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from benchmarks.survival.going_on import Share
    from benchmarks.survival.items import Item
    from benchmarks.survival.methods import Method
    from benchmarks.survival.runs import Run
    from benchmarks.survival.targets import Moment, Target
    from director_ctx.history.messages.message import Conversation, Message

RATIOS = (0.05, 0.10, 0.20, 0.30, 0.50)
SHARES = (0.30, 0.50, 0.70, 0.85)
FEWEST = 3
"""Targets below which a cut says nothing."""


class Case(NamedTuple):
    """A run at a cut, ready to be compressed."""

    run: Run
    document: list[Any]
    """What lies before the cut, as its client wrote it."""
    conversation: Conversation
    moment: Moment
    tokens: int
    protected: int
    parsing: float
    """Milliseconds that `json.loads` takes for the same bytes."""


class Trial(NamedTuple):
    case: Case
    method: str
    ratio: float
    """What was asked for; 0 where a method has a ratio of its own."""
    reached: float
    seen: float
    """The same by the characters that a reader sees."""
    verdicts: list[tuple[Target, str]]
    newest: float
    """The share of items that are there with the line in which they stood last."""
    atoms: float
    """The share of items that are there at all, whatever is around them. For orientation: a bag of
    words wins it.
    """
    going_on: dict[str, Share]
    """By its kind, how much is there of what whoever goes on has to know."""
    milliseconds: float
    trouble: str
    """What is not valid about the result; empty if all is."""

    def share(self, *wanted: str, given: bool = True) -> float | None:
        judged = [verdict for target, verdict in self.verdicts if given or not target.given]
        return sum(verdict in wanted for verdict in judged) / len(judged) if judged else None

    @property
    def overshoot(self) -> float:
        return max(0.0, self.reached / self.ratio - 1) if self.ratio else 0.0


def cases(
    run: Run, known: Collection[Item] = (), shares: Sequence[float] = SHARES, least: int = 0
) -> Iterator[Case]:
    """The cuts of a run that have something to be judged by."""
    for length in cut_places(run.chat, shares, run.window):
        made = case(run, length, known, least)
        if made is not None and len(made.moment.targets) >= FEWEST:
            yield made


def case(run: Run, length: int, known: Collection[Item] = (), least: int = 0) -> Case | None:
    document = run.written(run.chat[:length])
    conversation = formats.load(run.format).decode(document)
    tokens = measure(conversation.messages, count)
    if tokens < least:
        return None
    aim = Aim(count=count, config=ContextConfig(), target=1, native=conversation.native)
    kept = sum(
        conversation.messages[place].tokens for place in protected(conversation.messages, aim)
    )
    return Case(
        run,
        document,
        conversation,
        moment(run.chat, length, known),
        tokens,
        kept,
        _parsing(document),
    )


def _parsing(document: list[Any]) -> float:
    text = json.dumps(document)
    took = []
    for _ in range(3):
        begin = time.perf_counter()
        json.loads(text)
        took.append(time.perf_counter() - begin)
    return min(took) * 1000


def fits(case: Case, ratio: float) -> bool:
    """Whether there is something to decide: what may not be touched is at most half of the target."""
    return case.protected <= ratio * case.tokens / 2


def attempt(case: Case, name: str, method: Method, ratio: float = 0.0) -> Trial:
    messages = case.conversation.messages
    target = int(ratio * case.tokens)
    begin = time.perf_counter()
    made = method(messages, target)
    took = (time.perf_counter() - begin) * 1000
    tried = judged(case, name, ratio, made, took)
    return tried if tried.trouble else tried._replace(trouble=rejected(case.conversation, made))


def judged(case: Case, name: str, ratio: float, made: Sequence[Message], took: float) -> Trial:
    tokens = measure(made, count)
    output = Output(case.conversation.messages, made)
    verdicts = [(target, output.verdict(target)) for target in case.moment.targets]
    newest = sum(output.has_newest(target) for target, _ in verdicts) / max(1, len(verdicts))
    atoms = sum(output.holds(target.item) for target, _ in verdicts) / max(1, len(verdicts))
    text = "\n".join(block.text for message in made for block in message.blocks)
    return Trial(
        case,
        name,
        ratio,
        tokens / case.tokens,
        letters(made) / max(1, letters(case.conversation.messages)),
        verdicts,
        newest,
        atoms,
        share_by_kind(case.document, text),
        took,
        trouble(case.conversation, made),
    )


def trouble(conversation: Conversation, made: Sequence[Message]) -> str:
    """The first thing that a provider would reject, or that no compression may do."""
    asked: set[str] = set()
    open_before = _unanswered(conversation.messages)
    for message in made:
        for block in message.blocks:
            if block.kind == "call":
                asked.add(block.call)
            elif block.kind == "result" and block.call:
                if block.call not in asked:
                    return f"result {block.call} without its call"
                asked.discard(block.call)
    if extra := asked - open_before:
        return f"call {min(extra)} without its result"
    order = [message.index for message in made if message.index >= 0]
    if order != sorted(order):
        return "not in order"
    return ""


def rejected(conversation: Conversation, made: Sequence[Message]) -> str:
    """What a provider would say to the result as it is written down, and whether that reads as it
    was meant.
    """
    form = formats.load(conversation.format)
    again = form.decode(form.encode(conversation, made))
    before = {problem.rule for problem in check(conversation)}
    for problem in check(again):
        if problem.rule not in before:
            return f"{problem.rule}: {problem.text}"
    return (
        "" if _read(again.messages) == _read(made) else "written down otherwise than it was meant"
    )


def _read(messages: Sequence[Message]) -> list[str]:
    return [block.text for message in messages for block in message.blocks if block.text]


def _unanswered(messages: Sequence[Message]) -> set[str]:
    asked = {block.call for message in messages for block in message.blocks if block.kind == "call"}
    return asked - {
        block.call for message in messages for block in message.blocks if block.kind == "result"
    }


def lost(trials: Sequence[Trial]) -> Iterator[tuple[Trial, Target]]:
    return (
        (trial, target) for trial in trials for target, verdict in trial.verdicts if verdict == LOST
    )
