"""`dctx tokens`: how many tokens files, folders or standard input have."""

from __future__ import annotations

import os
import sys
from stat import S_ISFIFO, S_ISREG

from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.base.record import as_dict
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.context.tokens.tree import (
    LARGEST_TEXT,
    Branch,
    CountedText,
    count_files,
    sorted_files,
    tree,
    with_depth,
)
from director_ctx.doors.cli.shared.output import is_on_screen, put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.project.reading.locate import locate
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.context.settings.budget import Counter

STDIN = "-"
MOST_SHOWN = 10


def run(values: dict[str, Any]) -> int:
    root = values["root"]
    project = ""
    try:
        project = locate(root=root)
    except DctxError:
        if root:
            raise
    count, counter = _choose_counter(values, project)
    paths = values["files"] or (_usual_path(project),)
    counted, skipped = count_files([path for path in paths if path != STDIN], count)
    if STDIN in paths:
        from director_ctx.doors.cli.shared.text_input import read_named

        text = read_named(STDIN, "tokens", LARGEST_TEXT)
        counted.append(CountedText(STDIN, count(text), len(text)))
    by_size = values["sort"] == "tokens"
    counted = sorted_files(counted, by_size)

    for file in skipped[:MOST_SHOWN]:
        say(f"warning: {file.path} was not counted: {file.why}")
    if len(skipped) > MOST_SHOWN:
        say(f"warning: {len(skipped) - MOST_SHOWN:,} more were not counted; --json lists them all")
    if skipped and not counted:
        raise DctxError(
            "There is nothing to count.",
            "Name text files, folders with some, or - for standard input.",
        )

    # A single file gives a bare number, for a script that reads it.
    single = len(paths) == 1 and not os.path.isdir(paths[0])
    branches = tree(counted, by_size) if values["tree"] else None
    if values["json"]:
        document = {
            "tokens": sum(file.tokens for file in counted),
            "counter": as_dict(counter),
            "files": [as_dict(file) for file in counted],
            "skipped": [as_dict(file) for file in skipped],
        }
        if branches is not None:
            document["tree"] = [branch.as_json() for branch in branches]
        put_json(document)
    elif single and branches is None and not is_on_screen():
        put(f"{counted[0].tokens}\n")
        say(f"counted by {counter.name}, {counter.says}")
    else:
        _put_table(counted, branches, counter)
    return FAILED if any(file.path in paths for file in skipped) else OK


def _put_table(
    counted: Sequence[CountedText], branches: Sequence[Branch] | None, counter: Counter
) -> None:
    # A script that wants a bare number needs no table.
    from director_ctx.doors.cli.shared.table import put_lines, put_table

    sizes = [(file.path, file.tokens) for file in counted]
    if branches is not None:
        # Every folder stands above what is in it, with its sum.
        sizes = []
        for depth, branch in with_depth(branches):
            name = branch.name + os.sep * branch.is_folder
            sizes.append((f"{'  ' * depth}{name}", branch.tokens))
    whole = sum(file.tokens for file in counted)
    rows = []
    for name, tokens in sizes:
        rows.append([name, f"{tokens:,}", f"{tokens / max(1, whole) * 100:.0f}%"])
    put_table(["/File", ">Tokens", ">Share"], rows, ["Total", f"{whole:,}", "100%"])
    put_lines([(f"Counted by {counter.name}, {counter.says}", "dim")])


def _usual_path(project: str) -> str:
    """The project's folder; without a project, what is piped in."""
    if project:
        return os.path.relpath(os.path.join(project, FOLDER))
    if not _is_piped():
        locate()
    return STDIN


def _choose_counter(values: dict[str, Any], root: str) -> tuple[Callable[[str], int], Counter]:
    """The project's own settings count wherever there is a project."""
    if not root or not os.path.lexists(os.path.join(root, FOLDER, "dctx.yaml")):
        return choose_counter(values["counter"], values["model"])

    # Files outside of any project are counted without all that a project needs.
    from director_ctx.context.settings.options import load_settings
    from director_ctx.project.project import Project

    settings = load_settings(Project(root))
    name = settings.counter if values["counter"] is None else values["counter"]
    return choose_counter(name, values["model"] or settings.model, settings.models)


def _is_piped() -> bool:
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return S_ISFIFO(mode) or S_ISREG(mode)
