"""Where skills are, and what is in them: a project's, the user's, and those that dctx brings."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped, shipped
from director_ctx.base.secrets.file_names import is_secret
from director_ctx.base.text import plain
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


class Found(Record):
    """A skill's file that is there, not yet read."""

    name: str
    source: str
    path: str
    called: str = ""
    """As the user named it."""


def skill_folders(root: str) -> tuple[tuple[str, str, bool], ...]:
    """Folders with skills, the nearest first: in words, where, and whether it is the project's."""
    home = os.path.expanduser("~")
    own = (
        ("claude", "CLAUDE_CONFIG_DIR", ".claude"),
        ("codex", "CODEX_HOME", ".codex"),
        ("copilot", "COPILOT_HOME", ".copilot"),
    )
    yours = [
        (
            f"yours ({client})",
            os.path.join(os.environ.get(name) or os.path.join(home, folder), "skills"),
            False,
        )
        for client, name, folder in own
    ]
    return (
        ("project (claude)", os.path.join(root, ".claude", "skills"), True),
        ("project (agents)", os.path.join(root, ".agents", "skills"), True),
        ("project (codex)", os.path.join(root, ".codex", "skills"), True),
        ("project (copilot)", os.path.join(root, ".github", "skills"), True),
        *yours,
        ("yours (agents)", os.path.join(home, ".agents", "skills"), False),
        (SHIPPED, shipped("skills"), False),
    )


def list_skills(root: str) -> tuple[Found, ...]:
    """Every skill, the nearest first; a later one of the same name is never used by name."""
    return tuple(found for folder in skill_folders(root) for found in _listed(root, *folder))


def _listed(root: str, source: str, folder: str, within: bool) -> Iterator[Found]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name, FILE)
        if (
            not name.startswith(".")
            and os.path.isfile(path)
            and (not within or _is_skill_of(root, path))
        ):
            yield Found(name, source, path)


def _is_skill_of(root: str, path: str) -> bool:
    """Whether it leads to a text of the project, and not to what only the user may read in it."""
    real, project = os.path.realpath(path), os.path.realpath(root)
    below = real[len(project) :].replace(os.sep, "/").casefold()
    return (
        inside(real, project)
        and below.endswith(".md")
        and not is_secret(below)
        and ".git" not in below.split("/")
    )


def find_skill(name: str, root: str) -> Found:
    """A path, or the first skill of that name."""
    if os.sep in name or "/" in name or name.endswith(".md"):
        path = absolute(name)
        path = os.path.join(path, FILE) if os.path.isdir(path) else path
        if os.path.islink(path) and inside(path, root) and not _is_skill_of(root, path):
            raise DctxError(
                f"{path} is a link to something that is no skill of this project.", _HINT
            )
        own = os.path.basename(path) == FILE
        stem = (
            os.path.basename(os.path.dirname(path))
            if own
            else os.path.splitext(os.path.basename(path))[0]
        )
        return Found(stem, "a path", path, name)
    known = list_skills(root)
    for found in known:
        if found.name == name:
            return found.replace(called=name)
    names = ", ".join(dict.fromkeys(plain(found.name) for found in known))
    raise DctxError(
        f"There is no skill {name!r} here.",
        f"There are: {names}. A path works too." if names else "Name the path of its SKILL.md.",
    )


def read_text(path: str) -> str:
    """A skill's file, as text."""
    try:
        document = read_document(path, path, LARGEST)
        with open(path, "rb") as file:
            binary = b"\0" in file.read(_PEEK) and not any(
                note.startswith("read as") for note in document.notes
            )
    except FileNotFoundError as error:
        raise DctxError(f"There is no {path}.", "`dctx skill list` shows what is here.") from error
    except (Unreadable, OSError) as error:
        raise DctxError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.", _HINT
        ) from error
    if document.size > LARGEST:
        raise DctxError(f"{path} is larger than {LARGEST:,} bytes.", _HINT)
    if binary:
        raise DctxError(f"{path} is not a text.", _HINT)
    return document.text


def shipped_names() -> tuple[str, ...]:
    base = shipped("skills")
    return tuple(
        sorted(
            name
            for name in os.listdir(base)
            if os.path.isfile(os.path.join(base, name, "SKILL.md"))
        )
    )


def shipped_skills(names: tuple[str, ...] = ()) -> tuple[Shipped, ...]:
    """Those of these names, with our prefix or without; all of them where none is named."""
    known = shipped_names()
    wanted = (
        tuple(dict.fromkeys(name.strip().casefold().removeprefix("dctx-") for name in names))
        or known
    )
    for name in wanted:
        if name not in known:
            raise UsageProblem(f"dctx brings no skill {name!r}.", "Skills: " + ", ".join(known))
    return tuple(parse_shipped(read_shipped("skills", name, "SKILL.md")) for name in wanted)


def parse_shipped(text: str) -> Shipped:
    """Its frontmatter has one plain value a line, and needs no YAML."""
    front, body, _ = split(text)
    values = dict(line.split(": ", 1) for line in (front or "").splitlines())
    return Shipped(values["name"], values["description"], body.strip("\n"))
