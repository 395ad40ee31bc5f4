"""Makes a `.director/` folder, or completes one. What is there already stays as it is."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.resources import shipped
from director_ctx.base.system.write import create_whole
from director_ctx.project.code_files import has_code
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDERS = ("brainstorms", "goals", "reference")
CODE_SIGNS = (
    "package.json", "pyproject.toml", "requirements.txt", "setup.py", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
    "Gemfile", "composer.json", "mix.exs", "Package.swift", "CMakeLists.txt", "Makefile", "src", "app", "lib",
)  # fmt: skip


PLAIN_LANGUAGE = "reference/plain-language-guide.md"
"""For a project whose owner does not program: nothing in a folder tells that, so it is asked for."""


def template_files(grown: bool, plain_language: bool = False) -> dict[str, bytes]:
    """The shipped templates, by their place in the folder."""
    base = shipped("templates", "director")
    vision = "VISION.greenfield.md"
    if grown:
        vision = "VISION.brownfield.md"

    files = {"VISION.md": _bytes_of(os.path.join(base, vision))}
    for folder, _, names in sorted(os.walk(base)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            below = os.path.relpath(path, base)
            place = below.replace(os.sep, "/")
            is_asked_for = plain_language or place != PLAIN_LANGUAGE
            if is_asked_for and not place.startswith("VISION."):
                files[place] = _bytes_of(path)
    return files


def _bytes_of(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


class NewFolder(Record):
    """What was made, and what was there before; paths relative to the root."""

    made: tuple[str, ...]
    kept: tuple[str, ...]


def looks_grown(root: str) -> bool:
    """Whether there is code already: a manifest, a folder that usually holds sources, or source
    files that are more than a first try.
    """
    for name in CODE_SIGNS:
        if os.path.exists(os.path.join(root, name)):
            return True
    return has_code(root)


def root_above(root: str) -> str:
    """The nearest folder above that has a `.director/` of its own, if any."""
    here = os.path.dirname(os.path.abspath(root))
    while True:
        if os.path.isdir(os.path.join(here, FOLDER)):
            return here
        parent = os.path.dirname(here)
        if parent == here:
            return ""
        here = parent


def make_folder(root: str, files: Mapping[str, bytes]) -> NewFolder:
    """Creates the folders and those of the files that are missing."""
    base = os.path.join(root, FOLDER)
    made: list[str] = []
    kept: list[str] = []
    for path in ["", *FOLDERS]:
        _folder(root, base, path, made)
    for path, data in files.items():
        location = os.path.join(base, *path.split("/"))
        try:
            created = create_whole(location, data)
        except OSError as error:
            raise DctxError(
                f"Could not write {FOLDER}/{path}: {error.strerror or error}.",
                "What was made so far is whole; run the command again when the folder can be written.",
            ) from error
        if created:
            made.append(f"{FOLDER}/{path}")
        else:
            kept.append(f"{FOLDER}/{path}")
    return NewFolder(tuple(made), tuple(kept))


def _folder(
    root: str,
    base: str,
    path: str,
    made: list[str],
) -> None:
    location = base
    shown = f"{FOLDER}/"
    if path:
        location = os.path.join(base, path)
        shown = f"{FOLDER}/{path}"

    if os.path.lexists(location):
        if not os.path.isdir(location):
            raise DctxError(
                f"{shown} is a file where a folder should be.",
                "Move it away and run the command again.",
            )
        # A repository may bring a link, and what is written there would land elsewhere.
        if not inside(os.path.realpath(location), os.path.realpath(root)):
            raise DctxError(
                f"{shown} is a link that leaves the project.",
                "Remove the link and run the command again.",
            )
        return
    try:
        os.makedirs(location, exist_ok=True)
    except OSError as error:
        raise DctxError(
            f"Could not make {shown}: {error.strerror or error}.",
            "Check that the folder can be written.",
        ) from error
    if path:
        made.append(f"{shown}/")
