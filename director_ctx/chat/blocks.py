"""Where a piece of Markdown that is still being written is complete; pure."""

from __future__ import annotations

FENCES = ("```", "~~~")


def end_of_block(text: str) -> int:
    """Behind the last blank line that is in no fence; 0 where there is none yet."""
    end = position = 0
    fence = ""
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        position += len(line)
        if fence:
            if bare.startswith(fence):
                fence = ""
        elif bare.startswith(FENCES):
            fence = bare[:3]
        elif not bare and line.endswith("\n"):
            end = position
    return end
