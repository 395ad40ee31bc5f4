"""GSD's plans: one is a task, with its own small tasks and their checks as text."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.gsd_roadmap import NUMBER, normal_number
from director_ctx.other_plans.formats.gsd_tags import TaggedPart, lines_of, tagged
from director_ctx.other_plans.formats.parts import (
    front_matter,
    inside_tag,
    is_number,
    joined,
    paragraphs,
    string,
    strings,
)
from director_ctx.other_plans.formats.points import points
from director_ctx.other_plans.model import Criterion, OtherTask
from director_ctx.other_plans.wording import item, title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.other_plans.source import PlanSource

_LABELS = {
    "action": "",
    "files": "Files",
    "read_first": "Read first",
    "behavior": "Behaviour",
    "verify": "Verify",
    "how-to-verify": "Verify",
    "acceptance_criteria": "Accepted when",
    "done": "Done",
}
_NAMES = ("name", "what-built")
_CRITERIA = "success_criteria"
_OWN_WORK = ("objective", "execution_context", "context", "tasks", "task", "output", _CRITERIA)
"""Of the tags of a plan those that are read by themselves, or that only GSD's own agents need."""
_HOW = re.compile(r"</?(?:automated|manual|human[-_]check)>")
_POINTER = re.compile(r"^\s{0,8}@(?![.]planning/|~|\$)(?P<path>\S{1,300})", re.MULTILINE)
_LONGEST_NAME = 200
_FRONT = (("user_setup", "Set up by the user"),)
_MUST = (("artifacts", "What has to be there"), ("key_links", "What has to be connected"))


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
    parts = [*tagged(body)]
    objective, rest = _objective(body, parts)
    must = head.get("must_haves")
    musts = must if isinstance(must, dict) else {}
    truths = lines_of(musts.get("truths"))
    success = inside_tag(body, _CRITERIA)
    text = joined(
        objective,
        *_of_front(head, musts),
        *_told(body),
        *_of_plan(parts, rest),
        # It is mostly true of every plan, so it is told behind what is true of this one.
        _labelled("Success criteria", success if truths else ""),
    )
    criteria = truths or points(success)
    task = OtherTask(
        key=key,
        name=title(objective),
        path=plan.path,
        line=1,
        text=text,
        criteria=tuple(Criterion(says) for says in criteria),
        done=plan.done,
        id=_id(plan.path) or key,
    )
    return _in_its_turn(task, phase, head)


def _in_its_turn(task: OtherTask, phase: str, head: dict[str, object]) -> PlanWave:
    needs = tuple(_needed(phase, each) for each in strings(head.get("depends_on")))
    wave = string(head.get("wave"))
    return PlanWave(task, int(wave) if is_number(wave) else 1, needs)


def _id(path: str) -> str:
    """`02-01` of `02-01-PLAN.md`."""
    named = re.match(rf"{NUMBER}-\d{{1,4}}(?=-PLAN)", path.rpartition("/")[2])
    return named[0] if named else ""


def _objective(body: str, parts: Sequence[TaggedPart]) -> tuple[str, str]:
    """What it is for, and what else stands outside of all tags."""
    loose = joined(*(part.text for part in parts if not part.name))
    objective = inside_tag(body, "objective")
    if objective:
        return objective, loose
    first, *others = [*paragraphs(loose), ""]
    return first or [*paragraphs(body), ""][0], joined(*others)


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


def _of_front(head: dict[str, object], musts: dict[str, object]) -> Iterator[str]:
    files = strings(head.get("files_modified"))
    if files:
        yield "Files: " + ", ".join(f"`{file}`" for file in files)
    asked = strings(head.get("requirements"))
    if asked:
        yield f"Requirements: {', '.join(asked)}"
    for values, fields in ((head, _FRONT), (musts, _MUST)):
        for field, label in fields:
            lines = [f"- {says}" for says in lines_of(values.get(field))]
            yield _labelled(label, "\n".join(lines))


def _of_plan(parts: Sequence[TaggedPart], rest: str) -> Iterator[str]:
    """What a plan says beside its tasks."""
    for part in parts:
        if part.name == "context":
            paths = [f"`{match['path']}`" for match in _POINTER.finditer(part.text)]
            if paths:
                yield f"Read first: {', '.join(paths)}"
            for inner in tagged(part.text):
                if inner.name:
                    yield _labelled(_label(inner.name), inner.text)
        elif part.name and part.name not in _OWN_WORK:
            yield _labelled(_label(part.name), part.text)
    if any(map(str.isalnum, rest)):
        yield rest


def _label(tag: str) -> str:
    return re.sub(r"[-_]+", " ", tag).strip().capitalize()


def _labelled(label: str, text: str) -> str:
    return f"**{label}**\n\n{text}" if text else ""


def _told(body: str) -> Iterator[str]:
    """The tasks inside a plan as text, with their checks."""
    for task in _inner_tasks(body):
        start, _, inner = task.partition(">")
        kind = re.search(r'type="(checkpoint[^"]{0,40})"', start[:400])
        parts = [*tagged(inner)]
        named = [part for part in parts if part.name in _NAMES][:1]
        name = item(named[0].text if named else "", most=_LONGEST_NAME)
        pieces = [f"**{name}**" + (f" ({kind[1]})" if kind else "")]
        for part in parts:
            is_told = part in named and len(part.text) <= _LONGEST_NAME
            if part.text and not is_told:
                pieces.append(_field(part))
        yield "\n\n".join(pieces)


def _field(part: TaggedPart) -> str:
    """`Verify: pytest`; what has several lines stands below its label."""
    label = _LABELS.get(part.name, _label(part.name))
    text = part.text
    if label == "Verify":
        text = _HOW.sub("", text).strip()
    if not label:
        return text
    is_list = text.startswith(("- ", "* ", "1. ", "```"))
    return f"{label}:\n\n{text}" if is_list else f"{label}: {text}"


def _inner_tasks(body: str) -> Iterator[str]:
    place = 0
    while True:
        start = body.find("<task ", place)
        end = body.find("</task>", start)
        if start < 0 or end < 0:
            return
        yield body[start:end]
        place = end
