"""The Claude Code plugin as a set of files, made of the skills, the hooks and the agents. Pure."""

from __future__ import annotations

import json

from director_ctx.clients.entries import hook_entries, shell_line
from director_ctx.clients.plugin.agents import AGENTS, agent_file
from director_ctx.clients.skills.by_client import plugin_skill
from director_ctx.clients.table import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.skills.by_client import Shipped

NAME = "dctx"
ICON = ".claude-plugin/icon.png"
"""Found by its name; an older client warns of a key for it."""
AUTHOR = {"name": "The director-ctx contributors"}
SAYS = "The right context for every agent, assembled from your .director/ folder inside a token budget."


def plugin_files(skills: Sequence[Shipped], program: tuple[str, ...], version: str, terms: str) -> dict[str, str]:
    """Every file by its path; the same values make the same bytes."""
    files = {
        ".claude-plugin/plugin.json": _json(_manifest(version)),
        ".claude-plugin/marketplace.json": _json(_marketplace()),
        "hooks/hooks.json": _json({"description": SAYS, "hooks": hook_entries(CLIENTS["claude"], program)}),
        "README.md": _readme(skills, program, version),
        "LICENSE": terms,
    }
    files |= {f"skills/{skill.name}/SKILL.md": plugin_skill(skill, program) for skill in skills}
    return files | {f"agents/{agent.name}.md": agent_file(agent, program) for agent in AGENTS}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _manifest(version: str) -> dict[str, Any]:
    return {
        "name": NAME,
        "version": version,
        "description": SAYS,
        "author": AUTHOR,
        "license": "MIT",
        "keywords": ["context", "agents", "director", "planning", "tokens"],
    }


def _marketplace() -> dict[str, Any]:
    """One plugin, which is the folder itself; its version stands in its own manifest."""
    plugin = {"name": NAME, "source": "./", "description": SAYS, "category": "productivity"}
    return {"name": NAME, "owner": AUTHOR, "description": SAYS, "plugins": [plugin]}


def _readme(skills: Sequence[Shipped], program: tuple[str, ...], version: str) -> str:
    listed = "\n".join(f"- `/{NAME}:{skill.name}`: {skill.description.split('. ')[0]}." for skill in skills)
    agents = ", ".join(f"`{NAME}:{agent.name}`" for agent in AGENTS)
    return f"""# dctx

{SAYS} Hooks put it before the prompt of each sub-agent as it is spawned, and tell every session where the project
stands. Nothing leaves the machine, and a project without `.director/` is left alone.

It calls `{shell_line(program)}` of the Python package director-ctx ({version}), which has to be installed:
`pip install director-ctx`. This folder was made by `dctx plugin build`; make it anew after an update.

    claude --plugin-dir .                   for one session
    claude plugin marketplace add .         to keep it: then
    claude plugin install {NAME}@{NAME}

Remove hooks that `dctx hooks install` wrote first: they would run twice.

## Skills

{listed}

## Agents

{agents}. Each gets its own context; `dctx profiles` shows which.
"""
