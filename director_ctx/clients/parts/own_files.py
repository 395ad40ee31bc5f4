"""Files that are dctx's as a whole: skills, and sub-agents that a client finds in a project. Each carries
the hash of its own text, so that what somebody wrote or changed is told from what we wrote, and stays.
"""

from __future__ import annotations

import json
import os
from glob import escape, glob

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.file_change import FileChange, read_settings, refuse_links, text_by_then
from director_ctx.clients.parts.part import (
    AGENTS,
    SKILLS,
    Installed,
    Part,
    each_once,
    guarded,
    scopes,
)
from director_ctx.clients.program import program, shown_path, user_folder
from director_ctx.clients.skills.by_client import (
    OPEN,
    SKILL_FOLDERS,
    installed_skill,
    is_ours,
    sealed,
)
from director_ctx.clients.skills.files import shipped_skills
from director_ctx.clients.sub_agents import AGENTS as PROFILES
from director_ctx.clients.sub_agents import agent_body
from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from director_ctx.clients.file_change import Ahead
    from director_ctx.clients.parts.part import Changes, Remark, Wish
    from director_ctx.clients.table import Client

    Wanted = Callable[[str, str | None], dict[str, str]]

INSTALLED = ("builder", "verifier")
"""The profiles that have a file: one does a task, the other checks it."""
GIVEN = "It receives its context by itself."


class OwnFiles(Record):
    """How files of one kind are found, put in and taken out."""

    part: str
    clients: tuple[str, ...]
    wanted: Wanted
    """The text that each file of a client should have, by its path."""
    earlier: Callable[[str, str | None], list[str]] = lambda *_: []
    """Paths at which an earlier version may have left others."""

    def put(self, client: str, root: str | None, _: Wish, ahead: Ahead) -> Changes:
        changes: list[FileChange] = []
        for path, text in self.wanted(client, root).items():
            before = text_by_then(path, ahead)
            if before != text and (before is None or is_ours(before)):
                changes.append(self._change(path, root, before, text))
        refuse_links(root, changes)
        return tuple(changes)

    def take(self, client: str, root: str | None, ahead: Ahead) -> Changes:
        changes: list[FileChange] = []
        # The first made the folders, so it goes last.
        for path in reversed(self.paths(client, root)):
            before = text_by_then(path, ahead)
            if before is not None and is_ours(before):
                changes.append(self._change(path, root, before, None))
        refuse_links(root, changes)
        return tuple(changes)

    def _change(
        self, path: str, root: str | None, before: str | None, after: str | None
    ) -> FileChange:
        return FileChange(path, shown_path(path, root), before, after, None, self.part)

    def paths(self, client: str, root: str | None) -> list[str]:
        return list(dict.fromkeys((*self.wanted(client, root), *self.earlier(client, root))))

    def find(self, root: str | None) -> Iterator[Installed]:
        return each_once(self._find(root))

    def _find(self, root: str | None) -> Iterator[Installed]:
        for scope, base in scopes(root):
            for client in self.clients:
                wanted = self.wanted(client, base)
                folder = os.path.commonpath([os.path.dirname(path) for path in wanted])
                place = Installed(self.part, (client,), scope, shown_path(folder, base))
                yield from guarded(place, lambda found: self._found(client, base, found))  # noqa: B023

    def _found(self, client: str, root: str | None, place: Installed) -> Installed | None:
        wanted = self.wanted(client, root)
        names: list[str] = []
        changed: list[str] = []
        older = 0
        for path in self.paths(client, root):
            try:
                text = read_settings(path)
            except DctxError:
                # A folder, or no text: certainly not ours.
                text = ""
            if text is None or (path not in wanted and not is_ours(text)):
                continue
            names.append(_name(path))
            if not is_ours(text):
                changed.append(shown_path(path, root))
            elif text != wanted.get(path):
                older += 1
        if not names:
            return None
        current = not older and len(names) == len(wanted)
        return place.replace(names=tuple(names), changed=tuple(changed), current=current)


