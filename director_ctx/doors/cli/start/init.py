"""`dctx init`: a `.director/` folder, ready to fill in."""

from __future__ import annotations

import os

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.reading.locate import absolute, locate
from director_ctx.upkeep.init import (
    NewFolder,
    looks_grown,
    make_folder,
    root_above,
    template_files,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_NEXT = (
    "Next: describe the project in .director/VISION.md, or let an agent ask you: `dctx assemble interviewer`.",
    "Then plan it: `dctx assemble planner`. Or as an outline: `dctx add --from FILE`.",
)


def run(values: dict[str, Any]) -> int:
    if values["example"]:
        return _example(values["root"])
    _refuse_alone(values)
    root = _root(values)
    if values["source"]:
        # The readers of plans are for whoever asks for one.
        from director_ctx.doors.cli.start import init_from

        return init_from.run(values, root)
    grown = looks_grown(root)
    folder = make_folder(root, template_files(grown, values["plain_language"]))
    put_lines(_lines(folder, grown))
    return OK


def _root(values: dict[str, Any]) -> str:
    root = absolute(values["root"] or ".")
    if not os.path.isdir(root):
        raise DctxError(f"There is no folder {values['root']}.", "Make it first, or name another.")

    above = root_above(root)
    has_own = os.path.isdir(os.path.join(root, ".director"))
    # Whoever names the folder means it.
    if not above or has_own or values["root"]:
        return root
    # A plan that is followed is that of the project, from any folder below.
    if values["source"]:
        return locate(root)
    # Commands in this folder would find the new one from then on, and no longer the one above.
    raise DctxError(
        f"This is inside a project already: {above} has a .director/.",
        "To make one here all the same, name this folder: dctx init --root .",
    )


def _refuse_alone(values: dict[str, Any]) -> None:
    if values["source"]:
        return
    for name in ("done", "strict", "dry_run", "json", "path"):
        if values[name]:
            said = "PATH" if name == "path" else f"--{name.replace('_', '-')}"
            raise UsageProblem(f"{said} belongs to --from.", "dctx init --from auto --dry-run")


def _example(asked: str | None) -> int:
    """The example of `dctx demo`, without the tour."""
    # It brings the store along, which a folder of one's own has no need of.
    from director_ctx.clients.demo.example import NAME, make_example

    folder = asked or NAME
    lacking = make_example(absolute(folder), in_line=True)
    if lacking:
        say(lacking)
    lines = [
        (f"Made {folder}: a small web app with a plan that is half done. To play with it:", "bold"),
        (f"  cd {folder}", ""),
        ("  dctx status", ""),
        ("  dctx assemble builder", ""),
    ]
    put_lines(lines)
    return OK


def _lines(folder: NewFolder, grown: bool) -> list[tuple[str, str]]:
    if not folder.made:
        return [("Nothing was missing; nothing was changed.", "bold")]

    if ".director/VISION.md" not in folder.made:
        heading = "Made what was missing:"
    elif grown:
        heading = "Made for a project with code (brownfield):"
    else:
        heading = "Made for a new project (greenfield):"

    lines = [(heading, "bold")]
    for path in folder.made:
        lines.append((f"  {path}", ""))
    if folder.kept:
        lines.append((f"Left as they were: {', '.join(folder.kept)}", "dim"))
    for text in _NEXT:
        lines.append((text, ""))
    return lines
