"""What may be wrong by its wording: worth a look, never proof."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.selection import task_text
from director_ctx.context.settings.keywords import subject_words
from director_ctx.project.tasks.decisions import DEFERRED, Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_SHARED, FEWEST_WORDS = 0.65, 2
MOST_COMPARED = 500
"""Decisions that are held against each other, each with each: a plan has dozens, a hostile one
would take hours.
"""


class Words(Record):
    """A decision with the words that say what it is about, and where it stands."""

    path: str
    step: str
    decision: Decision
    words: frozenset[str]


class Suspicion(Record):
    path: str
    line: int
    says: str
    advice: str


def worded(path: str, step: str, decision: Decision) -> Words:
    return Words(path, step, decision, subject_words(decision.text))


def deferred_in_task(items: Sequence[Words], path: str, text: str) -> Iterator[Suspicion]:
    """A task of the step that speaks of what the step put off."""
    task = subject_words(task_text(text))
    for item in items:
        if item.decision.kind == DEFERRED and _share(item.words, task, item.words):
            says = f"speaks of what its step deferred: {item.decision.text}"
            yield Suspicion(
                path,
                0,
                says,
                f"See {item.path}:{item.decision.line}; put it off, or take it off Deferred.",
            )


def decided_twice(items: Sequence[Words]) -> Iterator[Suspicion]:
    """The same subject in two steps, in other words or with another weight."""
    compared = items[:MOST_COMPARED]
    for place, one in enumerate(compared):
        for other in compared[place + 1 :]:
            if one.path == other.path or _taken_up(one, other) or _plain(one) == _plain(other):
                continue
            if _share(one.words, other.words, min(one.words, other.words, key=len)):
                says = f"{other.decision.kind}: {other.decision.text}"
                advice = (
                    f"{one.step} has it as {one.decision.kind}: {one.decision.text} "
                    f"({one.path}:{one.decision.line})"
                )
                yield Suspicion(other.path, other.decision.line, says, advice)


def _taken_up(one: Words, later: Words) -> bool:
    """What was put off and is decided in a later step is as it should be."""
    return one.decision.kind == DEFERRED != later.decision.kind


def _share(one: frozenset[str], other: frozenset[str], whole: frozenset[str]) -> bool:
    common = len(one & other)
    return common >= FEWEST_WORDS and common >= MOST_SHARED * len(whole)


def _plain(item: Words) -> tuple[str, str]:
    return item.decision.kind, " ".join(item.decision.text.casefold().rstrip(".").split())
