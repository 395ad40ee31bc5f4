"""What the user agreed to in which project: their own record, kept where no project reaches.

A consent is for one thing in one project: a skill by its real path, anything else by its name. Its
mark is what was agreed to: a hash, or the words themselves.
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

    Consents = dict[str, dict[str, str]]


def place() -> str:
    return state_place("consents.json")


def consents_in(root: str) -> dict[str, str]:
    """The marks of everything that was agreed to in a project."""
    return _read(root).get(os.path.realpath(root), {})


def is_trusted(root: str, thing: str, mark: str) -> bool:
    """Whether exactly this was allowed in this project."""
    return bool(mark) and consents_in(root).get(thing) == mark


def was_trusted(root: str, thing: str) -> bool:
    """Whether it was allowed here, as it is now or as it once was."""
    return thing in consents_in(root)


def keep(root: str, marks: Mapping[str, str]) -> bool:
    """Writes consents down, or takes back those with an empty mark; False where that changes
    nothing.
    """
    from director_ctx.project.reading.lock import alone_in

    real = os.path.realpath(root)
    if inside(os.path.realpath(place()), real):
        raise DctxError(
            "Your own state folder is inside this project.",
            "Set XDG_STATE_HOME to a folder outside it.",
        )
    try:
        os.makedirs(os.path.dirname(place()), 0o700, exist_ok=True)
        with alone_in(os.path.dirname(place())):
            known = _read(root)
            before = known.get(real, {})
            after = {thing: mark for thing, mark in {**before, **marks}.items() if mark}
            if after == before:
                return False
            known[real] = after
            _write({project: mine for project, mine in known.items() if mine})
    except OSError as error:
        raise DctxError(
            f"Could not write {place()}: {error.strerror or error}.",
            "Set XDG_STATE_HOME elsewhere.",
        ) from error
    return True


def hand_on(root: str, copy: str, home: str) -> None:
    """Gives a copy of a project, with a home of its own, the consents of the original."""
    import json

    folder = os.path.join(home, ".local", "state", "dctx")
    os.makedirs(folder, 0o700, exist_ok=True)
    with open(os.path.join(folder, os.path.basename(place())), "w", encoding="utf-8") as file:
        json.dump({os.path.realpath(copy): consents_in(root)}, file)


def _read(root: str) -> Consents:
    """The record; an empty one where there is none, or where it lies inside the project that it is
    about.
    """
    if inside(os.path.realpath(place()), os.path.realpath(root)):
        return {}
    try:
        data = parse(read_document(place(), "").text)
    except (OSError, Unreadable, ValueError):
        return {}
    if not isinstance(data, dict):
        return {}
    return {project: mine for project, mine in data.items() if isinstance(mine, dict)}


def _write(consents: Consents) -> None:
    import json

    from director_ctx.base.system.write import write_whole

    write_whole(place(), (json.dumps(consents, indent=2) + "\n").encode())
    os.chmod(place(), 0o600)
