"""Skills: where they are, and what is in a SKILL.md. A project's come first, then the user's, then those that
dctx brings.
"""

from __future__ import annotations

import os
import re

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped, shipped
from director_ctx.base.secrets.file_names import is_secret
from director_ctx.base.system.yaml_file import parse_yaml
from director_ctx.base.text import OTHER_ENCODING, plain
from director_ctx.clients.skills.by_client import Shipped
from director_ctx.project.reading.locate import absolute, inside, locate
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

FILE = "SKILL.md"
LARGEST = 200_000
"""Bytes. A client reads the whole of a skill; nobody means to give it this much."""
MOST_NAMES = 50
_PEEK = 8_000
_HINT = "A skill is a text file, SKILL.md, in a folder of its name."
_OF_PROJECT = {"claude": ".claude", "agents": ".agents", "codex": ".codex", "copilot": ".github"}
_OF_USER = {
    "claude": (".claude", "CLAUDE_CONFIG_DIR"),
    "codex": (".codex", "CODEX_HOME"),
    "copilot": (".copilot", "COPILOT_HOME"),
    "agents": (".agents", ""),
}
"""In the home, and the environment variable that moves it."""
_FRONTMATTER = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.S | re.M)


class SkillFile(Record):
    """A skill's file that is there, not yet read."""

    name: str
    """The name of its folder: that is what a client calls it by."""
    source: str
    """Where it was found, in words."""
    path: str


class Skill(Record):
    """A SKILL.md: what stands above the line, and the body that an agent reads."""

    file: SkillFile
    text: str = ""
    about: Mapping[str, Any] = {}
    """The frontmatter; empty where it is broken, as the clients have it."""
    body: str = ""
    problem: str = ""
    """Why the frontmatter could not be read."""

    @property
    def description(self) -> str:
        """On one line."""
        return " ".join(str(self.about.get("description") or "").split())

    @property
    def names(self) -> tuple[str, ...]:
        """What its arguments are called, in order."""
        words = self.about.get("arguments")
        if isinstance(words, str):
            words = words.split()
        if not isinstance(words, list):
            return ()
        # A number is a place among the arguments, and no name.
        names = [word for word in words if isinstance(word, str) and word.strip()]
        # More of them would be looked for in its text for too long.
        return tuple(name for name in names if not name.isdigit())[:MOST_NAMES]


def skills_root(root: str | None) -> str:
    """The project's root; the current folder where there is none, because skills are there without
    one.
    """
    try:
        return locate(root=root)
    except DctxError:
        if root:
            raise
        return absolute(".")


def list_skills(root: str) -> tuple[SkillFile, ...]:
    """Every skill, the nearest first; a later one of the same name is never used by name."""
    folders = {f"project ({name})": os.path.join(root, top) for name, top in _OF_PROJECT.items()}
    home = os.path.expanduser("~")
    for name, (top, variable) in _OF_USER.items():
        folders[f"yours ({name})"] = os.environ.get(variable) or os.path.join(home, top)
    every: list[SkillFile] = []
    for source, top in folders.items():
        for file in _skills_in(os.path.join(top, "skills"), source):
            # What a repository brings may be a link to a file that only the user may read.
            if not source.startswith("project") or _is_skill_of(root, file.path):
                every.append(file)
    return (*every, *_skills_in(shipped("skills"), "dctx"))


def _skills_in(folder: str, source: str) -> Iterator[SkillFile]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name, FILE)
        if not name.startswith(".") and os.path.isfile(path):
            yield SkillFile(name, source, path)


def _is_skill_of(root: str, path: str) -> bool:
    """Whether it leads to a text of the project, and not to what only the user may read in it."""
    real, project = os.path.realpath(path), os.path.realpath(root)
    # Some disks do not tell capitals from small letters.
    below = real[len(project) :].replace(os.sep, "/").casefold()
    is_private = ".git" in below.split("/") or is_secret(below)
    return inside(real, project) and not is_private and below.endswith(".md")


def find_skill(name: str, root: str) -> SkillFile:
    """A path, or the first skill of that name."""
    if os.sep in name or "/" in name or name.endswith(".md"):
        path = absolute(name)
        if os.path.isdir(path):
            path = os.path.join(path, FILE)
        if os.path.islink(path) and inside(path, root) and not _is_skill_of(root, path):
            raise DctxError(
                f"{path} is a link to something that is no skill of this project.", _HINT
            )
        folder, file_name = os.path.split(path)
        called = os.path.basename(folder) if file_name == FILE else os.path.splitext(file_name)[0]
        return SkillFile(called, "a path", path)

    known = list_skills(root)
    for skill in known:
        if skill.name == name:
            return skill
    # The names are folders of the project, so they may hold anything.
    names = dict.fromkeys(plain(skill.name) for skill in known)
    hint = f"There are: {', '.join(names)}. A path works too."
    raise DctxError(f"There is no skill {name!r} here.", hint)


def read_skill(file: SkillFile) -> Skill:
    """The skill; a frontmatter that cannot be read is its `problem`."""
    text = _read_text(file.path)
    front, body = split(text)
    about: object = {}
    problem = "" if front is not None else "there is no frontmatter"
    try:
        # YAML takes a single word for a text, and nothing at all for nothing.
        about = parse_yaml(front or "", "the frontmatter")
    except DctxError as error:
        problem = error.message.rstrip(".")
    if not isinstance(about, dict):
        problem = problem or "the frontmatter is not a table"
        about = {}
    return Skill(file, text, {str(key): value for key, value in about.items()}, body, problem)


def split(text: str) -> tuple[str | None, str]:
    """The frontmatter as it is written (None where there is none), and the body."""
    match = _FRONTMATTER.match(text)
    if match is None:
        return None, text.lstrip()
    return match[1], text[match.end() :].lstrip()


def _read_text(path: str) -> str:
    try:
        document = read_document(path, path, LARGEST)
        with open(path, "rb") as file:
            start = file.read(_PEEK)
    except FileNotFoundError as error:
        raise DctxError(f"There is no {path}.", "`dctx skill` shows what is here.") from error
    except (Unreadable, OSError) as error:
        why = getattr(error, "strerror", None) or error
        raise DctxError(f"{path} cannot be read: {why}.", _HINT) from error
    if document.size > LARGEST:
        raise DctxError(f"{path} is larger than {LARGEST:,} bytes.", _HINT)
    # In another encoding than UTF-8 a text may have a NUL; a note says that it was read as that.
    if b"\0" in start and OTHER_ENCODING not in [note.kind for note in document.notes]:
        raise DctxError(f"{path} is not a text.", _HINT)
    return document.text


def shipped_skills() -> tuple[Shipped, ...]:
    """Those that dctx brings."""
    names = [file.name for file in _skills_in(shipped("skills"), "dctx")]
    return tuple(parse_shipped(read_shipped("skills", name, FILE)) for name in names)


def parse_shipped(text: str) -> Shipped:
    """Its frontmatter has one plain value a line, and needs no YAML."""
    front, body = split(text)
    values = dict(line.split(": ", 1) for line in (front or "").splitlines())
    return Shipped(values["name"], values["description"], body.strip("\n"))
