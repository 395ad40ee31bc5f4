"""Where goals, steps and tasks came from that were taken over from another tool's plan: `.director/origins.json`.

It is committed, so that everybody follows the same source; it lies where anybody may write, so nothing it says is
shown or followed out of the project.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.light_json import parse
from director_ctx.project.reading.locate import inside
from director_ctx.project.taken import (
    ORIGINS,
    TITLES,
    ChangedPlan,
    TakenPlan,
    TakenUnit,
    mark_of,
    mark_of_names,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from director_ctx.project.project import Project

PATH = ORIGINS
LARGEST = 20_000_000
MOST_LOOKED_AT = 5_000


def taken_plans(project: Project) -> dict[str, TakenPlan]:
    """By the tool's name; nothing where nothing was taken over, or where the file makes no sense."""
    try:
        return read_taken(project)
    except DctxError:
        return {}


def read_taken(project: Project) -> dict[str, TakenPlan]:
    """The same for whoever writes it anew: what makes no sense may not be taken for nothing, because all would then
    be new.
    """
    if not os.path.lexists(project.location(PATH)):
        return {}
    try:
        sources = parse(project.text(PATH))["sources"]
        if set(sources) - set(TITLES):
            raise ValueError
        return {name: _plan(sources[name]) for name in TITLES if name in sources}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise DctxError(
            f"{PATH} cannot be read, so nobody knows what was taken over before.",
            "Mend it: git may have left a conflict in it, or a newer dctx wrote it.",
        ) from error


def _plan(data: Mapping[str, Any]) -> TakenPlan:
    units: dict[str, TakenUnit] = {}
    for key, (at, *rest) in data["units"].items():
        marks = rest[0] if rest else {}
        units[str(key)] = TakenUnit(str(at), _texts(marks))

    path = data.get("path")
    if path is not None:
        path = _own_path(str(path))
    return TakenPlan(
        path=path,
        file=str(data.get("file", "")),
        units=units,
        seen=_texts(data.get("seen", {})),
        unfinished=bool(data.get("unfinished")),
    )


def _texts(data: Mapping[str, Any]) -> dict[str, str]:
    return {str(name): str(value) for name, value in data.items()}


def _own_path(path: str) -> str | None:
    """A path below the root, or None for one that could lead away from it."""
    parts = path.split("/")
    leads_away = path.startswith(("/", "~")) or ".." in parts
    if leads_away or "\\" in path or "\0" in path or ":" in parts[0]:
        return None
    return path


def changed_plans(project: Project, quick: bool = False) -> list[ChangedPlan]:
    """The sources that have changed since. With `quick` only files are read that are newer than what was written
    down of them; after a checkout that may miss one.
    """
    try:
        since = os.stat(project.location(PATH)).st_mtime
    except OSError:
        return []
    if not quick:
        since = 0.0
    changed: list[ChangedPlan] = []
    for name, plan in taken_plans(project).items():
        paths = tuple(_changed(project.root, plan, since))
        if paths:
            changed.append(ChangedPlan(name, paths))
    return changed


def _changed(root: str, plan: TakenPlan, since: float) -> Iterator[str]:
    if plan.path is None:
        return
    base = root
    if plan.path:
        base = os.path.join(root, *plan.path.split("/"))
    real = os.path.realpath(base)
    if not inside(real, os.path.realpath(root)):
        return
    for path, mark in list(plan.seen.items())[:MOST_LOOKED_AT]:
        if _own_path(path) is not None and _is_other(real, path, mark, since):
            yield path


def _is_other(base: str, path: str, mark: str, since: float) -> bool:
    """Whether something looks or reads otherwise now; `folder/` is a listing."""
    location = os.path.realpath(os.path.join(base, *path.split("/")))
    if not inside(location, base):
        return False
    try:
        newest = os.stat(location).st_mtime
    except OSError:
        return mark != ""
    # As old as what was written down of it, and read then.
    if mark and newest < since:
        return False
    return mark_at(location, path) != mark


def mark_at(location: str, path: str) -> str:
    """The mark of a file or a listing as it is now; empty where there is none."""
    from director_ctx.project.reading.read import Unreadable, read_document

    try:
        if path.endswith("/") or not path:
            return mark_of_names(names_at(location))
        return mark_of(read_document(location, path, LARGEST).text)
    except (OSError, Unreadable):
        return ""


def names_at(location: str) -> dict[str, str]:
    """What is in a folder: names with `file` or `folder`, also of what links lead to."""
    names: dict[str, str] = {}
    with os.scandir(location) as entries:
        for entry in entries:
            if entry.is_dir():
                names[entry.name] = "folder"
            elif entry.is_file():
                names[entry.name] = "file"
    return names
