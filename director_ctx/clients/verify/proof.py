"""What a proof is, and the scratch copy of a project that proofs are made in."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.hooks.agents import given_to, hooks_of
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.settings_text import installed
from director_ctx.clients.verify.scratch import copy_project
from director_ctx.context.settings.consents import hand_on
from director_ctx.project.hook_log import read_log
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.hooks.in_place import Placed
    from director_ctx.clients.table import Client
    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project

PROVEN, FAILED, NOTHING, SEEN = "proven", "failed", "nothing", "seen"
"""What comes out; what is only seen is neither proof nor failure."""


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
    original: str

    @property
    def project(self) -> Project:
        return _copy_of(self.original, self.root)

    @property
    def tells_sessions(self) -> bool:
        return hooks_of(self.project).session

    @property
    def troubles(self) -> tuple[str, ...]:
        """What the hooks wrote down about themselves."""
        return tuple(f"hooks.log: {line}" for line in read_log(self.root)[-3:])


def make_scratch(root: str, into: str, kinds: Sequence[str]) -> Scratch:
    """Copies the project's `.director/`, for the first of the types that is given a context there."""
    there = os.path.join(os.path.realpath(into), "project")
    home = os.path.join(os.path.realpath(into), "home")
    os.makedirs(home)
    copy_project(root, there)
    hand_on(root, there, home)
    project, why = _copy_of(root, there), ""
    for kind in kinds:
        given = given_to(project, kind)
        if given.context:
            return Scratch(there, home, kind, given.context, root)
        why = why or given.why
    raise DctxError(f"No agent can be given a context in this project: {why or 'all types are set to none'}")


def _copy_of(root: str, there: str) -> Project:
    """What the user agreed to holds in the copy, too."""
    project = load_project(root=there)
    project.agreed_in = root
    return project


def put_hooks(client: Client, scratch: Scratch, hooks: Sequence[Placed]) -> None:
    """Writes hooks into the copy and its home as they stand in the project and in the user's home."""
    for one in hooks:
        path = os.path.join(scratch.home if one.of_user else scratch.root, *one.path.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        text = installed(read_settings(path), client, one.entries)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
