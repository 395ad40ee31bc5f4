"""Spec Kit's `spec.md` and `research.md`: stories with their scenarios, and what was decided."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import (
    items,
    listed,
    paragraphs,
    parts,
    section_of,
)
from director_ctx.other_plans.model import Criterion, OtherDecision
from director_ctx.other_plans.wording import item
from director_ctx.project.reading.markdown import outside_code
from director_ctx.project.tasks.decisions import DEFERRED, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.formats.parts import MarkdownPart
    from director_ctx.other_plans.source import PlanSource

STORY = re.compile(r"\buser story (?P<number>\d{1,4})\b", re.IGNORECASE)
_LABEL = r"decision(?:\s+#?[\d.]{1,6}|\s+\([^()]{0,40}\))?"
_DECISION = re.compile(
    rf"\s*(?:(?:[-*+]|\d{{1,3}}[.)])\s+)?\**{_LABEL}\**\s*:\**\s*(?P<says>.*)", re.IGNORECASE
)
_HEADED = re.compile(rf"{_LABEL}(?:\s*:\s*(?P<says>.*))?", re.IGNORECASE)
_POINT = re.compile(r"\s*(?:[-*+]\s|\d{1,3}[.)]\s|\*\*)")
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
        for decided in _decided(part):
            yield OtherDecision(LOCKED, decided)

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


def _decided(part: MarkdownPart) -> list[str]:
    """What stands behind `Decision:` in its lines; else behind that in its heading, or below it."""
    said = [item(text) for text in _behind_label(part.body)]
    headed = _HEADED.fullmatch(part.title.strip("*_ "))
    if not said and headed:
        first = next(iter(paragraphs(part.body)), "")
        said = [item(headed["says"] or "") or item(first)]
    return [text for text in said if text]


def _behind_label(text: str) -> Iterator[str]:
    """With a dash before it or without, and with the lines that go on with it."""
    lines: list[str] = []
    indent = -1
    for _, _, raw in outside_code(text):
        line = raw.rstrip()
        depth = len(line) - len(line.lstrip())
        match = _DECISION.fullmatch(line)
        is_next = depth <= indent and _POINT.match(line)
        if lines and (match or not line or is_next):
            yield "\n".join(lines)
            lines = []
        if match:
            indent = depth
            lines = [match["says"]]
        elif lines:
            lines.append(line)
    if lines:
        yield "\n".join(lines)
