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
    from collections.abc import Callable, Mapping

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


class OfflineClient(Record):
    """How one client is run: its environment, its arguments, what it wants to find in its home, how
    it spawns.
    """

    environment: Callable[[Bench], Mapping[str, str]]
    arguments: Callable[[str], tuple[str, ...]]
    files: Callable[[Bench], Mapping[str, str]]
    agent: Callable[[Bench, str], Mapping[str, str]]
    """The files that make a type of agents known, and what is in them."""
    spawns: Callable[[str, str], tuple[ScriptedCall, ...]]
    """The calls that spawn a sub-agent of a type with a prompt; a client offers the tool of one of
    them.
    """
    result: str
    """What is in a conversation as soon as a tool was called."""
    more: Callable[[Bench, str], tuple[str, ...]] = lambda bench, kind: ()
    """Further arguments that a type of agents needs."""


LONGEST_NAME = 60
_PURPOSE = "Does what its prompt asks for."


def _described(own: str, kind: str) -> dict[str, str]:
    """An agent as most clients know it."""
    text = f"---\nname: {_quoted(kind)}\ndescription: {_PURPOSE}\n---\n\n{_PURPOSE}\n"
    path = os.path.join(own, "agents", f"{_file(kind)}.md")
    return {path: text}


def _agent(own: str, bench: Bench, kind: str) -> dict[str, str]:
    """A type with a plugin's name before it is known from that plugin only; others from the
    client's own folder.
    """
    plugin, _, name = kind.rpartition(":")
    if not plugin:
        return _described(own, name)

    folder = _plugin_folder(bench, plugin)
    manifest = os.path.join(folder, ".claude-plugin", "plugin.json")
    files = {manifest: dumps({"name": _file(plugin)})}
    files.update(_described(folder, name))
    return files


def _plugin_folder(bench: Bench, plugin: str) -> str:
    return os.path.join(bench.home, "plugins", _file(plugin))


def _plugin_of(bench: Bench, kind: str) -> tuple[str, ...]:
    plugin, _, _ = kind.rpartition(":")
    if not plugin:
        return ()
    return ("--plugin-dir", _plugin_folder(bench, plugin))


def _file(kind: str) -> str:
    """A type may have a plugin's name before it, and a file's name no colon; nothing in it leads
    elsewhere.
    """
    name = ""
    for char in kind:
        if char.isalnum() or char in "-_":
            name += char
        else:
            name += "-"
    return name[:LONGEST_NAME]


def _quoted(kind: str) -> str:
    """A type as a value of YAML and of TOML: whatever is in it, it adds no key."""
    return dumps(kind, ensure_ascii=False)


def _codex_agent(bench: Bench, kind: str) -> dict[str, str]:
    text = f'name = {_quoted(kind)}\ndescription = "{_PURPOSE}"\ndeveloper_instructions = "{_PURPOSE}"\n'
    path = os.path.join(bench.home, ".codex", "agents", f"{_file(kind)}.toml")
    return {path: text}


def _claude_environment(bench: Bench) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": bench.model,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_TMPDIR": os.path.join(bench.home, "tmp"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }


def _codex_config(bench: Bench) -> dict[str, str]:
    """Codex reads hooks in a project's folder only where the project is trusted."""
    text = f"""check_for_update_on_startup = false
model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = {dumps(bench.model + "/v1")}
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects.{dumps(bench.folder)}]
trust_level = "trusted"
[analytics]
enabled = false
"""
    return {".codex/config.toml": text}


def _copilot_environment(bench: Bench) -> dict[str, str]:
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": bench.model,
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "claude-sonnet-4.5",
        "COPILOT_AUTO_UPDATE": "false",
        # `true`, and no other word for it, also trusts the folder, whose hooks are not run
        # otherwise.
        "COPILOT_ALLOW_ALL": "true",
        "COPILOT_HOME": os.path.join(bench.home, ".copilot"),
    }


def _gemini_environment(bench: Bench) -> dict[str, str]:
    return {
        "GOOGLE_GEMINI_BASE_URL": bench.model,
        "GEMINI_API_KEY": KEY,
        "GEMINI_TELEMETRY_ENABLED": "false",
        # It runs hooks in trusted folders only.
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def _gemini_settings(_: Bench) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "telemetry": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    return {".gemini/settings.json": dumps(settings)}


WAYS: dict[str, OfflineClient] = {
    "claude": OfflineClient(
        environment=_claude_environment,
        arguments=lambda prompt: ("-p", prompt, "--output-format", "json"),
        files=lambda _: {},
        agent=lambda bench, kind: _agent(os.path.join(bench.folder, ".claude"), bench, kind),
        spawns=lambda kind, prompt: (
            ScriptedCall(
                "Agent|Task", {"description": "Prove it", "prompt": prompt, "subagent_type": kind}
            ),
        ),
        result="tool_result",
        more=_plugin_of,
    ),
    "codex": OfflineClient(
        environment=lambda _: {"SCRIPTED_KEY": KEY},
        arguments=lambda prompt: (
            "exec",
            "--skip-git-repo-check",
            # It runs no hook before somebody has looked at it, and here nobody can.
            "--dangerously-bypass-hook-trust",
            "--json",
            prompt,
        ),
        files=_codex_config,
        agent=_codex_agent,
        spawns=lambda kind, prompt: (
            ScriptedCall("multi_agent_v1.spawn_agent", {"message": prompt, "agent_type": kind}),
            ScriptedCall(
                "collaboration.spawn_agent",
                {"message": prompt, "agent_type": kind, "task_name": "proof"},
            ),
        ),
        result="function_call_output",
    ),
    "gemini": OfflineClient(
        environment=_gemini_environment,
        arguments=lambda prompt: ("-p", prompt, "-y", "-m", "gemini-2.5-flash"),
        files=_gemini_settings,
        agent=lambda bench, kind: _described(os.path.join(bench.home, ".gemini"), kind),
        spawns=lambda kind, prompt: (
            ScriptedCall("invoke_agent", {"agent_name": kind, "prompt": prompt}),
        ),
        result="functionResponse",
    ),
    "copilot": OfflineClient(
        environment=_copilot_environment,
        arguments=lambda prompt: ("-p", prompt),
        files=lambda _: {},
        agent=lambda bench, kind: _agent(os.path.join(bench.home, ".copilot"), bench, kind),
        spawns=lambda kind, prompt: (
            ScriptedCall(
                "task",
                {
                    "agent_type": kind,
                    "description": "Prove it",
                    "name": "proof",
                    "prompt": prompt,
                    "mode": "sync",
                },
            ),
        ),
        result="tool_result",
        more=_plugin_of,
    ),
}
"""Clients that can be run like that. Cursor talks to its own servers only, and VS Code is no
program for a terminal.
"""
