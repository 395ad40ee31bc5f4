"""Which project is set up, and what is here before anything is: git, code, clients, a folder."""

from __future__ import annotations

import os
import shutil

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.hooks.installed import installations
from director_ctx.clients.program import clients_named, is_here, user_folder
from director_ctx.clients.table import CLIENTS
from director_ctx.other_plans.find import found_plans
from director_ctx.other_plans.source import PlanSource
from director_ctx.project.git.repository import repository
from director_ctx.project.origins import taken_plans
from director_ctx.project.project import Project
from director_ctx.project.reading.locate import absolute, locate
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.reading.search import nearest
from director_ctx.project.taken import TITLES
from director_ctx.upkeep.init import looks_grown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from director_ctx.clients.table import Client


class SetupPlace(Record):
    """What was seen."""

    root: str
    folder: bool
    """Whether there is a `.director/`."""
    git: bool
    code: bool
    clients: tuple[str, ...]
    """Names of those that are installed, or configured for the user or for this project,"""
    connected: tuple[str, ...]
    """and of those that have hooks of dctx here."""
    plans: tuple[str, ...] = ()
    """Names of tools that have a plan here which was not taken over yet."""

    @property
    def says(self) -> str:
        """In a few words."""
        things: list[str] = []
        if self.git:
            things.append("git")
        if self.code:
            things.append("code")
        for name in self.clients:
            things.append(CLIENTS[name].title)
        for name in self.plans:
            things.append(f"a plan of {TITLES[name]}")
        if self.folder:
            things.append(f"{FOLDER}/")
        return ", ".join(things) or "an empty folder"


def chosen_root(named: str | None) -> str:
    """The project that is named, the one around this folder, or this folder, to become one."""
    if named:
        root = absolute(named)
        if not os.path.isdir(root):
            raise DctxError(f"There is no folder {named}.", "Make it first, or name another.")
        return root

    root = absolute(".")
    if os.environ.get("DCTX_ROOT") or nearest(root):
        return locate()
    if os.path.realpath(root) == os.path.realpath(os.path.expanduser("~")):
        raise DctxError(
            "This is your home folder, and no project.",
            "Change into the folder of a project, or name it with --root.",
        )
    return root


def look(root: str) -> SetupPlace:
    used: list[str] = []
    for client in CLIENTS.values():
        if _is_used(client, root):
            used.append(client.name)
    with_hooks = {installation.client for installation in installations(root)}
    connected = [name for name in used if name in with_hooks]

    folder = os.path.join(root, FOLDER)
    return SetupPlace(
        root=root,
        folder=os.path.isdir(folder),
        git=repository(os.path.realpath(root)) is not None,
        code=looks_grown(root),
        clients=tuple(used),
        connected=tuple(connected),
        plans=tuple(waiting_plans(root) or _lists(root)),
    )


def waiting_plans(root: str) -> list[str]:
    """Names of tools that have a plan here which was not taken over yet."""
    taken: Container[str] = ()
    if os.path.isdir(os.path.join(root, FOLDER)):
        taken = taken_plans(Project(root))
    return [plan.format.name for plan in found_plans(root) if plan.format.name not in taken]


def _lists(root: str) -> Iterator[str]:
    """Lists of things to do, which say little by their names, where nothing else is planned."""
    project = Project(root)
    if project.goals() or taken_plans(project):
        return
    for plan in found_plans(root, loose=True):
        try:
            goals = plan.format.read(PlanSource(root)).goals if plan.format.loose else ()
        except DctxError:
            # Whoever takes it over is told.
            continue
        if any(goal.steps for goal in goals):
            yield plan.format.name


def _is_used(client: Client, root: str) -> bool:
    if is_here(client, root):
        return True
    # Its folder in the home may be that of another client, which shares it.
    is_shared = shutil.which(client.program) is None and client.name == "vscode"
    return not is_shared and os.path.isdir(user_folder(client))


def named_clients(here: SetupPlace, named: Sequence[str]) -> tuple[str, ...]:
    """Those that are named; `all` are those that are here."""
    names: list[str] = []
    for name in named:
        if name == "all":
            names += here.clients
            continue
        for client in clients_named(name):
            names.append(client.name)
    return tuple(dict.fromkeys(names))
