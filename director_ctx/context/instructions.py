"""The last section: an agent's template with its blanks filled, and then what this run adds to it."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.context.settings.request import Request


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


def find_role(option: str, name: str, roles: Mapping[str, Role]) -> Role:
    """The role of that name, or a usage error that lists them."""
    role = roles.get(name.strip().casefold())
    if role is None:
        raise UsageProblem(
            f"--{option}: there is no {name!r}.", "Choose one of: " + ", ".join(roles)
        )
    return role


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
    return _single_spaced(lines)


def _blank(name: str) -> str:
    return "{{" + name + "}}"


def _single_spaced(lines: Sequence[str]) -> str:
    """Of several empty lines in a row, one stays."""
    spaced: list[str] = []
    before = ""
    for line in lines:
        if line or before:
            spaced.append(line)
        before = line
    return "\n".join(spaced).strip("\n")


def compose(
    template: str,
    request: Request,
    spot: Spot,
    extras: Extras,
) -> str:
    """The body of `<instructions>`."""
    values = {
        **_place_values(spot),
        **_guide_values(extras.guides),
        **_role_values(request, spot, extras),
        **extras.blanks,
    }
    blocks = [fill(template, values), *_blocks(template, request, spot, extras)]
    return "\n\n".join(filter(None, blocks))


def _place_values(spot: Spot) -> dict[str, str]:
    return {
        "task_title": spot.task_title,
        "task_path": _ticked(spot.task_path),
        "step_title": spot.step_title,
        "step_path": _ticked(spot.step_path),
        "goal_title": spot.goal_title,
    }


def _guide_values(references: Sequence[str]) -> dict[str, str]:
    styles: list[str] = []
    for guide in STYLE_GUIDES:
        styles += _named(guide, references)
    verification = ""
    for path in _named(VERIFICATION_GUIDE, references):
        verification = _ticked(path)
        break
    return {
        "style_guides": " and ".join(map(_ticked, styles)),
        "verification_guide": verification,
    }


def _named(name: str, paths: Sequence[str]) -> list[str]:
    """The paths of files of this name."""
    return [path for path in paths if path.rpartition("/")[2] == name]


def _role_values(request: Request, spot: Spot, extras: Extras) -> dict[str, str]:
    names = (
        "focus",
        "focus_about",
        "focus_files",
        "domain",
        "domain_about",
        "mode",
        "mode_folder",
        "mode_files",
        "output",
    )
    values = dict.fromkeys(names, "")
    if request.focus:
        role = find_role("focus", request.focus, FOCUS)
        values.update(
            focus=request.focus.strip().casefold(),
            focus_about=role.about,
            focus_files=_listed(_paths(role.files)),
        )
    if request.domain:
        role = find_role("domain", request.domain, DOMAINS)
        values.update(
            domain=request.domain.strip().casefold(),
            domain_about=role.about,
            output=_listed(_paths(role.files)),
        )
    if request.mode:
        role = find_role("mode", request.mode, MODES)
        name = request.mode.strip().casefold()
        values.update(
            mode=name,
            mode_folder=_ticked(f"{FOLDER}/{name}/"),
            mode_files=_listed(extras.sources),
            output=_listed(_paths(role.files)),
        )
    if extras.step_context:
        values["output"] = _ticked(f"{spot.step_path}/RESEARCH.md")
    attempt = request.attempt or ""
    return {**values, "attempt": attempt, "max_attempts": str(extras.max_attempts)}


def _paths(files: Sequence[str]) -> list[str]:
    return [f"{FOLDER}/{file}" for file in files]


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


def _blocks(
    template: str,
    request: Request,
    spot: Spot,
    extras: Extras,
) -> list[str]:
    """What this run adds, in a fixed order, each under a label."""
    return [
        *_unplaced(template, request),
        _labelled("The step to research:", extras.step_context),
        _labelled(
            "The user's decisions for this step (Locked ones bind you):", extras.step_decisions
        ),
        _labelled("The question to answer:", request.question or ""),
        _labelled("The issues to fix:", extras.issues),
        _labelled(f"What changed since {request.changes}:", extras.changes),
        _file_list(
            "Other documents of this step, to read when the task needs them:", spot.step_files
        ),
        _file_list("Reference documents, to read when you need them:", extras.references),
        _labelled("A note from the user:", request.note or ""),
    ]


def _unplaced(template: str, request: Request) -> list[str]:
    """A line for each option that the template has no blank for."""
    options = {
        "focus": request.focus,
        "domain": request.domain,
        "mode": request.mode,
        "attempt": request.attempt,
    }
    lines = []
    for name, value in options.items():
        if value and _blank(name) not in template:
            lines.append(f"{name.title()}: {value}")
    return lines


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
