"""Keeps a text from speaking as somebody else: tags by which others speak lose their bracket in it,
and nothing in it stays unseen.

A tag is whatever a reader may take for one: in letters that only look the same, with blanks or
unseen characters in it, behind a sign that looks like a bracket. A document stays as it is written,
except for lines that begin with a boundary (`escape_boundaries`). In quotes, in JSON and in what
tools said no tag stays (`escape_tags`, `escape_json`).
"""

from __future__ import annotations

from director_ctx.base.look_alikes import BRACKETS, SLASHES, seen_as, skeleton, visible_start
from director_ctx.base.unseen import show_unseen, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Find = Callable[[str], str]
    """The tag that a piece behind a bracket names, if it names one."""
    Escaped = tuple[str, tuple[str, ...]]
    """A text, and the tags that were in it."""

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
_OURS = frozenset(SPOKEN["dctx"])
_IDLE = " \t\n/\\"
_LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


def escape_tags(text: str) -> Escaped:
    """The text with every such tag written `&lt;task>` and unseen characters `\\u200b`."""
    return _escaped(text, _without_any)


def escape_boundaries(text: str) -> Escaped:
    """A document of which only those lines are escaped that begin with a boundary: a tag of ours
    without attributes, because ours never have any, or any tag of a client.
    """
    return _escaped(text, _without_boundaries)


def _escaped(text: str, without: Callable[[str], Escaped]) -> Escaped:
    safe, tags = without(text)
    shown = show_unseen(safe)
    if shown == safe:
        return safe, tags
    # What was unseen within a name ends it now: `<task` may stand before it.
    again, more = without(shown)
    return again, (*tags, *more)


def _without_any(text: str) -> Escaped:
    return without_tags(text, tag_at_start, as_entity)


def _without_boundaries(text: str) -> Escaped:
    places: list[int] = []
    for bracket in _brackets_in(text):
        place = -1
        for piece in text.split(bracket)[:-1]:
            place += len(piece) + 1
            places.append(place)
    if not places:
        return text, ()
    places.sort()
    places.append(len(text))

    pieces: list[str] = []
    tags: list[str] = []
    done = 0
    for place, next_place in zip(places, places[1:], strict=False):
        if place < done or not _begins_line(text, place):
            continue
        end = place + 1
        length = _boundary_length(text[end:next_place])
        if not length:
            continue

        end += length
        while end < len(text) and text[end] not in _LINE_ENDS:
            end += 1
        # The whole line: another boundary may follow the first.
        line, names = _without_any(text[place:end])
        pieces += (text[done:place], line)
        tags += names
        done = end
    return "".join((*pieces, text[done:])), tuple(tags)


def _brackets_in(text: str) -> list[str]:
    brackets = BRACKETS
    if text.isascii():
        brackets = BRACKETS[:1]
    return [bracket for bracket in brackets if bracket in text]


def _begins_line(text: str, place: int) -> bool:
    """Whether a reader sees nothing before a place in its line."""
    while place:
        place -= 1
        char = text[place]
        # Nearly always: a letter of the same line.
        if "!" <= char <= "~":
            return False
        if char in _LINE_ENDS:
            return True
        if seen_as(char).strip():
            return False
    return True


def _boundary_length(piece: str) -> int:
    """How much of the piece behind a line's first bracket belongs to a boundary; 0 if there is
    none.
    """
    tag = tag_at_start(piece)
    if not tag:
        return 0
    _, rest = _name_and_rest(piece)
    length = len(piece) - len(rest)
    gap = visible_start(rest)
    if gap < len(rest) and seen_as(rest[gap]) == ">":
        # Perhaps in the next line.
        return length + gap

    is_ended = gap == len(rest) or any(char in _LINE_ENDS for char in rest[:gap])
    before_name = skeleton(piece[: visible_start(piece)])
    is_closing = any(slash in before_name for slash in SLASHES)
    has_attributes = tag in _OURS and not is_closing and not is_ended
    return 0 if has_attributes else length


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


def without_tags(text: str, find: Find, instead: Callable[[str], str]) -> Escaped:
    """Each bracket of a tag that is found replaced."""
    tags: list[str] = []
    for bracket in _brackets_in(text):
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
    name, _ = _name_and_rest(piece)
    return name


def _name_and_rest(piece: str) -> tuple[str, str]:
    name = ""
    place = visible_start(piece)
    while place < len(piece) and len(name) <= _LONGEST:
        seen = seen_as(piece[place])
        if not all(one.isalnum() or one in "_-|" for one in seen):
            break
        name += seen
        place += 1
    return name, piece[place:]
