"""GSD's ROADMAP.md: its phases, under which milestone they stand, and what each of them needs."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import items, joined, listed, parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.other_plans.source import PlanSource

TOP = ".planning"
NUMBER = r"\d{1,4}(?:\.\d{1,4}){0,3}"
_PHASE_HEAD = re.compile(rf"phase\s+(?P<number>{NUMBER})\s*[:-]?\s*(?P<name>.*)", re.IGNORECASE)
_PHASE_LINE = re.compile(
    rf"\[(?P<mark>.)\]\s+\**phase\s+(?P<number>{NUMBER})\s*:\s*(?P<name>[^*]*)\**\s*(?P<about>.*)",
    re.IGNORECASE,
)
_MILESTONE = re.compile(r".*\b(?P<name>v\d+(?:\.\d+)*\b.*|milestone\b.*)", re.IGNORECASE)


class RoadmapPhase(Record):
    """A phase as ROADMAP.md has it."""

    number: str
    name: str
    line: int
    milestone: str
    about: str = ""
    ticked: bool = False
    text: str = ""
    needs: tuple[str, ...] | None = None
    """Numbers of phases; None where it says nothing."""


def read_roadmap(source: PlanSource) -> Iterator[RoadmapPhase]:
    path = f"{TOP}/ROADMAP.md"
    text = source.text(path)
    known: dict[str, RoadmapPhase] = {}
    milestone = ""
    for part in parts(text):
        head = _PHASE_HEAD.match(part.title)
        if head is None and part.level:
            named = _MILESTONE.match(part.title)
            milestone = named["name"].strip() if named else milestone
        if head:
            number = normal_number(head["number"])
            phase = known.get(number) or RoadmapPhase(
                number, _bare(head["name"]), part.line, milestone
            )
            goal = _field(part.body, "goal")
            needs = _field(part.body, "depends on")
            criteria = listed(_behind(part.body, "success criteria"))
            about = joined(goal, "\n".join(f"- {says}" for says in criteria))
            needed = _needed(needs)
            known[number] = phase.replace(text=about, needs=needed, line=part.line)
        for number_of_line, says in items(part.body):
            line = _PHASE_LINE.match(" ".join(says.split()))
            if line:
                number = normal_number(line["number"])
                about = line["about"].lstrip(" -\u2013\u2014")
                ticked = line["mark"] in "xX"
                known[number] = RoadmapPhase(
                    number,
                    line["name"].strip(),
                    part.line + number_of_line,
                    milestone,
                    about,
                    ticked,
                )
    yield from known.values()


def _bare(name: str) -> str:
    """Without the mark of what came in between."""
    return re.sub(r"\s*\(inserted\)", "", name, flags=re.IGNORECASE).strip()


def _needed(says: str) -> tuple[str, ...] | None:
    """The numbers behind `Depends on`; what stands in brackets explains them."""
    named, _, _ = says.partition("(")
    numbers = re.findall(rf"(?<![\w.])({NUMBER})(?![\w.])", named)
    if numbers:
        return tuple(normal_number(number) for number in numbers)
    if named.casefold().strip(" .").startswith(("nothing", "none", "n/a")):
        return ()
    return None


def _field(text: str, name: str) -> str:
    for line in text.split("\n"):
        label, colon, value = line.replace("*", "").partition(":")
        if colon and label.strip().casefold() == name:
            return value.strip()
    return ""


def _behind(text: str, name: str) -> str:
    """The lines behind a bold label, up to the next one."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.casefold().startswith(f"**{name}"):
            behind: list[str] = []
            for later in lines[index + 1 :]:
                if later.lstrip().startswith(("**", "Plans:")):
                    break
                behind.append(later)
            return "\n".join(behind)
    return ""


def normal_number(number: str) -> str:
    """`02.1` is phase 2.1."""
    return ".".join(str(int(piece)) for piece in number.split("."))
