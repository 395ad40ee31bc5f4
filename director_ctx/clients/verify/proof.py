"""What a proof is, the scratch copy of a project that proofs are made in, and whether what is
installed can work.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.hooks.agents import given_to, hooks_of
from director_ctx.clients.hooks.installed import (
    TWICE,
    hooks_in_place,
    installations,
    is_safe,
    runs_twice,
)
from director_ctx.clients.hooks.switches import switched_off
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.settings_text import installed
from director_ctx.clients.table import SPAWN, START
from director_ctx.context.settings.consents import hand_on
from director_ctx.project.hook_log import read_log
from director_ctx.project.project import load_project
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.hooks.installed import Installation, Placed
    from director_ctx.clients.table import Client
    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project


LARGEST = 200_000_000


def copy_project(root: str, into: str) -> int:
    """Copies it; how many bytes that were. What is larger in all than LARGEST is left behind."""
    copied = 0
    top = os.path.join(root, FOLDER)
    for around, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name != ".dctx"]
        there = os.path.join(into, os.path.relpath(around, root))
        os.makedirs(there, exist_ok=True)
        for name in sorted(names):
            path = os.path.join(around, name)
            if (
                os.path.isfile(path)
                and not os.path.islink(path)
                and copied + os.path.getsize(path) < LARGEST
            ):
                copied += _copy(path, os.path.join(there, name))
    return copied


def _copy(path: str, there: str) -> int:
    from shutil import copyfile

    try:
        return os.path.getsize(copyfile(path, there))
    except OSError:
        return 0


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
    raise DctxError(
        f"No agent can be given a context in this project: {why or 'all types are set to none'}"
    )


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


NAME = "installation"
OFF = "DCTX_HOOKS=off: hooks answer with nothing."


def prove_installed(client: Client, root: str, off: bool) -> Proof:
    """What stands in the settings; nothing is run."""
    own = [one for one in installations(root) if one.client == client.name]
    faults = [*_faults(client, root, own), *([OFF] if off else [])]
    if faults:
        return Proof(
            client.name, NAME, FAILED, f"{client.title}, {NAME}: {faults[0]}", tuple(faults[1:])
        )
    said = "; ".join(
        "the plugin dctx brings the hooks" if one.plugin else _where(one) for one in own
    )
    return Proof(
        client.name, NAME, PROVEN, f"{client.title}, {NAME}: {said}.", tuple(_remarks(client, own))
    )


def skipped(client: Client) -> Proof:
    said = (
        f"{client.title} has no hooks of dctx here; skipped. `{to_install(client)}` installs them."
    )
    return Proof(client.name, NAME, NOTHING, said)


def to_install(client: Client) -> str:
    return "dctx hooks install" + (f" --client {client.name}" if client.name != "claude" else "")


def _where(one: Installation) -> str:
    return f"{one.path} calls {' '.join(one.command)}"


def _faults(client: Client, root: str, own: list[Installation]) -> Iterator[str]:
    if not own:
        yield f"No hooks of dctx are installed for {client.title} here; `{to_install(client)}` does that."
    for one in own:
        if one.problem:
            yield f"{one.path}: {one.problem}"
        elif not one.works:
            yield f"{_where(one)}, which is not there; `{to_install(client)}` brings it up to date."
    if any(one.problem for one in own):
        return
    if own and not waits_for_agents(client, own):
        yield f"None of them waits for a spawned agent; `{to_install(client)}` brings them up to date."
    if not all(is_safe(client, placed, root) for placed in hooks_in_place(client, root)):
        yield f"They do not call this dctx as it writes it: looked at, not run; `{to_install(client)}` mends that."
    if said := switched_off(client, root):
        yield said


def waits_for_agents(client: Client, own: Sequence[Installation]) -> bool:
    """Whether one of them is asked when an agent is spawned or starts."""
    return any(
        one.plugin or {SPAWN, START} & {client.events.get(event) for event in one.events}
        for one in own
    )


def _remarks(client: Client, own: list[Installation]) -> Iterator[str]:
    if not all(one.current for one in own):
        yield f"They are not what this version would install; `{to_install(client)}` brings them up to date."
    if runs_twice(own):
        yield TWICE
