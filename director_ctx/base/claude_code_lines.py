"""What Claude Code calls the fields of its sessions' lines: the one place that knows their names.

Nobody documents them, and they grow with every version: what is not named here is passed on as it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Line = dict[str, Any]

KIND = "type"
SUBKIND = "subtype"
FROM_USER = "user"
FROM_MODEL = "assistant"
ATTACHED = "attachment"
FROM_SYSTEM = "system"
SAID = (FROM_USER, FROM_MODEL)
"""Kinds of lines that hold a message."""
CHAINED = (*SAID, ATTACHED, FROM_SYSTEM)
"""Kinds of lines that others name as their parent."""

UUID = "uuid"
PARENT = "parentUuid"
PARENT_BEFORE = "logicalParentUuid"
"""Of the first line behind a compaction: the line that it would hang on without one."""
SESSION = "sessionId"
AGENT = "agentId"
SIDECHAIN = "isSidechain"
MESSAGE = "message"
META = "isMeta"
SUMMARY = "isCompactSummary"
RESULT_FOR_SCREEN = "toolUseResult"
ATTACHMENT = "attachment"
RENDERED = "rendered"
"""How an attachment was shown to the model."""
RENDERED_ROLE = "renderedRole"
COMPACTION = "compact_boundary"

SHARED = (
    SIDECHAIN,
    AGENT,
    "userType",
    "entrypoint",
    "cwd",
    SESSION,
    "version",
    "gitBranch",
    "slug",
)
"""What all lines of a session say alike."""
WRITTEN_ANEW = frozenset((
    UUID,
    PARENT,
    PARENT_BEFORE,
    "leafUuid",
    SESSION,
    "timestamp",
    "version",
    "cwd",
    "gitBranch",
))  # fmt: skip
"""What the client writes anew when it goes on with a session in another file."""


def kind_of(line: Line) -> object:
    return line.get(KIND)


def uuid_of(line: Line) -> str | None:
    """The name of a line; None where it has none, or something that is no text."""
    name = line.get(UUID)
    return name if isinstance(name, str) else None


def parent_of(line: Line) -> Any:
    """The name of the line that this one hangs on; None for a first line."""
    return line.get(PARENT)


def session_of(line: Line) -> Any:
    return line.get(SESSION)


def agent_of(line: Line) -> Any:
    """The name of the sub-agent whose line it is."""
    return line.get(AGENT)


def message_of(line: Line) -> dict[str, Any] | None:
    """The message in a line, as the API has it."""
    message = line.get(MESSAGE)
    return message if isinstance(message, dict) else None


def usage_of(line: Line) -> dict[str, Any]:
    """The tokens that the API counted for an answer; nothing where the line does not say."""
    message = message_of(line) or {}
    usage = message.get("usage")
    return usage if isinstance(usage, dict) else {}


def attachment_of(line: Line) -> dict[str, Any]:
    """What a hook or the client put in; nothing where the line has none."""
    attachment = line.get(ATTACHMENT)
    return attachment if isinstance(attachment, dict) else {}


def is_attachment(line: Line) -> bool:
    return line.get(KIND) == ATTACHED


def is_sidechain(line: Line) -> bool:
    """Whether it is of a conversation with a sub-agent."""
    return bool(line.get(SIDECHAIN))


def is_meta(line: Line) -> bool:
    """Whether it is in the user's name, and nobody typed it."""
    return bool(line.get(META))


def is_summary(line: Line) -> bool:
    """Whether it is what a compaction left of the conversation."""
    return bool(line.get(SUMMARY))


def is_compaction(line: Line) -> bool:
    """Whether the model reads only what follows this line."""
    return line.get(SUBKIND) == COMPACTION


def is_shown_as_system(line: Line) -> bool:
    """Whether the client shows it to the model as its own words."""
    return line.get(RENDERED_ROLE) == FROM_SYSTEM


def is_client_error(line: Line) -> bool:
    """Whether it stands for an answer that never came."""
    return bool(line.get("isApiErrorMessage"))


def is_for_screen(line: Line) -> bool:
    """Whether only the person at the terminal sees it. Summaries are marked so too, and are read."""
    return bool(line.get("isVisibleInTranscriptOnly")) and not is_summary(line)
