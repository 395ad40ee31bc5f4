"""The last section: an agent's template with its blanks filled, and then what this run adds to it."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.settings.request import INPUTS, Request
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Role(Record):
    about: str
    files: tuple[str, ...]


FOCUS: dict[str, Role] = {
    "tech": Role(
        "languages, dependencies and the services it talks to",
        ("codebase/STACK.md", "codebase/INTEGRATIONS.md"),
    ),
    "arch": Role(
        "how it is built and where things are",
        ("codebase/ARCHITECTURE.md", "codebase/STRUCTURE.md"),
    ),
    "quality": Role(
        "how its code is written and tested", ("codebase/CONVENTIONS.md", "codebase/TESTING.md")
    ),
    "concerns": Role("debt, risks and fragile places", ("codebase/CONCERNS.md",)),
}
DOMAINS: dict[str, Role] = {
    "stack": Role("which technologies fit, and why", ("research/STACK.md",)),
    "features": Role("what users of such a product expect", ("research/FEATURES.md",)),
    "architecture": Role("how such a product is usually built", ("research/ARCHITECTURE.md",)),
    "pitfalls": Role("what usually goes wrong, and how to avoid it", ("research/PITFALLS.md",)),
}
MODES: dict[str, Role] = {
    "research": Role("the research notes", ("research/SUMMARY.md",)),
    "codebase": Role("the codebase notes", ("codebase/SUMMARY.md",)),
}


ROLES = {"focus": FOCUS, "domain": DOMAINS, "mode": MODES}
"""Inputs that are one of a few names."""

STYLE_GUIDES = ("terminology.md", "plain-language-guide.md")
VERIFICATION_GUIDE = "verification-patterns.md"
MOST_LISTED = 20


class Spot(Record):
    """Where in the plan the agent works, as names and paths."""

    goal_title: str = ""
    step_title: str = ""
    step_path: str = ""
    task_title: str = ""
    task_path: str = ""
    task_number: int | None = None
    step_files: tuple[str, ...] = ()


class Extras(Record):
    """Longer inputs that stand after the template, as text under labels."""

    step_context: str = ""
    step_decisions: str = ""
    issues: str = ""
    changes: str = ""
    references: tuple[str, ...] = ()
    """Files of `.director/reference/` that are not in the context already."""
    guides: tuple[str, ...] = ()
    """All files of that folder; a guide is to be followed wherever its text stands."""
    max_attempts: int = 3
    sources: tuple[str, ...] = ()
    """Files that a synthesizer reads."""
    blanks: Mapping[str, str] = {}
    """What stands in blanks that only one template has."""


def fill(template: str, values: Mapping[str, str]) -> str:
    """Replaces `{{name}}`; a line whose blank has no value disappears. Unknown names stay as they
    are.
    """
    lines: list[str] = []
    for line in template.strip("\n").split("\n"):
        if "{{" not in line:
            lines.append(line.rstrip())
            continue
        in_line = {name: value for name, value in values.items() if _blank(name) in line}
        if not all(in_line.values()):
            continue
        filled = line
        for name, value in in_line.items():
            filled = filled.replace(_blank(name), value)
        lines.append(filled.rstrip())
    # Of several empty lines in a row, one stays.
    spaced = [line for line, before in zip(lines, ["", *lines], strict=False) if line or before]
    return "\n".join(spaced).strip("\n")


def _blank(name: str) -> str:
    return "{{" + name + "}}"


def compose(
    template: str,
    request: Request,
    spot: Spot,
    extras: Extras,
) -> str:
    """The body of `<instructions>`."""
    guides = {path.rpartition("/")[2]: path for path in reversed(extras.guides)}
    styles = [guides[name] for name in STYLE_GUIDES if name in guides]
    values = {
        "task_title": spot.task_title,
        "task_path": _ticked(spot.task_path),
        "step_title": spot.step_title,
        "step_path": _ticked(spot.step_path),
        "goal_title": spot.goal_title,
        "style_guides": " and ".join(map(_ticked, styles)),
        "verification_guide": _ticked(guides.get(VERIFICATION_GUIDE, "")),
        **_role_values(request, spot, extras),
        **extras.blanks,
    }
    blocks = [fill(template, values), *_blocks(template, request, spot, extras)]
    return "\n\n".join(filter(None, blocks))


def _role_values(request: Request, spot: Spot, extras: Extras) -> dict[str, str]:
    values = {
        "output": "",
        "attempt": request.attempt or "",
        "max_attempts": str(extras.max_attempts),
    }
    for option, roles in ROLES.items():
        given = (getattr(request, option) or "").strip().casefold()
        role = roles.get(given)
        if given and role is None:
            known = ", ".join(roles)
            raise UsageProblem(
                f"--input {option}: there is no {getattr(request, option)!r}.",
                f"Choose one of: {known}",
            )
        files = _listed([f"{FOLDER}/{file}" for file in role.files]) if role else ""
        values |= {option: given, f"{option}_about": role.about if role else ""}
        values[f"{option}_files"] = files
        if option != "focus":
            values["output"] = files or values["output"]
    values["mode_folder"] = _ticked(f"{FOLDER}/{values['mode']}/") if values["mode"] else ""
    values["mode_files"] = _listed(extras.sources)
    if extras.step_context:
        values["output"] = _ticked(f"{spot.step_path}/RESEARCH.md")
    return values


def _ticked(path: str) -> str:
    if not path:
        return ""
    return f"`{plain(path)}`"


def _listed(paths: Sequence[str]) -> str:
    """As a sentence has them: one, two joined by `and`, or several with commas as well."""
    ticked = [_ticked(path) for path in paths]
    if len(ticked) <= 2:
        return " and ".join(ticked)
    *first, last = ticked
    return f"{', '.join(first)} and {last}"


def _blocks(template: str, request: Request, spot: Spot, extras: Extras) -> Iterator[str]:
    """What this run adds, in a fixed order, each under a label."""
    for name in INPUTS:
        value = getattr(request, name)
        if value and _blank(name) not in template:
            yield f"{name.title()}: {value}"
    yield _labelled("The step to research:", extras.step_context)
    yield _labelled(
        "The user's decisions for this step (Locked ones bind you):", extras.step_decisions
    )
    yield _labelled("The question to answer:", request.question or "")
    yield _labelled("The issues to fix:", extras.issues)
    yield _labelled(f"What changed since {request.changes}:", extras.changes)
    yield _file_list(
        "Other documents of this step, to read when the task needs them:", spot.step_files
    )
    yield _file_list("Reference documents, to read when you need them:", extras.references)
    yield _labelled("A note from the user:", request.note or "")


def _labelled(label: str, text: str) -> str:
    text = text.strip()
    if not text:
        return ""
    return f"{label}\n{text}"


def _file_list(label: str, paths: Sequence[str]) -> str:
    lines = [f"- {_ticked(path)}" for path in paths[:MOST_LISTED]]
    more = len(paths) - MOST_LISTED
    if more > 0:
        lines.append(f"- and {more} more in the same folder")
    return _labelled(label, "\n".join(lines))
