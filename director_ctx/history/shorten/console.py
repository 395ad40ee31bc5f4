"""Console messages of a browser: grouped by kind, each text once with its count."""

from __future__ import annotations

import re

_LINE = re.compile(
    r"^\s*(?:[-*] )?(?:\[?\d[\d:.,TZ -]*\]?\s*)?(?:msgid=\S+ )?(?:console\.)?\[?"
    r"(error|exception|warning|warn|log|info|debug|verbose|trace|assert)\]?[:\s]\s*(.*)$",
    re.IGNORECASE,
)
_SAME = {"warn": "warning", "exception": "error", "assert": "error", "verbose": "debug", "trace": "debug"}
_ORDER = ("error", "warning", "info", "log", "debug")
_SHOWN = {"error": 20, "warning": 5, "info": 2, "log": 2, "debug": 0}
"""How many different texts of a kind are shown."""
_LONGEST = 300
_FEWEST = 4
"""Messages that are worth grouping."""


def is_console(tool: str, text: str) -> bool:
    """Whether a result lists what a browser's console said; the word alone does not make it that."""
    lines = [line for line in text[:4000].split("\n") if line.strip()]
    if "console" not in tool.lower() and "console" not in text[:400].lower():
        return False
    return sum(1 for line in lines if _LINE.match(line)) * 2 > len(lines) >= _FEWEST


def grouped(text: str) -> str:
    """Errors and warnings with their counts, of the rest hardly more than how many there were."""
    kinds: dict[str, dict[str, int]] = {kind: {} for kind in _ORDER}
    kind = "log"
    for line in text.split("\n"):
        if found := _LINE.match(line):
            kind = _kind(found[1])
            said = found[2].strip()[:_LONGEST]
            kinds[kind][said] = kinds[kind].get(said, 0) + 1
    return "\n".join(line for kind in _ORDER for line in _shown(kind, kinds[kind]))


def _kind(word: str) -> str:
    word = word.lower()
    return _SAME.get(word, word)


def _shown(kind: str, texts: dict[str, int]) -> list[str]:
    if not texts:
        return []
    lines = [f"{kind}: {sum(texts.values())}"]
    for text, count in list(texts.items())[: _SHOWN[kind]]:
        lines.append(f"  {text}" + (f" ({count} times)" if count > 1 else ""))
    if len(texts) > _SHOWN[kind] > 0:
        lines.append(f"  … {len(texts) - _SHOWN[kind]} more")
    return lines
