"""Where skills are, and what is in them: a project's, the user's, and those that dctx brings."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped, shipped
from director_ctx.base.secrets.file_names import is_secret
from director_ctx.base.text import OTHER_ENCODING, plain
from director_ctx.clients.skills.by_client import Shipped
from director_ctx.clients.skills.skill import split
from director_ctx.project.reading.locate import absolute, inside
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


FILE = "SKILL.md"
SHIPPED = "dctx"
LARGEST = 200_000
"""Bytes. A client reads the whole of a skill; nobody means to give it this much."""
_PEEK = 8_000
_HINT = "A skill is a text file, SKILL.md, in a folder of its name."


class SkillFile(Record):
    """A skill's file that is there, not yet read."""

    name: str
    source: str
    path: str


_OF_PROJECT = {
    "project (claude)": ".claude",
    "project (agents)": ".agents",
    "project (codex)": ".codex",
    "project (copilot)": ".github",
}
_OF_USER = {
    "yours (claude)": (".claude", "CLAUDE_CONFIG_DIR"),
    "yours (codex)": (".codex", "CODEX_HOME"),
    "yours (copilot)": (".copilot", "COPILOT_HOME"),
    "yours (agents)": (".agents", ""),
}
"""In the home, and the environment variable that moves it."""


class SkillsFolder(Record):
    """A folder whose folders are skills."""

    source: str
    """What it is called in lists."""
    path: str
    of_project: bool
    """Whether what is in it came with the project, and not from the user."""


def skill_folders(root: str) -> tuple[SkillsFolder, ...]:
    """Where skills may be, the nearest first."""
    folders: list[SkillsFolder] = []
    for source, name in _OF_PROJECT.items():
        path = os.path.join(root, name, "skills")
        folders.append(SkillsFolder(source, path, True))

    home = os.path.expanduser("~")
    for source, (name, variable) in _OF_USER.items():
        moved = os.environ.get(variable)
        base = moved or os.path.join(home, name)
        path = os.path.join(base, "skills")
        folders.append(SkillsFolder(source, path, False))

    ours = shipped("skills")
    folders.append(SkillsFolder(SHIPPED, ours, False))
    return tuple(folders)


def list_skills(root: str) -> tuple[SkillFile, ...]:
    """Every skill, the nearest first; a later one of the same name is never used by name."""
    every: list[SkillFile] = []
    for folder in skill_folders(root):
        every += _skills_in(folder, root)
    return tuple(every)


def _skills_in(folder: SkillsFolder, root: str) -> Iterator[SkillFile]:
    try:
        names = sorted(os.listdir(folder.path))
    except OSError:
        return
    for name in names:
        path = os.path.join(folder.path, name, FILE)
        if name.startswith(".") or not os.path.isfile(path):
            continue
        # What a repository brings may be a link to a file that only the user may read.
        if folder.of_project and not _is_skill_of(root, path):
            continue
        yield SkillFile(name, folder.source, path)


def _is_skill_of(root: str, path: str) -> bool:
    """Whether it leads to a text of the project, and not to what only the user may read in it."""
    real = os.path.realpath(path)
    project = os.path.realpath(root)
    if not inside(real, project):
        return False
    # Some disks do not tell capitals from small letters.
    below = real[len(project) :].replace(os.sep, "/").casefold()
    is_in_git = ".git" in below.split("/")
    if is_in_git or is_secret(below):
        return False
    return below.endswith(".md")


def find_skill(name: str, root: str) -> SkillFile:
    """A path, or the first skill of that name."""
    is_path = os.sep in name or "/" in name
    if is_path or name.endswith(".md"):
        return _at_path(name, root)
    known = list_skills(root)
    for skill in known:
        if skill.name == name:
            return skill

    # The names are folders of the project, so they may hold anything.
    names = dict.fromkeys(plain(skill.name) for skill in known)
    hint = "Name the path of its SKILL.md."
    if names:
        hint = f"There are: {', '.join(names)}. A path works too."
    raise DctxError(f"There is no skill {name!r} here.", hint)


def _at_path(named: str, root: str) -> SkillFile:
    path = absolute(named)
    if os.path.isdir(path):
        path = os.path.join(path, FILE)
    is_link_of_project = os.path.islink(path) and inside(path, root)
    if is_link_of_project and not _is_skill_of(root, path):
        raise DctxError(f"{path} is a link to something that is no skill of this project.", _HINT)

    folder, file_name = os.path.split(path)
    if file_name == FILE:
        name = os.path.basename(folder)
    else:
        name, _ = os.path.splitext(file_name)
    return SkillFile(name, "a path", path)


def read_text(path: str) -> str:
    """A skill's file, as text."""
    try:
        document = read_document(path, path, LARGEST)
        with open(path, "rb") as file:
            start = file.read(_PEEK)
    except FileNotFoundError as error:
        raise DctxError(f"There is no {path}.", "`dctx skill list` shows what is here.") from error
    except (Unreadable, OSError) as error:
        raise DctxError(f"{path} cannot be read: {_reason(error)}.", _HINT) from error

    if document.size > LARGEST:
        raise DctxError(f"{path} is larger than {LARGEST:,} bytes.", _HINT)
    # In another encoding than UTF-8 a text may have a NUL; a note says that it was read as that.
    is_other_encoding = OTHER_ENCODING in [note.kind for note in document.notes]
    if b"\0" in start and not is_other_encoding:
        raise DctxError(f"{path} is not a text.", _HINT)
    return document.text


def _reason(error: Unreadable | OSError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)


def shipped_names() -> tuple[str, ...]:
    base = shipped("skills")
    names: list[str] = []
    for name in sorted(os.listdir(base)):
        path = os.path.join(base, name, FILE)
        if os.path.isfile(path):
            names.append(name)
    return tuple(names)


def shipped_named(names: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Those of these names, with our prefix or without; all of them where none is named."""
    known = shipped_names()
    asked: list[str] = []
    for written in names:
        name = written.strip().casefold().removeprefix("dctx-")
        if name not in known:
            hint = f"Skills: {', '.join(known)}"
            raise UsageProblem(f"dctx brings no skill {name!r}.", hint)
        asked.append(name)
    return tuple(dict.fromkeys(asked or known))


def shipped_skills(names: tuple[str, ...] = ()) -> tuple[Shipped, ...]:
    skills: list[Shipped] = []
    for name in shipped_named(names):
        text = read_shipped("skills", name, FILE)
        skills.append(parse_shipped(text))
    return tuple(skills)


def parse_shipped(text: str) -> Shipped:
    """Its frontmatter has one plain value a line, and needs no YAML."""
    front, body, _ = split(text)
    values: dict[str, str] = {}
    for line in (front or "").splitlines():
        key, value = line.split(": ", 1)
        values[key] = value
    name = values["name"]
    description = values["description"]
    return Shipped(name, description, body.strip("\n"))
