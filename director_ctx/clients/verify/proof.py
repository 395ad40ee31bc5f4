"""What a proof is, and the scratch copy of a project that proofs are made in."""

from __future__ import annotations

import os
from shutil import copyfile

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.file_change import read_settings
from director_ctx.clients.hooks.agents import context_for, hooks_of
from director_ctx.clients.settings_text import with_entries
from director_ctx.context.settings.consents import hand_on
from director_ctx.project.hook_log import read_log
from director_ctx.project.project import load_project
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.parts.hooks import HooksInFile
    from director_ctx.clients.table import Client
    from director_ctx.context.assembly import Assembly, Printed
    from director_ctx.project.project import Project


LARGEST = 200_000_000
PROVEN, FAILED, NOTHING = "proven", "failed", "nothing"
"""What comes out."""


class Proof(Record):
    """One proof: what came out, in a sentence, and what is to be known besides."""

    client: str
    name: str
    outcome: str
    verdict: str
    details: tuple[str, ...] = ()


def judged(
    client: Client, name: str, faults: Sequence[str], said: str, details: Sequence[str] = ()
) -> Proof:
    """Proven where there are no faults; otherwise what is wrong is said first."""
    if faults:
        said, *more = faults
        return Proof(client.name, name, FAILED, said, (*more, *details))
    return Proof(client.name, name, PROVEN, said, tuple(details))


class Arrival(Record):
    """What of a context is in a text that an agent was sent."""

    whole: tuple[str, ...]
    named: tuple[str, ...]
    """Too large for this client: the command that prints it is there instead."""
    missing: tuple[str, ...]
    in_order: bool
    followed: bool
    """Whether the prompt stands behind all of it."""

    @property
    def complete(self) -> bool:
        return bool(self.whole) and not self.faults

    @property
    def faults(self) -> tuple[str, ...]:
        faults = [f"<{tag}> did not arrive whole" for tag in self.missing]
        if not self.in_order:
            faults.append("the sections are not in order")
        if not self.followed:
            faults.append("the prompt does not stand behind them")
        return tuple(faults)


def arrival_of(sections: Sequence[Printed], said: str, prompt: str) -> Arrival:
    """Compares the sections, as they are printed, with what an agent was sent."""
    starts: dict[str, int] = {}
    absent: list[str] = []
    end = 0
    for section in sections:
        start = said.find(section.text)
        if start >= 0:
            starts[section.tag] = start
            end = max(end, start + len(section.text))
        else:
            absent.append(section.tag)
    named = tuple(tag for tag in absent if f"--only {tag}`" in said)
    return Arrival(
        whole=tuple(starts),
        named=named,
        missing=tuple(tag for tag in absent if tag not in named),
        in_order=list(starts.values()) == sorted(starts.values()),
        # The last one, because a context may quote the prompt.
        followed=said.rfind(prompt) >= end,
    )


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
            return Scratch(copy, home, kind, agent.context, root)
        first_why = first_why or agent.why
    why = first_why or "all types are set to never"
    raise DctxError(f"No agent can be given a context in this project: {why}")


def _copy_of(root: str, copy: str) -> Project:
    """What the user agreed to holds in the copy, too."""
    project = load_project(root=copy)
    project.agreed_in = root
    return project


def copy_project(root: str, into: str) -> None:
    """What is larger in all than LARGEST is left behind."""
    copied = 0
    for folder, subfolders, names in os.walk(os.path.join(root, FOLDER)):
        # What is kept between runs is no part of the plan.
        if ".dctx" in subfolders:
            subfolders.remove(".dctx")
        target = os.path.join(into, os.path.relpath(folder, root))
        os.makedirs(target, exist_ok=True)
        for name in sorted(names):
            path = os.path.join(folder, name)
            # A link could lead to anything, and nothing hangs on a pipe.
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            copied += os.path.getsize(path)
            if copied >= LARGEST:
                return
            try:
                copyfile(path, os.path.join(target, name))
            except OSError:
                pass  # one that cannot be read is no part of a context either


def put_hooks(client: Client, scratch: Scratch, hooks: Sequence[HooksInFile]) -> None:
    """Writes hooks into the copy and its home as they stand in the project and in the user's home."""
    for placed in hooks:
        base = scratch.home if placed.of_user else scratch.root
        path = os.path.join(base, *placed.path.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        text = with_entries(read_settings(path), client, placed.entries)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
