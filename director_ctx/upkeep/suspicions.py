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


class DecisionWords(Record):
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


def worded(path: str, step: str, decision: Decision) -> DecisionWords:
    return DecisionWords(path, step, decision, subject_words(decision.text))


def deferred_in_task(items: Sequence[DecisionWords], path: str, text: str) -> Iterator[Suspicion]:
    """A task of the step that speaks of what the step put off."""
    task = subject_words(task_text(text))
    for item in items:
        decision = item.decision
        if decision.kind == DEFERRED and _share(item.words, task, item.words):
            says = f"speaks of what its step deferred: {decision.text}"
            advice = f"See {item.path}:{decision.line}; put it off, or take it off Deferred."
            yield Suspicion(path, 0, says, advice)


def decided_twice(items: Sequence[DecisionWords]) -> Iterator[Suspicion]:
    """The same subject in two steps, in other words or with another weight."""
    compared = items[:MOST_COMPARED]
    for index, earlier in enumerate(compared):
        for later in compared[index + 1 :]:
            if earlier.path == later.path or _taken_up(earlier, later):
                continue
            if _plain(earlier) == _plain(later):
                continue
            shorter = min(earlier.words, later.words, key=len)
            if _share(earlier.words, later.words, shorter):
                yield _again(earlier, later)


def _again(earlier: DecisionWords, later: DecisionWords) -> Suspicion:
    decision, before = later.decision, earlier.decision
    says = f"{decision.kind}: {decision.text}"
    where = f"{earlier.path}:{before.line}"
    advice = f"{earlier.step} has it as {before.kind}: {before.text} ({where})"
    return Suspicion(later.path, decision.line, says, advice)


def _taken_up(earlier: DecisionWords, later: DecisionWords) -> bool:
    """What was put off and is decided in a later step is as it should be."""
    return earlier.decision.kind == DEFERRED != later.decision.kind


def _share(words: frozenset[str], others: frozenset[str], whole: frozenset[str]) -> bool:
    common = len(words & others)
    return common >= FEWEST_WORDS and common >= MOST_SHARED * len(whole)


def _plain(item: DecisionWords) -> tuple[str, str]:
    return item.decision.kind, " ".join(item.decision.text.casefold().rstrip(".").split())
