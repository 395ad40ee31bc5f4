"""Reference documents: those to put into a context, and those to name by their path."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.sections import Part
from director_ctx.project.project import FILE, Project, note_names
from director_ctx.project.reading.locate import absolute
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Request


class References(Record):
    """The reference documents of one context."""

    parts: tuple[Part, ...]
    """Those that stand in it."""
    paths: tuple[str, ...]
    """All that the folder has."""
    missing: tuple[str, ...]
    """A word for each that a profile names and nobody wrote."""

    @property
    def others(self) -> tuple[str, ...]:
        """Those of the folder that are only named."""
        in_context = {part.path for part in self.parts}
        return tuple(path for path in self.paths if path not in in_context)


def find_references(project: Project, profile: Profile, request: Request) -> References:
    """Documents that a profile or `--ref` puts into the context, and all of the folder."""
    parts = []
    missing = []
    for name in profile.reference:
        path = _in_folder(project, name)
        if path:
            parts.append(Part(project.text(path), path, path))
        else:
            said = f"names {plain(name)}, which is not in {FOLDER}/"
            missing.append(f"the profile of {profile.name} {said}")
    parts += [_named(project, name) for name in request.ref]

    # Each once, and none that says nothing.
    unique = {(part.path, part.text): part for part in parts if part.text.strip()}
    folder = f"{FOLDER}/reference"
    paths = tuple(f"{folder}/{name}.md" for name in note_names(project, folder))
    return References(tuple(unique.values()), paths, tuple(missing))


def _in_folder(project: Project, name: str) -> str:
    """A document of `.director/reference/`, or elsewhere in `.director/`."""
    bare = name.removeprefix(f"{FOLDER}/")
    for start in (f"{FOLDER}/reference/{bare}", f"{FOLDER}/{bare}"):
        for path in (start, f"{start}.md"):
            if ".." not in path.split("/") and project.kind(path) == FILE:
                return path
    return ""


def _named(project: Project, name: str) -> Part:
    """A file that the user named: one of the project's references, or any file they can read."""
    path = _in_folder(project, name)
    if path:
        return Part(project.text(path), path, path)

    location = absolute(name)
    try:
        text = read_document(location, name).text
    except (FileNotFoundError, Unreadable) as error:
        why = error if isinstance(error, Unreadable) else "there is no such file"
        hint = "Name a file, or one of .director/reference/."
        raise DctxError(f"--ref {name}: {why}.", hint) from error
    # By its path in the project, or by its name alone.
    shown = os.path.basename(location)
    if location.startswith(project.root + os.sep):
        shown = os.path.relpath(location, project.root).replace(os.sep, "/")
    return Part(text, plain(shown), plain(shown))
