"""How full a conversation's window is, by the numbers of its own transcript: those of its last
answer.
"""

from __future__ import annotations

import os

from director_ctx.base.light_json import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

END = 4_000_000
"""Bytes of a transcript that are looked at, from its end."""
_MARKS = (b'"usage"', b'"compact_boundary"', b'"compacted"', b'"token_count"', b'"tokens"',
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
    return said_last(_last_lines(transcript))


def said_last(lines: Sequence[bytes]) -> int | None:
    """By the newest of these lines that says anything."""
    return next((said for line in reversed(lines) if (said := said_by(line)) != 0), None)


def said_by(line: bytes) -> int | None:
    """Tokens in use by one line of a transcript: 0 where it says nothing, None where a compaction
    began anew.
    """
    if not any(mark in line for mark in _MARKS):
        return 0
    try:
        found = parse(line.decode("utf-8", "replace"))
    except ValueError:
        return 0
    if not isinstance(found, dict):
        return 0
    if found.get("subtype") == "compact_boundary" or found.get("type") == "compacted":
        return None
    if (
        found.get("type") == "session.compaction_complete"
        and _at(found, "data").get("success") is True
    ):
        return None
    return _claude(found) or _codex(found) or _gemini(found) or _copilot(found)


def _claude(line: dict[str, Any]) -> int:
    if line.get("type") != "assistant" or line.get("isSidechain") or line.get("isApiErrorMessage"):
        return 0
    usage = _at(line, "message", "usage")
    return sum(_number(usage.get(key)) for key in _COUNTED)


def _codex(line: dict[str, Any]) -> int:
    """An event of a rollout; `last` is the last request, not the sum of all."""
    if _at(line, "payload").get("type") != "token_count":
        return 0
    return _number(_at(line, "payload", "info", "last_token_usage").get("total_tokens"))


def _gemini(line: dict[str, Any]) -> int:
    return _number(_at(line, "tokens").get("total")) if line.get("type") == "gemini" else 0


def _copilot(line: dict[str, Any]) -> int:
    """Of one request of the session itself: what was sent, cached or not, and what came back."""
    if line.get("type") != "session.usage_record" or line.get("agentId"):
        return 0
    usage = _at(line, "data", "usage")
    return _number(usage.get("inputTokens")) + _number(usage.get("outputTokens"))


def _at(value: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _number(value: object) -> int:
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9
        else 0
    )


def _last_lines(path: str) -> list[bytes]:
    """Whole lines from the end of a regular file."""
    try:
        descriptor = os.open(
            path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
    except (OSError, ValueError):
        return []
    try:
        size = os.fstat(descriptor).st_size
        if not size:  # a device is as empty, and might never end
            return []
        os.lseek(descriptor, max(0, size - END), os.SEEK_SET)
        data = b""
        while more := os.read(descriptor, END):
            data += more
    except OSError:
        return []
    finally:
        os.close(descriptor)
    lines = data.split(b"\n")
    return lines[1:] if size > END else lines
