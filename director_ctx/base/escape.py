"""Keeps a text from speaking as somebody else: tags by which others speak lose their bracket in it,
and nothing in it stays unseen.

A tag is whatever a reader may take for one: in letters that only look the same, with blanks or
unseen characters in it, behind a sign that looks like a bracket.
"""

from __future__ import annotations

from director_ctx.base.look_alikes import BRACKETS, seen_as, skeleton, visible_start
from director_ctx.base.unseen import show_unseen, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Find = Callable[[str], str]
    """The tag that a piece behind a bracket names, if it names one."""

SPOKEN = {
    "dctx": (
        "system_prompt", "vision", "gameplan", "current_step", "decisions", "task", "step_research",
        "research_summary", "research", "codebase_summary", "codebase", "recent_changes", "project_state", "changes",
        "issues", "cost_data", "current_plan", "workflow_snapshot", "workflow_variables", "browser_state",
        "conversation_history", "compressed_context", "reference", "instructions",
    ),
    "claude": (
        "system-reminder", "local-command-caveat", "local-command-stdout", "local-command-stderr", "command-name",
        "command-message", "command-args", "command-contents", "skill-format", "bash-input", "bash-stdout",
        "bash-stderr", "user-prompt-submit-hook", "session-start-hook", "post-tool-use-hook", "task-notification",
        "agent-notification", "agent-message", "tool_use_error", "persisted-output", "new-diagnostics",
        "mcp-resource", "ide_opened_file", "ide_selection", "user_claude_md", "function_calls", "function_results",
    ),
    "codex": (
        "environment_context", "user_instructions", "user_action", "user_shell_command", "turn_aborted",
        "subagent_notification", "permission_profile", "collaboration_mode", "model_switch", "model_instructions",
        "skills_instructions", "apps_instructions", "plugins_instructions", "environments_instructions",
        "managed_developer_instructions", "codex_internal_context", "codex_delegation", "context_window_reminder",
        "current_time_reminder", "multi_agent_role", "startup_context",
    ),
    "gemini": (
        "hook_context", "session_context", "loaded_context", "global_context", "project_context",
        "extension_context", "user_project_memory", "user_input", "untrusted_context", "system_note",
        "state_snapshot", "activated_skill", "background_output", "original_user_request",
    ),
    "cursor": (
        "user_query", "user_info", "user_rules", "system_reminder", "additional_data", "attached_files",
        "custom_instructions", "cursor_commands", "open_and_recently_viewed_files",
    ),
    "copilot": (
        "system_notification", "current_datetime", "custom_instruction", "skill-context", "available_skills",
    ),
    "vscode": (
        "userRequest", "reminderInstructions", "modeInstructions", "toolUseInstructions", "editorContext",
        "repoContext", "userMemory", "repoMemory", "workspace_info", "environment_info", "conversation-summary",
    ),
}  # fmt: skip
"""The tags by which contexts of ours and each client speak to a model. `context/settings/tags.py` has ours,
too, by name; a test holds both together, and the others with `history/messages/client_words.py`.
"""
_TAG_OF = {skeleton(tag): tag for tags in SPOKEN.values() for tag in tags}
_LONGEST = 2 * max(map(len, _TAG_OF))
"""Letters of a name at most: each may be drawn by two, as m by r and n."""
_SKELETONS = tuple(_TAG_OF)
_IDLE = " \t\n/\\"


def escape_tags(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with such tags written `&lt;task>` and unseen characters `\\u200b`, and the tags
    that were in it.
    """
    safe, tags = without_tags(text, tag_at_start, as_entity)
    shown = show_unseen(safe)
    if shown == safe:
        return safe, tags
    # What was unseen within a name ends it now: `<task` may stand before it.
    again, more = without_tags(shown, tag_at_start, as_entity)
    return again, (*tags, *more)


def escape_json(text: str) -> str:
    """JSON that says exactly the same, so that it can be read back, with no such tag and nothing
    unseen in it.
    """
    safe, _ = without_tags(text, tag_at_start, written)
    safe = show_unseen(safe)
    if not safe.replace("\n", "").isprintable():
        pieces: list[str] = []
        for char in safe:
            is_seen = char.isprintable() or char == "\n"
            pieces.append(char if is_seen else written(char))
        safe = "".join(pieces)
    # What was unseen within a name ends it now.
    safe, _ = without_tags(safe, tag_at_start, written)
    return safe


def as_entity(_: str) -> str:
    """What stands for a bracket in a text."""
    return "&lt;"


def escape_end(text: str) -> str:
    """The text with a bracket at its end written `&lt;` where what comes next could make it such a
    tag.
    """
    last = max(map(text.rfind, BRACKETS))
    if last < 0:
        return text
    rest = text[last + 1 :]
    begun = skeleton(rest[visible_start(rest) :])
    if any(name.startswith(begun) for name in _TAG_OF):
        return f"{text[:last]}&lt;{rest}"
    return text


def without_tags(
    text: str, find: Find, instead: Callable[[str], str]
) -> tuple[str, tuple[str, ...]]:
    """Each bracket of a tag that is found replaced."""
    tags: list[str] = []
    brackets = BRACKETS
    if text.isascii():
        brackets = BRACKETS[:1]
    for bracket in brackets:
        if bracket not in text:
            continue
        first, *rest = text.split(bracket)
        pieces = [first]
        for piece in rest:
            tag = find(piece)
            if tag:
                tags.append(tag)
                pieces.append(instead(bracket))
            else:
                pieces.append(bracket)
            pieces.append(piece)
        text = "".join(pieces)
    return text, tuple(tags)


def tag_at_start(piece: str) -> str:
    """The tag of `SPOKEN` that a piece behind a bracket names, opening or closing."""
    if _is_plainly_none(piece):
        return ""
    return _TAG_OF.get(skeleton(name_at_start(piece)), "")


def _is_plainly_none(piece: str) -> bool:
    """Whether a look at its beginning is enough, as it is for nearly every bracket."""
    head = piece[: 2 * _LONGEST].lstrip(_IDLE)
    if len(head) < _LONGEST < len(piece) or not head.isascii():
        return False
    if not head.replace("\n", "").replace("\t", "").isprintable():
        return False
    return not skeleton(head).startswith(_SKELETONS)


def name_at_start(piece: str) -> str:
    """The letters that stand first; too many for a name are cut off."""
    name = ""
    for char in piece[visible_start(piece) :]:
        seen = seen_as(char)
        if not all(one.isalnum() or one in "_-|" for one in seen):
            break
        name += seen
        if len(name) > _LONGEST:
            break
    return name
