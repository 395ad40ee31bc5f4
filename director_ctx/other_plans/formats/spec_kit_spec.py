"""Spec Kit's `spec.md` and `research.md`: stories with their scenarios, and what was decided."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import (
    is_titled,
    items,
    listed,
    paragraphs,
    parts,
    section_of,
)
from director_ctx.other_plans.model import Criterion, OtherDecision
from director_ctx.other_plans.wording import item
from director_ctx.project.tasks.decisions import DEFERRED, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.source import PlanSource

STORY = re.compile(r"\buser story (?P<number>\d{1,4})\b", re.IGNORECASE)
_ANSWER = re.compile(
    r"q:\s*(?P<question>.*?)\s*(?:\u2192|->)\s*a:\s*(?P<answer>.*)", re.IGNORECASE | re.DOTALL
)


class UserStory(Record):
    """A story of `spec.md`."""

    text: str = ""
    criteria: tuple[Criterion, ...] = ()


def user_stories(spec: str) -> dict[int, UserStory]:
    """By their numbers; headings inside a story belong to it."""
    found: dict[int, list[str]] = {}
    number = 0
    level = 0
    for part in parts(spec):
        story = STORY.search(part.title)
        if story and part.level >= 3:
            number = int(story["number"])
            level = part.level
            found[number] = []
        elif part.level <= level:
            number = 0
        if number:
            found[number].append(part.body)
    return {number: _story(bodies) for number, bodies in found.items()}


def _story(bodies: Sequence[str]) -> UserStory:
    about: list[str] = []
    tests: list[str] = []
    for piece in paragraphs(bodies[0]):
        if piece.startswith("**Independent Test"):
            _, _, test = piece.replace("**", "").partition(":")
            tests.append(item(test, most=1000))
        elif not piece.startswith(("**", "---", "1.")):
            about.append(piece)

    scenarios: list[str] = []
    for body in bodies:
        for _, says in items(body):
            if "given" in says.casefold():
                scenarios.append(item(says, most=1000))

    criteria = [Criterion(says) for says in (*scenarios, *tests) if says]
    return UserStory("\n\n".join(about), tuple(criteria))


def spec_decisions(source: PlanSource, path: str, spec: str) -> Iterator[OtherDecision]:
    for part in parts(source.text(f"{path}/research.md")):
        for _, says in items(part.body):
            bare = says.replace("**", "")
            if is_titled(bare, "decision"):
                _, _, decided = bare.partition(":")
                yield OtherDecision(LOCKED, item(decided))

    clarifications = section_of(spec, "clarifications")
    for _, says in items(clarifications):
        line = " ".join(says.split())
        match = _ANSWER.match(line)
        if match:
            answered = f"{match['question']} {match['answer']}"
            yield OtherDecision(LOCKED, item(answered))

    assumptions = section_of(spec, "assumptions", "out of scope")
    for says in listed(assumptions):
        if "out of scope" in says.casefold():
            yield OtherDecision(DEFERRED, says)
