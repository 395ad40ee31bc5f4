"""`dctx tokens`: how many tokens files, folders or standard input have."""

from __future__ import annotations

import os
import sys
from stat import S_ISFIFO, S_ISREG

from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.base.record import as_dict
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.context.tokens.folders import BY_PATH, Branch, sorted_files, tree, with_depth
from director_ctx.context.tokens.tree import LARGEST_TEXT, CountedText, Skipped, count_files
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
    count, counter = _choose_counter(values)
    paths = values["files"] or _default_paths(values["root"])
    counted, skipped = _count_paths(paths, count)
    sort = values["sort"] or BY_PATH
    counted = sorted_files(counted, sort)

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
    if values["json"]:
        branches = None
        if values["tree"]:
            branches = tree(counted, sort)
        _json(counted, skipped, counter, branches)
    elif single and not values["tree"] and not is_on_screen():
        put(f"{counted[0].tokens}\n")
        say(f"counted by {counter.name}, {counter.says}")
    else:
        sizes = [(file.path, file.tokens) for file in counted]
        if values["tree"]:
            sizes = _branches(tree(counted, sort))
        _table(sizes, counted, counter)

    for file in skipped:
        if file.path in paths:
            return FAILED
    return OK


def _choose_counter(values: dict[str, Any]) -> tuple[Callable[[str], int], Counter]:
    """The project's own settings count wherever there is a project."""
    try:
        root = locate(root=values["root"])
    except DctxError:
        if values["root"]:
            raise
        root = ""

    has_settings = root and os.path.lexists(os.path.join(root, FOLDER, "dctx.yaml"))
    if not has_settings:
        return choose_counter(values["counter"], values["model"])

    # Files outside of any project are counted without all that a project needs.
    from director_ctx.context.settings.options import load_settings
    from director_ctx.project.project import Project

    settings = load_settings(Project(root))
    name = values["counter"]
    if name is None:
        name = settings.counter
    model = values["model"] or settings.model
    return choose_counter(name, model, settings.models)


def _default_paths(root: str | None) -> Sequence[str]:
    """The project's folder; without a project, what is piped in."""
    try:
        project_root = locate(root=root)
    except DctxError:
        if root or not _is_piped():
            raise
        return (STDIN,)
    folder = os.path.join(project_root, FOLDER)
    return (os.path.relpath(folder),)


def _is_piped() -> bool:
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return S_ISFIFO(mode) or S_ISREG(mode)


def _count_paths(
    paths: Sequence[str], count: Callable[[str], int]
) -> tuple[list[CountedText], list[Skipped]]:
    files = [path for path in paths if path != STDIN]
    counted, skipped = count_files(files, count)
    if STDIN in paths:
        from director_ctx.doors.cli.shared.text_input import read_named

        text = read_named(STDIN, "tokens", LARGEST_TEXT)
        counted.append(CountedText(STDIN, count(text), len(text)))
    return counted, skipped


def _branches(branches: Sequence[Branch]) -> list[tuple[str, int]]:
    """Every folder above what is in it, with its sum."""
    sizes = []
    for depth, branch in with_depth(branches):
        name = branch.name
        if branch.is_folder:
            name += os.sep
        sizes.append((f"{'  ' * depth}{name}", branch.tokens))
    return sizes


def _table(
    sizes: Sequence[tuple[str, int]], counted: Sequence[CountedText], counter: Counter
) -> None:
    # A script that wants a bare number needs no table.
    from director_ctx.doors.cli.shared.table import put_lines, put_table

    whole = sum(file.tokens for file in counted)
    rows = []
    for name, tokens in sizes:
        share = tokens / max(1, whole)
        rows.append([name, f"{tokens:,}", f"{share * 100:.0f}%"])
    put_table(["/File", ">Tokens", ">Share"], rows, ["Total", f"{whole:,}", "100%"])
    put_lines([(f"Counted by {counter.name}, {counter.says}", "dim")])


def _json(
    counted: Sequence[CountedText],
    skipped: Sequence[Skipped],
    counter: Counter,
    branches: Sequence[Branch] | None,
) -> None:
    document = {
        "tokens": sum(file.tokens for file in counted),
        "counter": as_dict(counter),
        "files": [as_dict(file) for file in counted],
        "skipped": [as_dict(file) for file in skipped],
    }
    if branches is not None:
        document["tree"] = [branch.as_json() for branch in branches]
    put_json(document)
