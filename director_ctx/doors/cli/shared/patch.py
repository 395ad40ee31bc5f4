"""A change as a patch shows it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_STYLES = {"+": "green", "-": "red", "@": "dim"}


def patch_lines(
    before: str | None, after: str | None, was: str, now: str, around: int = 3
) -> Iterator[tuple[str, str]]:
    """The lines with their styles, and so many around a change; for `put_lines(..., tabs=True)`."""
    from difflib import unified_diff

    old, new = ((text or "").splitlines() for text in (before, after))
    for line in unified_diff(old, new, was, now, n=around, lineterm=""):
        yield line, "bold" if line[:3] in ("---", "+++") else _STYLES.get(line[:1], "")
