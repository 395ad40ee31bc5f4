"""How each agent client is run offline: what it must be told, so that it asks a scripted model and
nobody else.
"""

from __future__ import annotations

import os
from json import dumps

from director_ctx.base.record import Record
from director_ctx.clients.verify.scripted_wires import ScriptedCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = "not-a-key"


class Bench(Record):
    """Where a client runs offline."""

    client: str
    program: tuple[str, ...]
    home: str
    folder: str
    """The project that it works in."""
    model: str
    """The address of its model."""


LONGEST_NAME = 60
_PURPOSE = "Does what its prompt asks for."


class OfflineClient(Record):
    """How one client is run. In its texts and paths `{HOME}`, `{FOLDER}` and `{MODEL}` stand for those of a
    bench; in its words and calls `KIND` and `PROMPT` for an agent's type and prompt.
    """

    variables: Mapping[str, str]
    words: tuple[str, ...]
    """Its arguments."""
    calls: tuple[ScriptedCall, ...]
    """The calls that spawn a sub-agent; a client offers the tool of one of them."""
    result: str
    """What is in a conversation as soon as a tool was called."""
    agents: str
    """The folder whose files make a type of agents known."""
    home_files: Mapping[str, str] = {}
    """What it wants to find in its home."""
    roles: bool = False
    """Whether an agent is a file of TOML."""
    plugins: bool = False
    """Whether a type with a plugin's name before it is known from that plugin only."""

    def environment(self, bench: Bench) -> dict[str, str]:
        return {name: _filled(text, bench) for name, text in self.variables.items()}

    def arguments(self, prompt: str) -> tuple[str, ...]:
        return tuple(prompt if word == "PROMPT" else word for word in self.words)

    def files(self, bench: Bench) -> dict[str, str]:
        return {name: _filled(text, bench) for name, text in self.home_files.items()}

    def spawns(self, kind: str, prompt: str) -> tuple[ScriptedCall, ...]:
        values = {"KIND": kind, "PROMPT": prompt}
        return tuple(
            call.replace(input={key: values.get(text, text) for key, text in call.input.items()})
            for call in self.calls
        )

    def agent(self, bench: Bench, kind: str) -> dict[str, str]:
        """The files that make a type of agents known, and what is in them."""
        folder = _filled(self.agents, bench)
        files: dict[str, str] = {}
        plugin, _, name = kind.rpartition(":")
        if plugin and self.plugins:
            folder = os.path.join(_plugin_folder(bench, plugin), "agents")
            manifest = os.path.join(_plugin_folder(bench, plugin), ".claude-plugin", "plugin.json")
            files[manifest] = dumps({"name": _file(plugin)})
        elif not self.plugins:
            name = kind
        # A type as a value of YAML and of TOML: whatever is in it, it adds no key.
        quoted = dumps(name, ensure_ascii=False)
        if self.roles:
            text = f'name = {quoted}\ndescription = "{_PURPOSE}"\ndeveloper_instructions = "{_PURPOSE}"\n'
            return {os.path.join(folder, f"{_file(name)}.toml"): text}
        text = f"---\nname: {quoted}\ndescription: {_PURPOSE}\n---\n\n{_PURPOSE}\n"
        return {**files, os.path.join(folder, f"{_file(name)}.md"): text}

    def more(self, bench: Bench, kind: str) -> tuple[str, ...]:
        """Further arguments that a type of agents needs."""
        plugin, _, _ = kind.rpartition(":")
        if not plugin or not self.plugins:
            return ()
        return ("--plugin-dir", _plugin_folder(bench, plugin))


def _filled(text: str, bench: Bench) -> str:
    values = {"HOME": bench.home, "FOLDER": bench.folder, "MODEL": bench.model}
    values["QUOTED"] = dumps(bench.folder)
    for mark, value in values.items():
        text = text.replace(f"{{{mark}}}", value)
    return text


def _plugin_folder(bench: Bench, plugin: str) -> str:
    return os.path.join(bench.home, "plugins", _file(plugin))


def _file(kind: str) -> str:
    """A type may have a plugin's name before it, and a file's name no colon; nothing in it leads
    elsewhere.
    """
    name = "".join(char if char.isalnum() or char in "-_" else "-" for char in kind)
    return name[:LONGEST_NAME]


# Codex reads hooks in a project's folder only where the project is trusted.
_CODEX_CONFIG = """check_for_update_on_startup = false
model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{MODEL}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects.{QUOTED}]
trust_level = "trusted"
[analytics]
enabled = false
"""
_GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}
_TASK = {"description": "Prove it", "prompt": "PROMPT"}
_ROLE = {"message": "PROMPT", "agent_type": "KIND"}

WAYS: dict[str, OfflineClient] = {
    "claude": OfflineClient(
        variables={
            "ANTHROPIC_BASE_URL": "{MODEL}",
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_TMPDIR": "{HOME}/tmp",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        },
        words=("-p", "PROMPT", "--output-format", "json"),
        calls=(ScriptedCall("Agent|Task", {**_TASK, "subagent_type": "KIND"}),),
        result="tool_result",
        agents="{FOLDER}/.claude/agents",
        plugins=True,
    ),
    "codex": OfflineClient(
        variables={"SCRIPTED_KEY": KEY},
        # It runs no hook before somebody has looked at it, and here nobody can.
        words=(
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-hook-trust",
            "--json",
            "PROMPT",
        ),
        calls=(
            ScriptedCall("multi_agent_v1.spawn_agent", _ROLE),
            ScriptedCall("collaboration.spawn_agent", {**_ROLE, "task_name": "proof"}),
        ),
        result="function_call_output",
        agents="{HOME}/.codex/agents",
        home_files={".codex/config.toml": _CODEX_CONFIG},
        roles=True,
    ),
    "gemini": OfflineClient(
        variables={
            "GOOGLE_GEMINI_BASE_URL": "{MODEL}",
            "GEMINI_API_KEY": KEY,
            "GEMINI_TELEMETRY_ENABLED": "false",
            # It runs hooks in trusted folders only.
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        words=("-p", "PROMPT", "-y", "-m", "gemini-2.5-flash"),
        calls=(ScriptedCall("invoke_agent", {"agent_name": "KIND", "prompt": "PROMPT"}),),
        result="functionResponse",
        agents="{HOME}/.gemini/agents",
        home_files={".gemini/settings.json": dumps(_GEMINI_SETTINGS)},
    ),
    "copilot": OfflineClient(
        variables={
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": "{MODEL}",
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_PROVIDER_API_KEY": KEY,
            "COPILOT_MODEL": "claude-sonnet-4.5",
            "COPILOT_AUTO_UPDATE": "false",
            # `true`, and no other word for it, also trusts the folder, whose hooks are not run
            # otherwise.
            "COPILOT_ALLOW_ALL": "true",
            "COPILOT_HOME": "{HOME}/.copilot",
        },
        words=("-p", "PROMPT"),
        calls=(
            ScriptedCall("task", {**_TASK, "agent_type": "KIND", "name": "proof", "mode": "sync"}),
        ),
        result="tool_result",
        agents="{HOME}/.copilot/agents",
        plugins=True,
    ),
}
"""Clients that can be run like that. Cursor talks to its own servers only, and VS Code is no
program for a terminal.
"""
