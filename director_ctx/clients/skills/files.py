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
    called: str = ""
    """As the user named it."""


def skill_folders(root: str) -> tuple[tuple[str, str, bool], ...]:
    """Folders with skills, the nearest first: in words, where, and whether it is the project's."""
    home = os.path.expanduser("~")

    def of_user(variable: str, folder: str) -> str:
        base = os.environ.get(variable) or os.path.join(home, folder)
        return os.path.join(base, "skills")

    return (
        ("project (claude)", os.path.join(root, ".claude", "skills"), True),
        ("project (agents)", os.path.join(root, ".agents", "skills"), True),
        ("project (codex)", os.path.join(root, ".codex", "skills"), True),
        ("project (copilot)", os.path.join(root, ".github", "skills"), True),
        ("yours (claude)", of_user("CLAUDE_CONFIG_DIR", ".claude"), False),
        ("yours (codex)", of_user("CODEX_HOME", ".codex"), False),
        ("yours (copilot)", of_user("COPILOT_HOME", ".copilot"), False),
        ("yours (agents)", os.path.join(home, ".agents", "skills"), False),
        (SHIPPED, shipped("skills"), False),
    )


def list_skills(root: str) -> tuple[SkillFile, ...]:
    """Every skill, the nearest first; a later one of the same name is never used by name."""
    every: list[SkillFile] = []
    for source, folder, within in skill_folders(root):
        every += _listed(root, source, folder, within)
    return tuple(every)


def _listed(root: str, source: str, folder: str, within: bool) -> Iterator[SkillFile]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name, FILE)
        if name.startswith(".") or not os.path.isfile(path):
            continue
        if within and not _is_skill_of(root, path):
            continue
        yield SkillFile(name, source, path)


def _is_skill_of(root: str, path: str) -> bool:
    """Whether it leads to a text of the project, and not to what only the user may read in it."""
    real = os.path.realpath(path)
    project = os.path.realpath(root)
    if not inside(real, project):
        return False
    below = real[len(project) :].replace(os.sep, "/").casefold()
    is_in_git = ".git" in below.split("/")
    return below.endswith(".md") and not is_in_git and not is_secret(below)


def find_skill(name: str, root: str) -> SkillFile:
    """A path, or the first skill of that name."""
    if os.sep in name or "/" in name or name.endswith(".md"):
        return _at_path(name, root)
    known = list_skills(root)
    for skill in known:
        if skill.name == name:
            return skill.replace(called=name)

    names = ", ".join(dict.fromkeys(plain(skill.name) for skill in known))
    hint = "Name the path of its SKILL.md."
    if names:
        hint = f"There are: {names}. A path works too."
    raise DctxError(f"There is no skill {name!r} here.", hint)


def _at_path(named: str, root: str) -> SkillFile:
    path = absolute(named)
    if os.path.isdir(path):
        path = os.path.join(path, FILE)
    if os.path.islink(path) and inside(path, root) and not _is_skill_of(root, path):
        raise DctxError(f"{path} is a link to something that is no skill of this project.", _HINT)

    folder, file_name = os.path.split(path)
    if file_name == FILE:
        name = os.path.basename(folder)
    else:
        name, _ = os.path.splitext(file_name)
    return SkillFile(name, "a path", path, named)


def read_text(path: str) -> str:
    """A skill's file, as text."""
    try:
        document = read_document(path, path, LARGEST)
        with open(path, "rb") as file:
            start = file.read(_PEEK)
    except FileNotFoundError as error:
        raise DctxError(f"There is no {path}.", "`dctx skill list` shows what is here.") from error
    except (Unreadable, OSError) as error:
        why = getattr(error, "strerror", None) or error
        raise DctxError(f"{path} cannot be read: {why}.", _HINT) from error

    if document.size > LARGEST:
        raise DctxError(f"{path} is larger than {LARGEST:,} bytes.", _HINT)
    # In another encoding than UTF-8 a text may have a NUL; a note says that it was read as that.
    is_other_encoding = OTHER_ENCODING in [note.kind for note in document.notes]
    if b"\0" in start and not is_other_encoding:
        raise DctxError(f"{path} is not a text.", _HINT)
    return document.text


def shipped_names() -> tuple[str, ...]:
    base = shipped("skills")
    names: list[str] = []
    for name in sorted(os.listdir(base)):
        if os.path.isfile(os.path.join(base, name, FILE)):
            names.append(name)
    return tuple(names)


def shipped_skills(names: tuple[str, ...] = ()) -> tuple[Shipped, ...]:
    """Those of these names, with our prefix or without; all of them where none is named."""
    known = shipped_names()
    wanted = [name.strip().casefold().removeprefix("dctx-") for name in names]
    for name in wanted:
        if name not in known:
            raise UsageProblem(f"dctx brings no skill {name!r}.", "Skills: " + ", ".join(known))
    skills: list[Shipped] = []
    for name in dict.fromkeys(wanted or known):
        skills.append(parse_shipped(read_shipped("skills", name, FILE)))
    return tuple(skills)


def parse_shipped(text: str) -> Shipped:
    """Its frontmatter has one plain value a line, and needs no YAML."""
    front, body, _ = split(text)
    values: dict[str, str] = {}
    for line in (front or "").splitlines():
        key, value = line.split(": ", 1)
        values[key] = value
    return Shipped(values["name"], values["description"], body.strip("\n"))
