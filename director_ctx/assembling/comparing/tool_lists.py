"""How each client shows a server's tools to its model, and what it sends by itself: as measured, as data."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MEASURED = "2026-11-19"
"""When the clients were asked, with a model that writes down what it is sent."""


class ToolList(Record):
    """One client. Tokens are counted by o200k_base."""

    client: str
    title: str
    version: str
    """Which one was measured; empty for a client that was not, and is taken for a usual one."""
    own: int
    """Tokens of its own prompt and tools."""
    deferred: bool = False
    """Whether tools are names until the model looks for them, except those that are pinned."""
    instructions: bool = True
    """Whether what a server says of itself is shown to the model."""
    beside: int = 0
    """Tokens of tools of the client's own that come with any server."""
    prefix: str = ""
    """What stands before the name of a tool."""
    connects_as: str = ""
    """What it calls itself to a server."""
    model: str = ""
    """Whose prices count where nobody names a model."""


TOOL_LISTS: Mapping[str, ToolList] = {
    row.client: row
    for row in (
        ToolList(
            "claude", "Claude Code", "2.1.326", 10_400,
            deferred=True, prefix="mcp__dctx__", connects_as="claude-code", model="claude-opus-5-5",
        ),
        ToolList("codex", "Codex", "0.169.0", 8_000, beside=324, model="gpt-6.1-sol"),
        ToolList(
            "copilot", "Copilot CLI", "1.0.102", 10_300,
            instructions=False, prefix="dctx-", model="claude-sonnet-5-5",
        ),
        ToolList("gemini", "Gemini CLI", "", 10_000),
        ToolList("cursor", "Cursor", "", 10_000),
        ToolList("vscode", "VS Code", "", 10_000),
        ToolList("opencode", "OpenCode", "", 10_000),
    )
}  # fmt: skip

SEARCH_CALL = 'ToolSearch {{"query":"select:{names}"}}'
"""How a model asks for deferred tools."""
