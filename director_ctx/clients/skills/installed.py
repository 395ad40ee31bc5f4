"""Which of dctx's skills are installed where, and whether they are as they should be."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.program import program, shown_path
from director_ctx.clients.skills.by_client import PLACES, installed_skill
from director_ctx.clients.skills.files import shipped_skills
from director_ctx.clients.skills.install import FOREIGN, plan_uninstall, skill_path
from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.table import Client

PROJECT, USER = "project", "user"


class InstalledSkills(Record):
    """Those of one client, in the project or for every project."""

    client: str
    scope: str
    folder: str
    count: int = 0
    older: int = 0
    """Those that an install would bring up to date."""
    changed: int = 0
    """Those that somebody changed."""
    problem: str = ""


def installed_skills(root: str | None) -> tuple[InstalledSkills, ...]:
    """Each folder once: several clients may look into the same."""
    scopes: list[str | None] = [None]
    if root is not None:
        scopes.insert(0, root)

    by_folder: dict[str, InstalledSkills] = {}
    for scope in scopes:
        for name in PLACES:
            installed = _of_client(CLIENTS[name], scope)
            if installed.count or installed.problem:
                by_folder.setdefault(installed.folder, installed)
    return tuple(by_folder.values())


def _of_client(client: Client, root: str | None) -> InstalledSkills:
    scope = PROJECT
    if root is None:
        scope = USER
    folder = shown_path(_folder(client, root), root)
    nothing = InstalledSkills(client.name, scope, folder)
    try:
        there = plan_uninstall(client, root, ())
    except DctxError as error:
        return nothing.replace(problem=error.message)
    if not there:
        return nothing

    wanted = _wanted(client, root)
    changed = 0
    older = 0
    for change in there:
        if change.what == FOREIGN:
            changed += 1
        elif change.before != wanted.get(change.path):
            older += 1
    return nothing.replace(count=len(there), older=older, changed=changed)


def _folder(client: Client, root: str | None) -> str:
    """The folder in which the client looks for skills."""
    before, _, _ = skill_path(client, root, "NAME").partition("NAME")
    # What stands before the name is a folder, or the beginning of the name in one.
    return os.path.dirname(before)


def _wanted(client: Client, root: str | None) -> dict[str, str]:
    """The text that each skill's file should have."""
    words = program()
    texts: dict[str, str] = {}
    for skill in shipped_skills():
        texts[skill_path(client, root, skill.name)] = installed_skill(skill, client.name, words)
    return texts
