"""GSD's plans: one is a task, with its own small tasks and their checks as text."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.gsd_roadmap import NUMBER, normal_number
from director_ctx.other_plans.formats.parts import (
    front_matter,
    inside_tag,
    is_number,
    joined,
    paragraphs,
    string,
    strings,
)
from director_ctx.other_plans.model import Criterion, OtherTask
from director_ctx.other_plans.wording import item, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.other_plans.source import PlanSource

_FIELDS = (
    ("files", "Files"),
    ("action", ""),
    ("verify", "Verify"),
    ("how-to-verify", "Verify"),
    ("done", "Done"),
)


class PlanFile(Record):
    number: str
    path: str
    done: bool


class PlanWave(Record):
    """A plan with what its front matter says of its turn."""

    task: OtherTask
    wave: int
    needs: tuple[str, ...]


def read_plan(source: PlanSource, phase: str, plan: PlanFile) -> PlanWave:
    head, body, _ = front_matter(source, plan.path)
    key = f"{phase}-{plan.number}"
    objective = inside_tag(body, "objective") or [*paragraphs(body), ""][0]
    must = head.get("must_haves")
    truths = strings(must.get("truths")) if isinstance(must, dict) else []
    needs = tuple(_needed(phase, each) for each in strings(head.get("depends_on")))
    wave = string(head.get("wave"))
    text = joined(objective, *_told(head, body))
    task = OtherTask(
        key=key,
        name=title(objective),
        path=plan.path,
        line=1,
        text=text,
        criteria=tuple(Criterion(truth) for truth in truths),
        done=plan.done,
    )
    return PlanWave(task, int(wave) if is_number(wave) else 1, needs)


def _needed(phase_number: str, says: str) -> str:
    """`02-01`, `01` of the same phase, or a whole phase such as `01-foundation`."""
    match = re.match(rf"(?P<phase>{NUMBER})-(?P<plan>\d{{1,4}})(?!\w)", says)
    if match:
        return f"{normal_number(match['phase'])}-{int(match['plan'])}"
    if re.fullmatch(r"\d{1,4}", says):
        return f"{phase_number}-{int(says)}"
    phase = re.match(rf"(?:phase\s*)?(?P<phase>{NUMBER})(?!\w)", says, re.IGNORECASE)
    if phase:
        return f"step:{normal_number(phase['phase'])}"
    return says


def _told(head: dict[str, object], body: str) -> Iterator[str]:
    """The tasks inside a plan as text, with their checks."""
    files = strings(head.get("files_modified"))
    if files:
        yield "Files: " + ", ".join(f"`{file}`" for file in files)
    for task in _inner_tasks(body):
        start, _, inner = task.partition(">")
        kind = re.search(r'type="(checkpoint[^"]{0,40})"', start[:400])
        name = inside_tag(inner, "name") or inside_tag(inner, "what-built")
        lines = [f"**{item(name, most=200)}**" + (f" ({kind[1]})" if kind else "")]
        for tag, label in _FIELDS:
            says = inside_tag(inner, tag)
            if says:
                lines.append(f"{label}: {says}" if label else says)
        yield "\n\n".join(lines)


def _inner_tasks(body: str) -> Iterator[str]:
    place = 0
    while True:
        start = body.find("<task ", place)
        end = body.find("</task>", start)
        if start < 0 or end < 0:
            return
        yield body[start:end]
        place = end
