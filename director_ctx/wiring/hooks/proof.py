"""What a proof is, and the scratch copy of a project that proofs are made in."""

from __future__ import annotations

import os

from director_ctx.clients.entries import hook_entries
from director_ctx.clients.installed import installed
from director_ctx.clients.table import SPAWN, START
from director_ctx.context.hooks import Hooks, profile_of
from director_ctx.errors import DctxError
from director_ctx.folder.project import load_project
from director_ctx.outside.hook_log import read_log
from director_ctx.outside.scratch import copy_project
from director_ctx.record import Record
from director_ctx.wiring.assemble import assemble
from director_ctx.wiring.hooks.placement import program, target
from director_ctx.wiring.options import load_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.entries import Entries
    from director_ctx.clients.table import Client
    from director_ctx.context.assembly import Assembly
    from director_ctx.context.request import Settings
    from director_ctx.folder.project import Project

PROVEN, FAILED, NOTHING = "proven", "failed", "nothing"
PREFIX = "director-"
"""Of the types of agents that proofs spawn: a profile of that name is theirs unless the project says otherwise."""


class Proof(Record):
    """One proof: what came out, in a sentence, and what is to be known besides."""

    client: str
    name: str
    outcome: str
    verdict: str
    details: tuple[str, ...] = ()


class Scratch(Record):
    """A copy of a project, with a home beside it."""

    root: str
    home: str
    kind: str
    """The type of an agent that is given a context there."""
    context: Assembly
    """The context, as `dctx assemble` prints it there."""

    @property
    def project(self) -> Project:
        return load_project(root=self.root)

    @property
    def tells_sessions(self) -> bool:
        return _hooks(load_settings(self.project)).session

    @property
    def troubles(self) -> tuple[str, ...]:
        """What the hooks wrote down about themselves."""
        return tuple(f"hooks.log: {line}" for line in read_log(self.root)[-3:])


def make_scratch(root: str, into: str) -> Scratch:
    """Copies the project's `.director/`. Raises DctxError where no agent could be given anything."""
    there = os.path.join(os.path.realpath(into), "project")
    home = os.path.join(os.path.realpath(into), "home")
    os.makedirs(home)
    copy_project(root, there)
    project = load_project(root=there)
    settings = load_settings(project)
    why = ""
    for name in settings.profiles:
        if profile_of(PREFIX + name, _hooks(settings), settings.profiles) != name:
            continue
        try:
            return Scratch(there, home, PREFIX + name, assemble(project, name))
        except DctxError as error:
            why = why or error.message
    raise DctxError(f"No agent can be given a context in this project: {why or 'all types are set to none'}")


def _hooks(settings: Settings) -> Hooks:
    return settings.hooks or Hooks()


def profile_here(project: Project, kind: str) -> str:
    """What agents of a type are given in a project; an empty string for nothing."""
    settings = load_settings(project)
    return profile_of(kind, _hooks(settings), settings.profiles)


def all_entries(client: Client) -> Entries:
    """Every hook that can be installed for this client, those for a spawn and for a start alike."""
    return {**hook_entries(client, program(), START, True), **hook_entries(client, program(), SPAWN, True)}


def write_settings(client: Client, scratch: Scratch, at: str = SPAWN) -> None:
    """The settings that `dctx hooks install` would write, in the copy."""
    words = program()
    path = target(client, scratch.root, words)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(installed(None, client, hook_entries(client, words, at)))
