"""How full a conversation's window is, by the numbers of its own transcript: those of its last
answer.
"""

from __future__ import annotations

import os

from director_ctx.base.claude_code_lines import (
    COMPACTION,
    FROM_MODEL,
    is_client_error,
    is_compaction,
    is_sidechain,
    kind_of,
    usage_of,
)
from director_ctx.base.light_json import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

END = 4_000_000
"""Bytes of a transcript that are looked at, from its end."""
_MARKS = (b'"usage"', COMPACTION.encode(), b'"compacted"', b'"token_count"', b'"tokens"',
          b'"session.compaction_complete"')  # fmt: skip
"""In the lines that may say something: Claude Code's, Codex's, Gemini CLI's, Copilot CLI's."""
_COUNTED = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


def tokens_in_use(transcript: str) -> int | None:
    """Tokens of the last answer's request and of the answer itself; None where that is not known."""
    return last_tokens(_last_lines(transcript))


def last_tokens(lines: Sequence[bytes], of_agent: bool = False) -> int | None:
    """By the newest of these lines that says anything."""
    for line in reversed(lines):
        tokens = tokens_said_by(line, of_agent)
        if tokens != 0:
            return tokens
    return None


def tokens_said_by(line: bytes, of_agent: bool = False) -> int | None:
    """Tokens in use by one line of a transcript, or of a sub-agent's own: 0 where it says nothing,
    None where a compaction began anew.
    """
    # Most lines say nothing, and parsing is what costs.
    if not any(mark in line for mark in _MARKS):
        return 0
    try:
        event = parse(line.decode("utf-8", "replace"))
    except ValueError:
        event = None
    if not isinstance(event, dict):
        return 0
    if _is_compaction(event):
        return None
    return _claude(event, of_agent) or _codex(event) or _gemini(event) or _copilot(event)


def tokens_of(usage: object) -> int:
    """What one request took of the window, with its answer, as Claude Code counts it."""
    return sum(_number(usage.get(key)) for key in _COUNTED) if isinstance(usage, dict) else 0


def _is_compaction(event: dict[str, Any]) -> bool:
    if is_compaction(event) or event.get("type") == "compacted":
        return True
    if event.get("type") != "session.compaction_complete":
        return False
    # Copilot CLI says it of a compaction that failed, too.
    return _at(event, "data").get("success") is True


def _claude(line: dict[str, Any], of_agent: bool = False) -> int:
    if kind_of(line) != FROM_MODEL:
        return 0
    # A sub-agent has a window of its own, and a provider's error is no answer of the model.
    if is_sidechain(line) != of_agent or is_client_error(line):
        return 0
    return tokens_of(usage_of(line))


def _codex(line: dict[str, Any]) -> int:
    payload = _at(line, "payload")
    if payload.get("type") != "token_count":
        return 0
    # `last` is the last request; beside it stands the sum of all.
    usage = _at(payload, "info", "last_token_usage")
    return _number(usage.get("total_tokens"))


def _gemini(line: dict[str, Any]) -> int:
    if line.get("type") != "gemini":
        return 0
    return _number(_at(line, "tokens").get("total"))


def _copilot(line: dict[str, Any]) -> int:
    """Of one request of the session itself: what was sent, cached or not, and what came back."""
    is_of_agent = bool(line.get("agentId"))
    if line.get("type") != "session.usage_record" or is_of_agent:
        return 0
    usage = _at(line, "data", "usage")
    return _number(usage.get("inputTokens")) + _number(usage.get("outputTokens"))


def _at(value: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return value if 0 <= value < 10**9 else 0


def _last_lines(path: str) -> list[bytes]:
    """Whole lines from the end of a regular file."""
    # Nobody waits for a pipe. Each system lacks one of these flags.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError):
        return []
    try:
        size = os.fstat(descriptor).st_size
        if not size:  # a device is as empty, and might never end
            return []
        os.lseek(descriptor, max(0, size - END), os.SEEK_SET)
        data = b""
        more = os.read(descriptor, END)
        while more:
            data += more
            more = os.read(descriptor, END)
    except OSError:
        return []
    finally:
        os.close(descriptor)
    # Of a longer file, the first line is only the end of one.
    return data.split(b"\n")[size > END :]
