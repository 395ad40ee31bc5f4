"""Which sub-agents of a project a builder can hand its work to: those that the files of clients in the
project name.
"""

from __future__ import annotations

import os

from director_ctx.base.light_json import parse
from director_ctx.project.reading.read import Unreadable, read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.project import Project

ROLES = ("verifier", "syncer")
FILES = ("dctx-", "director-")
"""What stands before a role in the name of a file that describes a sub-agent."""
FOLDERS = (
    ".claude/agents",
    ".github/agents",
    ".codex/agents",
    ".gemini/agents",
    ".cursor/agents",
)
PLUGINS = {"dctx": "dctx:", "director": "director:director-"}
"""How plugins are called that bring sub-agents, and what stands before a role in the types of these."""
SETTINGS = (".claude/settings.json", ".claude/settings.local.json")


def hand_over_types(project: Project) -> dict[str, str]:
    """The type of sub-agent for each role; an empty text where there is none. The blanks of
    instructions.
    """
    there = {*_described(project.root), *_brought(project.root)}

    types = dict.fromkeys(ROLES, "")
    for role in ROLES:
        for start in (*FILES, *PLUGINS.values()):
            # Only known names: nobody else's word comes into instructions by the name of a file.
            if start + role in there:
                types[role] = start + role
                break
    return types


def _described(root: str) -> Iterator[str]:
    for folder in FOLDERS:
        try:
            names = os.listdir(os.path.join(root, folder))
        except OSError:
            continue
        for name in names:
            yield name.partition(".")[0]


def _brought(root: str) -> Iterator[str]:
    """What plugins bring that the project switches on; the last file has the last word."""
    switched: dict[str, object] = {}
    for name in SETTINGS:
        try:
            values = parse(read_document(os.path.join(root, name), name).text)
        except (OSError, Unreadable, ValueError):
            continue
        if isinstance(values, dict) and isinstance(values.get("enabledPlugins"), dict):
            switched.update(values["enabledPlugins"])
    for plugin, state in switched.items():
        start = PLUGINS.get(plugin.partition("@")[0])
        if start and state is True:
            for role in ROLES:
                yield start + role
