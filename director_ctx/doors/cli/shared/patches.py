"""Changes of files, as git shows them."""

from __future__ import annotations

import os

from director_ctx.doors.cli.shared.table import put_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_STYLES = {"+": "green", "-": "red", "@": "dim"}


def put_patch(name: str, before: str | None, after: str | None) -> None:
    """None for a file that is made, or that goes."""
    was = name
    if before is None:
        was = os.devnull
    now = name
    if after is None:
        now = os.devnull
    put_lines(list(patch_lines(before, after, was, now)), tabs=True)


def patch_lines(
    before: str | None, after: str | None, was: str, now: str, around: int = 3
) -> Iterator[tuple[str, str]]:
    """The lines with their styles, and so many around a change; for `put_lines(..., tabs=True)`."""
    # A file that is as it should be shows no patch, and goes without difflib.
    from difflib import unified_diff

    old = (before or "").splitlines()
    new = (after or "").splitlines()
    for line in unified_diff(old, new, was, now, n=around, lineterm=""):
        if line.startswith(("---", "+++")):
            yield line, "bold"
        else:
            yield line, _STYLES.get(line[:1], "")
