"""Reference documents: those to put into a context, and those to name by their path."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
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


def reference_paths(project: Project) -> list[str]:
    return [f"{FOLDER}/reference/{name}.md" for name in note_names(project, f"{FOLDER}/reference")]


def reference_parts(project: Project, profile: Profile, request: Request) -> list[Part]:
    """Documents that a profile or `--ref` puts into the context."""
    parts = []
    for name in profile.reference:
        path = reference_in_folder(project, name)
        if path:
            parts.append(Part(project.text(path), path, path))
    for name in request.ref:
        parts.append(named_reference(project, name))
    unique = {(part.path, part.text): part for part in parts if part.text.strip()}
    return list(unique.values())


def missing_references(project: Project, profile: Profile) -> tuple[str, ...]:
    """A word for each document that a profile names and nobody wrote."""
    missing = [name for name in profile.reference if not reference_in_folder(project, name)]
    return tuple(f"the profile of {profile.name} names {plain(name)}, which is not in {FOLDER}/" for name in missing)


def reference_in_folder(project: Project, name: str) -> str:
    """A document of `.director/reference/`, or elsewhere in `.director/`."""
    bare = name.removeprefix(f"{FOLDER}/")
    tries = (f"{FOLDER}/reference/{bare}", f"{FOLDER}/reference/{bare}.md", f"{FOLDER}/{bare}", f"{FOLDER}/{bare}.md")
    return next((path for path in tries if ".." not in path.split("/") and project.kind(path) == FILE), "")


def named_reference(project: Project, name: str) -> Part:
    """A file that the user named: one of the project's references, or any file they can read."""
    if path := reference_in_folder(project, name):
        return Part(project.text(path), path, path)
    location = absolute(name)
    try:
        text = read_document(location, name).text
    except (FileNotFoundError, Unreadable) as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else str(error)
        raise DctxError(f"--ref {name}: {why}.", "Name a file, or one of .director/reference/.") from error
    shown = plain(shown_path(project, location))
    return Part(text, shown, shown)


def shown_path(project: Project, location: str) -> str:
    """How a file is called in a context: by its path in the project, or by its name alone."""
    if not location.startswith(project.root + os.sep):
        return os.path.basename(location)
    return os.path.relpath(location, project.root).replace(os.sep, "/")