def _name(path: str) -> str:
    """A skill's file is called as every other in a folder of its name."""
    folder, file = os.path.split(path)
    return os.path.basename(folder) if file == "SKILL.md" else file.partition(".")[0]


def _wanted_agents(name: str, root: str | None) -> dict[str, str]:
    client = CLIENTS[name]
    folder, file_name = os.path.split(client.agent_file)
    base = os.path.join(user_folder(client), os.path.basename(folder))
    if root is not None:
        base = os.path.join(root, *folder.split("/"))
    texts: dict[str, str] = {}
    for agent in PROFILES:
        if agent.name in INSTALLED:
            kind = f"dctx-{agent.name}"
            values = {"name": kind, "description": f"{agent.description} {GIVEN}"}
            if agent.tools and client.reading_tools:
                values["tools"] = client.reading_tools
            # It calls `dctx` by its name, because a project shares it.
            body = agent_body(agent.name, (PROGRAM,))
            path = os.path.join(base, file_name.replace("NAME", kind))
            texts[path] = sealed(_agent_text(client, values, body))
    return texts


def _agent_text(client: Client, values: dict[str, str], body: str) -> str:
    seal = f"# dctx-sha256: {OPEN}"
    if client.agent_file.endswith(".toml"):
        fields = {**values, "developer_instructions": body}
        lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
        return "\n".join([seal, *lines, ""])
    lines = [f"{key}: {value}" for key, value in values.items()]
    return "\n".join(["---", seal, *lines, "---", "", body])


def has_own_agent(client: Client, root: str, name: str) -> bool:
    """Whether the client finds a sub-agent of ours of this name, in the project or for the user."""
    return any(
        name in found.names and client.name in found.clients for found in AGENT_FILES.find(root)
    )


def _skill_path(client: str, root: str | None, name: str) -> str:
    """Where a skill's file belongs, in the project or in the user's home."""
    folder = SKILL_FOLDERS[client]
    if root is not None:
        return os.path.join(root, *folder.path.replace("NAME", name).split("/"))
    first, *rest = (folder.user_path or folder.path).replace("NAME", name).split("/")
    moved = os.environ.get(folder.home_variable or "", "")
    base = os.path.abspath(moved) if moved else os.path.join(os.path.expanduser("~"), first)
    return os.path.join(base, *rest)


def _wanted_skills(client: str, root: str | None) -> dict[str, str]:
    words = program()
    return {
        _skill_path(client, root, skill.name): installed_skill(skill, client, words)
        for skill in shipped_skills()
    }


def _earlier_skills(client: str, root: str | None) -> list[str]:
    """Every file that has the form of our names."""
    before, _, behind = _skill_path(client, root, "NAME").rpartition("NAME")
    # The folders above may be called anything, also something with a star in it.
    return sorted(glob(f"{escape(before)}*{escape(behind)}"))


def _skill_remarks(client: str, root: str | None, changes: Changes) -> Iterator[Remark]:
    called = SKILL_FOLDERS[client].called.replace("NAME", "build")
    yield f"In {CLIENTS[client].title}, {called} calls the skill build.", ""
    if root is not None and program() != (PROGRAM,):
        yield (
            "Skills call dctx by its place on this machine.",
            "Keep them out of git, or use --user; with dctx on everyone's PATH (pipx, uv tool) they can be shared.",
        )


AGENT_FILES = OwnFiles(
    part=AGENTS,
    clients=tuple(client.name for client in CLIENTS.values() if client.agent_file),
    wanted=_wanted_agents,
)
SKILL_FILES = OwnFiles(
    part=SKILLS, clients=tuple(SKILL_FOLDERS), wanted=_wanted_skills, earlier=_earlier_skills
)
AGENTS_PART, SKILLS_PART = (
    Part(
        name=files.part,
        what=files.part,
        clients=files.clients,
        find=files.find,
        put=files.put,
        take=files.take,
        files=files.paths,
        remarks=_skill_remarks if files is SKILL_FILES else lambda *_: (),
    )
    for files in (AGENT_FILES, SKILL_FILES)
)
