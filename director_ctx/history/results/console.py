"""What a browser's console said, shorter: errors and warnings with their counts."""

from __future__ import annotations

import re

_LINE = re.compile(
    r"^\s*(?:[-*] )?(?:\[?\d[\d:.,TZ -]*\]?\s*)?(?:msgid=\S+ )?(?:console\.)?\[?"
    r"(error|exception|warning|warn|log|info|debug|verbose|trace|assert)\]?[:\s]\s*(.*)$",
    re.IGNORECASE,
)
"""A line that begins with what kind of message it is, behind a sign of a list and a time."""
_SAME = {
    "warn": "warning",
    "exception": "error",
    "assert": "error",
    "verbose": "debug",
    "trace": "debug",
}
_ORDER = ("error", "warning", "info", "log", "debug")
_SHOWN = {
    "error": 20,
    "warning": 5,
    "info": 2,
    "log": 2,
    "debug": 0,
}
"""How many different texts of a kind are shown."""
_LONGEST = 300
"""Characters of a message that are shown."""
_FEWEST = 4
"""Messages that are worth grouping."""
_LOOKED_AT = 4000
"""Characters that show what a result is."""
_TITLE = 400
"""Characters in which the word may stand above the messages."""


def is_console(tool: str, text: str) -> bool:
    """Whether a result lists what a browser's console said; the word alone does not make it that."""
    head = text[:_TITLE].lower()
    if "console" not in tool.lower() and "console" not in head:
        return False

    lines = 0
    messages = 0
    for line in text[:_LOOKED_AT].split("\n"):
        if not line.strip():
            continue
        lines += 1
        if _LINE.match(line):
            messages += 1
    return lines >= _FEWEST and messages * 2 > lines


def grouped(text: str) -> str:
    """Errors and warnings with their counts, of the rest hardly more than how many there were."""
    counts_of: dict[str, dict[str, int]] = {}
    """For each kind, how often each text of it was said."""
    for kind in _ORDER:
        counts_of[kind] = {}

    # What goes on over several lines is told by its first one.
    for line in text.split("\n"):
        match = _LINE.match(line)
        if match is None:
            continue
        word = match[1].lower()
        message = match[2].strip()[:_LONGEST]
        counts = counts_of[_SAME.get(word, word)]
        counts[message] = counts.get(message, 0) + 1

    lines: list[str] = []
    for kind, counts in counts_of.items():
        lines += _lines_of_kind(kind, counts)
    return "\n".join(lines)


def _lines_of_kind(kind: str, counts: dict[str, int]) -> list[str]:
    if not counts:
        return []

    shown = _SHOWN[kind]
    lines = [f"{kind}: {sum(counts.values())}"]
    for text in list(counts)[:shown]:
        count = counts[text]
        line = f"  {text}"
        if count > 1:
            line += f" ({count} times)"
        lines.append(line)

    left_out = len(counts) - shown
    # Of a kind that is only counted, nothing is left out.
    if shown and left_out > 0:
        lines.append(f"  … {left_out} more")
    return lines
