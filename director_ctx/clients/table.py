"""The clients that contexts are handed to, as data."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SPAWN = "spawn"
START = "start"
SESSION = "session"
PROMPT = "prompt"
COMPACT = "compact"
END = "end"
ENDED = "ended"
"""Kinds of events: a sub-agent is being spawned, or has started; a session starts; the user has
sent a prompt; the conversation is about to be compacted; the session ends; a sub-agent has ended.
"""


class Client(Record):
    """One client, as hooks and skills see it. Paths are relative to the home or to the project."""

    name: str
    title: str
    program: str
    """Its command."""
    events: Mapping[str, str]
    """What it calls an event, and the kind of that event."""
    spawn_tools: tuple[str, ...]
    """The tools that spawn a sub-agent."""
    type_keys: tuple[str, ...]
    """Where the sub-agent's type is in the input of such a tool."""
    cap: int
    """Characters that one answer of a hook may put into a context; what is longer is not shown
    whole.
    """
    settings: str
    """The file that hooks are written in, in the project."""
    user_settings: str
    """The same in the user's home."""
    parts: int = 1
    """How many entries share what a session is told after a compaction."""
    home_variable: str = ""
    """The environment variable that moves the first folder of `user_settings`."""
    timeout_unit: int = 1
    """What a timeout of a second is in its settings."""
    encoding: str = "utf-16-le"
    """What the cap is counted in: characters of JavaScript, or bytes where this is UTF-8."""
    local_settings: str = ""
    """What it reads besides of a project, on one machine only."""
    frame: Mapping[str, Any] = {}
    """What else it wants in the file that hooks are in."""
    flat: bool = False
    """Whether it lists handlers without groups around them."""
    strict: bool = False
    """Whether it passes over a whole file of settings for one comment."""
    unasked: tuple[str, ...] = ()
    """Events that no hook is installed for."""
    prompt_key: str = "prompt"
    """What it calls the prompt of a sub-agent in the input of such a tool."""
    has_task_names: bool = False
    """Whether an agent that starts may have a name for its task and a prompt that nobody can read."""
    prompts_of_agents: bool = False
    """Whether the prompt of a sub-agent is an event of its own, which is where it is answered."""
    switches: Mapping[str, bool] = {}
    """What switches its hooks off: a key, and the value that means off."""
    switch_file: str = ""
    """Where these keys are, in the client's folder of the user; otherwise they are in the settings.
    """
    own_folder: str = ""
    """A folder of the project that shows that it is used, where hooks are in another one."""
    variables: str = ""
    """The key of its settings that adds to the environment of hooks."""
    review: str = ""
    """What has to be said to it once before it runs a hook."""
    built_in: tuple[str, ...] = ()
    """The types of agents that it has by itself; none where they are not known."""
    plugins: str = ""
    """The key of its settings that says which plugins are on."""
    transcripts: tuple[str, ...] = ()
    """What the path of its transcripts has in it, where another client calls events the same."""
    usual_type: str = "general-purpose"
    """The type of sub-agents that is spawned where nobody asks for another."""
    also_usual: tuple[str, ...] = ()
    """Other types that do every kind of work."""
    colons: bool = False
    """Whether a type may have a plugin's name before it."""
    borrows: tuple[str, ...] = ()
    """Other clients whose hooks it runs as well, because it reads their settings or takes their
    plugins.
    """
    has_keys: tuple[str, ...] = ()
    """What tells its events from those of the clients that it borrows hooks from: keys that each of
    them has,
    """
    lacks_keys: tuple[str, ...] = ()
    """and keys that none of them has."""
    on_top: bool = False
    """Whether a context stands on top of an answer, and not inside of what is said of the event."""
    matchers: bool = True
    """Whether it asks a hook only about what its matcher names."""
    agent_file: str = ""
    """Where a sub-agent is described in a project, with NAME for its name; empty where dctx knows no
    such files.
    """
    reading_tools: str = ""
    """What such a file says of the tools of a sub-agent that changes no files, where names of tools
    are known to hold.
    """
    agents: tuple[str, ...] = ()
    """Other folders of a project that it finds sub-agents in."""
    model_address: str = ""
    """Where it asks its model, where nobody says otherwise."""
    address_variables: Mapping[str, str] = {}
    """The environment variables that say otherwise, and what such an address ends with."""
    address_words: tuple[str, ...] = ()
    """Words in front of all others that say it to a client that reads no such variable; `ADDRESS` in
    them is the address.
    """

    def is_usual(self, agent_type: str) -> bool:
        """Whether a type is one that does every kind of work."""
        return agent_type.strip().casefold() in ("", self.usual_type, *self.also_usual)

    def size(self, text: str) -> int:
        """The length of a text as the client counts it."""
        from director_ctx.base.text import characters

        return characters(text, self.encoding)


CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        Client(
            name="claude",
            title="Claude Code",
            program="claude",
            events={
                "PreToolUse": SPAWN,
                "PostToolUse": ENDED,
                "PostToolUseFailure": ENDED,
                "SubagentStop": ENDED,
                "StopFailure": ENDED,
                "SessionStart": SESSION,
                "UserPromptSubmit": PROMPT,
                "PreCompact": COMPACT,
                "SessionEnd": END,
            },
            spawn_tools=("Agent", "Task"),
            type_keys=("subagent_type", "agent_type"),
            cap=10_000,
            parts=3,
            model_address="https://api.anthropic.com",
            address_variables={"ANTHROPIC_BASE_URL": ""},
            settings=".claude/settings.json",
            user_settings=".claude/settings.json",
            home_variable="CLAUDE_CONFIG_DIR",
            local_settings=".claude/settings.local.json",
            strict=True,
            switches={"disableAllHooks": True},
            variables="env",
            plugins="enabledPlugins",
            colons=True,
            also_usual=("claude",),
            agent_file=".claude/agents/NAME.md",
            reading_tools="Read, Grep, Glob, Bash",
            built_in=(
                "general-purpose",
                "claude",
                "Explore",
                "Plan",
                "statusline-setup",
                "output-style-setup",
                "claude-code-guide",
                "fork",
            ),
        ),
        Client(
            name="codex",
            title="Codex CLI",
            program="codex",
            # How a model spawns agents depends on the model: in the older way the prompt can be
            # read before, in the newer one only the name of the task when the agent starts.
            events={
                "PreToolUse": SPAWN,
                # Which agent the call has spawned: its transcript is a sign of life.
                "PostToolUse": ENDED,
                "SubagentStart": START,
                "SubagentStop": ENDED,
                "SessionStart": SESSION,
                "UserPromptSubmit": PROMPT,
                "PreCompact": COMPACT,
                "SessionEnd": END,
            },
            spawn_tools=("spawn_agent",),
            type_keys=("agent_type",),
            prompt_key="message",
            has_task_names=True,
            cap=60_000,
            # It counts bytes, where programs in JavaScript count units of UTF-16.
            encoding="utf-8",
            model_address="https://api.openai.com",
            # A provider of its own: by `openai_base_url` it would try WebSockets first.
            address_words=(
                "-c",
                'model_provider="dctx"',
                "-c",
                'model_providers.dctx.name="OpenAI through dctx"',
                "-c",
                'model_providers.dctx.base_url="ADDRESS/v1"',
                "-c",
                'model_providers.dctx.wire_api="responses"',
                "-c",
                'model_providers.dctx.env_key="OPENAI_API_KEY"',
            ),
            settings=".codex/hooks.json",
            user_settings=".codex/hooks.json",
            home_variable="CODEX_HOME",
            strict=True,
            switches={"features.hooks": False, "features.codex_hooks": False},
            switch_file="config.toml",
            transcripts=("/rollout-", "/.codex/"),
            usual_type="default",
            also_usual=("worker",),
            agent_file=".codex/agents/NAME.toml",
            colons=True,
            review="/hooks",
            borrows=("claude",),
            built_in=("default", "explorer", "worker"),
        ),
        Client(
            name="gemini",
            title="Gemini CLI",
            program="gemini",
            events={
                "BeforeTool": SPAWN,
                "AfterTool": ENDED,
                "SessionStart": SESSION,
                "BeforeAgent": PROMPT,
                "PreCompress": COMPACT,
                "SessionEnd": END,
            },
            spawn_tools=("invoke_agent",),
            type_keys=("agent_name",),
            cap=10_000,
            settings=".gemini/settings.json",
            user_settings=".gemini/settings.json",
            timeout_unit=1000,
            # Before every turn, and there is no answer to it yet: a process for nothing each time.
            unasked=("PreCompress",),
            switches={"hooksConfig.enabled": False},
            transcripts=("/.gemini/",),
            usual_type="generalist",
            agent_file=".gemini/agents/NAME.md",
            reading_tools="[read_file, grep_search, glob, list_directory, run_shell_command]",
            built_in=("generalist", "codebase_investigator", "cli_help", "browser_agent"),
        ),
        Client(
            name="cursor",
            title="Cursor",
            program="cursor-agent",
            events={
                "preToolUse": SPAWN,
                "sessionStart": SESSION,
                "preCompact": COMPACT,
                "sessionEnd": END,
            },
            spawn_tools=("Task",),
            type_keys=("subagent_type",),
            cap=10_000,
            settings=".cursor/hooks.json",
            user_settings=".cursor/hooks.json",
            frame={"version": 1},
            flat=True,
            also_usual=("generalpurpose",),
            agent_file=".cursor/agents/NAME.md",
        ),
        Client(
            name="copilot",
            title="Copilot CLI",
            program="copilot",
            # Without its PreCompact: its sessions keep every event, so nothing has to be saved.
            events={
                "PreToolUse": SPAWN,
                "PostToolUse": ENDED,
                "PostToolUseFailure": ENDED,
                "SubagentStop": ENDED,
                "ErrorOccurred": ENDED,
                "SessionStart": SESSION,
                "UserPromptSubmit": PROMPT,
                "SessionEnd": END,
            },
            # Only for the hooks of Claude Code that it borrows: what is put before a prompt there
            # stands in the main conversation, too.
            unasked=("PreToolUse", "PostToolUse", "PostToolUseFailure"),
            prompts_of_agents=True,
            # It calls its tool `task`, and `Agent` where an event has the form of Claude Code's.
            spawn_tools=("Agent", "task"),
            type_keys=("agent_type",),
            cap=200_000,
            settings=".github/hooks/dctx.json",
            user_settings=".copilot/hooks/dctx.json",
            home_variable="COPILOT_HOME",
            frame={"version": 1},
            flat=True,
            switches={"disableAllHooks": True},
            switch_file="settings.json",
            # It reads the sub-agents of Claude Code as well, so one file serves both.
            agent_file=".claude/agents/NAME.md",
            reading_tools="Read, Grep, Glob, Bash",
            agents=(".github/agents",),
            borrows=("claude",),
            has_keys=("hook_event_name", "timestamp"),
            lacks_keys=("transcript_path",),
            on_top=True,
            colons=True,
            built_in=(
                "explore",
                "task",
                "general-purpose",
                "code-review",
                "research",
                "security-review",
            ),
        ),
        Client(
            name="vscode",
            title="VS Code",
            program="code",
            # When an agent has started is the only way that it documents.
            events={
                "SubagentStart": START,
                "SessionStart": SESSION,
            },
            spawn_tools=(),
            type_keys=(),
            cap=10_000,
            settings=".github/hooks/dctx.json",
            user_settings=".copilot/hooks/dctx.json",
            frame={"version": 1},
            flat=True,
            own_folder=".vscode",
            agents=(".github/agents",),
            borrows=("claude",),
            has_keys=("hookEventName",),
            matchers=False,
        ),
    )
}


ALSO = {"claude-code": "claude"}
"""How the same is called where formats of conversations are named."""
