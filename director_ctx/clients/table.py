"""The clients that contexts are handed to, as data."""

from __future__ import annotations

from director_ctx.errors import UsageProblem
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SPAWN, START, SESSION, PROMPT, COMPACT, END = "spawn", "start", "session", "prompt", "compact", "end"
"""Kinds of events: a sub-agent is being spawned, or has started; a session starts; the user has sent a prompt; the
conversation is about to be compacted; the session ends."""


SESSION_PARTS = 3
"""How many entries share what a session is told after a compaction."""


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
    """Characters that one answer of a hook may put into a context; what is longer is not shown whole."""
    parts: int
    """How many entries share what a sub-agent is told where it is told when it starts."""
    settings: str
    """The file that hooks are written in, in the project."""
    user_settings: str
    """The same in the user's home."""
    home_variable: str = ""
    """The environment variable that moves the first folder of `user_settings`."""
    timeout_unit: int = 1
    """What a timeout of a second is in its settings."""
    encoding: str = "utf-16-le"
    """What the cap is counted in: characters of JavaScript, or bytes where this is UTF-8."""

    def size(self, text: str) -> int:
        """The length of a text as the client counts it."""
        if text.isascii():
            return len(text)
        return len(text.encode(self.encoding, "surrogatepass")) // (1 if self.encoding == "utf-8" else 2)


CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude", "Claude Code", "claude",
            {"PreToolUse": SPAWN, "SubagentStart": START, "SessionStart": SESSION, "UserPromptSubmit": PROMPT,
             "PreCompact": COMPACT, "SessionEnd": END},
            ("Agent", "Task"), ("subagent_type",), 10_000, 4,
            ".claude/settings.json", ".claude/settings.json", "CLAUDE_CONFIG_DIR",
        ),
        Client(
            "codex", "Codex CLI", "codex",
            {"SubagentStart": START, "SessionStart": SESSION, "UserPromptSubmit": PROMPT, "PreCompact": COMPACT,
             "SessionEnd": END},
            (), (), 9_500, 6,
            ".codex/hooks.json", ".codex/hooks.json", "CODEX_HOME", encoding="utf-8",
        ),
        Client(
            "gemini", "Gemini CLI", "gemini",
            {"BeforeTool": SPAWN, "SessionStart": SESSION, "BeforeAgent": PROMPT, "PreCompress": COMPACT,
             "SessionEnd": END},
            ("invoke_agent",), ("agent_name",), 10_000, 1,
            ".gemini/settings.json", ".gemini/settings.json", "", 1000,
        ),
        Client(
            "cursor", "Cursor", "cursor-agent",
            {"preToolUse": SPAWN, "sessionStart": SESSION, "preCompact": COMPACT, "sessionEnd": END},
            ("Task",), ("subagent_type",), 10_000, 1,
            ".cursor/hooks.json", ".cursor/hooks.json",
        ),
    )
}  # fmt: skip


def find_client(name: str) -> Client:
    client = CLIENTS.get(name.strip().casefold())
    if client is None:
        raise UsageProblem(f"There is no client {name!r}.", "Clients: " + ", ".join(CLIENTS))
    return client
