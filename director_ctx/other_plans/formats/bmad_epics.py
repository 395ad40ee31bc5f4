"""BMAD's epics, in one file or one for each, with the stories that they tell."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import parts
from director_ctx.other_plans.model import UNRESOLVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.other_plans.formats.parts import MarkdownPart
    from director_ctx.other_plans.source import PlanSource

_EPIC = re.compile(r"epic\s+(?P<number>\d{1,4})\s*[:.-]\s*(?P<name>.+)", re.IGNORECASE)
_STORY = re.compile(r"story\s+(?P<number>\d{1,4}\.\d{1,4})\s*[:.-]\s*(?P<name>.+)", re.IGNORECASE)
CRITERIA_LABEL = "**Acceptance Criteria:**"


class EpicStory(Record):
    """A story of `epics.md`."""

    number: str
    name: str
    path: str
    line: int
    text: str
    criteria: tuple[str, ...]


class Epic(Record):
    """A heading `Epic 1: …` and the stories below it."""

    number: str
    name: str
    path: str
    line: int
    text: str
    stories: tuple[EpicStory, ...] = ()


def read_epics(source: PlanSource, folder: str) -> list[Epic]:
    """Each epic once, though the file names it in a list as well; the one with stories counts."""
    paths = [f"{folder}/epics.md"]
    paths += [f"{folder}/epics/{name}" for name in source.files(f"{folder}/epics")]
    epics: dict[str, Epic] = {}
    stories: dict[str, list[EpicStory]] = {}
    for path in paths:
        number = ""
        for part in parts(source.text(path)):
            epic = _EPIC.match(part.title)
            story = _STORY.match(part.title)
            if epic:
                number = str(int(epic["number"]))
                text = part.body.strip()
                epics[number] = Epic(number, epic["name"], path, part.line, text)
                stories.setdefault(number, [])
            elif story and number:
                stories[number].append(_story(story, part, path))

    if not epics:
        source.remark(UNRESOLVED, "has no epics that can be read", paths[0])
    return [epic.replace(stories=tuple(stories[epic.number])) for epic in epics.values()]


def _story(heading: re.Match[str], part: MarkdownPart, path: str) -> EpicStory:
    epic, _, story = heading["number"].partition(".")
    about, _, said = part.body.partition(CRITERIA_LABEL)
    criteria: list[str] = []
    for row in said.split("\n"):
        bare = row.strip().lstrip("-* ").replace("**", "")
        if not bare:
            continue
        # A new case begins with Given; what follows belongs to it.
        if not criteria or bare.casefold().startswith("given"):
            criteria.append(bare)
        else:
            criteria[-1] += f" {bare}"

    return EpicStory(
        number=f"{int(epic)}.{int(story)}",
        name=heading["name"],
        path=path,
        line=part.line,
        text=about.strip(),
        criteria=tuple(criteria),
    )
