"""Makes the plugin for Claude Code, a folder of files: skills, hooks, a server, and an agent for each profile.

usage: python docs/plugin/make_plugin.py FOLDER [PROGRAM]     (PROGRAM: how it calls dctx; `dctx`, if nothing is named)
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from director_ctx import __version__
from director_ctx.clients.entries import PROGRAM, SERVER, hook_entries, shell_line
from director_ctx.clients.skills.by_client import plugin_skill
from director_ctx.clients.skills.files import shipped_skills
from director_ctx.clients.sub_agents import AGENTS, agent_body
from director_ctx.clients.table import CLIENTS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.skills.by_client import Shipped
    from director_ctx.clients.sub_agents import Agent

ROOT = Path(__file__).parents[2]
ICON = ".claude-plugin/icon.png"
"""Found by its name; an older client warns of a key for it."""
NAME = "dctx"

AUTHOR = {"name": "The director-ctx contributors"}
SAYS = "The right context for every agent, assembled from your .director/ folder inside a token budget."


def plugin_files(program: tuple[str, ...]) -> dict[str, str]:
    """Every file by its path; the same version makes the same bytes."""
    skills = shipped_skills()
    files = {
        ".claude-plugin/plugin.json": _json(_manifest()),
        ".claude-plugin/marketplace.json": _json(_marketplace()),
        ".mcp.json": _json(_servers(program)),
        "hooks/hooks.json": _json(
            {"description": SAYS, "hooks": hook_entries(CLIENTS["claude"], program)}
        ),
        "README.md": _readme(skills, program),
        "LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8"),
    }
    for skill in skills:
        files[f"skills/{skill.name}/SKILL.md"] = plugin_skill(skill, program)
    for agent in AGENTS:
        files[f"agents/{agent.name}.md"] = _agent_file(agent, program)
    return files


def _servers(program: tuple[str, ...]) -> dict[str, Any]:
    command, *words = program
    return {"mcpServers": {SERVER: {"command": command, "args": [*words, "mcp"]}}}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _manifest() -> dict[str, Any]:
    return {
        "name": NAME,
        "version": __version__,
        "description": SAYS,
        "author": AUTHOR,
        "license": "MIT",
        "keywords": ["context", "agents", "director", "planning", "tokens"],
    }


def _marketplace() -> dict[str, Any]:
    """One plugin, which is the folder itself; its version stands in its own manifest."""
    plugin = {"name": NAME, "source": "./", "description": SAYS, "category": "productivity"}
    return {"name": NAME, "owner": AUTHOR, "description": SAYS, "plugins": [plugin]}


def _readme(skills: Sequence[Shipped], program: tuple[str, ...]) -> str:
    rows: list[str] = []
    for skill in skills:
        first_sentence, _, _ = skill.description.partition(". ")
        rows.append(f"- `/{NAME}:{skill.name}`: {first_sentence}.")
    listed = "\n".join(rows)
    agents = ", ".join(f"`{NAME}:{agent.name}`" for agent in AGENTS)
    return f"""# dctx

{SAYS} Hooks put it before the prompt of each sub-agent as it is spawned, and tell every session where the project
stands. Its server answers agents that ask for context. Nothing leaves the machine, and a project without `.director/`
is left alone.

It calls `{shell_line(program)}` of the Python package director-ctx ({__version__}), which has to be installed:
`pip install director-ctx`. This folder is made by `make plugin` in its repository; take a newer one after an update.

    claude --plugin-dir .                   for one session
    claude plugin marketplace add .         to keep it: then
    claude plugin install {NAME}@{NAME}

Remove hooks that `dctx setup` wrote first: they would run twice.

## Skills

{listed}

## Agents

{agents}. Each gets its own context; `dctx profiles` shows which.
"""


def _agent_file(agent: Agent, program: tuple[str, ...]) -> str:
    """The agent as Claude Code wants it."""
    lines = [
        "---",
        f"name: {agent.name}",
        f"description: {agent.description}",
    ]
    if agent.tools:
        lines.append(f"tools: {agent.tools}")
    lines.append("---")
    head = "\n".join(lines)
    return f"{head}\n\n{agent_body(agent.name, program)}"


def make(folder: Path, program: tuple[str, ...]) -> None:
    if folder.is_dir() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty: name a new folder.")
    for path, text in plugin_files(program).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="\n")
    shutil.copyfile(Path(__file__).with_name("icon.png"), folder / ICON)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    words = tuple(shlex.split(sys.argv[2])) if len(sys.argv) == 3 else (PROGRAM,)
    make(Path(sys.argv[1]), words)
