"""What the user agreed to in which project: their own record, kept where no project reaches.

A consent is for one thing in one project, by its name. Its mark is what was agreed to: a hash, or the
words themselves.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.light_json import parse
from director_ctx.base.system.user_folders import state_place
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    Consents = dict[str, dict[str, str]]
    Value = TypeVar("Value", str, dict[str, str])


def record_path() -> str:
    return state_place("consents.json")


def consents_in(root: str) -> dict[str, str]:
    """The marks of everything that was agreed to in a project."""
    return _read(root).get(os.path.realpath(root), {})


def is_trusted(root: str, thing: str, mark: str) -> bool:
    """Whether exactly this was allowed in this project."""
    return bool(mark) and consents_in(root).get(thing) == mark


def keep(root: str, marks: Mapping[str, str]) -> bool:
    """Writes consents down, or takes back those with an empty mark; False where that changes
    nothing.
    """
    from director_ctx.project.reading.lock import alone_in

    project = os.path.realpath(root)
    # A record inside the project would come with the repository, and agree to itself.
    if inside(os.path.realpath(record_path()), project):
        raise DctxError(
            "Your own state folder is inside this project.",
            "Set XDG_STATE_HOME to a folder outside it.",
        )

    folder = os.path.dirname(record_path())
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        # Alone, because another process may write the consents of another project meanwhile.
        with alone_in(folder):
            known = _read(root)
            before = known.get(project, {})
            after = _without_empty({**before, **marks})
            if after == before:
                return False
            known[project] = after
            _write(_without_empty(known))
    except OSError as error:
        raise DctxError(
            f"Could not write {record_path()}: {error.strerror or error}.",
            "Set XDG_STATE_HOME elsewhere.",
        ) from error
    return True


def _without_empty(values: Mapping[str, Value]) -> dict[str, Value]:
    return {key: value for key, value in values.items() if value}


def hand_on(root: str, copy: str, home: str) -> None:
    """Gives a copy of a project, with a home of its own, the consents of the original."""
    import json

    folder = os.path.join(home, ".local", "state", "dctx")
    os.makedirs(folder, 0o700, exist_ok=True)
    name = os.path.basename(record_path())
    consents = {os.path.realpath(copy): consents_in(root)}
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(consents, file)


def _read(root: str) -> Consents:
    """The record; an empty one where there is none, or where it lies inside the project that it is
    about.
    """
    path = record_path()
    if inside(os.path.realpath(path), os.path.realpath(root)):
        return {}
    try:
        document = read_document(path, "")
        data = parse(document.text)
    except (OSError, Unreadable, ValueError):
        return {}
    if not isinstance(data, dict):
        return {}

    consents: Consents = {}
    for project, marks in data.items():
        if isinstance(marks, dict):
            consents[project] = marks
    return consents


def _write(consents: Consents) -> None:
    import json

    from director_ctx.base.system.write import write_whole

    path = record_path()
    text = json.dumps(consents, indent=2) + "\n"
    write_whole(path, text.encode())
    # Which projects somebody trusts is nobody else's to read.
    os.chmod(path, 0o600)
