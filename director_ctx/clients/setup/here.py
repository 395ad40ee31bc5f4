"""Which project is set up, and what is here before anything is: git, code, clients, a folder."""

from __future__ import annotations

import os
import shutil

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.clients.parts.hooks import installations
from director_ctx.clients.program import is_here, user_folder
from director_ctx.clients.servers.places import PLACES, server_files
from director_ctx.clients.table import ALSO, CLIENTS
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

    from director_ctx.clients.servers.places import ServerPlace


class SetupPlace(Record):
    """What was seen."""

    root: str
    """Nothing where it is about every project."""
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
        return ", ".join(things) or ("an empty folder" if self.root else "no coding agent")


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


def look(root: str | None) -> SetupPlace:
    """What is in a project; where there is none, what of the user is everywhere."""
    used = [name for name in used_clients(root) if name in CLIENTS]
    with_hooks = {name for installed in installations(root) for name in installed.clients}
    connected = [name for name in used if name in with_hooks]
    place = SetupPlace("", False, False, False, tuple(used), tuple(connected))
    if root is None:
        return place
    return place.replace(
        root=root,
        folder=os.path.isdir(os.path.join(root, FOLDER)),
        git=repository(os.path.realpath(root)) is not None,
        code=looks_grown(root),
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


def used_clients(root: str | None) -> list[str]:
    """Those that seem to be used here: their program is on the PATH, or a folder or file of them is there."""
    return [place.client for place in PLACES.values() if _is_used(place, root)]


def _is_used(place: ServerPlace, root: str | None) -> bool:
    client = CLIENTS.get(place.client)
    on_path = shutil.which(place.program) is not None
    if client is None:
        return on_path or any(os.path.exists(file.path) for file in server_files(place, root))
    # Its folder in the home may be that of another client, which shares it.
    is_shared = not on_path and client.name == "vscode"
    return is_here(client, root) or (not is_shared and os.path.isdir(user_folder(client)))


def named_clients(root: str | None, named: Sequence[str], everywhere: bool) -> tuple[str, ...]:
    """Those that are named; `all` are those that are used here, or every one that there is."""
    names: list[str] = []
    for written in named:
        name = written.strip().casefold()
        name = ALSO.get(name, name)
        if name == "all":
            names += PLACES if everywhere else used_clients(root)
        elif name in PLACES:
            names.append(name)
        else:
            known = ", ".join((*PLACES, "all"))
            raise UsageProblem(f"There is no client {written!r}.", f"Clients: {known}")
    return tuple(dict.fromkeys(names))
