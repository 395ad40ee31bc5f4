"""What a proof is, the scratch copy of a project that proofs are made in, and whether what is
installed can work.
"""

from __future__ import annotations

import os
from shutil import copyfile

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.hooks.agents import context_for, hooks_of
from director_ctx.clients.hooks.installed import (
    TWICE,
    installations,
    installed_hooks,
    is_safe,
    runs_twice,
)
from director_ctx.clients.hooks.switches import switched_off
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.settings_text import with_entries
from director_ctx.clients.table import PROMPT, SPAWN, START
from director_ctx.context.settings.consents import hand_on
from director_ctx.project.hook_log import read_log
from director_ctx.project.project import load_project
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.hooks.installed import HooksInFile, Installation
    from director_ctx.clients.table import Client
    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project


LARGEST = 200_000_000


def copy_project(root: str, into: str) -> int:
    """Copies it; how many bytes that were. What is larger in all than LARGEST is left behind."""
    copied = 0
    top = os.path.join(root, FOLDER)
    for folder, subfolders, names in os.walk(top):
        # What is kept between runs is no part of the plan.
        if ".dctx" in subfolders:
            subfolders.remove(".dctx")
        below = os.path.relpath(folder, root)
        target = os.path.join(into, below)
        os.makedirs(target, exist_ok=True)
        for name in sorted(names):
            path = os.path.join(folder, name)
            # A link could lead to anything, and nothing hangs on a pipe.
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            size = os.path.getsize(path)
            if copied + size < LARGEST:
                copied += _copy(path, os.path.join(target, name))
    return copied


def _copy(path: str, target: str) -> int:
    try:
        copy = copyfile(path, target)
        return os.path.getsize(copy)
    except OSError:
        return 0


PROVEN = "proven"
FAILED = "failed"
NOTHING = "nothing"
"""What comes out."""


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
        last_lines = read_log(self.root)[-3:]
        return tuple(f"hooks.log: {line}" for line in last_lines)


def make_scratch(root: str, into: str, kinds: Sequence[str]) -> Scratch:
    """Copies the project's `.director/`, for the first of the types that is given a context there."""
    base = os.path.realpath(into)
    copy = os.path.join(base, "project")
    home = os.path.join(base, "home")
    os.makedirs(home)
    copy_project(root, copy)
    # Consents are bound to a folder; without them the copy would be given less than the project.
    hand_on(root, copy, home)

    project = _copy_of(root, copy)
    first_why = ""
    for kind in kinds:
        agent = context_for(project, kind)
        if agent.context:
            return Scratch(
                root=copy,
                home=home,
                kind=kind,
                context=agent.context,
                original=root,
            )
        first_why = first_why or agent.why
    why = first_why or "all types are set to never"
    raise DctxError(f"No agent can be given a context in this project: {why}")


def _copy_of(root: str, copy: str) -> Project:
    """What the user agreed to holds in the copy, too."""
    project = load_project(root=copy)
    project.agreed_in = root
    return project


def put_hooks(
    client: Client,
    scratch: Scratch,
    hooks: Sequence[HooksInFile],
) -> None:
    """Writes hooks into the copy and its home as they stand in the project and in the user's home."""
    for placed in hooks:
        base = scratch.root
        if placed.of_user:
            base = scratch.home
        parts = placed.path.split("/")
        path = os.path.join(base, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        before = read_settings(path)
        text = with_entries(before, client, placed.entries)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


NAME = "installation"
OFF = "DCTX_HOOKS=off: hooks answer with nothing."


def prove_installed(client: Client, root: str, off: bool) -> Proof:
    """What stands in the settings; nothing is run."""
    title = f"{client.title}, {NAME}"
    own: list[Installation] = []
    for installation in installations(root):
        if installation.client == client.name:
            own.append(installation)

    faults = list(_faults(client, root, own))
    if off:
        faults.append(OFF)
    if faults:
        return Proof(
            client=client.name,
            name=NAME,
            outcome=FAILED,
            verdict=f"{title}: {faults[0]}",
            details=tuple(faults[1:]),
        )

    said = "; ".join(_where(installation) for installation in own)
    return Proof(
        client=client.name,
        name=NAME,
        outcome=PROVEN,
        verdict=f"{title}: {said}.",
        details=tuple(_remarks(client, own)),
    )


def nothing_installed(client: Client) -> Proof:
    said = (
        f"{client.title} has no hooks of dctx here; skipped. `{to_install(client)}` installs them."
    )
    return Proof(
        client=client.name,
        name=NAME,
        outcome=NOTHING,
        verdict=said,
    )


def to_install(client: Client) -> str:
    if client.name == "claude":
        return "dctx agents install"
    return f"dctx agents install --client {client.name}"


def _where(installation: Installation) -> str:
    if installation.plugin:
        return "the plugin dctx brings the hooks"
    return f"{installation.path} calls {' '.join(installation.command)}"


def _faults(
    client: Client,
    root: str,
    own: list[Installation],
) -> Iterator[str]:
    command = to_install(client)
    if not own:
        yield f"No hooks of dctx are installed for {client.title} here; `{command}` does that."
    for installation in own:
        if installation.problem:
            yield f"{installation.path}: {installation.problem}"
        elif not installation.works:
            yield f"{_where(installation)}, which is not there; `{command}` brings it up to date."
    # Of a file that cannot be read nothing more is known.
    if any(installation.problem for installation in own):
        return

    if own and not waits_for_agents(client, own):
        yield f"None of them waits for a spawned agent; `{command}` brings them up to date."
    placed_hooks = installed_hooks(client, root)
    if not all(is_safe(client, placed, root) for placed in placed_hooks):
        yield f"They do not call this dctx as it writes it: looked at, not run; `{command}` mends that."
    switch = switched_off(client, root)
    if switch:
        yield switch


def waits_for_agents(client: Client, own: Sequence[Installation]) -> bool:
    """Whether one of them is asked when an agent is spawned or starts."""
    for installation in own:
        if installation.plugin:
            return True
        for event in installation.events:
            kind = client.events.get(event)
            if kind in (SPAWN, START) or (kind == PROMPT and client.prompts_of_agents):
                return True
    return False


def _remarks(client: Client, own: list[Installation]) -> Iterator[str]:
    if not all(installation.current for installation in own):
        yield f"They are not what this version would install; `{to_install(client)}` brings them up to date."
    if runs_twice(own):
        yield TWICE
